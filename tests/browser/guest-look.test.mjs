// The guest's page for every screen, hand and language.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';

const guestTest = guestTests({ tables: 4 });
/** From the smallest phone to a laptop. Unit: CSS pixels. */
const WIDTHS = [320, 360, 390, 768, 1280];

for (const locale of ['ja-JP', 'en-GB']) {
  guestTest(`no width makes the page scroll sideways (${locale})`, async ({ open }) => {
    const guest = await open({ locale });
    const wide = [];
    const measure = async (screen) => {
      for (const width of WIDTHS) {
        await guest.page.setViewportSize({ width, height: 780 });
        const over = await guest.page.evaluate(() => {
          const boxes = [document.documentElement, ...document.querySelectorAll('.sheet, .sheet-body, .lab')];
          return Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth));
        });
        if (over > 0) wide.push(`${screen} at ${width}: ${over} px`);
      }
    };
    await measure('menu');
    await guest.dish('N-PAITAN-RAMEN').locator('.dish-open').click();
    await guest.page.locator('#dish-note').fill('w'.repeat(101));
    await guest.page.locator('#dish-add').click();
    await measure('dish');
    await guest.page.locator('#dish-note').fill('w'.repeat(100));
    await guest.sheet('dish').locator('input[type="radio"]').first().check();
    await guest.page.locator('#dish-add').click();
    await guest.openCart();
    await guest.page.locator('#order-note-open').click();
    await guest.page.locator('#order-note').fill('w'.repeat(500));
    await measure('cart');
    await guest.confirm.click();
    await guest.placed();
    await measure('placed');
    await guest.act('history');
    await guest.page.locator('#history [data-order]').waitFor();
    await measure('history');
    await guest.page.locator('.order-cancel').click();
    await measure('question');
    assert.deepEqual(wide, []);
  });
}

guestTest('a change of language translates everything, with a cart in place', async ({ open, tickets }) => {
  const guest = await open();
  await guest.add('F-POTATO');
  await guest.page.locator('#language').click();
  assert.equal(await guest.page.locator('html').getAttribute('lang'), 'ja');
  await guest.dish('F-POTATO').getByText('青のりフライドポテト').waitFor();
  await until('the band is Japanese', async () => (await guest.band.textContent()) === '1カートを見る, 1点, ¥450');
  await guest.openCart();
  await guest.page.locator('.cart-line .line-name').getByText('青のりフライドポテト').waitFor();
  const left = await guest.page.locator('#app').evaluate((app) => app.innerText.match(/\b(?:the|your|order|cart|table)\b/gi));
  assert.equal(left, null, 'no English is left');
  await guest.confirm.click();
  await guest.outcome('placed').getByText('キッチンに届きました').waitFor();
  assert.equal(await guest.outcome('placed').locator('.line-name').textContent(), '青のりフライドポテト', 'the SDK speaks it, too');
  await guest.act('more');
  await guest.reload();
  assert.equal(await guest.page.locator('html').getAttribute('lang'), 'ja', 'the choice stays');
  assert.equal((await tickets()).length, 1);
});

guestTest('the keyboard is enough, from the menu to the confirmation and back', async ({ open, tickets }) => {
  const guest = await open({ width: 1280, height: 800 });
  const { keyboard } = guest.page;
  const at = (selector) => guest.page.evaluate((selector) => document.activeElement.matches(selector), selector);
  const tabTo = async (selector) => {
    for (let press = 0; press < 150; press += 1) {
      if (await at(selector)) return;
      await keyboard.press('Tab');
    }
    assert.fail(`no way to ${selector} by the keyboard`);
  };
  await tabTo('[data-dish="F-AGEDASHI"] .dish-add');
  await keyboard.press('Enter');
  await keyboard.press('Enter');
  assert.equal(await at('[data-dish="F-AGEDASHI"] .dish-add'), true, 'the focus stays');
  await tabTo('[data-dish="N-SHOYU-RAMEN"] .dish-open');
  await keyboard.press('Enter');
  await guest.sheet('dish').waitFor();
  await tabTo('#dish-add');
  await keyboard.press('Enter');
  assert.equal(await at('input[type="radio"]'), true, 'what is missing has the focus');
  await keyboard.press('ArrowDown');
  await tabTo('#dish-add');
  await keyboard.press('Enter');
  await guest.sheet('dish').waitFor({ state: 'detached' });
  assert.equal(await at('[data-dish="N-SHOYU-RAMEN"] .dish-open'), true, 'the focus returns to where it was');
  await tabTo('#cart-open');
  await keyboard.press('Enter');
  await guest.sheet('cart').waitFor();
  await tabTo('[data-line="F-AGEDASHI"] .step-plus');
  await keyboard.press('Space');
  await tabTo('#confirm');
  await keyboard.press('Enter');
  const number = await guest.placed();
  await tabTo('[data-act="more"]');
  await keyboard.press('Enter');
  await guest.outcome('placed').waitFor({ state: 'detached' });
  assert.equal(await guest.page.evaluate(() => document.activeElement !== document.body), true, 'the focus is not lost');
  await tabTo('#history-open');
  await keyboard.press('Enter');
  await guest.page.locator('#history [data-order]').waitFor();
  await keyboard.press('Escape');
  await guest.sheet('history').waitFor({ state: 'detached' });
  assert.equal(await at('#history-open'), true);
  const [{ receipt }, ...more] = await tickets();
  const lines = receipt.lines.map(({ sku, quantity }) => `${quantity} ${sku}`);
  assert.deepEqual([receipt.number, lines, more], [number, ['3 F-AGEDASHI', '1 N-SHOYU-RAMEN'], []]);
});
