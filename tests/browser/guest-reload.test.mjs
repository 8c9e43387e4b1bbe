// The guest's page over reloads, the back button and other tabs.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held, stopped } from './network.mjs';
import { served } from './sdk.mjs';

const guestTest = guestTests({ tables: 11, browser: { backForwardCache: true } });

guestTest('a page that is reloaded while its answer is on its way shows the number', async ({ network, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await answer.answered;
  await guest.reload();
  const number = await guest.placed();
  await guest.outcome('placed').getByText('ご注文は届いています').waitFor();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
  assert.equal(network.requestIds.length, 1);
  guest.calm();
});

/** AC-147. */
guestTest('a page that is reloaded before its request has arrived orders once', async ({ network, open, tickets }) => {
  const guest = await open();
  const order = stopped();
  network.next = [order];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await order.arrived;
  await guest.reload();
  const number = await guest.placed();
  order.release();
  await order.done;
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
  assert.equal(network.requestIds.length, 1);
  guest.calm();
});

/** Goes back or forward. Chromium may still be changing pages, and then knows of none for a moment. */
const travel = (page, way) =>
  until(`the page takes ${way}`, () =>
    page[way]({ waitUntil: 'commit' }).then(
      () => true,
      (error) => {
        if (!error.message.includes('Not attached to an active page')) throw error;
        return false;
      },
    ),
  );

/** AC-149. */
guestTest('reloads of a page that has ordered, other tabs, Back and Forward order nothing', async ({ network, open, tickets }) => {
  const guest = await open();
  await guest.order('F-POTATO');
  for (let time = 0; time < 3; time += 1) await guest.reload();
  const tab = await guest.tab();
  await travel(tab.page, 'goBack');
  await travel(tab.page, 'goForward');
  await tab.menu();
  await travel(guest.page, 'goBack');
  await travel(guest.page, 'goForward');
  await guest.menu();
  for (const { page } of [guest, tab]) {
    await page.locator('#history-open .count').waitFor();
    assert.equal(await page.locator('#cart-open').isVisible(), false, 'the cart is empty');
  }
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

/** AC-151: by the browser's cache where it keeps the page, else by loading it anew. */
guestTest('back from another page the next order can be placed, under a key of its own', async ({ network, open, tickets }) => {
  network.pages['/away'] = served('text/html', '<!doctype html><title>Away</title>');
  const guest = await open();
  await guest.order('F-POTATO');
  await guest.page.goto(`${network.url}/away`);
  await travel(guest.page, 'goBack');
  await guest.menu();
  if (await guest.outcome('placed').isVisible()) await guest.act('more');
  await guest.order('B-DRAFT');
  assert.deepEqual([network.requestIds.length, (await tickets()).length], [2, 2]);
  guest.calm();
});

/** AC-151, synthetic: the browser tells the page that it comes out of the cache, in the middle of an order and after it. */
guestTest('a page out of the cache goes on with its order, and its button is free', async ({ network, open, tickets }) => {
  const guest = await open();
  const restore = () => {
    return guest.page.evaluate(() => {
      for (const type of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    });
  };
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await answer.answered;
  await restore();
  answer.release();
  await guest.placed();
  await restore();
  await guest.act('more');
  await guest.fill('B-DRAFT');
  await restore();
  assert.notEqual(await guest.confirm.getAttribute('aria-disabled'), 'true');
  assert.equal(await guest.confirm.getAttribute('aria-busy'), 'false');
  await guest.confirm.click();
  await guest.placed();
  assert.deepEqual([network.requestIds.length, (await tickets()).length], [2, 2]);
  guest.calm();
});

guestTest('two tabs of one phone share a cart, and one order of it', async ({ network, open, tickets }) => {
  const guest = await open();
  await guest.add('F-POTATO');
  const tab = await guest.tab();
  assert.match(await tab.band.textContent(), /^1View cart, 1 item,/);
  await tab.add('B-DRAFT');
  await until('the first tab shows both', async () => /^2/.test(await guest.band.textContent()));
  await guest.openCart();
  await guest.confirm.click();
  const number = await guest.placed();
  await until('the other tab has an empty cart', async () => !(await tab.band.isVisible()));
  assert.deepEqual((await tickets()).map(({ receipt }) => [receipt.number, receipt.lines.length]), [[number, 2]]);
  assert.equal(network.placements.length, 1);
});

/** AC-153: a tab that sleeps shows the cart of before. */
guestTest('a cart that another tab changed is shown before it is ordered', async ({ network, open, tickets }) => {
  const guest = await open({ prepare: () => addEventListener('storage', (event) => event.stopImmediatePropagation(), true) });
  await guest.fill('F-POTATO');
  const tab = await guest.tab();
  await tab.add('B-DRAFT');
  await until('the other tab shows both', async () => /^2/.test(await tab.band.textContent()));
  assert.equal(await guest.page.locator('.cart-line').count(), 1);
  await guest.confirm.click();
  await guest.sheet('cart').getByText('Your cart has changed. Please check it and order again.').waitFor();
  assert.equal(await guest.page.locator('.cart-line').count(), 2);
  assert.deepEqual([network.placements.length, await tickets()], [0, []]);
  await guest.confirm.click();
  await guest.placed();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.lines.length), [2]);
});

/** A browser that keeps nothing, as strict settings make it. */
function denyStorage() {
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  }
}

guestTest('a browser that keeps nothing orders, and is told to stay', async ({ network, open, tickets }) => {
  const guest = await open({ prepare: denyStorage });
  await guest.page.locator('[data-hint="notKept"]').waitFor();
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await answer.answered;
  answer.release();
  const number = await guest.placed();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
  await guest.act('history');
  await guest.page.locator('#history [data-order]').waitFor();
  guest.calm();
});

/** AC-147, with storage blocked: the page has forgotten who sits here, and the shop has not forgotten what they ordered. */
guestTest('a browser that keeps nothing and is reloaded in the middle finds its order in the history', async ({ network, open, tickets }) => {
  const guest = await open({ prepare: denyStorage });
  const order = stopped();
  network.next = [order];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await order.arrived;
  await guest.page.reload();
  await guest.page.locator('[data-notice="welcome"]').waitFor();
  order.release();
  await order.done;
  await guest.arrive();
  assert.equal(await guest.band.isVisible(), false, 'the cart is empty');
  await guest.page.locator('#history-open').click();
  const [{ receipt }] = await tickets();
  await guest.page.locator(`#history [data-order-number="${receipt.number}"]`).waitFor();
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

guestTest('the words for the kitchen and the cart are there after a reload', async ({ open, tickets }) => {
  const guest = await open();
  await guest.fill('F-POTATO');
  await guest.page.locator('#order-note-open').click();
  await guest.page.locator('#order-note').fill('Four plates');
  await guest.reload();
  await guest.openCart();
  assert.equal(await guest.page.locator('#order-note').inputValue(), 'Four plates');
  await guest.confirm.click();
  await guest.placed();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.note), ['Four plates']);
  await guest.act('more');
  await guest.fill('B-DRAFT');
  assert.equal(await guest.page.locator('#order-note').count(), 0, 'they went with the order');
});
