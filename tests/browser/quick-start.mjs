// The quick starts of the package's README: taken out of it, filled in, and used as a guest does.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { photograph } from './app.mjs';
import { device, until } from './harness.mjs';
import { ROOT } from './npm.mjs';

/** Reads the README's code in a language. There is one of each. */
export async function quickStart(language) {
  const text = await readFile(join(ROOT, 'sdk-wasm/npm/README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, named]) => named === language);
  assert.equal(blocks.length, 1, `one quick start in ${language}`);
  return blocks[0][2];
}

/** Puts in what the page knows: the table, its PIN and an item, in this order. */
export function filled(code, { house, table }) {
  const [{ id, priceMinor }] = house.menuItems;
  const values = [table.id, table.pin, id];
  assert.equal(code.split('"…"').length - 1, values.length, 'the table, its PIN and the item are all there is to fill in');
  const known = values.reduce((text, value) => text.replace('"…"', JSON.stringify(value)), code);
  return known.replace(/(?<=amountMinor: )\d+/, priceMinor);
}

/** Opens the page on a phone, which does not complain, and answers what a guest does there. */
export async function enter({ browser, house, table, url }) {
  const page = await device(browser, { width: 390, height: 844 });
  await page.goto(url);
  const alerts = [];
  page.on('dialog', (dialog) => alerts.push(dialog.message()) && dialog.accept());
  const button = (name) => page.getByRole('button', { name });
  await button('Add').waitFor();
  const tickets = async () => (await house.tickets()).filter(({ receipt }) => receipt.table === table.table);
  return {
    page,
    add: () => button('Add').click(),
    /** As an impatient guest: three times, before the page has drawn anything. */
    order: () => button('Order').evaluate((element) => [1, 2, 3].forEach(() => element.click())),
    said: (text) => until(`it says ${text}`, async () => (await page.getByRole('status').textContent()).includes(text)),
    tickets,
    /** Nothing can be ordered yet, and the page says so. */
    async blocked() {
      await this.order();
      const texts = async () => [...alerts, await page.getByRole('status').textContent()].join();
      await until('it says why', async () => /cart is empty/i.test(await texts()));
    },
    /** The page says the number of the only ticket of the table. */
    async placed() {
      const [ticket] = await until('there is a ticket', async () => (await tickets()).length > 0 && tickets());
      await this.said(`Order ${ticket.receipt.number}`);
      assert.deepEqual([(await tickets()).length, page.complaints], [1, []]);
    },
  };
}

/** An empty cart is told of; two pieces and three taps are one order, which the page tells. */
export async function assertQuickStart(around) {
  const guest = await enter(around);
  await guest.blocked();
  await guest.add();
  await guest.add();
  await guest.order();
  await guest.placed();
  await photograph(guest.page, around.name);
  await guest.page.context().close();
}
