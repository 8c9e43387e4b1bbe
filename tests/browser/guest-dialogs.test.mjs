// What the guest's page asks and refuses in a dialog: it names the dish, says what can be done about it in both languages, and
// can be used by keyboard and by ear.

import assert from 'node:assert/strict';
import { audit } from './axe.mjs';
import { change, guestTests } from './guest.mjs';

const guestTest = guestTests({ tables: 12 });
/** Seats whoever orders things away. */
const ELSEWHERE = 11;

const TEXTS = {
  'ja-JP': {
    few: (dish) => ['数が足りません', `${dish}は残り1点です`, ['残りの数に減らす', 'カートに戻る']],
    none: (dish) => ['売り切れました', `${dish}は売り切れました`, ['カートから外す', 'カートに戻る']],
    price: (dish, old, now) => ['価格が変わりました', `${dish}の価格が${old}円から${now}円に変わりました`, ['新しい価格で確認する', 'カートに戻る']],
    gone: (dishes) => ['ご用意できない商品があります', `${dishes.join('、')}はただいまご注文いただけません`, ['カートから外す', 'カートに戻る']],
    again: ['同じご注文があります', /^同じご注文が\d+秒前に入っています。もう一度注文しますか？$/, ['注文する', 'やめる']],
    nothing: 'このご注文は入っていません',
  },
  'en-GB': {
    few: (dish) => ['Not enough left', `Only 1 left of ${dish}.`, ['Take what is left', 'Back to the cart']],
    none: (dish) => ['Sold out', `${dish} is sold out.`, ['Take it out', 'Back to the cart']],
    price: (dish, old, now) => ['A price has changed', `The price of ${dish} changed from ¥${old} to ¥${now}.`, ['Review the new prices', 'Back to the cart']],
    gone: (dishes) => ['Something is not available', `Not available right now: ${dishes.join(', ')}.`, ['Take it out', 'Back to the cart']],
    again: ['The same order again?', /^The same order came in \d+ seconds? ago\. Order it again\?$/, ['Order again', 'No, once is enough']],
    nothing: 'Nothing was ordered',
  },
};

/** It says these things, to those who listen as well, and whoever is in it gets out by Escape, back to where they were. */
async function assertDialog(guest, name, [title, message, labels]) {
  const { page } = guest;
  const dialog = guest.outcome(name);
  await dialog.waitFor();
  await page.getByRole('alertdialog', { name: title, exact: true }).waitFor();
  const said = await page.locator('.question-message').textContent();
  if (message instanceof RegExp) assert.match(said, message);
  else assert.equal(said, message);
  assert.deepEqual(await dialog.locator('button').allTextContents(), labels);
  await audit(page, name);
  await assertTrapped(guest, dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.id), 'confirm', 'the focus returns');
}

/** Tab reaches every control of a dialog and nothing outside of it. */
async function assertTrapped({ page }, dialog) {
  const controls = await dialog.locator('button:visible, input:not(:disabled):visible, textarea:visible').count();
  const reached = new Set();
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let press = 0; press < controls + 3; press += 1) {
      await page.keyboard.press(key);
      // between the last and the first lies the browser itself, for which the page has the focus nowhere
      const at = await dialog.evaluate((element) => {
        const { activeElement } = document;
        if (activeElement === document.body) return 'browser';
        if (activeElement !== element && !element.contains(activeElement)) return activeElement.outerHTML;
        return [...element.querySelectorAll('button, input, textarea')].indexOf(activeElement);
      });
      if (typeof at === 'string') assert.equal(at, 'browser', 'the focus stays inside');
      else if (at >= 0) reached.add(at);
    }
  }
  assert.equal(reached.size, controls, 'every control is reached');
}

for (const [locale, texts] of Object.entries(TEXTS)) {
  const name = (guest, sku) => guest.dish(sku).locator('.dish-name').textContent();

  guestTest(`too few, and none at all (${locale})`, async ({ house, open, tickets }) => {
    const left = await house.remaining('C-SHIMESABA');
    if (left > 1) await house.order({ table: ELSEWHERE, lines: [house.line('C-SHIMESABA', left - 1)] });
    const guest = await open({ locale, width: 360 });
    const dish = await name(guest, 'C-SHIMESABA');
    await guest.fill('C-SHIMESABA', 'C-SHIMESABA', 'F-POTATO');
    await guest.confirm.click();
    await assertDialog(guest, 'SOLD_OUT', texts.few(dish));
    const gone = locale === 'ja-JP' ? 'C-SASHIMI3' : 'C-SHIMESABA';
    await guest.page.keyboard.press('Escape');
    if (gone === 'C-SASHIMI3') await guest.add(gone);
    const other = await name(guest, gone);
    if (gone === 'C-SASHIMI3') {
      await guest.openCart();
      await guest.page.locator('[data-line="C-SHIMESABA"] .line-remove').click();
      await guest.page.keyboard.press('Escape');
    }
    await house.order({ table: ELSEWHERE, lines: [house.line(gone, await house.remaining(gone))] });
    await guest.openCart();
    await guest.confirm.click();
    await assertDialog(guest, 'SOLD_OUT', texts.none(other));
    await guest.confirm.click();
    await guest.outcome('SOLD_OUT').getByText(texts.nothing).waitFor();
    await guest.act('mend');
    await guest.confirm.click();
    await guest.placed();
    const [{ receipt }, ...more] = await tickets();
    assert.deepEqual([receipt.lines.map(({ sku }) => sku), more], [['F-POTATO'], []]);
  });

  guestTest(`a price that changed, and dishes that are gone (${locale})`, async ({ house, open, tickets }) => {
    // names of an import are what the shop says from then on
    await change(house, {});
    const guest = await open({ locale, width: 360 });
    const old = house.menuItems.find(({ sku }) => sku === 'D-PUDDING').priceMinor;
    const names = [await name(guest, 'D-PUDDING'), await name(guest, 'D-KINAKO-ICE')];
    await guest.add('D-PUDDING', 'D-KINAKO-ICE', 'F-POTATO');
    await change(house, { 'D-PUDDING': { price: old + 100 } });
    await guest.openCart();
    await guest.confirm.click();
    await assertDialog(guest, 'PRICE_CHANGED', texts.price(names[0], old, old + 100));
    await change(house, { 'D-PUDDING': null, 'D-KINAKO-ICE': null });
    await guest.confirm.click();
    await assertDialog(guest, 'ITEM_UNAVAILABLE', texts.gone(names));
    assert.deepEqual(await tickets(), []);
    await guest.confirm.click();
    await guest.outcome('ITEM_UNAVAILABLE').getByText(texts.nothing).waitFor();
    await guest.act('mend');
    await guest.confirm.click();
    await guest.placed();
    const [{ receipt }, ...more] = await tickets();
    assert.deepEqual([receipt.lines.map(({ sku }) => sku), more], [['F-POTATO'], []]);
    await change(house, {});
  });

  guestTest(`the same order again (${locale})`, async ({ open, tickets }) => {
    const first = await open({ locale });
    const number = await first.order('F-POTATO');
    const guest = await open({ locale, width: 360 });
    const dish = await name(guest, 'F-POTATO');
    await guest.fill('F-POTATO');
    await guest.confirm.click();
    const earlier = guest.outcome('possibleDuplicate').locator('.earlier');
    await earlier.getByText(dish, { exact: true }).waitFor();
    assert.equal(await earlier.locator('[data-order-number]').textContent(), String(number));
    await assertDialog(guest, 'possibleDuplicate', texts.again);
    await guest.confirm.click();
    await guest.act('decline');
    assert.equal((await tickets()).length, 1);
  });
}

guestTest('sheets keep the focus as well, and give it back', async ({ open }) => {
  const guest = await open({ width: 360 });
  const { page } = guest;
  const returned = async (sheet, opener) => {
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate((selector) => document.activeElement.matches(selector), opener), true, opener);
  };
  await guest.dish('F-POTATO').locator('.dish-open').click();
  await assertTrapped(guest, guest.sheet('dish'));
  await returned(guest.sheet('dish'), '[data-dish="F-POTATO"] .dish-open');
  await guest.fill('F-POTATO', 'B-DRAFT');
  await guest.page.locator('#order-note-open').click();
  await assertTrapped(guest, guest.sheet('cart'));
  await returned(guest.sheet('cart'), '#cart-open');
  await guest.openCart();
  await guest.confirm.click();
  await guest.placed();
  await assertTrapped(guest, guest.outcome('placed'));
  await returned(guest.outcome('placed'), 'main');
  await page.locator('#history-open').click();
  await page.locator('#history [data-order]').waitFor();
  await assertTrapped(guest, guest.sheet('history'));
  await returned(guest.sheet('history'), '#history-open');
});
