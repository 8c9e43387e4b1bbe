// The example in React with Vite, as it lies in web-demo/examples: built, opened at a table, and used.

import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { before } from 'node:test';
import { build } from 'vite';
import { appTests, pagesOf, photograph } from '../browser/app.mjs';
import { device, until } from '../browser/harness.mjs';
import { ROOT, install } from '../browser/npm.mjs';
import { HERE } from './tools.mjs';

const appTest = appTests({ tables: 1 });

before(() => install(HERE));

appTest('the React example orders, and says the number', async ({ browser, house, network, table, url, name }) => {
  const root = join(HERE, 'build/example');
  await rm(root, { recursive: true, force: true });
  const own = (path) => !/node_modules|dist/.test(path.slice(ROOT.length));
  await cp(join(ROOT, 'web-demo/examples/react'), root, { recursive: true, filter: own });
  await build({ root, logLevel: 'error' });
  network.pages = await pagesOf(join(root, 'dist'));

  const page = await device(browser, { width: 390, height: 844 });
  await page.goto(`${url}#t=${table.id}&p=${table.pin}`);
  const add = page.getByRole('button', { name: /^Add / });
  await add.first().click();
  await add.nth(1).click();
  await page.getByRole('button', { name: 'One more' }).first().click();
  await photograph(page, `${name}, cart`);
  // three taps before anything is drawn
  const order = page.getByRole('button', { name: /^Order for ¥/ });
  await order.evaluate((button) => [1, 2, 3].forEach(() => button.click()));
  const [ticket] = await until('there is a ticket', async () => (await house.tickets()).length > 0 && house.tickets());
  await page.getByText(`Your order has the number ${ticket.receipt.number}.`).waitFor();
  await photograph(page, `${name}, placed`);
  assert.deepEqual([network.placements.length, page.complaints], [1, []]);
  const pieces = network.placements[0].input.lines.map(({ quantity }) => quantity);
  assert.deepEqual(pieces.sort(), [1, 2]);
});
