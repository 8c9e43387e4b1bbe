// The entry `./testing` in a page: no server, and a browser that is left as it is.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { device, launch } from './harness.mjs';

const PAGE = '<!doctype html><meta charset="utf-8"><title>Fake</title><link rel="icon" href="data:,">';

const placeTwice = async () => {
  const { createClient } = await import('/masterorder.js');
  const { createFakeShop, enterBrowser, loseAnswer } = await import('/testing.js');
  const before = Reflect.ownKeys(globalThis).length;
  enterBrowser()();
  const shop = createFakeShop({ script: [loseAnswer()] });
  const client = createClient({ url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, fetch: shop.fetch });
  const cart = client.cart();
  cart.add(shop.line());
  const kinds = (await Promise.all([cart.submit(), cart.submit()])).map(({ kind }) => kind);
  return { kinds, orders: shop.orders.length, added: Reflect.ownKeys(globalThis).length - before };
};

test('in a page two taps and a lost answer are one order, and no request leaves', async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const page = await device(browser);
  const asked = [];
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(pathname);
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: PAGE });
    const body = await readFile(new URL(`../../sdk-wasm/pkg${pathname}`, import.meta.url));
    return route.fulfill({ contentType: 'text/javascript', body });
  });
  await page.goto('http://127.0.0.1:1/');
  assert.deepEqual(await page.evaluate(placeTwice), { kinds: ['placed', 'placed'], orders: 1, added: 0 });
  assert.deepEqual([asked, page.complaints], [['/', '/masterorder.js', '/testing.js'], []]);
});
