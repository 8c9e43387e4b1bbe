// What `onEvent` is told, without any server: the order of things, and nothing of who orders what.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflict, loseAnswer, offline, slow, soldOut } from '../../sdk-wasm/pkg/testing.js';
import { table } from './fake.mjs';

/** Opens a table whose client writes down what it is told. */
function watched(t, script) {
  const events = [];
  const around = table(t, script, { onEvent: (event) => events.push(event) });
  /** Every event as its type with the fields that are named. */
  const told = (...fields) => events.map((event) => [event.type, ...fields.map((field) => event[field])].join(' '));
  return { ...around, events, told };
}

test('three taps, a lost answer: one key from the first sending on, attempts that count up', async (t) => {
  const { shop, cart, events, told } = watched(t, [loseAnswer()]);
  const outcomes = await Promise.all([cart.submit(), cart.submit(), cart.submit()]);
const of = (...types) => told('attempt').filter((text) => types.includes(text.split(' ')[0]));
  assert.deepEqual(of('tap', 'joined'), ['tap 0', 'tap 0', 'tap 0', 'joined 0', 'joined 0'], 'the module is still on its way');
  assert.deepEqual(of('sent', 'retried', 'settled'), ['sent 1', 'retried 2', 'settled 2']);
  const { requestId } = shop.orders[0];
  for (const event of events.slice(-3)) assert.equal(event.requestId, requestId);
  const { kind, code, durationMs } = events.at(-1);
  assert.deepEqual([kind, code, outcomes[0].kind], ['placed', null, 'placed']);
  assert.ok(durationMs >= events.at(-2).durationMs && events.every((event) => event.durationMs >= 0 && event.durationMs < 30_000));
});

test('a retry says what the attempt before was answered with', async (t) => {
  const { cart, told } = watched(t, [conflict('COOLDOWN_ACTIVE', { retryAfterMs: 10 }), offline()]);
  await cart.submit();
  assert.deepEqual(told('code').filter((text) => text.startsWith('retried')), ['retried COOLDOWN_ACTIVE', 'retried ']);
});

test('what is found out by asking is reconciled', async (t) => {
  const { shop, client, cart, open, events } = watched(t, [loseAnswer()]);
  const left = cart.submit();
  while (shop.orders.length === 0) await new Promise((later) => setTimeout(later, 1));
  client.close();
  const next = open();
  t.after(() => next.close());
  assert.equal((await next.resume()).kind, 'placed');
  const [reconciled, settled] = events.slice(-2);
  assert.deepEqual([reconciled.type, reconciled.code, reconciled.requestId], ['reconciled', 'PLACED', shop.orders[0].requestId]);
  assert.deepEqual([settled.type, settled.kind, settled.attempt], ['settled', 'placed', 0]);
  await Promise.race([left, new Promise((later) => setTimeout(later, 50))]);
});

test('a "no" is settled with its code; what sends nothing too', async (t) => {
  const { cart, events } = watched(t, [soldOut()]);
  await cart.submit();
  assert.deepEqual([events.at(-1).kind, events.at(-1).code], ['rejected', 'SOLD_OUT']);
  cart.clear();
  await cart.submit();
  const { type, kind, code, requestId, attempt } = events.at(-1);
  assert.deepEqual([type, kind, code, requestId, attempt], ['settled', 'blocked', 'CART_EMPTY', null, 0]);
});

test('what is blocked beside an order ends nothing of it', async (t) => {
  const { cart, events } = watched(t, [slow(2_000)]);
  const order = cart.submit();
  await new Promise((later) => setTimeout(later, 1_000));
  assert.equal((await cart.submit({ note: 'other' })).code, 'ORDER_UNSETTLED');
  await order;
  const [blocked, placed] = events.filter(({ type }) => type === 'settled');
  assert.deepEqual([blocked.kind, placed.kind, placed.attempt], ['blocked', 'placed', 1]);
  assert.ok(blocked.durationMs < 1_000 && placed.durationMs >= 1_990, `${blocked.durationMs} ${placed.durationMs}`);
});

test('nothing in it says who orders, or what', async (t) => {
  const { shop, cart, events } = watched(t, [loseAnswer()]);
  cart.clear();
  cart.add({ ...shop.line(), note: 'no salt please' });
  await cart.submit({ note: 'for Hanako' });
  const text = JSON.stringify(events);
  for (const word of ['salt', 'Hanako', '"0000"', shop.tableSessionId, shop.line().menuItemId, 'Edamame', 'guest-']) {
    assert.ok(!text.includes(word), `${word} in ${text}`);
  }
  const fields = new Set(events.flatMap((event) => Object.keys(event)));
  assert.deepEqual([...fields].sort(), ['attempt', 'code', 'durationMs', 'kind', 'requestId', 'type']);
  assert.ok(events.every(Object.isFrozen));
});

test('a listener that throws is told of, and stands in no order’s way', async (t) => {
  const told = t.mock.method(console, 'error', () => {});
  const { cart } = table(t, [loseAnswer()], { onEvent: () => assert.fail('no') });
  assert.equal((await cart.submit()).kind, 'placed');
  await new Promise((later) => setTimeout(later));
  assert.equal(told.mock.callCount(), 4);
});
