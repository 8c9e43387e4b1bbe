// The entry `./offline` in several tabs of one phone, and in pages that die: one of them decides, all are told, and what one leaves in
// the middle is taken up by the next.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';
import { held, resetBefore, stopped } from './network.mjs';
import { placeByHand, sdkTests } from './sdk.mjs';
import { confirmed, openWaiting, short } from './waiting.mjs';

const ROUNDS = 6;
const sdkTest = sdkTests({ tables: 26 });

const withoutLocks = () => Object.defineProperty(navigator, 'locks', { value: undefined });
const withoutLocksAndChannels = () => {
  Object.defineProperty(navigator, 'locks', { value: undefined });
  delete window.BroadcastChannel;
};

/** Two tabs of a phone without a network that show the same cart waiting. */
async function twoTabs(around, prepare) {
  const guest = await openWaiting(around, {}, { prepare });
  await guest.phone.add();
  const tab = await guest.tab();
  await guest.lose();
  await guest.confirm();
  await tab.untilWaits();
  return [guest, tab];
}

for (const [what, prepare] of [['', undefined], [' without locks', withoutLocks], [' without locks and channels', withoutLocksAndChannels]]) {
  sdkTest(`two tabs${what} that find a network at once send once, and both are told`, async (around) => {
    const [guest, tab] = await twoTabs(around, prepare);
    await guest.find();
    const outcome = await guest.outcome();
    const [told] = await tab.hears();
    assert.deepEqual([outcome.kind, told.kind, told.order.id], ['placed', 'placed', outcome.order.id]);
    assert.deepEqual([around.network.placements.length, (await around.tickets()).length], [1, 1]);
    for (const { phone, waits } of [guest, tab]) {
      await until('the cart is empty', async () => (await phone.state()).lines.length === 0);
      assert.equal(await waits(), null);
    }
  });

  sdkTest(`a cancel in one tab${what} while the other finds a network is one or the other`, async (around) => {
    const { network, tickets } = around;
    const [guest, tab] = await twoTabs(around, prepare);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = [network.placements.length, (await tickets()).length];
      const at = Date.now() + 250;
      const cancelled = tab.page.evaluate(async ([at, ms]) => {
        await new Promise((later) => setTimeout(later, at - Date.now() + ms));
        return window.plain(await window.offline.cancel());
      }, [at, 20 * round - 40]);
      await new Promise((later) => setTimeout(later, at - Date.now() - 20));
      await guest.find();
      const answers = [await cancelled, await guest.outcome()];
      await until('nothing is open', async () => !(await guest.phone.state()).locked && !(await tab.phone.state()).locked);
      const ordered = (await tickets()).length - before[1];
      const kinds = answers.map(short);
      const expected = ordered === 0 ? /OFFLINE_CANCELLED|WITHDRAWN|ABORTED/ : /placed|NOTHING_TO_WITHDRAW/;
      for (const kind of kinds) assert.match(kind, expected, `${ordered} orders: ${kinds}`);
      assert.ok(ordered <= 1);
      assert.equal(await guest.record(), null);
      // the next round: another cart, so that nobody is asked about the same again
      await guest.phone.page.evaluate(() => window.cart.clear());
      await guest.phone.add(2 + round);
      await until('both show it', async () => (await tab.phone.state()).lines[0]?.quantity === 2 + round);
      await guest.lose();
      await guest.confirm();
      await tab.untilWaits();
    }
  });
}

/** `first`: the other tab's word comes before the client's. Synthetic. */
for (const first of [false, true]) sdkTest(`whoever has called in two tabs is told once in each${first ? ', whoever tells first' : ''}`, async (around) => {
  const [guest, tab] = await twoTabs(around);
  await tab.confirm();
  const { id } = await guest.record();
  // it does not notice, so that the first one sends
  await tab.page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  const answer = held();
  around.network.next = [answer];
  await guest.find();
  await answer.answered;
  await tab.untilWaits(false);
  // until the other tab asks its client
  await new Promise((later) => setTimeout(later, 800));
  if (first) {
    await tab.page.evaluate(([key, id]) => {
      const newValue = JSON.stringify({ version: 1, id, outcome: { kind: 'placed' } });
      dispatchEvent(new StorageEvent('storage', { key, newValue }));
    }, [`masterorder.${around.table.id}.waiting`, id]);
  }
  answer.release();
  assert.deepEqual([short(await guest.outcome()), short(await tab.outcome())], ['placed', 'placed']);
  await new Promise((later) => setTimeout(later, 300));
  assert.deepEqual([await guest.heard(), await tab.heard()], [[], []]);
  assert.equal(around.network.placements.length, 1);
});

sdkTest('a cancel is told to the other tab', async (around) => {
  const [guest, tab] = await twoTabs(around);
  assert.equal(short(await tab.cancel()), 'blocked OFFLINE_CANCELLED');
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_CANCELLED');
  await guest.untilWaits(false);
  await guest.find();
  assert.equal(around.network.placements.length, 0);
});

sdkTest('whoever has called in any tab is told that it is too old', async (around) => {
  const guest = await openWaiting(around, { maxAgeMs: 1500 });
  await guest.phone.add();
  const tab = await guest.tab();
  await guest.lose();
  await guest.confirm();
  await tab.confirm();
  const outcomes = [await guest.outcome(), await tab.outcome()];
  assert.deepEqual(outcomes.map(short), ['blocked OFFLINE_EXPIRED', 'blocked OFFLINE_EXPIRED']);
  assert.deepEqual([(await guest.waits()).expired, (await tab.waits()).expired], [true, true]);
});

/** Keeps a lock. By default the client's own: it can write nothing down, and what is begun stays begun. */
const hold = (page, name = 'slot') => page.evaluate((name) => new Promise((held) => {
  const key = Object.keys(localStorage).find((name) => name.endsWith('.waiting')).replace('waiting', name);
  navigator.locks.request(key, () => {
    held();
    return new Promise((release) => (window.letGo = release));
  });
}), name);

/** A page that has decided to send and can not write it down. */
async function deciding(around) {
  const guest = await confirmed(around);
  await hold(guest.page);
  await guest.find();
  await guest.untilWaits(false);
  return guest;
}

sdkTest('what has become too old while a tab waits for its turn is not sent', async (around) => {
  const guest = await confirmed(around);
  await hold(guest.page, 'waiting');
  await guest.find();
  await guest.rewrite({ isLate: true });
  await guest.page.evaluate(() => window.letGo());
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  assert.deepEqual([around.network.placements.length, (await guest.waits()).expired], [0, true]);
});

/** AC-147. */
sdkTest('a page that dies between deciding and writing down what it sends loses nothing', async (around) => {
  const guest = await deciding(around);
  assert.deepEqual([await guest.phone.stored('slot'), around.network.placements.length], [null, 0]);
  assert.notEqual(await guest.record(), null, 'it is still written down');
  await guest.reload();
  assert.deepEqual((await guest.hears()).map(short), ['placed']);
  assert.deepEqual([around.network.placements.length, (await around.tickets()).length, await guest.record()], [1, 1, null]);
});

sdkTest('given up between deciding and writing down, it is not sent', async (around) => {
  const guest = await deciding(around);
  assert.equal(short(await guest.cancel()), 'blocked ABORTED');
  assert.equal(short(await guest.outcome()), 'blocked ABORTED');
  await guest.page.evaluate(() => window.letGo());
  await guest.reload();
  assert.deepEqual([around.network.placements.length, await guest.record(), await guest.heard()], [0, null, []]);
});

/** AC-147. */
sdkTest('a page that is reloaded while it sends sends the same', async (around) => {
  const { network, tickets } = around;
  const guest = await confirmed(around);
  const straggler = stopped();
  network.next = [straggler];
  await guest.find();
  await straggler.arrived;
  await guest.reload();
  const resumed = await guest.phone.resume();
  assert.equal(resumed?.kind ?? 'placed', 'placed');
  await until('it stands', async () => (await tickets()).length === 1);
  straggler.release();
  await straggler.done;
  await until('nothing is open', async () => !(await guest.phone.state()).locked);
  assert.deepEqual([network.requestIds.length, (await tickets()).length, await guest.record()], [1, 1, null]);
});

sdkTest('what a page that is gone may have sent is withdrawn, and not only forgotten', async (around) => {
  const { network, tickets } = around;
  const guest = await confirmed(around);
  const straggler = stopped();
  network.next = [straggler];
  await guest.find();
  await straggler.arrived;
  await guest.lose();
  await guest.reload();
  await guest.untilWaits(false);
  assert.equal(short(await guest.cancel()), 'unknown');
  await guest.find();
  assert.deepEqual((await guest.hears()).map(short), ['rejected WITHDRAWN']);
  straggler.release();
  await straggler.done;
  assert.deepEqual([network.placements.length, (await tickets()).length, await guest.record()], [1, 0, null]);
});

/** AC-147: the guest has read the no, and nothing is tried again behind it. */
sdkTest('a no that is found after a reload is not asked for again', async (around) => {
  const { network, tickets } = around;
  const guest = await openWaiting(around);
  const line = guest.phone.line();
  const price = { ...line.price, amountMinor: line.price.amountMinor + 1 };
  await guest.page.evaluate((line) => window.cart.add(line), { ...line, price });
  await guest.lose();
  await guest.confirm();
  const answer = held();
  network.next = [answer];
  await guest.find();
  await answer.answered;
  await guest.reload();
  assert.equal(short(await guest.phone.resume()), 'rejected PRICE_CHANGED');
  await new Promise((later) => setTimeout(later, 400));
  assert.deepEqual([network.placements.length, (await tickets()).length, await guest.record()], [1, 0, null]);
});

sdkTest('cancelled in one tab while the other can not find out, it is withdrawn', async (around) => {
  const { network, tickets } = around;
  const [guest, tab] = await twoTabs(around);
  network.always = resetBefore;
  await guest.find();
  await until('it was sent', () => network.placements.length > 0);
  const cancelled = await tab.cancel();
  assert.equal(short(cancelled), 'rejected WITHDRAWN');
  assert.equal((await tickets()).length, 0);
});

/** The other phone of the table has just ordered the same. */
sdkTest('a question is put in every tab that waits for an answer', async (around) => {
  const { house, table } = around;
  const [guest, tab] = await twoTabs(around);
  await tab.confirm();
  const line = { menuItemId: house.menuItems[0].id, quantity: 1 };
  await placeByHand(house, table, { requestId: crypto.randomUUID(), checkoutId: crypto.randomUUID(), lines: [line] });
  await guest.find();
  assert.deepEqual([short(await guest.outcome()), short(await tab.outcome())], ['possibleDuplicate', 'possibleDuplicate']);
  assert.equal((await around.tickets()).length, 1);
});

sdkTest('whoever taps while it is being sent is told, and nobody else', async (around) => {
  const guest = await confirmed(around);
  await guest.reload();
  await guest.untilWaits();
  await hold(guest.page);
  await guest.find();
  await guest.untilWaits(false);
  await guest.confirm();
  await guest.page.evaluate(() => window.letGo());
  assert.equal(short(await guest.outcome()), 'placed');
  assert.deepEqual([await guest.heard(), around.network.placements.length], [[], 1]);
});

sdkTest('it can be cancelled before the cart has been read', async (around) => {
  const guest = await confirmed(around);
  const cancelled = await guest.page.evaluate(async (options) => {
    return window.plain(await window.wait(window.createClient(options)).cancel());
  }, guest.phone.options);
  assert.equal(short(cancelled), 'blocked OFFLINE_CANCELLED');
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_CANCELLED');
  await guest.find();
  assert.deepEqual([await guest.waits(), around.network.placements.length], [null, 0]);
});

sdkTest('two clients of a page know of each other', async (around) => {
  const guest = await openWaiting(around);
  await guest.phone.add();
  await guest.page.evaluate(async (options) => {
    const other = window.createClient(options);
    await other.ready;
    window.other = window.wait(other);
  }, guest.phone.options);
  await guest.lose();
  await guest.confirm();
  await until('both wait', () => guest.page.evaluate(() => Boolean(window.other.state().waiting)));
  assert.equal(short(await guest.page.evaluate(async () => window.plain(await window.other.cancel()))), 'blocked OFFLINE_CANCELLED');
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_CANCELLED');
  assert.equal(await guest.waits(), null);
});

sdkTest('a client that is closed in between leaves it to the next one', async (around) => {
  const guest = await deciding(around);
  await guest.page.evaluate((options) => {
    window.offline.close();
    window.client.close();
    window.letGo();
    window.client = window.createClient(options);
    window.cart = window.client.cart();
    window.offline = window.wait();
  }, guest.phone.options);
  assert.equal(short(await guest.outcome()), 'unknown', 'whoever has called does not wait for ever');
  assert.deepEqual((await guest.hears()).map(short), ['placed']);
  assert.deepEqual([around.network.placements.length, (await around.tickets()).length, await guest.record()], [1, 1, null]);
});

sdkTest('what was given up is not sent by a tab that found a network later', async (around) => {
  const [guest, tab] = await twoTabs(around);
  await hold(guest.page);
  await guest.find();
  // one of the two is about to send, and the guest cancels in the other
  let other;
  await until('one of them is about to send', async () => {
    if ((await guest.waits()) === null) other = tab;
    else if ((await tab.waits()) === null) other = guest;
    return other !== undefined;
  });
  await other.page.evaluate(() => void (window.cancelled = window.offline.cancel()));
  await guest.page.evaluate(() => window.letGo());
  const cancelled = await other.page.evaluate(async () => window.plain(await window.cancelled));
  const kinds = [cancelled, await guest.outcome()].map(short);
  await until('nothing is open', async () => !(await guest.phone.state()).locked);
  const ordered = (await around.tickets()).length;
  const expected = ordered === 0 ? /WITHDRAWN|ABORTED|OFFLINE_CANCELLED/ : /placed/;
  for (const kind of kinds) assert.match(kind, expected, `${ordered} orders: ${kinds}`);
});
