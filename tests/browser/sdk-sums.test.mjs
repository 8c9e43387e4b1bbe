// What the SDK counts is what the server counts: lines, totals, prices, letters.

import assert from 'node:assert/strict';
import { placeByHand, sdkTests } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 12 });
const EGG = 'Seasoned soft-boiled egg';
const NORI = 'Nori seaweed';
const SAUCE = 'House tartar sauce';
const RAMEN = { sku: 'N-SHOYU-RAMEN', toppings: [['Firm', 1], [EGG, 1]] };

/** What the menu says of a dish, or of a topping on it. Unit: yen. */
function priceOf(house, sku, topping) {
  const item = house.menuItems.find((entry) => entry.sku === sku);
  return (topping ? item.toppings.find(({ name }) => name === topping) : item).priceMinor;
}

/** AC-024: equal lines add up, in the cart as on the server. */
sdkTest('the same dish twice is one line of two, and one request with two lines', async ({ house, table, network, open, tickets }) => {
  const phone = await open();
  await phone.add(1, RAMEN);
  await phone.add(1, RAMEN);
  const { lines, total } = await phone.state();
  assert.deepEqual([lines.length, lines[0].quantity], [1, 2]);
  const placed = await phone.submit();
  assert.deepEqual([placed.kind, placed.order.total], ['placed', total]);
  assert.equal(total.amountMinor, 2 * (priceOf(house, RAMEN.sku) + priceOf(house, RAMEN.sku, EGG)));

  const [{ input, headers }] = network.placements;
  const line = house.line(RAMEN.sku, 1, RAMEN);
  const split = await placeByHand(house, table, { ...input, lines: [line, line] }, headers['x-masterorder-client-id']);
  assert.deepEqual([split.data.placeOrder.orderId, split.data.placeOrder.idempotentReplay], [placed.order.id, true]);
  assert.equal((await tickets()).length, 1);
});

/** AC-069: prices include tax; what the guest saw is what is billed. */
sdkTest('the total of the cart is the total of the order', async ({ house, network, open }) => {
  const phone = await open();
  await phone.add(3, { ...RAMEN, toppings: [...RAMEN.toppings, [NORI, 2]] });
  await phone.add(2, { sku: 'F-KARAAGE', toppings: [[SAUCE, 1]], note: 'よく揚げて' });
  await phone.add(99, { sku: 'S-OOLONG' });
  const { total, lines } = await phone.state();
  const placed = await phone.submit();
  assert.deepEqual(placed.order.total, total);
  const ramen = priceOf(house, RAMEN.sku) + priceOf(house, RAMEN.sku, EGG) + 2 * priceOf(house, RAMEN.sku, NORI);
  const karaage = priceOf(house, 'F-KARAAGE') + priceOf(house, 'F-KARAAGE', SAUCE);
  assert.equal(total.amountMinor, 3 * ramen + 2 * karaage + 99 * priceOf(house, 'S-OOLONG'));
  assert.deepEqual(network.placements[0].input.expectedTotal, total);
  const sum = placed.order.lines.reduce((sum, line) => sum + line.lineTotal.amountMinor, 0);
  assert.deepEqual([sum, placed.order.lines.length], [total.amountMinor, lines.length]);
});

/** The shop's menu as a register exports it, with another price for one item. */
function exported(house, sku, priceMinor) {
  const rows = house.menuItems.map((item) => `${item.sku},${item.name.replaceAll(',', ' ')},${item.sku === sku ? priceMinor : item.priceMinor}`);
  return ['sku,name,price', ...rows].join('\n');
}

/** AC-073. */
sdkTest('a price that rose is told with both prices, and the next tap is another confirmation', async ({ house, network, open, tickets }) => {
  const item = house.menuItems.find(({ sku }) => sku === 'D-PUDDING');
  const left = await house.remaining(item.sku);
  const phone = await open();
  await phone.add(2, { sku: item.sku });
  const raised = item.priceMinor + 100;
  await house.importMenu(exported(house, item.sku, raised));
  const outcome = await phone.submit();
  assert.deepEqual([outcome.kind, outcome.code, outcome.problem.status], ['rejected', 'PRICE_CHANGED', 409]);
  assert.equal(outcome.message, `${item.name}の価格が${item.priceMinor}円から${raised}円に変わりました`);
  assert.equal(outcome.problem.lines[0].unitPrice.amountMinor, raised);
  assert.deepEqual([await tickets(), await house.remaining(item.sku)], [[], left]);

  // the page shows the new price, and the guest confirms it
  item.priceMinor = raised;
  await phone.page.evaluate(() => window.cart.clear());
  await phone.add(2, { sku: item.sku });
  const placed = await phone.submit();
  assert.deepEqual([placed.kind, placed.order.total.amountMinor], ['placed', 2 * raised]);
  assert.equal(network.requestIds.length, 2);
  assert.equal((await tickets()).length, 1);
});

/** Letters of one and of two UTF-16 units, and of several scalar values: AC-079 counts scalar values. */
const LETTERS = ['a', 'あ', '👍', 'e\u0301'];
const ORDER_NOTE = 500;
const LINE_NOTE = 100;

/** AC-079, an order's note. */
sdkTest('SDK and server count the letters of an order\'s note alike', async ({ house, table, open, tickets }) => {
  const phone = await open();
  for (const [i, letter] of LETTERS.entries()) {
    const fits = letter.repeat(ORDER_NOTE / [...letter].length);
    const tooLong = `${fits}${[...letter][0]}`;
    const lines = [house.line(house.menuItems[0].sku, 40 + i)];

    await phone.add(i + 1);
    const blocked = await phone.submit({ note: tooLong });
    assert.deepEqual([blocked.kind, blocked.code], ['blocked', 'BAD_USER_INPUT'], letter);
    const placed = await phone.submit({ note: fits });
    assert.deepEqual([placed.kind, placed.order?.note], ['placed', fits], letter);

    const byHand = (note) => placeByHand(house, table, { requestId: crypto.randomUUID(), lines, note });
    assert.equal((await byHand(tooLong)).errors[0].extensions.code, 'BAD_USER_INPUT', letter);
    assert.equal((await byHand(fits)).data.placeOrder.result.__typename, 'OrderPlaced', letter);
  }
  assert.equal((await tickets()).length, 2 * LETTERS.length);
});

/** AC-079, a line's note. */
sdkTest('SDK and server count the letters of a line\'s note alike', async ({ house, table, open, tickets }) => {
  const phone = await open();
  for (const [i, letter] of LETTERS.entries()) {
    const fits = letter.repeat(LINE_NOTE / [...letter].length);
    const tooLong = `${fits}${[...letter][0]}`;
    await assert.rejects(phone.add(i + 1, { note: tooLong }), /100 characters/);
    await phone.add(i + 1, { note: fits });
    const placed = await phone.submit();
    assert.deepEqual([placed.kind, placed.order?.lines[0].note], ['placed', fits], letter);

    const byHand = (note) => {
      const lines = [house.line(house.menuItems[0].sku, 40 + i, { note })];
      return placeByHand(house, table, { requestId: crypto.randomUUID(), lines });
    };
    assert.equal((await byHand(tooLong)).errors[0].extensions.code, 'BAD_USER_INPUT', letter);
    assert.equal((await byHand(fits)).data.placeOrder.result.__typename, 'OrderPlaced', letter);
  }
  assert.equal((await tickets()).length, 2 * LETTERS.length);
});
