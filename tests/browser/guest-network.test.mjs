// The guest's page over bad networks: one confirmation is one ticket, and nothing looks like a failure that is none.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held, insteadAfter, resetAfter, resetBefore, stopped, truncate } from './network.mjs';

const guestTest = guestTests({ tables: 9 });

/** One confirmation came to one ticket, whose number is on the screen. */
async function once({ guest, network, tickets }) {
  const number = await guest.placed();
  const all = await tickets();
  assert.deepEqual(all.map(({ receipt }) => receipt.number), [number]);
  assert.equal(network.requestIds.length, 1);
  guest.calm();
}

guestTest('ten taps are one request and one ticket', async ({ network, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO', 'B-DRAFT');
  for (let tap = 0; tap < 10; tap += 1) await guest.confirm.click({ force: true });
  await answer.answered;
  answer.release();
  await once({ guest, network, tickets });
  assert.equal(network.placements.length, 1);
  assert.deepEqual([...guest.shown.bands], ['ご注文を確認しています。このままお待ちください']);
});

for (const [what, fault] of [
  ['lost on its way', resetAfter],
  ['cut in the middle', truncate],
  ['replaced by a proxy with its 502', insteadAfter(502)],
  ['replaced by a proxy with a login page', insteadAfter(200)],
]) {
  guestTest(`an answer ${what} is asked for again`, async ({ network, open, tickets }) => {
    const guest = await open();
    network.next = [fault];
    await guest.fill('F-POTATO');
    await guest.confirm.click();
    await once({ guest, network, tickets });
    assert.ok(network.placements.length > 1, 'the page asked again by itself');
    assert.deepEqual([...guest.shown.bands], ['Checking your order. Please wait.']);
  });
}

guestTest('a request that never arrives is sent again', async ({ network, open, tickets }) => {
  const guest = await open();
  network.next = [resetBefore, resetBefore];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await once({ guest, network, tickets });
});

guestTest('a late answer is waited for, with the cart as it was', async ({ network, open, tickets }) => {
  const guest = await open();
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO', 'B-DRAFT');
  await guest.confirm.click();
  await answer.answered;
  assert.equal(await guest.confirm.getAttribute('aria-busy'), 'true');
  // what is on its way can not be changed
  await guest.page.locator('.cart-line .step-plus').first().click({ force: true });
  await guest.page.locator('.line-remove').first().click({ force: true });
  assert.equal(await guest.page.locator('.cart-line').count(), 2);
  assert.equal((await tickets()).length, 1);
  answer.release();
  await once({ guest, network, tickets });
  const [{ receipt }] = await tickets();
  assert.deepEqual(receipt.lines.map(({ sku, quantity }) => [sku, quantity]), [['F-POTATO', 1], ['B-DRAFT', 1]]);
  assert.equal(await guest.band.isVisible(), false, 'the cart is empty');
});

guestTest('an order that waits is given up, and the cart can be changed again', async ({ network, open, tickets }) => {
  const guest = await open();
  const order = stopped();
  network.next = [order];
  network.always = resetBefore;
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await order.arrived;
  network.cut();
  network.mend();
  await guest.page.locator('#withdraw').click();
  await guest.page.getByText('The order was withdrawn').waitFor();
  order.release();
  assert.deepEqual(await tickets(), []);
  await guest.page.locator('.cart-line .step-plus').click();
  await until('two pieces', async () => (await guest.page.locator('.cart-line .step-value').textContent()) === '2');
});

guestTest('an order that is confirmed without a network is placed once there is one', async ({ network, open, tickets }) => {
  const guest = await open();
  await guest.fill('F-POTATO');
  network.cut();
  await guest.confirm.click();
  await until('the band asks for patience', () => guest.shown.bands.size > 0);
  network.mend();
  await once({ guest, network, tickets });
});
