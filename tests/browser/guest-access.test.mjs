// What axe knows about accessibility, on every screen of both pages and in both languages.

import assert from 'node:assert/strict';
import { audit } from './axe.mjs';
import { guestTests } from './guest.mjs';
import { held } from './network.mjs';

const guestTest = guestTests({ tables: 6 });

for (const [locale, width] of [
  ['ja-JP', 360],
  ['en-GB', 360],
  ['ja-JP', 1280],
  ['en-GB', 1280],
]) {
  guestTest(`the guest's page (${locale}, ${width} px)`, async ({ network, open }) => {
    const guest = await open({ arrive: false, locale, width });
    const { page } = guest;
    await page.goto(`${network.url}/`);
    await page.locator('[data-notice="welcome"]').waitFor();
    await audit(page, 'welcome');
    await guest.arrive();
    await page.locator('#history-open').click();
    await page.locator('#history .empty-state').waitFor();
    await audit(page, 'history, empty');
    await page.keyboard.press('Escape');
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
    const answer = held();
    network.next = [answer];
    await guest.confirm.click();
    await answer.answered;
    await audit(page, 'sending');
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0, 'nothing moves for who asked for that');
    answer.release();
    await guest.placed();
    await audit(page, 'placed');
    await guest.act('history');
    await page.locator('#history [data-order]').waitFor();
    await audit(page, 'history');
    await page.locator('.order-cancel').click();
    await audit(page, 'cancel?');
    await guest.act('keep');
    await page.locator('.sheet .round').click();
    const other = await open({ locale, width });
    await other.fill('F-POTATO', 'B-DRAFT');
    await other.confirm.click();
    await other.outcome('possibleDuplicate').waitFor();
    await audit(other.page, 'question');
    await other.page.keyboard.press('Escape');
    await audit(other.page, 'cart, with a question that waits');
    await page.locator('.lab-open').click();
    await page.locator('.lab .lab-title:focus').waitFor();
    await audit(page, 'lab');
  });
}

for (const locale of ['ja-JP', 'en-GB']) {
  guestTest(`the staff page (${locale})`, async ({ house, table, network, open }) => {
    const guest = await open({ arrive: false, locale, width: 1280, height: 800 });
    const { page } = guest;
    await page.goto(`${network.url}/staff`);
    await page.locator('input').waitFor();
    await audit(page, 'sign in');
    const at = house.tableSessions.indexOf(table);
    const { result } = await house.order({ table: at, note: 'no onions', lines: [house.line('F-KARAAGE', 2), house.line('B-DRAFT')] });
    await page.goto(`${network.url}/staff#k=${house.staffKey}`);
    await page.reload();
    const ticket = page.locator('.ticket', { hasText: String(result.receipt.number) });
    await ticket.waitFor();
    await audit(page, 'board');
    await ticket.locator('.advance').click();
    await ticket.and(page.locator('[data-state="COOKING"]')).waitFor();
    await audit(page, 'board, with a ticket that was moved');
  });
}
