// What a cart becomes after a "no": lines in, lines out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './guest-module.mjs';

const { reduce, replace, reprice, without } = await load('guest/mend.js');

const yen = (amountMinor) => ({ amountMinor, currency: 'JPY' });
const line = (menuItemId, quantity, toppings = [], more = {}) => {
  return { menuItemId, quantity, price: yen(100), toppings: toppings.map(topping), ...more };
};
const topping = ([toppingId, quantity]) => ({ toppingId, quantity, price: yen(10) });
const item = (id, left) => ({ kind: 'ITEM', id, left });
const extra = (id, left) => ({ kind: 'TOPPING', id, left });
/** What is left of a cart, in short. */
const pieces = (lines) => lines.map(({ menuItemId, quantity }) => `${quantity} ${menuItemId}`);

test('what is short is reduced to what is left, and nothing else changes', () => {
  const lines = [line('ramen', 3, [], { note: 'no leeks' }), line('beer', 5)];
  const reduced = reduce(lines, [item('ramen', 2)]);
  assert.deepEqual(reduced, [{ ...lines[0], quantity: 2 }, lines[1]]);
  assert.equal(lines[0].quantity, 3, 'the cart itself is the SDK\'s');
});

test('a dish in several lines shares what is left, in the order of the cart', () => {
  const lines = [line('ramen', 2), line('beer', 1), line('ramen', 3, [['egg', 1]]), line('ramen', 1)];
  assert.deepEqual(pieces(reduce(lines, [item('ramen', 4)])), ['2 ramen', '1 beer', '2 ramen']);
});

test('a dish of which nothing is left goes', () => {
  assert.deepEqual(pieces(reduce([line('ramen', 2), line('beer', 1)], [item('ramen', 0)])), ['1 beer']);
  assert.deepEqual(reduce([line('ramen', 2)], [item('ramen', 0)]), []);
});

test('a topping counts on each piece', () => {
  // five eggs: two pieces with two eggs each, and one is left over
  assert.deepEqual(pieces(reduce([line('ramen', 3, [['egg', 2]])], [extra('egg', 5)])), ['2 ramen']);
  const two = [line('ramen', 2, [['egg', 2]]), line('soba', 3, [['egg', 1]])];
  assert.deepEqual(pieces(reduce(two, [extra('egg', 5)])), ['2 ramen', '1 soba']);
  const twice = [line('ramen', 3, [['egg', 1], ['egg', 1]])];
  assert.deepEqual(pieces(reduce(twice, [extra('egg', 4)])), ['2 ramen']);
});

test('a topping without a number is one', () => {
  const lines = [{ menuItemId: 'ramen', quantity: 3, toppings: [{ toppingId: 'egg' }] }, { menuItemId: 'beer', quantity: 1 }];
  assert.deepEqual(pieces(reduce(lines, [extra('egg', 2)])), ['2 ramen', '1 beer']);
});

test('several things that are short are all respected', () => {
  const lines = [line('ramen', 4, [['egg', 1]]), line('soba', 2, [['egg', 1]])];
  const shortages = [item('ramen', 3), extra('egg', 4)];
  assert.deepEqual(pieces(reduce(lines, shortages)), ['3 ramen', '1 soba']);
});

/** Whatever the cart: what is left is enough, and nothing was added. */
test('a reduced cart always fits', () => {
  let seed = 1;
  const random = (below) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 2_000; round += 1) {
    const lines = Array.from({ length: 1 + random(5) }, () => {
      const toppings = random(2) ? [['egg', 1 + random(3)]] : [];
      return line(['ramen', 'soba'][random(2)], 1 + random(9), toppings);
    });
    const [ramen, eggs] = [random(12), random(12)];
    const reduced = reduce(lines, [item('ramen', ramen), extra('egg', eggs)]);
    const sum = (count) => reduced.reduce((total, entry) => total + entry.quantity * count(entry), 0);
    assert.ok(sum((entry) => Number(entry.menuItemId === 'ramen')) <= ramen);
    assert.ok(sum((entry) => entry.toppings[0]?.quantity ?? 0) <= eggs);
    assert.ok(reduced.every((entry) => entry.quantity > 0) && reduced.length <= lines.length);
  }
});

test('lines with something that is off the menu go, whole', () => {
  const lines = [line('ramen', 1, [['egg', 1]]), line('ramen', 1), line('beer', 1), { menuItemId: 'rice', quantity: 1 }];
  assert.deepEqual(pieces(without(lines, [{ id: 'egg' }, { id: 'beer' }])), ['1 ramen', '1 rice']);
  assert.deepEqual(without(lines, []), lines);
});

test('lines get the prices of the menu, and what is not on it goes', () => {
  const menu = {
    item: (id) => ({ ramen: { price: yen(950) }, beer: { price: yen(600) } })[id],
    topping: (id) => ({ egg: { price: yen(120) } })[id],
  };
  const lines = [line('ramen', 2, [['egg', 3]]), line('beer', 1), line('soba', 1), line('ramen', 1, [['nori', 1]])];
  const [ramen, beer, ...more] = reprice(lines, menu);
  assert.deepEqual([ramen.price, ramen.quantity, ramen.toppings], [yen(950), 2, [{ toppingId: 'egg', quantity: 3, price: yen(120) }]]);
  assert.deepEqual([beer.price, more], [yen(600), []]);
});

test('the mended lines take the place of the cart\'s', () => {
  const cart = { lines: [line('ramen', 1)], clear: () => (cart.lines = []), add: (added) => cart.lines.push(added) };
  replace(cart, [line('beer', 2), line('rice', 1)]);
  assert.deepEqual(pieces(cart.lines), ['2 beer', '1 rice']);
});
