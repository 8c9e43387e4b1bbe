// The guest's page while the shop can not be reached: it says so, says that nothing is lost, and stops when it is over.

import assert from 'node:assert/strict';
import { audit } from './axe.mjs';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held } from './network.mjs';

const guestTest = guestTests({ tables: 7 });

for (const [locale, says, cart, before] of [
  [
    'ja-JP',
    '接続が切れています。カートはこの端末に残っています。つながってから注文できます。',
    '接続が切れています。カートは残りますので、つながってから「注文する」を押してください',
    '「注文する」を押すと、すぐにキッチンへ届きます',
  ],
  [
    'en-GB',
    'No connection. Your cart is kept on this device; order once you are back online.',
    'No connection. Your cart is kept: place your order once you are back online',
    'Your order goes straight to the kitchen',
  ],
]) {
  guestTest(`cut off, the page says that nothing is lost, until it is over (${locale})`, async ({ network, open, tickets }) => {
    const guest = await open({ locale, width: 360 });
    await guest.add('F-POTATO');
    assert.equal(await guest.banner('offline').isVisible(), false);
    network.cut();
    await guest.banner('offline').getByText(says, { exact: true }).waitFor();
    await audit(guest.page, 'offline');
    // what is there can be read and changed
    await guest.add('B-DRAFT');
    await guest.openCart();
    await guest.page.locator('[data-cart-status]').getByText(cart, { exact: true }).waitFor();
    await audit(guest.page, 'cart, offline');
    assert.deepEqual(network.placements, []);
    network.mend();
    await guest.page.locator('[data-cart-status]').getByText(before, { exact: true }).waitFor();
    await guest.banner('offline').waitFor({ state: 'hidden' });
    await guest.confirm.click();
    await guest.placed();
    const [{ receipt }, ...more] = await tickets();
    assert.deepEqual([receipt.lines.length, more], [2, []]);
    guest.calm();
  });
}

guestTest('a page that never had the menu says that it is cut off, too, and gets it by itself', async ({ network, open }) => {
  const guest = await open({ arrive: false });
  await guest.page.route('**/graphql', (route) => route.abort());
  await guest.page.goto(guest.link());
  await guest.banner('offline').waitFor();
  await guest.page.getByText('The menu could not be loaded').waitFor();
  await audit(guest.page, 'no menu');
  await guest.page.unroute('**/graphql');
  await guest.menu();
  await guest.banner('offline').waitFor({ state: 'hidden' });
  assert.deepEqual(network.placements, []);
});

guestTest('cut off while an order is on its way, the page promises to go on with it', async ({ network, open, tickets }) => {
  const guest = await open();
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO');
  await guest.confirm.click();
  await answer.answered;
  network.cut();
  await guest.banner('offline').getByText('we go on checking your order. It will not be placed twice').waitFor({ state: 'attached' });
  network.mend();
  await guest.placed();
  assert.equal((await tickets()).length, 1);
  guest.calm();
});

guestTest('a server that is away answers nothing and costs nothing', async ({ network, open }) => {
  const guest = await open();
  await guest.page.route('**/graphql', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }));
  await guest.page.evaluate(() => dispatchEvent(new Event('online')));
  await guest.banner('offline').waitFor();
  await guest.page.unroute('**/graphql');
  await guest.banner('offline').waitFor({ state: 'hidden' });
  assert.deepEqual([network.placements, [...guest.shown.alerts]], [[], []]);
});

guestTest('a page that opens cut off has the menu of before, and says from when', async ({ open }) => {
  const guest = await open({ locale: 'ja-JP' });
  await guest.add('F-POTATO');
  await guest.page.route('**/graphql', (route) => route.abort());
  await guest.reload();
  await guest.banner('offline').getByText(/メニューは\d\d:\d\d時点のものです。$/).waitFor();
  await guest.openCart();
  await guest.page.locator('.cart-line .line-name').getByText('青のりフライドポテト').waitFor();
  await guest.page.keyboard.press('Escape');
  await guest.page.unroute('**/graphql');
  await guest.banner('offline').waitFor({ state: 'hidden' });
});

guestTest('with the table the menu is forgotten', async ({ house, table, open }) => {
  const guest = await open();
  const close = 'mutation ($id: ID!) { checkout(tableSessionId: $id) { changed } }';
  await house.ask(house.staffKey, close, { id: table.id });
  await guest.page.reload();
  await guest.page.locator('[data-notice="paid"]').waitFor();
  await audit(guest.page, 'paid');
  await until('nothing is kept', () => guest.page.evaluate(() => localStorage.getItem('masterorder.menu') === null));
});
