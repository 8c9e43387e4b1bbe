// What axe knows about accessibility, on every screen of both pages and in both languages.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { guestTests } from './guest.mjs';

const guestTest = guestTests({ tables: 4 });
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Asks axe about what is on the screen. */
async function audit(page, screen) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  const found = violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html }) => `${id} (${help}): ${target} ${html}`));
  assert.deepEqual(found, [], screen);
}

for (const locale of ['ja-JP', 'en-GB']) {
  guestTest(`the guest's page (${locale})`, async ({ network, open }) => {
    const guest = await open({ arrive: false, locale });
    const { page } = guest;
    await page.goto(`${network.url}/`);
    await page.locator('[data-notice="welcome"]').waitFor();
    await audit(page, 'welcome');
    await guest.arrive();
    await guest.add('F-POTATO', 'B-DRAFT');
    await audit(page, 'menu');
    await guest.dish('N-SHOYU-RAMEN').locator('.dish-open').click();
    await page.locator('#dish-add').click();
    await page.locator('.sheet-problem').getByText(/./).waitFor();
    await audit(page, 'dish, with something missing');
    await guest.sheet('dish').locator('input[type="radio"]').first().check();
    await page.locator('#dish-note').fill('w'.repeat(101));
    await audit(page, 'dish, with too long a note');
    await page.keyboard.press('Escape');
    await guest.openCart();
    await page.locator('#order-note-open').click();
    await audit(page, 'cart');
    await guest.confirm.click();
    await guest.placed();
    await audit(page, 'placed');
    await guest.act('history');
    await page.locator('#history [data-order]').waitFor();
    await audit(page, 'history');
    await page.locator('.order-cancel').click();
    await audit(page, 'cancel?');
    await guest.act('keep');
    await page.locator('.sheet .round').click();
    const other = await open({ locale });
    await other.fill('F-POTATO', 'B-DRAFT');
    await other.confirm.click();
    await other.outcome('possibleDuplicate').waitFor();
    await audit(other.page, 'question');
    await page.locator('.lab-open').click();
    await page.locator('.lab .lab-title:focus').waitFor();
    await audit(page, 'lab');
  });

  guestTest(`the staff page (${locale})`, async ({ house, table, network, open }) => {
    const guest = await open({ arrive: false, locale, width: 1280, height: 800 });
    const { page } = guest;
    await page.goto(`${network.url}/staff`);
    await page.locator('input').waitFor();
    await audit(page, 'sign in');
    const at = house.tableSessions.indexOf(table);
    await house.order({ table: at, note: 'no onions', lines: [house.line('F-KARAAGE', 2), house.line('B-DRAFT')] });
    await page.goto(`${network.url}/staff#k=${house.staffKey}`);
    await page.reload();
    await page.locator('.ticket .advance').first().waitFor();
    await audit(page, 'board');
    await page.locator('.ticket .advance').first().click();
    await page.locator('.ticket[data-state="COOKING"]').waitFor();
    await audit(page, 'board, with a ticket that was moved');
  });
}
