// Who sits at the table: the link of its code, the wrong one, the next one, and what is left when the bill is paid.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held, resetBefore } from './network.mjs';

const guestTest = guestTests({ tables: 10 });
const notice = (guest, name) => guest.page.locator(`[data-notice="${name}"]`);
/** The way in that this phone keeps. */
const kept = (guest) => guest.page.evaluate(() => localStorage.getItem('masterorder.table'));

guestTest('the credentials leave the address and stay on this phone', async ({ table, network, open }) => {
  const guest = await open();
  assert.equal(guest.page.url(), `${network.url}/`);
  assert.equal(await guest.page.locator('[data-table]').textContent(), `Table ${table.table}`);
  await guest.reload();
  const tab = await guest.tab();
  assert.equal(await tab.page.locator('[data-table]').textContent(), `Table ${table.table}`);
  const addresses = await guest.page.evaluate(() => performance.getEntries().map(({ name }) => name).join());
  assert.equal(addresses.includes(table.id) || addresses.includes(`p=${table.pin}`), false, 'no request names the table');
});

guestTest('without a code, and with a wrong one, the page says what to do', async ({ table, network, open }) => {
  const guest = await open({ arrive: false, locale: 'ja-JP' });
  await guest.page.goto(`${network.url}/`);
  await notice(guest, 'welcome').getByRole('heading', { name: 'いらっしゃいませ' }).waitFor();
  await guest.page.locator('#language').click();
  await notice(guest, 'welcome').getByRole('heading', { name: 'Welcome' }).waitFor();
  const pin = table.pin === '0000' ? '0001' : '0000';
  await guest.page.goto(guest.link({ ...table, pin }));
  await notice(guest, 'unknownTable').waitFor();
  assert.equal(await kept(guest), null, 'a wrong code is forgotten');
  await guest.page.goto(guest.link({ id: crypto.randomUUID(), pin: '1234' }));
  await notice(guest, 'unknownTable').waitFor();
  await guest.page.goto(guest.link());
  await guest.menu();
});

guestTest('a code of another table, read on the open page, changes the table and the cart', async ({ house, table, open, tickets }) => {
  const guest = await open();
  await guest.add('F-POTATO');
  const next = house.tableSessions.at(-1);
  await guest.page.evaluate((hash) => (location.hash = hash), new URL(guest.link(next)).hash);
  await guest.page.locator('[data-table]', { hasText: `Table ${next.table}` }).waitFor();
  await guest.menu();
  assert.equal(await guest.band.isVisible(), false, 'the cart was the other table\'s');
  assert.equal(new URL(guest.page.url()).hash, '');
  await guest.order('B-DRAFT');
  assert.deepEqual(await tickets(), []);
  const theirs = (await house.tickets()).filter(({ receipt }) => receipt.table === next.table);
  assert.equal(theirs.length, 1);
  await guest.page.evaluate((hash) => (location.hash = hash), new URL(guest.link(table)).hash);
  await guest.page.locator('[data-table]', { hasText: `Table ${table.table}` }).waitFor();
  assert.match(await guest.band.textContent(), /^1View cart/);
});

/** Closes a table, as the bill does, and seats the next party, who order. */
async function pay(house, table) {
  const close = 'mutation ($id: ID!) { checkout(tableSessionId: $id) { changed } }';
  await house.ask(house.staffKey, close, { id: table.id });
  const open = 'mutation ($table: String!) { openTableSession(table: $table) { alreadyOpen tableSession { id } } }';
  const { openTableSession } = await house.ask(house.staffKey, open, { table: table.table });
  assert.equal(openTableSession.alreadyOpen, false);
  const order = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { orderId } }';
  const lines = [house.line('C-SHIMESABA')];
  const input = { requestId: crypto.randomUUID(), tableSessionId: openTableSession.tableSession.id, lines };
  const { placeOrder } = await house.ask(house.integratorKey, order, { input });
  return placeOrder.orderId;
}

/** AC-209. */
guestTest('an order after the bill is refused, once, and nothing of the next party is seen', async (around) => {
  const { house, table, network, open, tickets } = around;
  const guest = await open({ locale: 'ja-JP' });
  await guest.order('F-POTATO');
  await guest.act('more');
  await guest.fill('B-DRAFT');
  const theirs = await pay(house, table);
  await guest.confirm.click();
  await guest.outcome('SESSION_CLOSED').getByText('このご注文は入っていません').waitFor();
  assert.equal((await guest.page.content()).includes(theirs), false);
  await guest.act('back');
  await notice(guest, 'paid').getByRole('heading', { name: 'お会計が済んでいます' }).waitFor();
  const { length } = network.placements;
  await sleep(1_500);
  assert.deepEqual([network.placements.length, length], [2, 2], 'nothing is tried again');
  const lines = (await tickets()).map(({ receipt }) => receipt.lines[0].sku);
  assert.deepEqual(lines, ['F-POTATO', 'C-SHIMESABA']);
  assert.equal(await kept(guest), null, 'the way in is forgotten');
  await guest.page.reload();
  await notice(guest, 'welcome').waitFor();
  await guest.page.goto(guest.link());
  await notice(guest, 'paid').waitFor();
  const read = await guest.page.evaluate(async ({ id, pin }) => {
    const who = { 'X-Session-Id': id, 'X-Session-PIN': pin, 'X-MasterOrder-Client-Id': localStorage.getItem('masterorder.client') };
    const headers = { 'Content-Type': 'application/json', ...who };
    const body = JSON.stringify({ query: '{ orders(first: 100) { nodes { id } } }' });
    return (await fetch('/graphql', { method: 'POST', headers, body })).text();
  }, table);
  assert.equal(read.includes(theirs), false);
});

/** AC-209, when the request was on its way. */
guestTest('an order that the bill overtakes is not tried for ever', async ({ house, table, network, open, tickets }) => {
  const guest = await open();
  await guest.fill('B-DRAFT');
  network.next = [resetBefore];
  network.always = async (exchange) => {
    if (network.placements.length === 2) await pay(house, table);
    exchange.answer(await exchange.pass());
  };
  await guest.confirm.click();
  await guest.outcome('SESSION_CLOSED').waitFor();
  await guest.act('back');
  await notice(guest, 'paid').waitFor();
  await sleep(1_000);
  assert.equal(network.placements.length, 2);
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.lines[0].sku), ['C-SHIMESABA']);
});

guestTest('an order that stood before the bill is never said not to be', async ({ house, table, network, open, tickets }) => {
  const guest = await open();
  const answer = held();
  network.next = [answer];
  await guest.fill('B-DRAFT');
  await guest.confirm.click();
  await answer.answered;
  network.cut();
  await pay(house, table);
  network.mend();
  await until('the order is shown, or the bill', async () => {
    return (await guest.outcome('placed').isVisible()) || (await notice(guest, 'paid').isVisible());
  });
  assert.deepEqual(guest.shown.outcomes.has('SESSION_CLOSED'), false, 'nobody says that it was not ordered');
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.lines[0].sku), ['B-DRAFT', 'C-SHIMESABA']);
});

/** AC-157. */
guestTest('under a policy without WebAssembly the menu can be read, and the page says so', async ({ house, table, open }) => {
  const guest = await open({ arrive: false });
  await guest.page.route(`${new URL(guest.link()).origin}/`, async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    const policy = headers['content-security-policy'];
    assert.match(policy, / 'wasm-unsafe-eval'/);
    assert.doesNotMatch(policy, /'unsafe-eval'/);
    headers['content-security-policy'] = policy.replace(" 'wasm-unsafe-eval'", '');
    await route.fulfill({ response, headers });
  });
  await house.order({ table: house.tableSessions.indexOf(table) });
  await guest.arrive();
  await guest.page.locator('[data-hint="noOrders"]').waitFor();
  assert.equal(await guest.page.locator('.dish-add').count(), 0);
  await guest.dish('F-POTATO').locator('.dish-open').click();
  await guest.sheet('dish').getByRole('heading').waitFor();
  assert.equal(await guest.page.locator('#dish-add').count(), 0);
  await guest.page.keyboard.press('Escape');
  await guest.page.locator('#history-open').click();
  await guest.page.locator('#history [data-order]').waitFor();
  await guest.page.keyboard.press('Escape');
  await guest.page.locator('#language').click();
  await guest.page.getByText('この端末ではご注文いただけません').waitFor();
  // the browser tells of the policy in its own words
  guest.page.complaints = guest.page.complaints.filter((text) => !/WebAssembly|Content Security Policy/.test(text));
});
