// The shop changes its menu while guests read it.

import assert from 'node:assert/strict';
import { change, guestTests } from './guest.mjs';

const guestTest = guestTests({ tables: 4 });

/** AC-073. */
guestTest('a price that rose is told, and the new one is confirmed anew', async ({ house, network, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  const old = house.menuItems.find(({ sku }) => sku === 'D-PUDDING').priceMinor;
  await guest.add('D-PUDDING', 'D-PUDDING');
  await change(house, { 'D-PUDDING': { price: old + 100 } });
  await guest.openCart();
  await guest.confirm.click();
  const dialog = guest.outcome('PRICE_CHANGED');
  await dialog.waitFor();
  const totals = (await dialog.locator('.totals').textContent()).replaceAll(',', '').match(/\d+/g).map(Number);
  assert.deepEqual(totals, [2 * old, 2 * (old + 100)]);
  assert.deepEqual(await tickets(), []);
  await guest.act('prices');
  await guest.page.getByText('新しい価格にしました').waitFor();
  assert.deepEqual(await tickets(), [], 'the new prices wait for the guest');
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }, ...more] = await tickets();
  assert.deepEqual([receipt.total.amountMinor, more], [2 * (old + 100), []]);
  assert.equal(network.requestIds.length, 2);
  await change(house, {});
});

guestTest('a dish that left the menu leaves the cart', async ({ house, open, tickets }) => {
  const guest = await open();
  await guest.add('D-KINAKO-ICE', 'F-POTATO');
  await change(house, { 'D-KINAKO-ICE': null });
  await guest.openCart();
  await guest.confirm.click();
  await guest.outcome('ITEM_UNAVAILABLE').waitFor();
  await guest.act('mend');
  assert.equal(await guest.page.locator('.cart-line').count(), 1);
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual(receipt.lines.map(({ sku }) => sku), ['F-POTATO']);
  await guest.act('more');
  await guest.dish('D-KINAKO-ICE').waitFor({ state: 'detached' });
  await change(house, {});
});

guestTest('what guests and shops write is text, wherever it stands', async ({ house, open, tickets }) => {
  const name = '<img src=x onerror="window.hacked=1"><b>Potatoes</b>';
  const note = '<script>window.hacked=2</script><img src=x onerror="window.hacked=3">';
  await change(house, { 'F-POTATO': { name } });
  const guest = await open({ locale: 'ja-JP' });
  const texts = async (selector) => (await guest.page.locator(selector).allTextContents()).map((text) => text.trim());
  assert.deepEqual(await texts('[data-dish="F-POTATO"] .dish-name'), [name]);
  await guest.dish('F-POTATO').locator('.dish-open').click();
  await guest.sheet('dish').getByRole('heading', { name }).waitFor();
  await guest.page.locator('#dish-note').fill(note);
  await guest.page.locator('#dish-add').click();
  await guest.openCart();
  assert.deepEqual([await texts('.cart-line .line-name'), await texts('.cart-line .line-note')], [[name], [note]]);
  await guest.page.locator('#order-note-open').click();
  await guest.page.locator('#order-note').fill(note);
  await guest.confirm.click();
  await guest.placed();
  assert.deepEqual(await texts('.placed-lines .line-name'), [name]);
  await guest.act('history');
  const order = guest.page.locator('#history [data-order]');
  await order.getByText(name).waitFor();
  assert.deepEqual(await texts('#history .line-note'), [note, note]);
  assert.equal(await guest.page.locator('img[src="x"], b, script:not([src])').count(), 0);
  assert.equal(await guest.page.evaluate(() => window.hacked), undefined);
  const [{ receipt }] = await tickets();
  assert.deepEqual([receipt.note, receipt.lines[0].note], [note, note]);
  await change(house, {});
});

guestTest('where a picture does not come there is a drawing', async ({ open }) => {
  const guest = await open({ arrive: false });
  await guest.page.route(/\/assets\/menu\/(?!placeholder)/, (route) => route.abort());
  await guest.arrive();
  const first = guest.page.locator('[data-dish] .picture').first();
  await first.and(guest.page.locator('.is-placeholder')).waitFor();
  await guest.page.waitForFunction(() => document.querySelector('[data-dish] .is-placeholder img').naturalWidth > 0);
  await guest.order('F-POTATO');
  guest.calm();
});
