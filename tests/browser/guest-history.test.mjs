// The table's orders on the guest's page, live: the kitchen works, the phone shows it.

import assert from 'node:assert/strict';
import { advance, guestTests } from './guest.mjs';
import { until } from './harness.mjs';

const guestTest = guestTests({ tables: 6 });

/** The order in the history, which is open. */
function card({ page }, number) {
  return page.locator('#history [data-order]', { has: page.locator(`[data-order-number="${number}"]`) });
}

async function stands(guest, number, state) {
  await card(guest, number).and(guest.page.locator(`[data-state="${state}"]`)).waitFor();
}

guestTest('the kitchen works, and the phone shows it without a reload', async ({ open, tickets, house }) => {
  const guest = await open({ locale: 'ja-JP' });
  const number = await guest.order('F-POTATO');
  await guest.act('history');
  await stands(guest, number, 'RECEIVED');
  assert.equal(await guest.page.locator('#history-open .count').textContent(), '1');
  assert.equal(await card(guest, number).locator('.order-cancel').isVisible(), true);
  const [ticket] = await tickets();
  await advance(house, ticket, 'RECEIVED', 'COOKING');
  await stands(guest, number, 'COOKING');
  assert.equal(await card(guest, number).locator('.order-state').textContent(), '調理中');
  assert.equal(await card(guest, number).locator('.order-cancel').count(), 0);
  await advance(house, ticket, 'COOKING', 'READY');
  await stands(guest, number, 'READY');
  await guest.page.locator('.toast', { hasText: `注文 ${number} ができあがりました` }).waitFor();
  await advance(house, ticket, 'READY', 'SERVED');
  await stands(guest, number, 'SERVED');
  await until('nothing is under way', async () => (await guest.page.locator('#history-open .count').count()) === 0);
});

guestTest('a browser without sockets orders, and reads what the kitchen does when the guest looks', async ({ open, tickets, house }) => {
  const guest = await open({ prepare: () => delete window.WebSocket });
  const number = await guest.order('F-POTATO');
  const [ticket] = await tickets();
  await advance(house, ticket, 'RECEIVED', 'COOKING');
  await guest.act('history');
  await stands(guest, number, 'COOKING');
});

guestTest('an order is cancelled until the kitchen starts, by the whole table', async ({ open, tickets }) => {
  const [guest, other] = [await open(), await open()];
  const number = await guest.order('F-POTATO', 'B-DRAFT');
  await other.page.locator('#history-open').click();
  const total = () => other.page.locator('[data-table-total]').textContent();
  await stands(other, number, 'RECEIVED');
  assert.equal(await total(), '¥1,030');
  await card(other, number).locator('.order-cancel').click();
  await other.act('keep');
  await card(other, number).locator('.order-cancel').click();
  await other.act('cancel');
  await stands(other, number, 'CANCELLED');
  await other.page.locator('.toast', { hasText: `Order ${number} is cancelled` }).waitFor();
  await guest.act('history');
  await stands(guest, number, 'CANCELLED');
  assert.equal(await total(), '¥0');
  assert.deepEqual((await tickets()).map(({ state }) => state), ['CANCELLED']);
});

guestTest('who cancels when the kitchen has just started is told so', async ({ open, tickets, house }) => {
  const guest = await open();
  const number = await guest.order('F-POTATO');
  await guest.act('history');
  await card(guest, number).locator('.order-cancel').click();
  const [ticket] = await tickets();
  await advance(house, ticket, 'RECEIVED', 'COOKING');
  await guest.act('cancel');
  await guest.page.locator('.toast', { hasText: 'The kitchen has already started' }).waitFor();
  assert.deepEqual((await tickets()).map(({ state }) => state), ['COOKING']);
});

guestTest('a cancellation without an answer is safe to repeat', async ({ open, tickets }) => {
  const guest = await open();
  const number = await guest.order('F-POTATO');
  await guest.act('history');
  await guest.page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('cancelOrder')) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await card(guest, number).locator('.order-cancel').click();
  await guest.act('cancel');
  await guest.page.locator('.toast', { hasText: 'No answer yet. It is safe to press again' }).waitFor();
  // the feed tells what the answer would have told
  await stands(guest, number, 'CANCELLED');
  assert.deepEqual((await tickets()).map(({ state }) => state), ['CANCELLED']);
});

guestTest('cut off, the history says how old it is, and catches up by itself', async ({ network, open, tickets, house, table }) => {
  const guest = await open();
  const number = await guest.order('F-POTATO');
  await guest.act('history');
  await stands(guest, number, 'RECEIVED');
  network.cut();
  await guest.page.locator('.offline').getByText(/^No connection. This is how it was at \d\d:\d\d$/).waitFor();
  assert.equal(await card(guest, number).isVisible(), true, 'what was known stays to be read');
  const [ticket] = await tickets();
  await advance(house, ticket, 'RECEIVED', 'COOKING');
  const later = await house.order({ table: house.tableSessions.indexOf(table), lines: [house.line('B-DRAFT')] });
  network.mend();
  await stands(guest, number, 'COOKING');
  await stands(guest, later.result.receipt.number, 'RECEIVED');
  await guest.page.locator('.offline').waitFor({ state: 'hidden' });
});
