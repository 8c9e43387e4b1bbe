// The SDK as a third party uses it: a page of a few lines on a phone, at a table that no other test sits at.

import assert from 'node:assert/strict';
import { device, listen, until } from './harness.mjs';
import { tableTests } from './tables.mjs';

const PAGE = '<!doctype html><meta charset="utf-8"><title>Third party</title><script type="module" src="/page.js"></script>';

/** The test calls what it puts on `window`. The options come in the fragment. */
const SCRIPT = `
  import { createClient } from '/sdk/masterorder.js';
  const client = createClient(JSON.parse(decodeURIComponent(location.hash.slice(1))));
  const cart = client.cart();
  window.phases = [];
  cart.subscribe(() => window.phases.push(cart.state().phase));
  // what a promise brings without its functions, which do not travel
  window.plain = (outcome) => JSON.parse(JSON.stringify(outcome));
  Object.assign(window, { createClient, client, cart });
  addEventListener('pageshow', (event) => (window.restored = event.persisted));
  window.loaded = client.ready.then(() => 'ready', (error) => error.message);
`;

/** @returns {import('./network.mjs').Answer} */
export const served = (type, body, headers = {}) => ({ status: 200, headers: { 'content-type': `${type}; charset=utf-8`, ...headers }, body });

/**
 * Opens a house for the tests of a file, or of a `describe`. Afterwards the ledger must hold.
 *
 * @param {{ tables: number, browser?: object }} options `tables`: one per test; `browser`: for `launch`
 * @returns {(name: string, body: (around: {
 *   house: House,
 *   table: { id: string, pin: string, table: string },
 *   network: Network,
 *   open: (options?: object) => Promise<Phone>,
 *   tickets: () => Promise<object[]>,
 * }) => Promise<void>) => void} a function that defines a test with a table and a network of its own. `open` opens the page on
 *   another phone (`Phone` says with which options), `tickets` are those of the table. No page may have complained.
 */
export function sdkTests(options) {
  return tableTests(options, async ({ browser, house, table, network }, body) => {
    network.pages = { '/': served('text/html', PAGE), '/page.js': served('text/javascript', SCRIPT) };
    const phones = [];
    const open = async (options = {}) => {
      const phone = new Phone(await device(browser), { house, table, network, ...options });
      phones.push(phone);
      await phone.open(options);
      return phone;
    };
    const tickets = async () => (await house.tickets()).filter(({ receipt }) => receipt.table === table.table);
    try {
      await body({ house, table, network, open, tickets });
      for (const { page } of phones) assert.deepEqual(page.complaints, []);
    } finally {
      await Promise.all(phones.map(({ page }) => page.context().close()));
    }
  });
}

/**
 * Places an order as a guest whose client is not the SDK. Answers the whole answer.
 *
 * @param {string} [clientId] another one is another phone
 */
export async function placeByHand(house, table, input, clientId = `guest-${crypto.randomUUID()}`) {
  const query = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { orderId idempotentReplay
    result { __typename ... on OrderPlaced { replayReason } ... on PlacementProblem { code status } } } }`;
  const response = await fetch(`${house.url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Session-Id': table.id,
      'X-Session-PIN': table.pin,
      'X-MasterOrder-Client-Id': clientId,
    },
    body: JSON.stringify({ query, variables: { input } }),
  });
  return response.json();
}

/** The page on a phone. */
export class Phone {
  #seat;
  #house;
  #table;
  #address;

  /** @param {{ url?: string, client?: object }} seat `url`: another way to the page; `client`: more for `createClient` */
  constructor(page, seat) {
    const { house, table, network, url = network.url, client } = seat;
    this.page = page;
    this.#seat = seat;
    this.#house = house;
    this.#table = table;
    /** For `createClient`. */
    this.options = { url: '/graphql', tableSessionId: table.id, pin: table.pin, lang: 'ja', ...client };
    this.#address = `${url}/#${encodeURIComponent(JSON.stringify(this.options))}`;
  }

  /** @param {{ prepare?: Function }} options `prepare` runs in the page before everything else */
  async open({ prepare } = {}) {
    if (prepare) await this.page.addInitScript(prepare);
    await this.page.goto(this.#address);
    await this.loaded();
  }

  /** Answers `ready`, or why the SDK can not run. */
  async loaded() {
    await this.page.waitForFunction(() => window.loaded);
    return this.page.evaluate(() => window.loaded);
  }

  /** Makes another tab of this phone, which is not opened yet. */
  async another() {
    const page = listen(await this.page.context().newPage(), this.page.complaints);
    return new Phone(page, this.#seat);
  }

  /** Opens the page in another tab of this phone, and waits until it shows the same cart. */
  async tab(options) {
    const tab = await this.another();
    await tab.open(options);
    const lines = async (of) => JSON.stringify((await of.state()).lines);
    await until('both tabs show one cart', async () => (await lines(tab)) === (await lines(this)));
    return tab;
  }

  async reload() {
    await this.page.reload();
    await this.loaded();
  }

  /** A line as the page gives it to the SDK. By default a piece of the first item. */
  line(quantity = 1, { sku = this.#house.menuItems[0].sku, ...more } = {}) {
    const line = this.#house.line(sku, quantity, more);
    const item = this.#house.menuItems.find((entry) => entry.sku === sku);
    const price = (of) => ({ amountMinor: of.priceMinor, currency: 'JPY' });
    const toppings = line.toppings.map((topping) => {
      return { ...topping, price: price(item.toppings.find((entry) => entry.id === topping.toppingId)) };
    });
    return { ...line, price: price(item), toppings };
  }

  add(quantity, more) {
    return this.page.evaluate((line) => window.cart.add(line), this.line(quantity, more));
  }

  submit(options) {
    return this.page.evaluate(async (given) => window.plain(await window.cart.submit(given)), options);
  }

  /** Submits, and does not wait for what comes of it: that is what `outcome` answers. */
  tap() {
    return this.page.evaluate(() => void (window.outcome = window.cart.submit()));
  }

  outcome() {
    return this.page.evaluate(async () => window.plain(await window.outcome));
  }

  resume() {
    return this.page.evaluate(async () => window.plain(await window.client.resume()));
  }

  /** The state with the cart's lines and total. */
  state() {
    return this.page.evaluate(() => {
      const { lines, total } = window.cart;
      return window.plain({ ...window.cart.state(), lines, total });
    });
  }

  /** Every phase that the page was told of. */
  phases() {
    return this.page.evaluate(() => window.phases);
  }

  /** What the SDK has stored: `cart`, `slot` or `request`. `null`: nothing. */
  stored(name) {
    const key = `masterorder.${this.#table.id}.${name}`;
    return this.page.evaluate((key) => localStorage.getItem(key) ?? sessionStorage.getItem(key), key);
  }

  /** Takes a complaint that was expected. */
  takeComplaint(expected) {
    const { complaints } = this.page;
    const index = complaints.findIndex((text) => expected.test(text));
    assert.ok(index >= 0, `the page complained of ${expected}: ${complaints.join()}`);
    complaints.splice(index, 1);
  }
}
