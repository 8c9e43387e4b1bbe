// The entry `./offline`: what is confirmed without a network waits for one, is sent once, or is not sent at all.

import assert from 'node:assert/strict';
import { until } from './harness.mjs';
import { instead, resetAfter, resetBefore, stopped } from './network.mjs';
import { sdkTests } from './sdk.mjs';
import { confirmed, openWaiting, short } from './waiting.mjs';

const sdkTest = sdkTests({ tables: 24 });

/** Long enough for whatever would be sent to be sent. */
const settle = () => new Promise((later) => setTimeout(later, 400));

async function assertOrders(guest, { network, tickets }, count) {
  assert.deepEqual([network.placements.length, (await tickets()).length], [count, count]);
  assert.deepEqual([await guest.waits(), await guest.record()], [null, null]);
}

/** AC-147, AC-155: nothing is queued but the guest's will, and that is used up by the first order. */
sdkTest('what was confirmed without a network outlives a reload, and is one order when there is one', async (around) => {
  const guest = await confirmed(around);
  const { since, until: last, expired } = await guest.waits();
  assert.deepEqual([last - since, expired], [600_000, false]);
  await guest.reload();
  await guest.untilWaits();
  assert.equal((await guest.waits()).since, since);
  assert.equal((await guest.phone.state()).locked, false);
  assert.equal(around.network.placements.length, 0);
  await guest.find();
  const [outcome] = await guest.hears();
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', false]);
  const [{ receipt }] = await around.tickets();
  assert.equal(outcome.order.number, receipt.number);
  await guest.page.evaluate(() => dispatchEvent(new Event('online')));
  await guest.reload();
  await settle();
  await assertOrders(guest, around, 1);
});

/** AC-137: a network that has just come back is not a good one. */
sdkTest('requests that break off are the client\'s to repeat, under one key', async (around) => {
  const guest = await confirmed(around);
  around.network.next = [resetBefore, resetAfter];
  await guest.find();
  assert.equal(short(await guest.outcome()), 'placed');
  assert.deepEqual([around.network.requestIds.length, (await around.tickets()).length], [1, 1]);
});

sdkTest('it is sent where the page opens with a network again', async (around) => {
  const guest = await confirmed(around);
  await guest.page.goto('about:blank');
  await guest.find();
  await guest.phone.open();
  await guest.page.evaluate(() => window.opened);
  assert.deepEqual((await guest.hears()).map(short), ['placed']);
  await assertOrders(guest, around, 1);
});

/** AC-165: a view that is mounted twice. */
sdkTest('many taps in two views are one promise and one order', async (around) => {
  const guest = await openWaiting(around);
  await guest.phone.add();
  await guest.lose();
  const same = await guest.page.evaluate(() => {
    const [one, other] = [window.offline, window.wait()];
    const taps = [one.submit(), other.submit({ note: '' }), one.submit()];
    window.outcome = Promise.all(taps).then((outcomes) => outcomes.map(({ kind }) => kind));
    return taps.every((tap) => tap === taps[0]) && one.state() === other.state() && Object.isFrozen(one.state().waiting);
  });
  assert.equal(same, true);
  await guest.find();
  assert.deepEqual(await guest.outcome(), ['placed', 'placed', 'placed']);
  assert.deepEqual(await guest.heard(), [], 'who has called is not told twice');
  await assertOrders(guest, around, 1);
});

sdkTest('a view that is left does not take the other one along', async (around) => {
  const guest = await openWaiting(around);
  await guest.phone.add();
  await guest.page.evaluate(() => window.wait().close());
  await guest.lose();
  await guest.confirm();
  await guest.untilWaits();
  await guest.find();
  assert.equal(short(await guest.outcome()), 'placed');
  await assertOrders(guest, around, 1);
});

sdkTest('the words of the last tap are sent', async (around) => {
  const guest = await openWaiting(around);
  await guest.phone.add();
  await guest.lose();
  await guest.confirm({ note: 'hot' });
  await guest.confirm({ note: 'mild' });
  await guest.confirm();
  await guest.find();
  assert.equal(short(await guest.outcome()), 'placed');
  assert.deepEqual(around.network.placements.map(({ input }) => input.note), ['mild']);
});

sdkTest('what the client would not take is refused at once', async (around) => {
  const guest = await openWaiting(around);
  await guest.lose();
  await guest.confirm();
  assert.equal(short(await guest.outcome()), 'blocked CART_EMPTY');
  await guest.phone.add();
  await guest.confirm({ note: 'w'.repeat(501) });
  assert.equal(short(await guest.outcome()), 'blocked BAD_USER_INPUT');
  assert.equal(await guest.record(), null);
});

sdkTest('cancelled before there is a network, it is never sent', async (around) => {
  const guest = await confirmed(around);
  const cancelled = await guest.cancel();
  assert.deepEqual([short(cancelled), cancelled.message], ['blocked OFFLINE_CANCELLED', 'The order was cancelled. Nothing was sent.']);
  assert.deepEqual(await guest.outcome(), cancelled, 'whoever has confirmed gets the same');
  await guest.find();
  await settle();
  await guest.reload();
  await settle();
  await assertOrders(guest, around, 0);
  assert.equal((await guest.phone.state()).lines.length, 1, 'the cart is as it was');
  assert.deepEqual(await guest.heard(), []);
});

sdkTest('too old, it is asked about, and confirmed anew it is one order', async (around) => {
  const guest = await confirmed(around, { maxAgeMs: 700 });
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  assert.equal((await guest.waits()).expired, true);
  await guest.find();
  await guest.reload();
  await settle();
  assert.deepEqual([around.network.placements.length, (await guest.waits()).expired, await guest.heard()], [0, true, []]);
  await guest.lose();
  await guest.confirm();
  assert.equal((await guest.waits()).expired, false);
  await guest.find();
  assert.equal(short(await guest.outcome()), 'placed');
  await assertOrders(guest, around, 1);
});

sdkTest('too old, it is confirmed anew where there is a network', async (around) => {
  const guest = await confirmed(around, { maxAgeMs: 700 });
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  await guest.find();
  await guest.confirm();
  assert.equal(short(await guest.outcome()), 'placed');
  await assertOrders(guest, around, 1);
});

sdkTest('too old, it can be forgotten', async (around) => {
  const guest = await confirmed(around, { maxAgeMs: 700 });
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  assert.equal(short(await guest.cancel()), 'blocked OFFLINE_CANCELLED');
  await guest.find();
  await settle();
  await assertOrders(guest, around, 0);
});

sdkTest('a page that slept through the age sends nothing', async (around) => {
  const guest = await confirmed(around);
  await guest.rewrite({ at: Date.now() - 600_001 });
  await guest.find();
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  await settle();
  assert.equal(around.network.placements.length, 0);
});

sdkTest('a record from the future is as old as can be', async (around) => {
  const guest = await confirmed(around);
  await guest.rewrite({ at: Date.now() + 60_000, id: 'another' });
  await guest.find();
  await guest.reload();
  await until('it has expired', async () => (await guest.waits())?.expired);
  assert.equal(around.network.placements.length, 0);
});

sdkTest('a clock that is set back makes it no younger', async (around) => {
  const guest = await openWaiting(around, { maxAgeMs: 1500 });
  await guest.phone.add();
  await guest.lose();
  await guest.confirm();
  await guest.untilWaits();
  await guest.page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
  });
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_EXPIRED');
  await guest.find();
  await settle();
  assert.equal(around.network.placements.length, 0);
});

/** AC-153. */
sdkTest('a cart that was changed is not sent unseen', async (around) => {
  const guest = await confirmed(around);
  const tab = await guest.tab();
  await tab.phone.add(2, { sku: 'B-DRAFT' });
  assert.equal(short(await guest.outcome()), 'blocked CART_CHANGED');
  assert.deepEqual((await tab.hears()).map(short), ['blocked CART_CHANGED']);
  await guest.find();
  await settle();
  await assertOrders(guest, around, 0);
  await guest.confirm();
  assert.equal(short(await guest.outcome()), 'placed');
  assert.equal((await around.tickets()).length, 1);
});

sdkTest('a changed cart that is confirmed waits in the place of the old one', async (around) => {
  const guest = await confirmed(around);
  await guest.page.evaluate((line) => {
    const before = window.outcome;
    window.cart.add(line);
    window.outcome = Promise.all([before, window.offline.submit()]);
  }, guest.phone.line(1, { sku: 'B-DRAFT' }));
  await guest.find();
  assert.deepEqual((await guest.outcome()).map(short), ['blocked CART_CHANGED', 'placed']);
  assert.deepEqual(around.network.placements.map(({ input }) => input.lines.length), [2]);
});

sdkTest('a cart that was changed while no page was there is not sent unseen', async (around) => {
  const guest = await confirmed(around);
  await guest.rewrite({ lines: [] });
  await guest.reload();
  assert.deepEqual((await guest.hears()).map(short), ['blocked CART_CHANGED']);
  await guest.find();
  await settle();
  await assertOrders(guest, around, 0);
});

/** AC-143. */
sdkTest('where storage is denied it waits as long as the page lives', async (around) => {
  const prepare = () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    }
    LockManager.prototype.request = async () => {
      throw new DOMException('denied', 'SecurityError');
    };
  };
  const guest = await openWaiting(around, {}, { prepare });
  await guest.phone.add();
  await guest.lose();
  await guest.confirm();
  await guest.untilWaits();
  await guest.find();
  assert.equal(short(await guest.outcome()), 'placed');
  assert.deepEqual([around.network.placements.length, (await around.tickets()).length, await guest.waits()], [1, 1, null]);
});

/** AC-143. */
sdkTest('where storage takes nothing it waits as long as the page lives, and can be cancelled', async (around) => {
  const prepare = () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  };
  const guest = await openWaiting(around, {}, { prepare });
  await guest.phone.add();
  await guest.lose();
  await guest.confirm();
  await guest.untilWaits();
  assert.equal(short(await guest.cancel()), 'blocked OFFLINE_CANCELLED');
  await guest.find();
  await settle();
  await assertOrders(guest, around, 0);
});

sdkTest('what is stored and is no record is nothing', async (around) => {
  const guest = await confirmed(around);
  for (const change of [{ version: 2 }, { at: '1' }, { note: 1 }, { lines: null }, { id: null }]) {
    const before = await guest.record();
    await guest.rewrite(change);
    await guest.reload();
    assert.equal(await guest.waits(), null, JSON.stringify(change));
    await guest.rewrite(before);
  }
  await guest.page.evaluate(() => localStorage.setItem(Object.keys(localStorage).find((name) => name.endsWith('.waiting')), '{'));
  await guest.find();
  await guest.reload();
  await settle();
  assert.equal(around.network.placements.length, 0);
});

/** Synthetic: what another tab writes comes in another order than it was written. */
sdkTest('whoever has called is told what another tab says, or that nobody knows', async (around) => {
  const guest = await confirmed(around);
  const vanish = (says) => guest.page.evaluate((says) => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('.waiting'));
    localStorage.removeItem(key);
    dispatchEvent(new Event('pageshow'));
    const newValue = JSON.stringify({ version: 1, id: 'id', outcome: says });
    if (says) setTimeout(() => dispatchEvent(new StorageEvent('storage', { key, newValue })), 100);
  }, says);
  await vanish({ kind: 'blocked', code: 'OFFLINE_CANCELLED', message: 'no' });
  assert.equal(short(await guest.outcome()), 'blocked OFFLINE_CANCELLED');
  await guest.confirm();
  await vanish(null);
  assert.equal(short(await guest.outcome()), 'unknown');
});

sdkTest('no PIN is stored', async (around) => {
  const guest = await confirmed(around);
  const values = JSON.stringify(await guest.record()).split(/[^0-9]+/);
  assert.ok(!values.includes(around.table.pin));
});

/** The request left, and nobody knows whether it arrived. */
sdkTest('cancelled when it may have been sent, it is withdrawn once there is a network', async (around) => {
  const { network, tickets } = around;
  const guest = await openWaiting(around);
  await guest.phone.add();
  const straggler = stopped();
  network.next = [straggler];
  await guest.confirm();
  await straggler.arrived;
  await guest.lose();
  assert.equal((await guest.cancel()).kind, 'unknown');
  assert.equal(JSON.parse(await guest.phone.stored('slot')).state, 'withdrawing');
  await guest.find();
  assert.deepEqual((await guest.hears()).map(short), ['rejected WITHDRAWN']);
  straggler.release();
  await straggler.done;
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 0]);
  assert.equal((await guest.phone.state()).locked, false);
});

sdkTest('a no is told, and is not asked for again', async (around) => {
  const { network } = around;
  const guest = await confirmed(around);
  network.next = [instead(200, '{"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}]}', { 'content-type': 'application/json' })];
  await guest.find();
  assert.equal(short(await guest.outcome()), 'refused FORBIDDEN');
  await guest.reload();
  await settle();
  assert.deepEqual([network.placements.length, await guest.record()], [1, null]);
});
