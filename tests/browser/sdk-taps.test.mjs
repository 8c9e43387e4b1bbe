// The SDK in Chromium: whatever the thumb, the page and other clients do, one cart is one order and one ticket.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { held, stopped, twice } from './network.mjs';
import { placeByHand, sdkTests } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 17 });
const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const REUSED = 'IDEMPOTENCY_KEY_REUSED';

sdkTest('ten taps are one promise, one request and one ticket', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const [outcomes, promises] = await phone.page.evaluate(async () => {
    const taps = Array.from({ length: 10 }, () => window.cart.submit());
    return [window.plain(await Promise.all(taps)), new Set(taps).size];
  });
  assert.equal(promises, 1);
  assert.deepEqual([...new Set(outcomes.map((outcome) => outcome.kind))], ['placed']);
  assert.equal(outcomes[0].replay, false);
  assert.equal(outcomes[0].order.lines[0].quantity, 1);
  assert.equal(network.placements.length, 1);
  assert.equal((await tickets()).length, 1);
  const { outcome, ...state } = await phone.state();
  assert.equal(outcome.kind, 'placed');
  assert.deepEqual(state, { phase: 'done', locked: false, persistent: true, lines: [], total: null });
});

/** AC-001. */
sdkTest('two taps on a slow order are one request and one order', async ({ house, network, open, tickets }) => {
  const sku = 'C-SASHIMI3';
  const before = await house.remaining(sku);
  const phone = await open();
  await phone.add(1, { sku });
  const order = stopped();
  network.next = [order];
  await phone.page.evaluate(async () => {
    window.taps = [window.cart.submit()];
    await new Promise((later) => setTimeout(later, 100));
    window.taps.push(window.cart.submit());
  });
  await order.arrived;
  await sleep(700);
  order.release();
  const [first, second] = await phone.page.evaluate(async () => window.plain(await Promise.all(window.taps)));
  assert.equal(first.kind, 'placed');
  assert.equal(second.order.id, first.order.id);
  assert.equal(network.placements.length, 1);
  assert.deepEqual((await tickets()).map((ticket) => ticket.orderId), [first.order.id]);
  assert.equal(await house.remaining(sku), before - 1);
});

/** AC-011. */
sdkTest('the next cart has a key of its own and is an order of its own', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const first = await phone.submit();
  await phone.add(1, { sku: 'B-DRAFT' });
  const second = await phone.submit();
  assert.deepEqual([first.kind, second.kind], ['placed', 'placed']);
  assert.notEqual(second.order.id, first.order.id);
  const keys = network.placements.map(({ requestId }) => requestId);
  assert.equal(new Set(keys).size, 2);
  for (const key of keys) assert.match(key, V4);
  const carts = network.placements.map(({ input }) => input.checkoutId);
  assert.equal(new Set(carts).size, 2);
  assert.equal((await tickets()).length, 2);
});

/** AC-011, forced: the key of a placed order is put where the SDK keeps its next one. */
sdkTest('a key that belongs to another order is an error and never that order', async ({ house, table, network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const first = await phone.submit();
  const used = first.order.requestId;
  await phone.page.evaluate(([name, key]) => sessionStorage.setItem(name, key), [`masterorder.${table.id}.request`, used]);
  await phone.reload();
  await phone.add(1, { sku: 'B-DRAFT' });
  const refused = await phone.submit();
  assert.equal(network.placements.at(-1).requestId, used, 'it was sent');
  const devices = network.placements.map(({ headers }) => headers['x-masterorder-client-id']);
  assert.equal(devices[1], devices[0], 'a reload makes no other device');
  assert.deepEqual([refused.kind, refused.code, refused.order], ['refused', REUSED, undefined]);
  assert.equal((await phone.state()).phase, 'failed');
  assert.equal((await tickets()).length, 1);

  const lines = [house.line('B-DRAFT')];
  const { placeOrder } = (await placeByHand(house, table, { requestId: used, lines })).data;
  assert.deepEqual([placeOrder.orderId, placeOrder.result.code, placeOrder.result.status], [null, REUSED, 409]);

  // the beer is still in the cart, and is ordered by the next tap
  const placed = await phone.submit();
  assert.equal(placed.kind, 'placed');
  assert.notEqual(placed.order.requestId, used);
  assert.equal((await tickets()).length, 2);
});

sdkTest('a cart that was ordered with other content is told with that order, and the rest is a new cart', async ({ house, table, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const { checkoutId } = JSON.parse(await phone.stored('cart'));
  const lines = [house.line('B-DRAFT')];
  const { data } = await placeByHand(house, table, { requestId: crypto.randomUUID(), checkoutId, lines });
  const refused = await phone.submit();
  assert.deepEqual([refused.kind, refused.code, refused.order?.id], ['refused', 'CHECKOUT_ALREADY_PLACED', data.placeOrder.orderId]);
  assert.equal((await tickets()).length, 1);
  assert.notEqual(JSON.parse(await phone.stored('cart')).checkoutId, checkoutId);
  assert.equal((await phone.submit()).kind, 'placed');
  assert.equal((await tickets()).length, 2);
});

sdkTest('a packet that arrives twice is one ticket', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  network.next = [twice];
  assert.equal((await phone.submit()).kind, 'placed');
  assert.equal((await tickets()).length, 1);
});

sdkTest('two phones with different carts are two tickets', async ({ open, tickets }) => {
  const [one, other] = [await open(), await open()];
  await one.add(1);
  await other.add(1, { sku: 'B-DRAFT' });
  const outcomes = await Promise.all([one.submit(), other.submit()]);
  assert.deepEqual(outcomes.map(({ kind }) => kind), ['placed', 'placed']);
  assert.notEqual(outcomes[0].order.id, outcomes[1].order.id);
  assert.equal((await tickets()).length, 2);
});

sdkTest('a client that makes a key per tap still gets one ticket', async ({ house, table, tickets }) => {
  const device = `guest-${crypto.randomUUID()}`;
  const tap = () => placeByHand(house, table, { requestId: crypto.randomUUID(), lines: [house.line('B-DRAFT', 2)] }, device);
  const answers = await Promise.all(Array.from({ length: 5 }, tap));
  const ids = new Set(answers.map(({ data }) => data.placeOrder.orderId));
  assert.equal(ids.size, 1, JSON.stringify(answers));
  const reasons = answers.map(({ data }) => data.placeOrder.result.replayReason);
  assert.deepEqual(reasons.sort(), ['PAYLOAD', 'PAYLOAD', 'PAYLOAD', 'PAYLOAD', null]);
  assert.equal((await tickets()).length, 1);
});

/** AC-163. */
sdkTest('calls that wait for nothing do not get in one another\'s way', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const outcomes = await phone.page.evaluate(async (line) => {
    const { cart, client } = window;
    const calls = [cart.submit(), cart.submit(), client.resume()];
    cart.add(line);
    cart.setQuantity(0, 9);
    cart.clear();
    return window.plain(await Promise.all(calls));
  }, phone.line(3));
  assert.deepEqual(new Set(outcomes.map(({ order }) => order.id)).size, 1);
  assert.equal(outcomes[0].order.lines[0].quantity, 1, 'the cart was locked');
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

/** AC-163, with the call that takes the order back. */
sdkTest('who orders and gives up in one breath has sent nothing, and everybody is told', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const codes = await phone.page.evaluate(async () => {
    const { cart, client } = window;
    const calls = [cart.submit(), cart.submit(), client.resume(), cart.withdraw()];
    return (await Promise.all(calls)).map(({ code }) => code);
  });
  assert.deepEqual(codes, Array(4).fill('ABORTED'));
  assert.deepEqual([network.placements, await tickets(), (await phone.state()).locked], [[], [], false]);
  assert.equal((await phone.submit()).kind, 'placed');
});

/** AC-163, in the middle of an order. */
sdkTest('whoever calls while an order is given up is told how it ended, once', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const order = stopped();
  network.next = [order];
  await phone.tap();
  await order.arrived;
  const codes = await phone.page.evaluate(async () => {
    const { cart, client } = window;
    const calls = [window.outcome, cart.submit(), cart.withdraw(), client.resume(), cart.submit(), cart.withdraw()];
    return (await Promise.all(calls)).map(({ code }) => code);
  });
  assert.deepEqual(codes, Array(6).fill('WITHDRAWN'));
  order.release();
  await order.done;
  assert.deepEqual([network.placements.length, await tickets(), (await phone.state()).locked], [1, [], false]);
});

sdkTest('who stops waiting for an order takes it from nobody else', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const order = stopped();
  network.next = [order];
  await phone.page.evaluate(() => {
    const leaving = new AbortController();
    window.outcome = Promise.all([window.cart.submit({ signal: leaving.signal }), window.cart.submit()]);
    leaving.abort();
  });
  await order.arrived;
  order.release();
  assert.deepEqual((await phone.outcome()).map(({ kind }) => kind), ['placed', 'placed']);
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

sdkTest('calls inside a listener are taken when it returns', async ({ network, open, tickets }) => {
  const phone = await open();
  const outcome = await phone.page.evaluate(async (line) => {
    const placed = new Promise((resolve) => {
      const off = window.cart.subscribe(() => {
        off();
        resolve(window.cart.submit());
      });
    });
    window.cart.add(line);
    return window.plain(await placed);
  }, phone.line());
  assert.equal(outcome.kind, 'placed');
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

sdkTest('two clients of a page show one cart', async ({ open }) => {
  const phone = await open();
  const shown = await phone.page.evaluate(
    async ([options, line]) => {
      const other = window.createClient(options);
      await other.ready;
      const told = new Promise((resolve) => other.cart().subscribe(resolve));
      window.cart.add(line);
      await told;
      return other.cart().lines.length;
    },
    [phone.options, phone.line()],
  );
  assert.equal(shown, 1);
});

sdkTest('a client that is closed lets go of everything, and the next one finds its order', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  const [left, found] = await phone.page.evaluate(async (options) => {
    window.client.close();
    const left = await window.outcome;
    return window.plain([left, await window.createClient(options).resume()]);
  }, phone.options);
  assert.equal(left.kind, 'unknown');
  assert.deepEqual([found.kind, found.replay], ['placed', true]);
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

/** AC-165, without React: a view that is mounted twice, left and entered again. */
sdkTest('a view that is mounted again and again has one key', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const shown = await phone.stored('request');
  const outcome = await phone.page.evaluate(async (options) => {
    let client;
    for (let i = 0; i < 10; i += 1) {
      client?.close();
      client = window.createClient(options);
      if (i % 2) await client.ready;
    }
    await client.ready;
    const placed = await client.cart().submit();
    return window.plain(placed);
  }, phone.options);
  assert.equal(outcome.kind, 'placed');
  assert.deepEqual(network.requestIds, [shown]);
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});
