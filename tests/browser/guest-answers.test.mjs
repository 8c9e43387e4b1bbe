// What the shop answers but "yes", on the guest's page: each "no" says what can be done, and doing it is one tap.

import assert from 'node:assert/strict';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';

const guestTest = guestTests({ tables: 11 });

guestTest('two phones at one table with different carts are two tickets', async ({ open, tickets }) => {
  const [one, other] = [await open(), await open({ locale: 'ja-JP' })];
  const numbers = [await one.order('F-POTATO'), await other.order('B-DRAFT')];
  const all = await tickets();
  assert.deepEqual(all.map(({ receipt }) => receipt.number), numbers);
  for (const guest of [one, other]) guest.calm();
});

/** The second phone with the same cart is asked. */
async function asked(open, options) {
  const first = await open();
  const number = await first.order('F-POTATO');
  const second = await open(options);
  await second.fill('F-POTATO');
  await second.confirm.click();
  await second.outcome('possibleDuplicate').waitFor();
  const earlier = second.outcome('possibleDuplicate').locator('[data-order-number]');
  assert.equal(await earlier.textContent(), String(number), 'the question names the earlier order');
  return second;
}

guestTest('the same cart from a second phone is asked about, and yes orders it', async ({ network, open, tickets }) => {
  const guest = await asked(open, { locale: 'ja-JP' });
  const message = await guest.page.locator('.question-message').textContent();
  assert.match(message, /^同じご注文が\d+秒前に入っています。もう一度注文しますか？$/);
  assert.equal((await tickets()).length, 1, 'nothing is ordered before the answer');
  await guest.act('confirm');
  const number = await guest.placed();
  const numbers = (await tickets()).map(({ receipt }) => receipt.number);
  assert.deepEqual([numbers.length, numbers[1]], [2, number]);
  assert.deepEqual([...guest.shown.alerts], []);
  assert.equal(network.placements.length, 3);
});

guestTest('the same cart from a second phone is asked about, and no leaves it as it is', async ({ open, tickets }) => {
  const guest = await asked(open);
  await guest.act('decline');
  await guest.page.getByText('Not ordered a second time').waitFor();
  assert.equal((await tickets()).length, 1);
  assert.equal(await guest.page.locator('.cart-line').count(), 1);
  await guest.page.locator('.cart-line .step-plus').click();
  await guest.confirm.click();
  await guest.placed();
  assert.equal((await tickets()).length, 2);
});

guestTest('a question that was put aside waits where the cart is, over a reload, too', async ({ network, open, tickets }) => {
  const guest = await asked(open);
  const waits = 'The same order is there already. Please answer the question.';
  const rests = async () => {
    await until('the band says that a question waits', async () => (await guest.band.textContent()) === waits);
    await guest.band.locator('.spinner').waitFor({ state: 'detached' });
  };
  const putAside = async () => {
    await guest.page.keyboard.press('Escape');
    await guest.outcome('possibleDuplicate').waitFor({ state: 'detached' });
  };
  await rests();
  await putAside();
  await guest.page.keyboard.press('Escape');
  await guest.sheet('cart').waitFor({ state: 'detached' });
  await rests();
  await guest.openCart();
  assert.equal(await guest.confirm.textContent(), 'Answer');
  await guest.confirm.click();
  await guest.outcome('possibleDuplicate').waitFor();
  await putAside();
  const sent = network.placements.length;
  await guest.reload();
  await guest.outcome('possibleDuplicate').waitFor();
  await rests();
  assert.equal(network.placements.length, sent, 'a question is not sent again by itself');
  await guest.act('decline');
  await guest.page.getByText('Not ordered a second time').waitFor();
  assert.equal((await tickets()).length, 1);
});

guestTest('of a dish of which too few are left, what is left is one tap away', async ({ house, open, tickets }) => {
  const guest = await open();
  await guest.add('C-SHIMESABA', 'C-SHIMESABA', 'F-POTATO');
  const left = await house.remaining('C-SHIMESABA');
  await house.order({ table: 10, lines: [house.line('C-SHIMESABA', left - 1)] });
  await guest.openCart();
  await guest.confirm.click();
  await guest.outcome('SOLD_OUT').waitFor();
  await guest.page.getByText('Nothing was ordered').waitFor();
  assert.deepEqual(await tickets(), []);
  await guest.act('mend');
  await guest.page.getByText('Your cart has been adjusted').waitFor();
  assert.deepEqual(await tickets(), [], 'the mended cart waits for the guest');
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual(receipt.lines.map(({ sku, quantity }) => [sku, quantity]), [['C-SHIMESABA', 1], ['F-POTATO', 1]]);
  assert.equal(await house.remaining('C-SHIMESABA'), 0);
});

guestTest('a dish of which nothing is left goes out of the cart', async ({ house, open, tickets }) => {
  const guest = await open({ locale: 'ja-JP' });
  await guest.add('C-SASHIMI3', 'F-POTATO');
  await house.order({ table: 10, lines: [house.line('C-SASHIMI3', await house.remaining('C-SASHIMI3'))] });
  await guest.openCart();
  await guest.confirm.click();
  await guest.outcome('SOLD_OUT').getByText('カートから外す').click();
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual(receipt.lines.map(({ sku }) => sku), ['F-POTATO']);
  await guest.act('more');
  await guest.dish('C-SASHIMI3').getByText('売り切れ').waitFor();
  assert.equal(await guest.dish('C-SASHIMI3').locator('.dish-add').count(), 0, 'what is sold out can not be added');
});

guestTest('without a choice that a dish needs, the page tells which', async ({ network, open, tickets }) => {
  const guest = await open();
  await guest.dish('N-SHOYU-RAMEN').locator('.dish-add').click();
  const dish = guest.sheet('dish');
  await dish.locator('#dish-add').click();
  assert.equal(await dish.locator('.sheet-problem').textContent(), 'Please choose: Noodle firmness');
  assert.equal(await dish.locator('.group.is-lacking .group-name').textContent(), 'Noodle firmness');
  assert.equal(await guest.page.evaluate(() => document.activeElement.type), 'radio', 'and goes there');
  await dish.getByRole('radio', { name: 'Firm' }).check();
  await dish.locator('.option', { hasText: 'Nori' }).locator('.step-plus').click();
  await dish.locator('.option', { hasText: 'Nori' }).locator('.step-plus').click();
  await dish.locator('#dish-add').click();
  await guest.openCart();
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual(receipt.lines[0].toppings, [{ name: 'Firm' }, { name: 'Nori seaweed' }]);
  assert.equal(network.placements[0].input.lines[0].toppings[1].quantity, 2);
});

/** AC-079, on the page: as many letters as the server takes, however many units they are. */
guestTest('a note holds a hundred letters of any kind, and one more is told, not cut', async ({ open, tickets }) => {
  const guest = await open();
  const [cry, thanks] = ['👍'.repeat(100), '👍🏼あ𠮷'.repeat(125)];
  await guest.dish('F-POTATO').locator('.dish-open').click();
  const dish = guest.sheet('dish');
  for (const letter of ['あ', '👍']) {
    await dish.locator('#dish-note').fill(letter.repeat(101));
    await dish.locator('#dish-add').click();
    await dish.getByText('At most 100 characters, please', { exact: true }).waitFor();
    assert.equal([...(await dish.locator('#dish-note').inputValue())].length, 101);
  }
  await dish.locator('#dish-note').fill(cry);
  await dish.locator('#dish-add').click();
  await guest.openCart();
  await guest.page.locator('#order-note-open').click();
  await guest.page.locator('#order-note').fill(`${thanks}!`);
  await guest.confirm.click();
  await guest.page.locator('[data-cart-status]').getByText('At most 500 characters, please').waitFor();
  await guest.page.locator('#order-note').fill(thanks);
  await guest.confirm.click();
  await guest.placed();
  const [{ receipt }] = await tickets();
  assert.deepEqual([receipt.lines[0].note, receipt.note], [cry, thanks]);
});
