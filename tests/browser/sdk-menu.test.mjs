// The entry `./menu`: the real menu in the reader's language, and lines that the server takes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ReadError, findItem, isOrderable, makeLine, readMenu } from '../../sdk-wasm/pkg/menu.js';
import { createFakeShop } from '../../sdk-wasm/pkg/testing.js';
import { House } from './harness.mjs';
import { placeByHand } from './sdk.mjs';

let house;
before(async () => {
  house = await House.open({ tables: 2 });
  await house.start();
});
after(() => house?.close());

const at = ({ id, pin }, more) => ({ url: `${house.url}/graphql`, tableSessionId: id, pin, lang: 'ja', ...more });
const bySku = ({ sections }, wanted) => sections.flatMap(({ items }) => items).find(({ sku }) => sku === wanted);

test('the menu comes in the language that was asked for', async () => {
  const [ja, en] = await Promise.all(['ja', 'en'].map((lang) => readMenu(at(house.tableSessions[0], { lang }))));
  assert.deepEqual([ja.shop.name, en.shop.name, ja.shop.currency, ja.shop.takesOrders], ['酒場 まる', 'Sakaba Maru', 'JPY', true]);
  assert.deepEqual(ja.sections.map(({ id }) => id), en.sections.map(({ id }) => id));
  assert.equal(ja.sections.flatMap(({ items }) => items).length, house.menuItems.length);
});

test('a line with what has to be chosen is an order at the price that was seen', async () => {
  const table = house.tableSessions[0];
  const menu = await readMenu(at(table));
  const item = menu.sections.flatMap(({ items }) => items).find((one) => isOrderable(one) && one.toppingGroups.some(({ min, max }) => min === 1 && max === 1));
  const group = item.toppingGroups.find(({ min }) => min === 1);
  const lacking = makeLine(menu, item.id);
  assert.equal(lacking.line, null);
  const [problem] = lacking.problems;
  assert.deepEqual([problem.code, problem.of, problem.min, problem.max, problem.chosen], ['CHOOSE', group, 1, 1, 0]);
  assert.equal(problem.message, `${group.name}を1つお選びください`);
  const required = item.toppingGroups.filter(({ min }) => min > 0);
  const choices = Object.fromEntries(required.map(({ min, toppings: [first] }) => [first.id, min]));
  const { line, problems } = makeLine(menu, item.id, { quantity: 2, choices, note: '熱め' });
  assert.deepEqual(problems, []);
  const toppings = line.toppings.map(({ toppingId, quantity }) => ({ toppingId, quantity }));
  const unit = line.price.amountMinor + line.toppings.reduce((sum, { price, quantity }) => sum + price.amountMinor * quantity, 0);
  const answer = await placeByHand(house, table, {
    requestId: crypto.randomUUID(),
    lines: [{ menuItemId: line.menuItemId, quantity: 2, note: line.note, toppings }],
    expectedTotal: { amountMinor: 2 * unit, currency: 'JPY' },
  });
  assert.equal(answer.data.placeOrder.result.__typename, 'OrderPlaced', JSON.stringify(answer));
});

test('what can not be ordered says why', async () => {
  const shop = createFakeShop();
  const menu = await readMenu({ url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, lang: 'en', fetch: shop.fetch });
  const ramen = bySku(menu, 'RAMEN');
  const [[regular, hard], [egg]] = ramen.toppingGroups.map(({ toppings }) => toppings);
  const said = (id, wish) => makeLine(menu, id, wish).problems.map(({ code, message }) => `${code}: ${message}`);
  assert.deepEqual(said(ramen.id), ['CHOOSE: Please choose exactly 1 of Noodle firmness.']);
  assert.deepEqual(said(ramen.id, { choices: { [regular.id]: 1, [hard.id]: 1 } }), ['CHOOSE: Please choose exactly 1 of Noodle firmness.']);
  assert.deepEqual(said(ramen.id, { quantity: 2, choices: { [hard.id]: 1, [egg.id]: 3 } }), ['SHORT: Only 5 left of Seasoned egg.']);
  assert.deepEqual(said(ramen.id, { choices: { [hard.id]: 1, [egg.id]: 4 } }), ['CHOOSE: Please choose at most 3 of Toppings.']);
  assert.deepEqual(said(ramen.id, { choices: { [hard.id]: 1, gone: 1 } }), ['UNKNOWN: This is not on the menu.']);
  assert.deepEqual(said(ramen.id, { quantity: 100, choices: { [hard.id]: 1 } }), ['QUANTITY: Please choose 1 to 99 of Shoyu ramen.']);
  assert.deepEqual(said(ramen.id, { quantity: 1.5, choices: { [hard.id]: 1 } }), ['QUANTITY: Please choose 1 to 99 of Shoyu ramen.']);
  assert.deepEqual(said(ramen.id, { choices: { [hard.id]: 1, [egg.id]: 0 } }), []);
  assert.deepEqual(said(bySku(menu, 'SASHIMI').id), ['UNAVAILABLE: Not available right now: Assorted sashimi.']);
  assert.deepEqual(said(bySku(menu, 'ODEN').id), ['UNAVAILABLE: Not available right now: Oden.']);
  assert.deepEqual(said('gone'), ['UNKNOWN: This is not on the menu.']);
  assert.equal(findItem(menu, ramen.id), ramen);
});

test('an error says which: the server’s code, or that there was no answer', async () => {
  const [, table] = house.tableSessions;
  const code = (options) => readMenu(options).then(() => 'read', (error) => (assert.ok(error instanceof ReadError), error.code));
  assert.equal(await code(at({ ...table, pin: table.pin === '0000' ? '0001' : '0000' })), 'UNAUTHENTICATED');
  assert.equal(await code(at(table, { url: 'http://127.0.0.1:1/graphql' })), 'NO_ANSWER');
  assert.equal(await code(at(table, { fetch: async () => new Response('<h1>Sorry</h1>', { status: 502 }) })), 'NO_ANSWER');
  assert.equal(await code(at(table, { signal: AbortSignal.abort() })), 'NO_ANSWER');
});
