// A page that was reloaded or killed while its order was unsettled says what it does about it, and what became of it.

import assert from 'node:assert/strict';
import { audit } from './axe.mjs';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held, instead, resetBefore, through } from './network.mjs';

const guestTest = guestTests({ tables: 10 });

/** The shop is silent, and the page can be loaded all the same. Answers how to let it speak. */
async function silence(guest) {
  const waiting = [];
  await guest.page.route('**/graphql', (route) => {
    // the menu does not wait for it
    if (route.request().postData()?.includes('query Menu')) return route.abort();
    return void waiting.push(route);
  });
  return async () => {
    await guest.page.unroute('**/graphql');
    // those of the page before are gone
    await Promise.all(waiting.map((route) => route.continue().catch(() => {})));
  };
}

for (const [locale, doing, arrived, label] of [
  ['ja-JP', '先ほどのご注文（2点・¥1,030）が届いたか確認しています', /^先ほどのご注文 \d{4,6} は届いています$/, '履歴'],
  ['en-GB', 'Checking whether your last order arrived (2 items, ¥1,030)', /^Your last order, \d{4,6}, has arrived$/, 'Orders'],
]) {
  guestTest(`a page that takes an order up says so, and that it has arrived (${locale})`, async ({ network, open, tickets }) => {
    const guest = await open({ locale, width: 360 });
    const answer = held();
    network.next = [answer];
    await guest.fill('F-POTATO', 'B-DRAFT');
    await guest.confirm.click();
    await answer.answered;
    const hear = await silence(guest);
    await guest.reload();
    const strip = guest.banner('earlier');
    await strip.getByText(doing, { exact: true }).waitFor();
    await audit(guest.page, 'taking an order up, offline');
    await hear();
    const number = await guest.placed();
    await audit(guest.page, 'placed, found');
    await guest.act('more');
    assert.match(await strip.locator('.banner-text').textContent(), arrived);
    assert.match(await strip.textContent(), new RegExp(`${number}`));
    await audit(guest.page, 'an order that was found');
    await guest.page.setViewportSize({ width: 320, height: 640 });
    const over = await guest.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0, 'the smallest phone has room for it');
    await strip.getByRole('button', { name: label }).click();
    await guest.page.locator(`#history [data-order-number="${number}"]`).first().waitFor();
    await guest.page.keyboard.press('Escape');
    await strip.getByRole('button').last().click();
    await strip.waitFor({ state: 'hidden' });
    assert.equal(await guest.page.evaluate(() => document.activeElement.id), 'menu', 'the focus is not lost');
    assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
    guest.calm();
  });
}

/** A page that was reloaded long after its order was sent and never arrived. Answers how many times it was sent. */
async function forgotten(guest, network) {
  network.always = resetBefore;
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await until('it was sent', () => network.placements.length > 0);
  const hear = await silence(guest);
  // three minutes ago: too long to be sent again without a word
  await guest.page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('.slot'));
    addEventListener('pagehide', () => {
      const slot = JSON.parse(localStorage.getItem(key));
      localStorage.setItem(key, JSON.stringify({ ...slot, sentAt: slot.sentAt - 180_000 }));
    });
  });
  await guest.reload();
  network.always = through;
  const sent = network.placements.length;
  await hear();
  await guest.banner('earlier').getByText('We do not know yet whether your last order arrived').waitFor();
  await guest.sheet('cart').waitFor();
  return sent;
}

guestTest('an order that never left waits for the guest, and the page says that it does not know', async ({ network, open, tickets }) => {
  const guest = await open();
  const strip = guest.banner('earlier');
  const sent = await forgotten(guest, network);
  assert.equal(network.placements.length, sent, 'nothing is sent by itself');
  await guest.page.keyboard.press('Escape');
  await audit(guest.page, 'an order of which nobody knows');
  await strip.getByRole('button', { name: 'View cart' }).click();
  await guest.confirm.click();
  await guest.placed();
  await guest.act('more');
  assert.equal(await strip.isVisible(), false, 'it is settled');
  assert.deepEqual([(await tickets()).length, network.requestIds.length], [1, 1]);
});

guestTest('what another tab settles is no question any more', async ({ network, open, tickets }) => {
  const guest = await open();
  await forgotten(guest, network);
  const tab = await guest.tab();
  await tab.sheet('cart').waitFor();
  await tab.confirm.click();
  await tab.placed();
  await guest.banner('earlier').waitFor({ state: 'hidden' });
  assert.deepEqual([(await tickets()).length, network.requestIds.length], [1, 1]);
});

/** A shop that has the order and confirms it later than anybody waits. Nothing of it reaches ours. */
const PENDING = instead(
  200,
  JSON.stringify({ data: { placeOrder: { idempotentReplay: false, result: { __typename: 'OrderPending', pollAfterMs: 150_000 } } } }),
  { 'content-type': 'application/json' },
);

for (const [locale, text, says, label, again] of [
  ['ja-JP', '先ほどのご注文は届いています。お店の確認を待っています', 'お店の確認を待っています', 'カートを見る', 'もう一度確認する'],
  ['en-GB', 'Your last order has arrived. The restaurant is confirming it', 'Waiting for the restaurant', 'View cart', 'Check again'],
]) {
  guestTest(`an order that the shop has not confirmed yet is told as there, and never as failed (${locale})`, async ({ network, open, tickets }) => {
    const guest = await open({ locale });
    network.always = PENDING;
    await guest.fill('F-POTATO');
    await guest.confirm.click();
    await guest.band.getByText(says, { exact: true }).waitFor();
    await guest.reload();
    const strip = guest.banner('earlier');
    await strip.getByText(text, { exact: true }).waitFor();
    await guest.sheet('cart').waitFor();
    await guest.page.keyboard.press('Escape');
    await audit(guest.page, 'an order that the shop has not confirmed');
    assert.equal(await strip.getByRole('button').count(), 1, 'it can not be closed: it is not over');
    await strip.getByRole('button', { name: label }).click();
    network.always = through;
    assert.equal(await guest.confirm.textContent(), again);
    await guest.confirm.click();
    await guest.placed();
    await guest.act('more');
    assert.equal(await strip.isVisible(), false, 'it is settled');
    assert.deepEqual([(await tickets()).length, network.requestIds.length], [1, 1]);
    guest.calm();
  });
}

guestTest('an order that the shop has refused meanwhile is told, with the cart as it was', async ({ house, network, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  await guest.add('C-SASHIMI3');
  await house.order({ table: 7, lines: [house.line('C-SASHIMI3', await house.remaining('C-SASHIMI3'))] });
  const answer = held();
  network.next = [answer];
  await guest.openCart();
  await guest.confirm.click();
  await answer.answered;
  await guest.reload();
  await guest.outcome('SOLD_OUT').waitFor();
  await guest.act('back');
  await guest.page.keyboard.press('Escape');
  const strip = guest.banner('earlier');
  await strip.getByText('先ほどのご注文は入っていません。カートはそのままです').waitFor();
  await audit(guest.page, 'an order that was refused');
  assert.match(await guest.band.textContent(), /1点/);
  assert.deepEqual(await tickets(), []);
  await guest.openCart();
  await guest.page.locator('.line-remove').click();
  await guest.page.keyboard.press('Escape');
  await guest.order('F-POTATO');
  assert.equal(await strip.isVisible(), false, 'the next order takes its place');
});

guestTest('a page with nothing unsettled says nothing', async ({ open }) => {
  const guest = await open();
  await guest.order('F-POTATO');
  await guest.reload();
  await guest.page.locator('#history-open .count').waitFor();
  assert.equal(await guest.banner('earlier').isVisible(), false);
  assert.equal(await guest.banner('offline').isVisible(), false);
});
