// The package's client at a table of its fake shop, in Node alone.

import { enterBrowser, createFakeShop } from '../../sdk-wasm/pkg/testing.js';
import { createClient } from '../../sdk-wasm/pkg/masterorder.js';

/**
 * Opens a client at a fake shop, with one line in its cart. Afterwards nothing of a browser is left.
 *
 * @param {object[]} script what becomes of the placements
 * @param {object} [more] for `createClient`
 */
export function table(t, script = [], more = {}) {
  const leave = enterBrowser();
  const shop = createFakeShop({ script });
  const open = (options = {}) =>
    createClient({ url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, fetch: shop.fetch, lang: 'en', ...more, ...options });
  const client = open();
  t.after(() => {
    client.close();
    leave();
  });
  const cart = client.cart();
  cart.add(shop.line());
  return { shop, client, cart, open };
}
