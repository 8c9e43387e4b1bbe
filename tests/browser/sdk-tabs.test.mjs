// The SDK in Chromium with several tabs of one phone: one of them sends, all get the same answer, and whoever is closed or frozen
// in the middle leaves its order to the others. `cargo xtask soak tabs` runs more rounds.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './harness.mjs';
import { held, stopped } from './network.mjs';
import { sdkTests } from './sdk.mjs';

const ROUNDS = Number(process.env.SDK_TABS_ROUNDS ?? 5);
/** `LEASE_MS` of sdk-wasm/js/lease.js. */
const LEASE_MS = 4_000;

const sdkTest = sdkTests({ tables: 12, timeout: 120_000 + 5_000 * ROUNDS });

const withoutLocks = () => Object.defineProperty(navigator, 'locks', { value: undefined });
const withoutLocksAndChannels = () => {
  Object.defineProperty(navigator, 'locks', { value: undefined });
  delete window.BroadcastChannel;
};

/** Opens tabs of one phone. */
async function openTabs(open, count, options) {
  const phone = await open(options);
  const tabs = [phone];
  while (tabs.length < count) tabs.push(await phone.tab(options));
  return tabs;
}

/** Fills the cart in one tab and waits until all show it. Equal orders of half a minute would be asked about. */
async function fill(tabs, round) {
  const quantity = 1 + (Math.floor(round / 2) % 90);
  await tabs[round % tabs.length].add(quantity, round % 2 ? { sku: 'B-DRAFT' } : {});
  for (const tab of tabs) {
    await until('every tab shows the cart', async () => (await tab.state()).lines[0]?.quantity === quantity);
  }
}

/** Taps in all tabs at the same moment of the wall clock. */
async function tapAtOnce(tabs) {
  const at = Date.now() + 150;
  const tap = (tab) =>
    tab.page.evaluate((at) => {
      window.tapped = false;
      window.outcome = new Promise((resolve) => {
        setTimeout(() => {
          resolve(window.cart.submit());
          window.tapped = true;
        }, at - Date.now());
      });
    }, at);
  await Promise.all(tabs.map(tap));
}

async function untilTapped(tabs) {
  for (const tab of tabs) await tab.page.waitForFunction(() => window.tapped);
}

/** One mutation, one ticket, and every tab has the same order in its hands and an empty cart. */
async function assertOneOrder(tabs, { network, tickets }, before = { placements: 0, tickets: 0 }) {
  const outcomes = await Promise.all(tabs.map((tab) => tab.outcome()));
  assert.deepEqual([...new Set(outcomes.map(({ kind }) => kind))], ['placed'], JSON.stringify(outcomes));
  assert.deepEqual(new Set(outcomes.map(({ order }) => order.id)).size, 1);
  assert.equal(outcomes.filter(({ replay }) => !replay).length, 1, 'one tab made it, the others found it');
  assert.equal(network.placements.length - before.placements, 1, 'mutations on the wire');
  assert.equal((await tickets()).length - before.tickets, 1);
  for (const tab of tabs) {
    await until('the tab shows that the order stands', async () => {
      const { phase, locked, lines } = await tab.state();
      return phase === 'done' && !locked && lines.length === 0;
    });
    assert.equal((await tab.state()).outcome.order.id, outcomes[0].order.id);
  }
  assert.equal(await tabs[0].stored('slot'), null);
}

/** Runs `body`, in which nobody may ask the shop what became of an order. */
async function withoutAsking(tabs, body) {
  const asked = [];
  for (const { page } of tabs) page.on('request', (request) => request.postData()?.includes('query PlacementStatus') && asked.push(request));
  await body();
  assert.deepEqual(asked, [], 'nobody has to ask what the one tab knows');
}

sdkTest('ten tabs that confirm at once are one mutation, and every tab gets the same order', async ({ network, open, tickets }) => {
  const tabs = await openTabs(open, 10);
  await withoutAsking(tabs, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await fill(tabs, round);
      const before = { placements: network.placements.length, tickets: (await tickets()).length };
      const order = stopped();
      network.next = [order];
      await tapAtOnce(tabs);
      await untilTapped(tabs);
      await order.arrived;
      order.release();
      await assertOneOrder(tabs, { network, tickets }, before);
    }
  });
});

for (const [what, prepare] of [['locks', withoutLocks], ['locks and channels', withoutLocksAndChannels]]) {
  sdkTest(`tabs without ${what} wait for the one that has the turn, and are told its order`, async ({ network, open, tickets }) => {
    const tabs = await openTabs(open, 3, { prepare });
    await withoutAsking(tabs, async () => {
      await fill(tabs, 0);
      const order = stopped();
      network.next = [order];
      await tabs[0].tap();
      await order.arrived;
      for (const tab of tabs) await until('the tab sees whose turn it is', () => tab.stored('slot.lease'));
      await tabs[1].tap();
      await tabs[2].tap();
      // longer than it takes to believe in a turn
      await sleep(300);
      order.release();
      await assertOneOrder(tabs, { network, tickets });
    });
  });

  /** Two that ask at the same moment, on a busy machine, may both believe that it is theirs: then the key keeps the order single. */
  sdkTest(`tabs without ${what} that confirm at once are one ticket under one key, and every tab gets it`, async ({ network, open, tickets }) => {
    const tabs = await openTabs(open, 3, { prepare });
    for (let round = 0; round < 2; round += 1) {
      await fill(tabs, round);
      await tapAtOnce(tabs);
      await untilTapped(tabs);
      const outcomes = await Promise.all(tabs.map((tab) => tab.outcome()));
      assert.deepEqual([...new Set(outcomes.map(({ kind, order }) => order?.id ?? kind))], [outcomes[0].order?.id], JSON.stringify(outcomes));
      assert.deepEqual([network.requestIds.length, (await tickets()).length], [round + 1, round + 1]);
    }
  });
}

sdkTest('a no is told to every tab that waits', async ({ house, network, open, tickets }) => {
  const tabs = await openTabs(open, 3);
  await fill(tabs, 0);
  const order = stopped();
  network.next = [order];
  await tapAtOnce(tabs);
  await untilTapped(tabs);
  await order.arrived;
  const takeOrders = (yes) => house.ask(house.staffKey, `mutation { setOrdering(takesOrders: ${yes}) { shop { id } } }`);
  await takeOrders(false);
  try {
    order.release();
    const outcomes = await Promise.all(tabs.map((tab) => tab.outcome()));
    assert.deepEqual(outcomes.map(({ kind, code }) => [kind, code]), Array(3).fill(['refused', 'ORDERING_PAUSED']));
    assert.deepEqual([network.placements.length, (await tickets()).length], [1, 0]);
    assert.deepEqual((await tabs[2].state()).lines.length, 1);
  } finally {
    await takeOrders(true);
  }
});

for (const [what, prepare] of [['', undefined], [' without locks', withoutLocks]]) {
  sdkTest(`the tab that sends is closed, and another one${what} goes on with its key`, async ({ network, open, tickets }) => {
    const tabs = await openTabs(open, 3, { prepare });
    await fill(tabs, 0);
    const straggler = stopped();
    network.next = [straggler];
    await tabs[1].tap();
    await straggler.arrived;
    await tabs[0].tap();
    await tabs[2].tap();
    await tabs[1].page.close();
    const outcomes = [await tabs[0].outcome(), await tabs[2].outcome()];
    assert.deepEqual(outcomes.map(({ kind }) => kind), ['placed', 'placed']);
    assert.equal(outcomes[1].order.id, outcomes[0].order.id);
    straggler.release();
    await straggler.done;
    assert.deepEqual(network.requestIds, [outcomes[0].order.requestId]);
    assert.equal(network.placements.length, 2, 'what the closed tab sent, and the same of one other');
    assert.equal((await tickets()).length, 1);
  });
}

/** Stops whatever a page does, as a phone does with what lies in the background; answers what wakes it. */
async function freeze(tab) {
  const session = await tab.page.context().newCDPSession(tab.page);
  await session.send('Debugger.enable');
  const frozen = new Promise((paused) => session.once('Debugger.paused', paused));
  await session.send('Debugger.pause');
  // it stops at whatever comes next
  session.send('Runtime.evaluate', { expression: '0' }).catch(() => {});
  await frozen;
  return async () => {
    await session.send('Debugger.disable');
    await session.detach();
  };
}

sdkTest('a tab without locks that freezes in the middle loses its turn, and finds the order when it wakes', async ({ network, open, tickets }) => {
  const [sleeper, other] = await openTabs(open, 2, { prepare: withoutLocks });
  await fill([sleeper, other], 0);
  const straggler = stopped();
  network.next = [straggler];
  await sleeper.tap();
  await straggler.arrived;
  const wake = await freeze(sleeper);
  await other.tap();
  const began = Date.now();
  const placed = await other.outcome();
  assert.equal(placed.kind, 'placed');
  assert.ok(Date.now() - began > LEASE_MS / 4, 'it has waited for its turn');
  straggler.release();
  await straggler.done;
  await wake();
  const found = await sleeper.outcome();
  assert.deepEqual([found.kind, found.order.id, found.replay], ['placed', placed.order.id, true]);
  assert.deepEqual(network.requestIds, [placed.order.requestId]);
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 1]);
});

sdkTest('a tab that freezes in the middle and is alone settles its order once when it wakes', async ({ network, open, tickets }) => {
  const [phone] = await openTabs(open, 1);
  await fill([phone], 0);
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  const wake = await freeze(phone);
  answer.release();
  await wake();
  assert.equal((await phone.outcome()).kind, 'placed');
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

/** Changes the stored slot, while the page is not there. */
async function age(phone, table, ms) {
  await phone.page.evaluate(
    ([key, ms]) => {
      const slot = JSON.parse(localStorage.getItem(key));
      localStorage.setItem(key, JSON.stringify({ ...slot, sentAt: slot.sentAt - ms }));
    },
    [`masterorder.${table.id}.slot`, ms],
  );
}

sdkTest('what was confirmed longer ago than keys are kept is never sent', async ({ table, network, open, tickets }) => {
  const phone = await leftBehind({ table, network, open }, 73 * 3_600_000);
  const outcome = await phone.resume();
  assert.deepEqual([outcome.kind, outcome.code], ['blocked', 'CONFIRMATION_TOO_OLD']);
  assert.deepEqual([network.placements.length, (await tickets()).length, await phone.stored('slot')], [1, 0, null]);
  const { locked, lines } = await phone.state();
  assert.deepEqual([locked, lines.length], [false, 1], 'the guest may confirm it anew');
});

sdkTest('what was confirmed more than two minutes ago is sent by the guest\'s tap only', async ({ table, network, open, tickets }) => {
  const phone = await leftBehind({ table, network, open }, 121_000);
  const outcome = await phone.resume();
  assert.equal(outcome.kind, 'unknown');
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 0]);
  const placed = await phone.submit();
  assert.equal(placed.kind, 'placed');
  assert.deepEqual(network.requestIds, [placed.order.requestId]);
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 1]);
});

/** Leaves an order that never reached the server, confirmed this long ago, and opens the page again. */
async function leftBehind({ table, network, open }, ms) {
  const phone = await open();
  await phone.add();
  const order = stopped();
  network.next = [order];
  await phone.tap();
  await order.arrived;
  await age(phone, table, ms);
  await phone.reload();
  return phone;
}
