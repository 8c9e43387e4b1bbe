// The network lab in the guest's page: each experiment ends as promised, its counters are those of the wire and of the
// database, and the verdict can say no.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { stopped } from './network.mjs';

const labTest = guestTests({ tables: 6 });

/** Opens the lab. */
async function openLab(guest) {
  await guest.page.locator('.lab-open').click();
  await guest.page.locator('.lab .lab-title').waitFor();
}

/** Waits until the lab has judged, and answers its tone, its counters and what it says. */
async function judged(guest) {
  await guest.page.locator('.lab:is([data-tone="good"], [data-tone="bad"]):not(:has([data-running="true"]))').waitFor();
  return guest.page.evaluate(() => {
    const counts = [...document.querySelectorAll('[data-count]')].map((count) => [count.dataset.count, Number(count.textContent)]);
    const tone = document.querySelector('.lab').dataset.tone;
    return { tone, ...Object.fromEntries(counts), says: document.querySelector('.lab-verdict').textContent };
  });
}

/** Each experiment, what it makes of the page, and how often requests leave. */
const RUNS = {
  'ten-taps': { taps: 10, requests: 1 },
  reload: { taps: 1, requests: 1 },
  'new-keys': { taps: 10, requests: 10 },
};
const FAULTS = ['lose-answer', 'gateway-502', 'late-answer', 'cut-answer'];

for (const [what, options] of [
  ['a desktop', { width: 1280, height: 800, locale: 'en-GB' }],
  ['a phone', { width: 360, height: 740, locale: 'ja-JP' }],
]) {
  labTest(`every experiment ends with one ticket, on ${what}`, async ({ network, open, tickets }) => {
    const guest = await open(options);
    await openLab(guest);
    let [sent, made] = [0, 0];
    const finish = async (id, { taps, requests }) => {
      const { says, ...counted } = await judged(guest);
      const left = network.placements.length - sent;
      assert.deepEqual([id, counted], [id, { tone: 'good', taps, requests: left, orders: 1, tickets: 1 }]);
      assert.match(says, options.locale === 'ja-JP' ? /伝票1枚 ✓/ : /1 ticket ✓/);
      if (requests) assert.equal(left, requests);
      else assert.ok(left > 1 || id === 'late-answer', `${id} made the page ask again`);
      assert.equal((await tickets()).length - made, 1, `${id}: one ticket in the database`);
      [sent, made] = [sent + left, made + 1];
      const mark = guest.page.locator(`[data-experiment="${id}"]`);
      assert.equal(await mark.getAttribute('data-result'), 'good');
    };
    for (const [id, expected] of Object.entries(RUNS)) {
      await guest.page.locator(`[data-experiment="${id}"]`).click();
      await until('it has begun', () => network.placements.length > sent);
      await finish(id, expected);
      if (id !== 'new-keys') await guest.placed();
    }
    for (const id of FAULTS) {
      await guest.page.locator(`[data-experiment="${id}"]`).click();
      await guest.page.locator(`[data-experiment="${id}"][aria-pressed="true"][aria-disabled="false"]`).waitFor();
      await guest.confirm.click();
      await until('it has begun', () => network.placements.length > sent);
      await finish(id, { taps: 1 });
      await guest.placed();
    }
    guest.calm();
  });
}

/** The lab must watch before the SDK sends anything. */
labTest('a request that is sent again after a reload is counted', async ({ network, open, tickets }) => {
  const guest = await open();
  await openLab(guest);
  const order = stopped();
  network.next = [order];
  await guest.add('F-POTATO');
  await guest.openCart();
  await guest.confirm.click();
  await order.arrived;
  await guest.reload();
  const { says: _, ...counted } = await judged(guest);
  assert.deepEqual(counted, { tone: 'good', taps: 1, requests: 2, orders: 1, tickets: 1 });
  order.release();
  await order.done;
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 1]);
});

/** Somebody in the middle tells every phone the same old "yes". */
labTest('an order that the page believes in and the server does not have is told', async ({ network, open, tickets }) => {
  const guest = await open();
  let first;
  network.next = [
    async (exchange) => {
      first = await exchange.pass();
      exchange.answer(first);
    },
    (exchange) => {
      const { data } = JSON.parse(first.body);
      const text = JSON.stringify(data)
        .replaceAll(data.placeOrder.result.receipt.id, crypto.randomUUID())
        .replaceAll(network.placements[0].requestId, exchange.requestId);
      const body = Buffer.from(`{"data":${text}}`);
      exchange.answer({ ...first, headers: { ...first.headers, 'content-length': String(body.length) }, body });
    },
  ];
  await guest.order('F-POTATO');
  await guest.act('more');
  await openLab(guest);
  await guest.order('B-DRAFT');
  const { says, ...counted } = await judged(guest);
  assert.deepEqual(counted, { tone: 'bad', taps: 1, requests: 1, orders: 0, tickets: 0 });
  assert.match(says, /0 tickets ✗/);
  await guest.page.getByText('There should be 1 order').waitFor();
  assert.equal((await tickets()).length, 1);
});

labTest('a second order of one cart is told', async ({ network, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  await openLab(guest);
  // what the server would tell the lab if it had taken the order twice
  await guest.page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('orders(first: 100) { nodes { id number requestId')) return route.continue();
    const response = await route.fetch();
    const answer = await response.json();
    const { nodes } = answer.data.orders;
    nodes.push(...nodes.map((order) => ({ ...order, id: `${order.id}-2`, ticket: { id: `${order.ticket.id}-2` } })));
    return route.fulfill({ response, json: answer });
  });
  await guest.order('F-POTATO');
  const { says, ...counted } = await judged(guest);
  assert.deepEqual(counted, { tone: 'bad', taps: 1, requests: 1, orders: 2, tickets: 2 });
  assert.match(says, /伝票2枚 ✗/);
  assert.equal((await tickets()).length, 1);
  assert.equal(network.placements.length, 1);
});

labTest('closed, the lab is gone, and the page orders as before', async ({ network, open, tickets }) => {
  const guest = await open();
  const native = () => guest.page.evaluate(() => /native code/.test(String(window.fetch)));
  await openLab(guest);
  assert.equal(await native(), false);
  await guest.page.locator('[data-experiment="lose-answer"]').click();
  await guest.page.locator('[data-experiment="lose-answer"][aria-pressed="true"]').waitFor();
  await guest.page.locator('[data-lab-close]').click();
  assert.deepEqual([await native(), await guest.page.locator('.lab').count()], [true, 0]);
  await guest.confirm.click();
  await guest.placed();
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1], 'nothing is broken any more');
  await guest.reload();
  assert.equal(await guest.page.locator('.lab').count(), 0);
});
