// The SDK in Chromium over reloads, other tabs, the back button and a module that dies: what was sent is found again.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';
import { held, stopped } from './network.mjs';
import { sdkTests, served } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 12, browser: { backForwardCache: true } });

sdkTest('a page that is reloaded while its answer is on its way finds the order again', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add(2);
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  await phone.reload();
  const { locked, lines } = await phone.state();
  assert.deepEqual([locked, lines.length], [true, 1]);
  const outcome = await phone.resume();
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
  assert.equal(outcome.order.lines[0].quantity, 2);
  assert.equal((await tickets()).length, 1);
  assert.equal(await phone.resume(), null);
});

/** AC-147. */
sdkTest('a page that is reloaded before its order is committed places it once', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const straggler = stopped();
  network.next = [straggler];
  await phone.tap();
  await straggler.arrived;
  await phone.reload();
  const outcome = await phone.resume();
  assert.equal(outcome.kind, 'placed');
  const { phase, lines } = await phone.state();
  assert.deepEqual([phase, lines], ['done', []]);
  straggler.release();
  assert.equal(JSON.parse((await straggler.done).body).data.placeOrder.idempotentReplay, true);
  assert.deepEqual(network.requestIds, [outcome.order.requestId]);
  assert.deepEqual((await tickets()).map((ticket) => ticket.orderId), [outcome.order.id]);
});

/** AC-147, with storage blocked: the page has forgotten, and the shop has not. */
sdkTest('without storage a reload sends nothing, and the same order again is asked about', async ({ network, open, tickets }) => {
  const phone = await open({ prepare: blockStorage });
  await phone.add();
  const straggler = stopped();
  network.next = [straggler];
  await phone.tap();
  await straggler.arrived;
  await phone.reload();
  const { persistent, lines } = await phone.state();
  assert.deepEqual([await phone.resume(), persistent, lines], [null, false, []]);
  straggler.release();
  await straggler.done;
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
  await phone.add();
  const asked = await phone.submit();
  assert.deepEqual([asked.kind, asked.earlier.requestId], ['possibleDuplicate', network.placements[0].requestId]);
  assert.equal((await tickets()).length, 1);
});

function blockStorage() {
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  }
}

/** AC-151. */
sdkTest('back from the next page the button is free, and the next cart has a key of its own', async ({ network, open, tickets }) => {
  network.pages['/thanks'] = served('text/html', '<!doctype html><title>Thanks</title>');
  const phone = await open();
  await phone.add();
  const first = await phone.submit();
  await phone.page.goto(`${network.url}/thanks`);
  await phone.page.evaluate(() => void history.back());
  await until('the page is there again', () => phone.page.evaluate(() => window.restored !== undefined).catch(() => false));
  assert.equal(await phone.page.evaluate(() => window.restored), true, 'the page came out of the cache');
  const { phase, outcome, locked, lines } = await phone.state();
  assert.deepEqual([phase, outcome, locked, lines], ['idle', undefined, false, []]);
  assert.equal(await phone.stored('slot'), null);
  await phone.add(2);
  const second = await phone.submit();
  assert.deepEqual([second.kind, second.order.requestId !== first.order.requestId], ['placed', true]);
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 2]);
});

/** AC-151, left while the order is on its way. Some browsers keep such a page and its request, others begin anew. */
sdkTest('back from the next page an order that was on its way is there', async ({ network, open, tickets }) => {
  network.pages['/menu'] = served('text/html', '<!doctype html><title>Menu</title>');
  const phone = await open();
  await phone.add();
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  await phone.page.goto(`${network.url}/menu`);
  answer.release();
  await phone.page.evaluate(() => void history.back());
  await until('the page is there again', () => phone.page.evaluate(() => Boolean(window.loaded)).catch(() => false));
  const outcome = (await phone.resume()) ?? (await phone.state()).outcome;
  assert.equal(outcome.kind, 'placed');
  const { phase, locked, lines } = await phone.state();
  assert.deepEqual([phase, locked, lines], ['done', false, []]);
  assert.deepEqual(network.requestIds, [outcome.order.requestId]);
  assert.equal((await tickets()).length, 1);
});

sdkTest('another tab of the same phone sees the cart, waits for the order and joins it', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const other = await phone.tab();
  const order = stopped();
  network.next = [order];
  await phone.tap();
  await order.arrived;
  await other.tap();
  // whatever that tab sent before has arrived
  await other.page.evaluate(() => fetch('/healthz').then((response) => response.text()));
  assert.equal(network.placements.length, 1);
  order.release();
  const [one, two] = [await phone.outcome(), await other.outcome()];
  assert.deepEqual([one.kind, two.kind, two.order.id], ['placed', 'placed', one.order.id]);
  // storage of tabs is not in step with their locks: the same key may be sent again, another one may not
  assert.deepEqual([network.requestIds.length, (await tickets()).length], [1, 1]);
  for (const tab of [phone, other]) {
    await until('the tab shows the empty cart', async () => (await tab.state()).lines.length === 0);
  }
});

/** AC-153: a tab that sleeps shows the cart of before. */
sdkTest('a cart that another tab changed is shown before it can be confirmed', async ({ network, open, tickets }) => {
  const asleep = () => addEventListener('storage', (event) => event.stopImmediatePropagation(), true);
  const phone = await open({ prepare: asleep });
  await phone.add();
  const other = await phone.tab();
  await other.add(1, { sku: 'B-DRAFT' });
  await until('it is in storage', async () => JSON.parse(await phone.stored('cart')).lines.length === 2);
  assert.equal((await phone.state()).lines.length, 1);
  const blocked = await phone.submit();
  assert.deepEqual([blocked.kind, blocked.code], ['blocked', 'CART_CHANGED']);
  assert.deepEqual([network.placements.length, (await phone.state()).lines.length], [0, 2]);
  const placed = await phone.submit();
  assert.deepEqual([placed.kind, placed.order.lines.length], ['placed', 2]);
  assert.equal((await tickets()).length, 1);
});

/** AC-153, where there are no locks of the browser (plain http, iOS before 15.4). */
sdkTest('without locks too a cart that another tab changed is shown before it can be confirmed', async ({ network, open, tickets }) => {
  const phone = await open({
    prepare: () => {
      addEventListener('storage', (event) => event.stopImmediatePropagation(), true);
      Object.defineProperty(navigator, 'locks', { value: undefined });
    },
  });
  await phone.add();
  const other = await phone.tab();
  await other.add(1, { sku: 'B-DRAFT' });
  await until('it is in storage', async () => JSON.parse(await phone.stored('cart')).lines.length === 2);
  assert.equal((await phone.state()).lines.length, 1);
  const blocked = await phone.submit();
  assert.deepEqual([blocked.kind, blocked.code, network.placements.length], ['blocked', 'CART_CHANGED', 0]);
  const placed = await phone.submit();
  assert.deepEqual([placed.kind, placed.order.lines.length, (await tickets()).length], ['placed', 2, 1]);
});

sdkTest('a tab that is closed in the middle leaves its order to the other one', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const other = await phone.tab();
  const answer = held();
  network.next = [answer];
  await other.tap();
  await answer.answered;
  await phone.tap();
  await other.page.close();
  const outcome = await phone.outcome();
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
  assert.deepEqual(network.requestIds, [outcome.order.requestId]);
  assert.equal((await tickets()).length, 1);
});

sdkTest('a module that dies is rebuilt from what is stored, and the promise is kept', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  await phone.page.evaluate(() => {
    const real = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = () => {
      crypto.getRandomValues = real;
      throw new Error('a trap');
    };
    window.dispatchEvent(new Event('storage'));
  });
  const outcome = await phone.outcome();
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
  phone.takeComplaint(/the module stopped/);
  assert.equal((await tickets()).length, 1);
});

sdkTest('a module that dies twice says that nobody knows', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  await phone.page.evaluate(() => {
    crypto.getRandomValues = () => {
      throw new Error('a trap');
    };
    window.dispatchEvent(new Event('storage'));
  });
  assert.equal((await phone.outcome()).kind, 'unknown');
  assert.equal((await phone.submit()).kind, 'unknown');
  for (let i = 0; i < 2; i += 1) phone.takeComplaint(/the module stopped/);
  await phone.reload();
  const outcome = await phone.resume();
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
  assert.equal((await tickets()).length, 1);
});
