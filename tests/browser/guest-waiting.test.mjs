// The guest's page on a phone without a network: what is confirmed waits, says until when, and can be given up.

import assert from 'node:assert/strict';
import { photograph } from './app.mjs';
import { audit } from './axe.mjs';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { stopped } from './network.mjs';

const guestTest = guestTests({ tables: 8 });

/** Opens the page on a phone whose worker has it whole. */
async function openKept(open, options) {
  const guest = await open({ ...options, serviceWorkers: 'allow' });
  await guest.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await guest.reload();
  await guest.page.waitForFunction(() => navigator.serviceWorker.controller);
  return guest;
}

const setOffline = (guest, yes) => guest.page.context().setOffline(yes);

/** A phone without a network, whose guest has confirmed. */
async function confirmed(open, { sku = 'F-POTATO', ...options } = {}) {
  const guest = await openKept(open, options);
  await guest.add(sku);
  await setOffline(guest, true);
  await guest.banner('offline').waitFor();
  await guest.openCart();
  return guest;
}

/** Makes what waits older. */
const age = (guest, ms) => guest.page.evaluate((ms) => {
  const key = Object.keys(localStorage).find((name) => name.endsWith('.waiting'));
  const record = JSON.parse(localStorage.getItem(key));
  localStorage.setItem(key, JSON.stringify({ ...record, at: record.at - ms }));
  dispatchEvent(new Event('pageshow'));
}, ms);

for (const [locale, before, waits, cancel, bar] of [
  ['ja-JP', '「注文する」を押すと、つながり次第、自動で送信します', /^接続を待っています。つながり次第、ご注文を自動で送信します（\d\d:\d\dまで）$/, 'やめる', '接続を待っています'],
  ['en-GB', 'Place the order now, and it will be sent by itself', /^Waiting for the network\. Your order will be sent by itself until \d\d:\d\d$/, 'Cancel', 'Your order waits'],
]) {
  guestTest(`confirmed without a network, the order waits over a reload and is sent once (${locale})`, async ({ network, open, tickets }) => {
    const guest = await confirmed(open, { locale, width: 360 });
    await guest.page.locator('[data-cart-status]').getByText(before).waitFor();
    await photograph(guest.page, `before ${locale} 360`);
    // three taps before anything is drawn
    await guest.confirm.evaluate((button) => [1, 2, 3].forEach(() => button.click()));
    const strip = guest.banner('waiting');
    await strip.locator('.banner-text').getByText(waits).waitFor({ state: 'attached' });
    await audit(guest.page, 'cart, waiting');
    await photograph(guest.page, `cart ${locale} 360`);
    await guest.page.keyboard.press('Escape');
    assert.equal(await guest.banner('offline').isVisible(), false, 'one strip is enough');
    await audit(guest.page, 'waiting');
    await photograph(guest.page, `waiting ${locale} 360`);
    await guest.reload();
    await strip.locator('.banner-text').getByText(waits).waitFor();
    await guest.band.getByText(bar).waitFor();
    await strip.getByRole('button', { name: cancel }).waitFor();
    await photograph(guest.page, `reloaded ${locale} 360`);
    await guest.page.setViewportSize({ width: 320, height: 640 });
    const over = await guest.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0, 'the smallest phone has room for it');
    await guest.page.setViewportSize({ width: 1280, height: 800 });
    await photograph(guest.page, `waiting ${locale} 1280`);
    assert.deepEqual(network.placements, []);
    await setOffline(guest, false);
    const number = await guest.placed();
    await strip.waitFor({ state: 'hidden' });
    assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
    assert.equal(network.placements.length, 1);
    guest.calm();
  });
}

guestTest('what waits can not be changed, only given up, and then nothing is sent', async ({ network, open, tickets }) => {
  const guest = await confirmed(open, { width: 360 });
  await guest.page.locator('#order-note-open').click();
  await guest.page.locator('#order-note').fill('four plates');
  await guest.confirm.click();
  await guest.page.locator('.cart-locked').getByText('No changes until it is sent').waitFor();
  assert.equal(await guest.page.locator('#order-note').getAttribute('readonly'), '');
  await guest.page.keyboard.press('Escape');
  await guest.add('B-DRAFT');
  await guest.page.getByText('The cart can not be changed while your order waits to be sent').waitFor();
  await guest.banner('waiting').getByRole('button', { name: 'Cancel' }).click();
  await guest.page.getByText('The order was cancelled. Nothing was sent.').waitFor();
  await guest.banner('waiting').waitFor({ state: 'hidden' });
  await setOffline(guest, false);
  await guest.banner('offline').waitFor({ state: 'hidden' });
  await guest.add('B-DRAFT');
  await guest.openCart();
  assert.equal(await guest.page.locator('.cart-line').count(), 2);
  assert.deepEqual(network.placements, []);
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual([receipt.note, receipt.lines.length], ['four plates', 2]);
});

guestTest('too old, it is asked about, and ordered with another tap', async ({ network, open, tickets }) => {
  const guest = await confirmed(open, { width: 360 });
  await guest.confirm.click();
  await guest.banner('waiting').getByText('Waiting').waitFor({ state: 'attached' });
  await guest.page.keyboard.press('Escape');
  await age(guest, 600_000);
  const strip = guest.banner('waiting');
  await strip.getByText('Your order was not sent in time. Still want it?').waitFor();
  await audit(guest.page, 'expired');
  await photograph(guest.page, 'expired 360');
  await setOffline(guest, false);
  await guest.reload();
  await strip.getByText('Still want it?').waitFor();
  await guest.page.setViewportSize({ width: 1280, height: 800 });
  await photograph(guest.page, 'expired 1280');
  await strip.getByRole('button', { name: 'View cart' }).click();
  await guest.page.locator('[data-cart-status]').getByText('Still want it?').waitFor();
  await photograph(guest.page, 'expired cart 1280');
  assert.deepEqual(network.placements, []);
  await guest.confirm.click();
  await guest.placed();
  assert.equal((await tickets()).length, 1);
  await strip.waitFor({ state: 'hidden' });
});

guestTest('too old, it can be forgotten', async ({ network, open }) => {
  const guest = await confirmed(open);
  await guest.confirm.click();
  await guest.banner('waiting').getByText('Waiting').waitFor({ state: 'attached' });
  await guest.page.keyboard.press('Escape');
  await age(guest, 600_000);
  await guest.banner('waiting').getByText('Still want it?').waitFor();
  await guest.banner('waiting').getByRole('button', { name: 'Close' }).click();
  await guest.banner('waiting').waitFor({ state: 'hidden' });
  await setOffline(guest, false);
  await guest.reload();
  assert.deepEqual([network.placements, await guest.banner('waiting').isVisible()], [[], false]);
  await guest.band.waitFor();
});

guestTest('given up when it may have been sent, it is withdrawn once there is a network', async ({ network, open, tickets }) => {
  const guest = await openKept(open);
  const straggler = stopped();
  network.next = [straggler];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await straggler.arrived;
  await setOffline(guest, true);
  await guest.page.locator('#withdraw').click();
  await guest.page.locator('#confirm[aria-busy="false"]').waitFor();
  await setOffline(guest, false);
  await guest.page.getByText('The order was withdrawn. You can change your cart.').waitFor();
  straggler.release();
  await straggler.done;
  assert.deepEqual([(await tickets()).length, network.placements.length], [0, 1]);
});

guestTest('in another language it waits on', async ({ network, open, tickets }) => {
  const guest = await confirmed(open);
  await guest.confirm.click();
  await guest.page.keyboard.press('Escape');
  await guest.page.locator('#language').click();
  await guest.banner('waiting').getByText('接続を待っています').waitFor();
  await setOffline(guest, false);
  await guest.placed();
  await guest.act('more');
  await until('the page speaks Japanese', async () => (await guest.page.locator('html').getAttribute('lang')) === 'ja');
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});
