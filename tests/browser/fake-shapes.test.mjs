// The fake shop of the entry `./testing` against the schema, and against what the real server answers to the same.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { buildSchema, getNamedType, getNullableType, isEnumType, isListType, isNonNullType, isObjectType, parse } from 'graphql';
import { createFakeShop, conflict, fail, loseAnswer, possibleDuplicate, reject, soldOut } from '../../sdk-wasm/pkg/testing.js';
import { House } from './harness.mjs';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const operations = at('protocol/operations/');
const read = (...names) => names.map((name) => readFileSync(new URL(`${name}.graphql`, operations), 'utf8')).join('');
const DOCUMENTS = {
  PlaceOrder: read('place_order', 'result', 'order', 'line'),
  WithdrawPlacement: read('withdraw_placement', 'result', 'order', 'line'),
  PlacementStatus: read('placement_status', 'order', 'line'),
  Orders: read('orders', 'order', 'line'),
  LiveOrders: read('live_orders', 'live_fields', 'order', 'line'),
  Menu: read('menu'),
};
const schema = buildSchema(readFileSync(at('protocol/schema.graphql'), 'utf8'));
const fragments = Object.fromEntries(
  readdirSync(operations)
    .filter((file) => file.endsWith('.graphql'))
    .flatMap((file) => parse(readFileSync(new URL(file, operations), 'utf8')).definitions)
    .filter(({ kind }) => kind === 'FragmentDefinition')
    .map((fragment) => [fragment.name.value, fragment]),
);

/** Holds a value against a type and what was selected of it: no field too few, none too many. */
function assertFits(value, type, selections, path) {
  if (isNonNullType(type)) assert.notEqual(value, null, `${path} is null`);
  if (value === null) return;
  assert.notEqual(value, undefined, `${path} is missing`);
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    assert.ok(Array.isArray(value), `${path} is no list`);
    return value.forEach((one, index) => assertFits(one, nullable.ofType, selections, `${path}[${index}]`));
  }
  if (isEnumType(nullable)) return assert.ok(nullable.getValue(value), `${path} is ${value}`);
  if (!selections) return assertLeaf(value, getNamedType(nullable).name, path);
  const object = isObjectType(nullable) ? nullable : schema.getType(value.__typename);
  assert.ok(isObjectType(object), `${path} is ${value.__typename}`);
  const fields = collect(object, selections);
  assert.deepEqual(Object.keys(value).sort(), [...fields.keys()].sort(), path);
  for (const [key, field] of fields) {
    if (field.name.value === '__typename') continue;
    assertFits(value[key], object.getFields()[field.name.value].type, field.selectionSet?.selections, `${path}.${key}`);
  }
}

function assertLeaf(value, name, path) {
  const fits = {
    Boolean: () => typeof value === 'boolean',
    Int: () => Number.isInteger(value),
    MinorUnits: () => Number.isSafeInteger(value),
    UUID: () => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(value),
    DateTime: () => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  };
  assert.ok((fits[name] ?? (() => typeof value === 'string'))(), `${path}: ${name} is ${JSON.stringify(value)}`);
}

/** The fields that a type is asked for, by the key that they come under. */
function collect(type, selections) {
  const fields = new Map();
  for (const selection of selections) {
    if (selection.kind === 'Field') {
      fields.set(selection.alias?.value ?? selection.name.value, selection);
      continue;
    }
    const fragment = selection.kind === 'FragmentSpread' ? fragments[selection.name.value] : selection;
    const { value } = fragment.typeCondition.name;
    const applies = value === type.name || type.getInterfaces().some(({ name }) => name === value) || schema.getType(value).getTypes?.().includes(type);
    if (!applies) continue;
    for (const [key, field] of collect(type, fragment.selectionSet.selections)) fields.set(key, field);
  }
  return fields;
}

function assertAnswer(operation, data) {
  const [{ operation: kind, selectionSet }] = parse(DOCUMENTS[operation]).definitions;
  assertFits(data, kind === 'query' ? schema.getQueryType() : schema.getMutationType(), selectionSet.selections, operation);
}

/** What there is of an answer, without what differs from shop to shop: kinds of values, and words of the contract. */
function shape(value, key) {
  if (Array.isArray(value)) return value.length > 0 ? [shape(value[0])] : [];
  if (value && typeof value === 'object') return Object.fromEntries(Object.keys(value).sort().map((name) => [name, shape(value[name], name)]));
  if (['__typename', 'code', 'status', 'retryable', 'retryWithNewRequestId', 'state', 'kind', 'idempotentReplay'].includes(key)) return value;
  return value === null ? null : typeof value;
}

const headers = (table) => ({
  'Content-Type': 'application/json',
  Accept: 'application/graphql-response+json, application/json',
  'Accept-Language': 'en',
  'X-Session-Id': table.tableSessionId,
  'X-Session-PIN': table.pin,
  'X-MasterOrder-Client-Id': 'guest-550e8400-e29b-41d4-a716-446655440000',
});

const asker = (fetch, table) => async (operation, variables) => {
  const body = JSON.stringify({ query: DOCUMENTS[operation], variables });
  const response = await fetch(table.url ?? '/graphql', { method: 'POST', headers: headers(table), body });
  return { status: response.status, type: response.headers.get('Content-Type'), ...(await response.json()) };
};

let house;
before(async () => {
  house = await House.open({ tables: 4 });
  await house.start();
});
after(() => house?.close());

const input = (line, more) => ({ requestId: crypto.randomUUID(), checkoutId: crypto.randomUUID(), lines: [line], note: '', ...more });

/** A shop of either kind: how it is asked, and a line that it has. */
function fakeShop(script) {
  const shop = createFakeShop({ script });
  const [edamame, ramen, sashimi, oden] = shop.menu.sections[0].items;
  const [choice] = ramen.toppingGroups[0].toppings;
  const line = { menuItemId: edamame.id, quantity: 2, toppings: [], note: 'warm' };
  const chosen = { menuItemId: ramen.id, quantity: 1, toppings: [{ toppingId: choice.id, quantity: 1 }], note: '' };
  return { shop, ask: asker(shop.fetch, shop), line, chosen, sashimi, oden };
}

function realShop(index) {
  const { id, pin } = house.tableSessions[index];
  const plain = house.menuItems.find(({ toppings }) => toppings.length === 0) ?? house.menuItems[0];
  return { ask: asker(fetch, { tableSessionId: id, pin, url: `${house.url}/graphql` }), line: { menuItemId: plain.id, quantity: 2, toppings: [], note: 'warm' } };
}

/** What a client may ask, one after the other. Answers all answers. */
async function story({ ask, line }) {
  const first = input(line);
  const answers = {};
  const tell = async (name, operation, variables) => (answers[name] = { operation, ...(await ask(operation, variables)) });
  await tell('before', 'PlacementStatus', { requestId: first.requestId });
  await tell('placed', 'PlaceOrder', { input: first });
  await tell('replayed', 'PlaceOrder', { input: first });
  await tell('by its cart', 'PlaceOrder', { input: { ...first, requestId: crypto.randomUUID() } });
  await tell('key reused', 'PlaceOrder', { input: { ...first, note: 'other' } });
  await tell('cart with more', 'PlaceOrder', { input: { ...first, requestId: crypto.randomUUID(), lines: [{ ...line, quantity: 3 }] } });
  await tell('after', 'PlacementStatus', { requestId: first.requestId });
  await tell('too late', 'WithdrawPlacement', { requestId: first.requestId });
  const priced = input({ ...line, quantity: 5 }, { expectedTotal: { amountMinor: 1, currency: 'JPY' } });
  await tell('price', 'PlaceOrder', { input: priced });
  await tell('price replayed', 'PlaceOrder', { input: priced });
  await tell('rejected', 'PlacementStatus', { requestId: priced.requestId });
  const requestId = crypto.randomUUID();
  await tell('withdrawn', 'WithdrawPlacement', { requestId });
  await tell('withdrawn order', 'PlaceOrder', { input: input({ ...line, quantity: 4 }, { requestId }) });
  await tell('orders', 'Orders', {});
  await tell('live orders', 'LiveOrders', {});
  await tell('menu', 'Menu', {});
  return answers;
}

test('the fake shop answers as the server does, in the same forms', async () => {
  const [fake, real] = [await story(fakeShop()), await story(realShop(0))];
  for (const [name, answer] of Object.entries(fake)) {
    assertAnswer(answer.operation, answer.data);
    assertAnswer(answer.operation, real[name].data);
    if (name === 'menu') continue;
    assert.deepEqual(shape(answer), shape(real[name]), name);
  }
});

test('what the script says fits the schema', async () => {
  const { shop, ask, line, chosen, sashimi, oden } = fakeShop();
  const answers = [];
  const place = async (of, more) => {
    const { data } = await ask('PlaceOrder', { input: input(of, more) });
    assertAnswer('PlaceOrder', data);
    answers.push(data.placeOrder.result.code ?? data.placeOrder.result.__typename);
  };
  shop.script(soldOut(), reject('ITEM_UNAVAILABLE', { items: [] }), conflict('COOLDOWN_ACTIVE', { retryAfterMs: 3000 }), possibleDuplicate());
  for (let i = 0; i < 4; i += 1) await place(line);
  await place(chosen);
  await place({ ...line, menuItemId: sashimi.id });
  await place({ ...line, menuItemId: oden.id });
  shop.checkout();
  await place(line);
  const expected = ['SOLD_OUT', 'ITEM_UNAVAILABLE', 'COOLDOWN_ACTIVE', 'POSSIBLE_DUPLICATE', 'OrderPlaced', 'SOLD_OUT', 'ITEM_UNAVAILABLE', 'SESSION_CLOSED'];
  assert.deepEqual(answers, expected);
});

test('without valid credentials it refuses as the server does', async () => {
  const shop = createFakeShop();
  const { id } = house.tableSessions[1];
  const fake = await asker(shop.fetch, { tableSessionId: shop.tableSessionId, pin: '9999' })('Orders', {});
  const pin = house.tableSessions[1].pin === '9999' ? '9998' : '9999';
  const real = await asker(fetch, { tableSessionId: id, pin, url: `${house.url}/graphql` })('Orders', {});
  assert.deepEqual(shape(fake), shape(real));
});

test('a sold out answer and a question have the forms of the server’s', async () => {
  const { ask, line } = realShop(2);
  const fake = fakeShop([soldOut(), possibleDuplicate()]);
  const items = (await ask('Menu', {})).data.menu.sections.flatMap(({ items: those }) => those);
  const scarce = items.find(({ remaining, toppingGroups }) => remaining !== null && remaining < 99 && toppingGroups.every(({ min }) => min === 0));
  await ask('PlaceOrder', { input: input(line) });
  const question = await ask('PlaceOrder', { input: input(line) });
  const soldOutThere = await ask('PlaceOrder', { input: input({ ...line, menuItemId: scarce.id, quantity: 99 }) });
  const answers = [await fake.ask('PlaceOrder', { input: input(fake.line) }), await fake.ask('PlaceOrder', { input: input(fake.line) })];
  assert.deepEqual(shape(answers[0]), shape(soldOutThere));
  assert.deepEqual(shape(answers[1]), shape(question));
});

test('what has no answer has none', async () => {
  const { ask, shop, line } = fakeShop([loseAnswer(), fail('UNAVAILABLE', { retryAfterMs: 1500 })]);
  await assert.rejects(ask('PlaceOrder', { input: input(line) }), TypeError);
  assert.equal(shop.orders.length, 1);
  const { status, errors } = await ask('PlaceOrder', { input: input(line) });
  assert.deepEqual([status, errors[0].extensions], [503, { code: 'UNAVAILABLE', status: 503, retryable: true, retryAfterMs: 1500 }]);
});
