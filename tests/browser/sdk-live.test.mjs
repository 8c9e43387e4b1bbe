// The entry `./live`: the orders of a table on a phone, while the network does what it does.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, device, launch, until } from './harness.mjs';
import { Network } from './network.mjs';
import { served } from './sdk.mjs';

const PAGE = '<!doctype html><meta charset="utf-8"><title>Live</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
const SCRIPT = `
  import { watchOrders } from '/sdk/live.js';
  const live = watchOrders(JSON.parse(decodeURIComponent(location.hash.slice(1))));
  const seen = [];
  live.subscribe(() => seen.push(live.state().connection));
  Object.assign(window, { live, seen });
`;

let house;
let browser;
let taken = 0;
before(async () => {
  house = await House.open({ tables: 5 });
  await house.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await house?.close();
});

/** Opens the page at a table of its own. */
async function watching(t, { prepare, options } = {}) {
  const index = taken;
  taken += 1;
  const table = house.tableSessions[index];
  const network = await Network.to(house.port);
  network.pages = { '/': served('text/html', PAGE), '/page.js': served('text/javascript', SCRIPT) };
  const page = await device(browser, { width: 390, height: 844 });
  t.after(async () => {
    await page.context().close();
    network.close();
  });
  if (prepare) await page.addInitScript(prepare);
  const given = { url: '/graphql', tableSessionId: table.id, pin: table.pin, lang: 'en', ...options };
  await page.goto(`${network.url}/#${encodeURIComponent(JSON.stringify(given))}`);
  await page.waitForFunction(() => window.live);
  const state = () => page.evaluate(() => window.live.state());
  const becomes = (what, test) => until(what, async () => test(await state()));
  return { page, network, table, index, state, becomes };
}

const is = (connection) => (state) => state.connection === connection;

test('a snapshot first, then what is new, and where the kitchen is with it', async (t) => {
  const { page, index, state, becomes } = await watching(t);
  await becomes('it is live', is('live'));
  const { orderId } = await house.order({ table: index });
  await becomes('the order is there', ({ orders }) => orders[0]?.id === orderId && orders[0].ticket.state === 'RECEIVED');
  const before = await state();
  const { id } = (await house.tickets()).find((ticket) => ticket.orderId === orderId);
  const advance = 'mutation ($id: ID!) { advanceTicket(ticketId: $id, from: RECEIVED, to: COOKING) { changed } }';
  await house.ask(house.staffKey, advance, { id });
  await becomes('it is cooked', ({ orders }) => orders[0].ticket.state === 'COOKING');
  const now = await state();
  assert.ok(now.orders[0].version > before.orders[0].version);
  assert.equal(now.orders.length, 1);
  assert.ok(now.orders[0].lines[0].name.length > 0 && now.heardAt > 0);
  assert.ok(await page.evaluate(() => window.live.state() === window.live.state() && Object.isFrozen(window.live.state().orders[0])));
  assert.deepEqual(page.complaints, []);
});

test('a network that breaks off is lost, and comes back with everything', async (t) => {
  const { network, index, becomes } = await watching(t);
  await becomes('it is live', is('live'));
  network.cut();
  await becomes('it is lost', is('lost'));
  const { orderId } = await house.order({ table: index });
  network.mend();
  await becomes('it is live with the order', (state) => is('live')(state) && state.orders[0]?.id === orderId);
});

test('where no socket gets through, the history is read', async (t) => {
  const { page, index, becomes } = await watching(t, { prepare: () => delete window.WebSocket });
  await becomes('it reads', is('polling'));
  const { orderId } = await house.order({ table: index });
  await page.evaluate(() => window.live.retry());
  await becomes('the order is there', ({ orders }) => orders[0]?.id === orderId);
});

test('with a wrong PIN it ends, and says so', async (t) => {
  const { page, becomes } = await watching(t, { options: { pin: 'none' } });
  await becomes('it is over', is('unauthenticated'));
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.evaluate(() => (window.live.retry(), dispatchEvent(new Event('online'))));
  await new Promise((later) => setTimeout(later, 1000));
  assert.deepEqual(requests, []);
});

test('closed, it asks nothing and tells nothing', async (t) => {
  const { page, index, becomes } = await watching(t);
  await becomes('it is live', is('live'));
  await page.evaluate(() => {
    window.live.close();
    window.seen.length = 0;
  });
  await house.order({ table: index });
  await new Promise((later) => setTimeout(later, 500));
  assert.deepEqual(await page.evaluate(() => [window.seen, window.live.state().orders.length]), [[], 0]);
});

test('on a server it does nothing', async () => {
  const { watchOrders } = await import('../../sdk-wasm/pkg/live.js');
  const live = watchOrders({ url: '/graphql', tableSessionId: 't', pin: '0000' });
  live.subscribe(() => assert.fail('it told something'));
  assert.equal(live.state(), live.state());
  assert.deepEqual(live.state().orders, []);
  live.close();
});
