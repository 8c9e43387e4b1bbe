// The entry `./testing`: what its script does to a placement, without any server. Whether its answers are the server's own is
// in fake-shapes.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflict, enterBrowser, fail, inProgress, loseAnswer, offline, possibleDuplicate, proxyPage, reject, slow, soldOut } from '../../sdk-wasm/pkg/testing.js';
import { table } from './fake.mjs';

const placements = (shop) => shop.requests.filter(({ operation }) => operation === 'PlaceOrder');

for (const [what, script, attempts] of [
  ['nothing', [], 1],
  ['the answer of the first is lost', [loseAnswer()], 2],
  ['two never arrive', [offline(2)], 3],
  ['two are told to be in progress', [inProgress(2)], 3],
  ['a proxy answers one', [proxyPage()], 2],
  ['the server can not take one', [fail('UNAVAILABLE', { retryAfterMs: 10 })], 2],
  ['one is too soon', [conflict('COOLDOWN_ACTIVE', { retryAfterMs: 20 })], 2],
  ['the answer comes late', [slow(50)], 1],
]) {
  test(`${what}: one order under one key`, async (t) => {
    const { shop, cart } = table(t, script);
    const [first, second] = await Promise.all([cart.submit(), cart.submit()]);
    assert.equal(first, second);
    assert.equal(first.kind, 'placed', first.message);
    assert.deepEqual(shop.orders.map(({ id }) => id), [first.order.id]);
    assert.equal(placements(shop).length, attempts);
    assert.equal(new Set(placements(shop).map(({ requestId }) => requestId)).size, 1);
  });
}

test('a lost answer comes back as the replay of what was decided', async (t) => {
  const { cart } = table(t, [loseAnswer()]);
  assert.equal((await cart.submit()).replay, true);
});

test('what is decided under a key is not decided again by what the script has next', async (t) => {
  const { shop, cart } = table(t, [loseAnswer(), soldOut()]);
  assert.equal((await cart.submit()).kind, 'placed');
  cart.add(shop.line());
  assert.equal((await cart.submit()).code, 'SOLD_OUT');
});

test('sold out says what is left, and orders nothing', async (t) => {
  const { shop, cart } = table(t, [soldOut(1)]);
  const outcome = await cart.submit();
  assert.deepEqual([outcome.kind, outcome.code, outcome.message], ['rejected', 'SOLD_OUT', 'Only 1 left of Edamame.']);
  assert.deepEqual(shop.orders, []);
});

test('a rejection carries what the test gives it', async (t) => {
  const { cart } = table(t, [reject('WITHDRAWN', { message: 'gone' })]);
  const { kind, code, problem } = await cart.submit();
  assert.deepEqual([kind, code, problem.message], ['rejected', 'WITHDRAWN', 'gone']);
});

test('a possible duplicate is asked about, and confirmed', async (t) => {
  const { shop, cart } = table(t, [possibleDuplicate()]);
  const question = await cart.submit();
  assert.equal(question.kind, 'possibleDuplicate');
  assert.equal((await question.confirm()).kind, 'placed');
  assert.equal(shop.orders.length, 2, 'the one that was asked about, and this one');
});

test('the menu has the last word on price, stock and what is off', async (t) => {
  const { shop, cart } = table(t);
  const [edamame, , sashimi, oden] = shop.menu.sections[0].items;
  cart.clear();
  cart.add({ ...shop.line(edamame.id), price: { amountMinor: 1, currency: 'JPY' } });
  assert.equal((await cart.submit()).message, 'The price of Edamame changed from ¥1 to ¥380.');
  for (const [item, code] of [[sashimi, 'SOLD_OUT'], [oden, 'ITEM_UNAVAILABLE']]) {
    cart.clear();
    cart.add(shop.line(item.id));
    assert.equal((await cart.submit()).code, code);
  }
});

test('after checkout the table is closed; with another PIN it is nobody’s', async (t) => {
  const { shop, cart, open } = table(t);
  shop.checkout();
  assert.equal((await cart.submit()).code, 'SESSION_CLOSED');
  const stranger = open({ pin: '9999', storage: null });
  t.after(() => stranger.close());
  stranger.cart().add(shop.line());
  assert.equal((await stranger.cart().submit()).code, 'UNAUTHENTICATED');
});

test('what a page left unsettled is found by the next one', async (t) => {
  const controller = new AbortController();
  const { shop, client, cart, open } = table(t, [], { onEvent: ({ type }) => type === 'sent' && controller.abort() });
  shop.connect(false);
  const left = cart.submit({ signal: controller.signal });
  assert.equal((await left).kind, 'unknown');
  client.close();
  shop.connect(true);
  const next = open();
  t.after(() => next.close());
  assert.equal((await next.resume()).kind, 'placed');
  assert.equal(shop.orders.length, 1);
});

test('of a browser nothing is left behind, and where one is nothing is added', () => {
  assert.equal(typeof window, 'undefined', 'the tests before have left');
  const before = Reflect.ownKeys(globalThis);
  const leave = enterBrowser();
  assert.equal(typeof window, 'object');
  enterBrowser()();
  assert.equal(typeof window, 'object', 'the second has added nothing');
  leave();
  assert.deepEqual(Reflect.ownKeys(globalThis), before);
});
