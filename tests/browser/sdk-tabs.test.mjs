// The SDK in Chromium with several tabs of one phone: one of them sends, all get the same answer, and whoever is closed, killed or
// frozen in the middle leaves its order to the others. `cargo xtask soak tabs` runs more rounds and kills.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';
import { held, resetAfter, resetBefore, stopped, through } from './network.mjs';
import { sdkTests } from './sdk.mjs';

const ROUNDS = Number(process.env.SDK_TABS_ROUNDS ?? 5);
const KILLS = Number(process.env.SDK_TABS_KILLS ?? 10);
/** `LEASE_MS` of sdk-wasm/js/lease.js. */
const LEASE_MS = 4_000;

const sdkTest = sdkTests({ tables: 12 + KILLS });

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
  const quantity = 1 + (Math.floor(round / 2) % 30);
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

for (const [what, count, rounds, prepare] of [
  ['ten tabs', 10, ROUNDS, undefined],
  ['three tabs without locks', 3, 2, withoutLocks],
  ['three tabs without locks and channels', 3, 2, withoutLocksAndChannels],
]) {
  sdkTest(`${what} that confirm at once are one mutation, and every tab gets the same order`, async ({ network, open, tickets }) => {
    const tabs = await openTabs(open, count, { prepare });
    const asked = [];
    for (const { page } of tabs) page.on('request', (request) => request.postData()?.includes('query PlacementStatus') && asked.push(request));
    for (let round = 0; round < rounds; round += 1) {
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
    assert.deepEqual(asked, [], 'nobody has to ask what the one tab knows');
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

/**
 * Runs in the page: from its nth touch of the world outside on, nothing that the page does leaves it. `before`: the nth is the
 * first that does not.
 */
function mortal() {
  const life = { touches: 0, dies: Infinity, before: true, dead: false, told: false };
  window.life = life;
  const never = new Promise(() => {});
  /** Does something outside, unless the page is dead. */
  const touch = (act, otherwise) => {
    if (life.dead) return otherwise;
    life.touches += 1;
    const last = life.touches === life.dies;
    if (last && life.before) {
      life.dead = true;
      return otherwise;
    }
    const done = act();
    if (last) life.dead = true;
    return done;
  };
  for (const name of ['setItem', 'removeItem']) {
    const real = Storage.prototype[name];
    Storage.prototype[name] = function (...given) {
      return touch(() => real.apply(this, given), undefined);
    };
  }
  const { fetch } = window;
  window.fetch = (...given) => touch(() => fetch(...given), never);
  const { json } = Response.prototype;
  Response.prototype.json = function () {
    return touch(() => json.call(this), never);
  };
  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = function (word) {
    return touch(() => postMessage.call(this, word), undefined);
  };
}

/** Touches of a submission that goes well: its slot and its key, the request and its answer, the slot, the cart and the next key. */
const TOUCHES = 9;
const FAULTS = [through, resetAfter, resetBefore, through, resetAfter];

for (let kill = 0; kill < KILLS; kill += 1) {
  // few kills are spread over all points
  const point = (kill * 7) % (TOUCHES * 2 * FAULTS.length);
  const dies = 1 + (point % TOUCHES);
  const before = Math.floor(point / TOUCHES) % 2 === 0;
  const fault = FAULTS[Math.floor(point / TOUCHES / 2) % FAULTS.length];
  const when = `${before ? 'before' : 'after'} touch ${dies}, ${fault.name}`;
  /** AC-147, for a page that is killed instead of reloaded. */
  sdkTest(`a page that is killed ${when} leaves one ticket and the right word (${kill})`, async ({ network, open, tickets }) => {
    const phone = await open({ prepare: mortal });
    await phone.add();
    network.next = [fault];
    await phone.page.evaluate(([dies, before]) => {
      Object.assign(window.life, { touches: 0, dies, before });
      window.cart.submit().then((outcome) => (window.life.told = outcome.kind));
    }, [dies, before]);
    await phone.page.waitForFunction(() => window.life.dead || window.life.told);
    // whatever can still come of it in this page has come
    await phone.page.evaluate(() => new Promise((later) => setTimeout(later, 20)));
    const { told } = await phone.page.evaluate(() => window.life);
    const next = await phone.another();
    await phone.page.close();
    await next.open();
    const resumed = await next.resume();
    const { lines } = await next.state();
    if (resumed === null && lines.length === 0) {
      assert.equal(told, 'placed', 'who finds nothing open was told before');
    } else {
      const outcome = resumed ?? (await next.submit());
      assert.equal(outcome.kind, 'placed', JSON.stringify(outcome));
      assert.equal(outcome.order.requestId, network.requestIds.at(-1));
    }
    const { phase, locked, lines: left } = await next.state();
    assert.deepEqual([['done', 'idle'].includes(phase), locked, left], [true, false, []]);
    assert.equal((await tickets()).length, 1);
  });
}
