// A page with the SDK in it, however it was built: whether it is ready, what its cart comes to, and what an order comes to.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { device } from './harness.mjs';
import { tableTests } from './tables.mjs';

/** Defines the tests of a file, see `tableTests`. A test gets the address of its network, too. */
export const appTests = (options) =>
  tableTests(options, (around, body, t) => body({ ...around, name: t.name, url: `${around.network.url}/` }, t));

/** Takes a picture of a page, if somebody wants to look at them. */
export async function photograph(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(/[^\w]+/g, '-')}.png`) });
}

export const PAGE = `<!doctype html><meta charset="utf-8"><title>Built</title><link rel="icon" href="data:,">
<main></main><script type="module" src="./main.js"></script>`;

/**
 * Writes the page's script. Its options come in the fragment.
 *
 * @param {{ entry?: string, wasm?: string }} how `entry`: what is imported; `wasm`: an import of a name `wasm`, for the slim entry
 */
export const script = ({ entry = '@masterorder/sdk', wasm } = {}) => `
  import { createClient } from '${entry}';
  ${wasm ?? ''}
  const { options, line } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const client = createClient({ ...options${wasm ? ', wasm' : ''} });
  const cart = client.cart();
  cart.subscribe(() => (document.querySelector('main').textContent = JSON.stringify([cart.total, cart.state()], null, 2)));
  const ready = client.ready.then(() => 'ready', (error) => [error.code, error.message].join(': '));
  window.app = { cart, line, ready };
`;

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css' };

/** Reads a built folder as pages of a network, below a path. */
export async function pagesOf(folder, base = '/') {
  const pages = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = base + relative(folder, file).replaceAll(sep, '/');
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    pages[path.replace(/(?<=\/)index\.html$/, '')] = { status: 200, headers: { 'content-type': type }, body: await readFile(file) };
  }
  return pages;
}

/** Opens the page on a phone of its own, at a table. Answers it, once it is ready or has said why not. */
export async function open({ browser, house, table, url }) {
  const item = house.menuItems[0];
  const price = { amountMinor: item.priceMinor, currency: 'JPY' };
  const options = { url: '/graphql', tableSessionId: table.id, pin: table.pin, lang: 'en' };
  const page = await device(browser, { width: 390, height: 844 });
  page.modules = 0;
  page.on('response', (response) => (page.modules += response.headers()['content-type'] === 'application/wasm' ? 1 : 0));
  await page.goto(`${url}#${encodeURIComponent(JSON.stringify({ options, line: { menuItemId: item.id, price, quantity: 1 } }))}`);
  await page.waitForFunction(() => window.app);
  page.ready = await page.evaluate(() => window.app.ready);
  return page;
}

/**
 * AC-159, AC-161: the page is ready, adds up, places one order of two taps, and complains of nothing.
 *
 * @param {{ modules?: number }} around how many files of WebAssembly it loads, if that is known
 */
export async function assertOrders(around) {
  const { house, table } = around;
  const page = await open(around);
  assert.deepEqual([page.ready, page.complaints], ['ready', []]);
  const { total, kinds } = await page.evaluate(async () => {
    const { cart, line } = window.app;
    cart.add(line);
    cart.add({ ...line, quantity: 2 });
    const { total } = cart;
    const outcomes = await Promise.all([cart.submit(), cart.submit()]);
    return { total, kinds: outcomes.map(({ kind }) => kind) };
  });
  assert.deepEqual(total, { amountMinor: 3 * house.menuItems[0].priceMinor, currency: 'JPY' });
  assert.deepEqual([kinds, page.complaints], [['placed', 'placed'], []]);
  const tickets = (await house.tickets()).filter(({ receipt }) => receipt.table === table.table);
  assert.equal(tickets.length, 1);
  assert.equal(page.modules, around.modules ?? page.modules, 'where the WebAssembly came from');
  await photograph(page, around.name);
  await page.context().close();
}
