// The guest's page as a guest uses it: a phone at a table that no other test sits at, behind a network of its own.

import assert from 'node:assert/strict';
import { device, listen } from './harness.mjs';
import { tableTests } from './tables.mjs';

/** A phone that is held upright. Unit: CSS pixels. */
const PHONE = { width: 390, height: 780 };

/**
 * Opens a house for the tests of a file. Afterwards the ledger must hold.
 *
 * @param {{ tables: number, browser?: object }} options `tables`: one per test; `browser`: for `launch`
 * @returns {(name: string, body: (around: {
 *   house: House,
 *   table: { id: string, pin: string, table: string },
 *   network: Network,
 *   open: (options?: object) => Promise<Guest>,
 *   tickets: () => Promise<object[]>,
 * }) => Promise<void>) => void} a function that defines a test with a table and a network of its own. `open` opens the page on
 *   another phone, `tickets` are those of the table, oldest first. No page may have complained.
 */
export function guestTests(options) {
  return tableTests(options, async ({ browser, house, table, network }, body) => {
    const guests = [];
    const open = async ({ prepare, arrive = true, ...options } = {}) => {
      const page = await device(browser, { ...PHONE, ...options });
      const guest = new Guest(page, { network, table });
      guests.push(guest);
      await guest.watch();
      // sheets come at once, for those who asked for that
      await page.emulateMedia({ reducedMotion: 'reduce' });
      if (prepare) await page.addInitScript(prepare);
      if (arrive) await guest.arrive();
      return guest;
    };
    const tickets = async () => (await ticketsOf(house)).filter(({ receipt }) => receipt.table === table.table);
    try {
      await body({ house, table, network, open, tickets });
      for (const { page } of guests) assert.deepEqual(page.complaints, []);
    } finally {
      await Promise.all(guests.map(({ page }) => page.context().close()));
    }
  });
}

/** Reads all tickets with what stands on them, as the database has them. Oldest first. */
async function ticketsOf(house) {
  const query = `{ kitchenTickets(states: [RECEIVED, COOKING, READY, SERVED, CANCELLED]) {
    id orderId state createdAt receipt { number table note total { amountMinor } lines { sku quantity note toppings { name(lang: EN) } } } } }`;
  const { kitchenTickets } = await house.ask(house.staffKey, query);
  return kitchenTickets.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** Moves a ticket, as the kitchen does. */
export function advance(house, { id }, from, to) {
  const query = `mutation ($id: ID!, $from: TicketState!, $to: TicketState!) {
    advanceTicket(ticketId: $id, from: $from, to: $to) { changed } }`;
  return house.ask(house.staffKey, query, { id, from, to });
}

/** Makes the menu what it is, with some of it changed. `null` takes a dish off. */
export async function change(house, changes) {
  const rows = house.menuItems.flatMap(({ sku, name, priceMinor }) => {
    const row = { sku, name, price: priceMinor, ...changes[sku] };
    return changes[sku] === null ? [] : [[row.sku, `"${row.name.replaceAll('"', '""')}"`, row.price].join(',')];
  });
  await house.importMenu(['sku,name,price', ...rows].join('\n'));
}

/** The page on a guest's phone. */
export class Guest {
  #network;
  #table;

  /** Everything that the page has shown about an order, over reloads: by where, each once. */
  shown = { outcomes: new Set(), alerts: new Set(), tones: new Set(), bands: new Set(), toasts: new Set() };

  constructor(page, { network, table }) {
    this.page = page;
    this.#network = network;
    this.#table = table;
  }

  /** Looks at everything that the page shows, from now on. */
  async watch() {
    await this.page.exposeFunction('note', (where, what) => this.shown[where].add(what));
    await this.page.addInitScript(() => {
      const noted = new Set();
      const note = (where, what) => {
        if (!what || noted.has(where + what)) return;
        noted.add(where + what);
        window.note(where, what);
      };
      const look = () => {
        const seen = (where, selector, read) => {
          for (const element of document.querySelectorAll(selector)) note(where, read(element));
        };
        seen('outcomes', '[data-outcome]', (element) => element.dataset.outcome);
        seen('alerts', '[role="alert"]', (element) => element.textContent);
        seen('tones', '[data-cart-status]', (element) => element.dataset.tone);
        seen('bands', '#cart-open.is-locked', (element) => element.textContent);
        seen('toasts', '.toast', (element) => element.textContent);
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
  }

  /** What the QR code at a table says. */
  link({ id, pin } = this.#table) {
    return `${this.#network.url}/#t=${id}&p=${pin}`;
  }

  /** Scans the code and waits for the menu. */
  async arrive() {
    await this.page.goto(this.link());
    await this.menu();
  }

  async menu() {
    await this.page.locator('[data-dish]').first().waitFor();
  }

  async reload() {
    await this.page.reload();
    await this.menu();
  }

  /** Opens the page in another tab of this phone, without the link. */
  async tab() {
    const page = listen(await this.page.context().newPage(), this.page.complaints);
    const tab = new Guest(page, { network: this.#network, table: this.#table });
    await tab.watch();
    await page.goto(`${this.#network.url}/`);
    await tab.menu();
    return tab;
  }

  dish(sku) {
    return this.page.locator(`[data-dish="${sku}"]`);
  }

  sheet(name) {
    return this.page.locator(`[data-sheet="${name}"]`);
  }

  outcome(name) {
    return this.page.locator(`[data-outcome="${name}"]`);
  }

  get confirm() {
    return this.page.locator('#confirm');
  }

  get band() {
    return this.page.locator('#cart-open');
  }

  /** A strip under the head: `offline` or `earlier`. */
  banner(name) {
    return this.page.locator(`[data-banner="${name}"]`);
  }

  act(name) {
    return this.page.locator(`[data-act="${name}"]`).click();
  }

  /** One tap on ＋ for each of them. They have no choices. */
  async add(...skus) {
    for (const sku of skus) await this.dish(sku).locator('.dish-add').click();
  }

  async openCart() {
    await this.band.click();
    await this.sheet('cart').waitFor();
  }

  /** Fills the cart and opens it. */
  async fill(...skus) {
    await this.add(...skus);
    await this.openCart();
  }

  /** Answers the number under which the order stands, once the page says so. */
  async placed() {
    return Number(await this.outcome('placed').locator('.placed-number').getAttribute('data-order-number'));
  }

  /** Orders dishes, and answers the number. */
  async order(...skus) {
    await this.fill(...skus);
    await this.confirm.click();
    return this.placed();
  }

  /** Never since the page was opened did anything look like a failure. */
  calm() {
    const { outcomes, alerts, tones, toasts } = this.shown;
    const loud = [...tones].filter((tone) => tone !== 'calm' && tone !== 'plain');
    assert.deepEqual([[...outcomes], [...alerts], loud, [...toasts]], [['placed'], [], [], []]);
  }
}
