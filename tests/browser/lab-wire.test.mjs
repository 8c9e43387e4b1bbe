// What the lab reads off the wire, and what it does to answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './guest-module.mjs';

const { placementOf, readAnswer, readPlacement } = await load('lab/placement.js');
const { FAULTS, slow } = await load('lab/faults.js');
const { wrap } = await load('lab/network.js');
const { EXPERIMENTS } = await load('lab/experiments.js');

const INPUT = { requestId: 'AB', checkoutId: 'CD', lines: [{ menuItemId: 'ramen', quantity: 1 }] };
const BODY = JSON.stringify({ query: 'mutation PlaceOrder($input: PlaceOrderInput!) { … }', variables: { input: INPUT } });
const ANSWER = JSON.stringify({ data: { placeOrder: { idempotentReplay: false, result: { receipt: { id: 'order', number: 7 } } } } });
const post = (body) => ({ method: 'POST', body });
const answer = () => ({ response: new Response(ANSWER), text: ANSWER });

test('a placement is read, and nothing else is taken for one', () => {
  assert.deepEqual(readPlacement('/graphql', post(BODY)), { requestId: 'ab', cart: 'cd' });
  assert.deepEqual(readPlacement('https://shop.example/graphql?x=1', post(BODY)), { requestId: 'ab', cart: 'cd' });
  assert.deepEqual(readPlacement(new Request('https://shop.example/graphql'), post(BODY)), { requestId: 'ab', cart: 'cd' });
  for (const [url, init] of [
    ['/graphql', undefined],
    ['/graphql', { method: 'GET' }],
    ['/graphql', post('{"query":"query Menu { menu { version } }"}')],
    ['/graphql', post('mutation PlaceOrder')],
    ['/graphql', post(JSON.stringify({ query: 'mutation PlaceOrder', variables: {} }))],
    ['/graphqlx', post(BODY)],
    ['/elsewhere', post(BODY)],
  ]) {
    assert.equal(readPlacement(url, init), null);
  }
});

test('without a checkoutId a cart is what is in it', () => {
  const { checkoutId: _, ...input } = INPUT;
  const [one, other] = [placementOf({ ...input, requestId: '1' }), placementOf({ ...input, requestId: '2' })];
  assert.equal(one.cart, other.cart);
  assert.notEqual(placementOf({ ...input, lines: [] }).cart, one.cart);
});

test('answers are read, and what is none tells nothing', () => {
  assert.deepEqual(readAnswer(ANSWER), { kind: 'placed', orderId: 'order', number: 7, replay: false });
  const result = (result) => readAnswer(JSON.stringify({ data: { placeOrder: { idempotentReplay: true, result } } }));
  assert.equal(result({ receipt: { id: 'order', number: 7 } }).replay, true);
  const asked = { code: 'POSSIBLE_DUPLICATE', ageMs: 900, order: { number: 3 } };
  assert.deepEqual(result(asked), { kind: 'asked', number: 3, ageMs: 900 });
  assert.deepEqual(result({ code: 'SOLD_OUT' }), { kind: 'no', code: 'SOLD_OUT' });
  assert.deepEqual(readAnswer('{"errors":[{"extensions":{"code":"INTERNAL"}}]}'), { kind: 'no', code: 'INTERNAL' });
  for (const nothing of ['', '<h1>502</h1>', 'null', '{}', ANSWER.slice(0, 40)]) assert.equal(readAnswer(nothing), null);
});

test('each fault does to an answer what it is called', async () => {
  await assert.rejects(FAULTS['lose-answer'](answer()), TypeError);
  const gateway = await FAULTS['gateway-502'](answer());
  assert.deepEqual([gateway.status, gateway.headers.get('content-type')], [502, 'text/html']);
  const half = await FAULTS['cut-answer'](answer());
  assert.equal(ANSWER.startsWith(await half.clone().text()), true);
  await assert.rejects(half.json(), SyntaxError);
  const faults = EXPERIMENTS.filter(({ kind }) => kind === 'arm').map(({ id }) => id);
  assert.deepEqual(faults.sort(), Object.keys(FAULTS).sort());
});

test('a late answer does not come when nobody waits any more', async () => {
  const abort = new AbortController();
  const given = FAULTS['late-answer']({ ...answer(), signal: abort.signal });
  abort.abort();
  await assert.rejects(given, { name: 'AbortError' });
  const already = FAULTS['late-answer']({ ...answer(), signal: AbortSignal.abort() });
  await assert.rejects(already, { name: 'AbortError' });
});

test('a slow line does afterwards what it is asked to', async () => {
  assert.equal(await (await slow(1, null)(answer())).text(), ANSWER);
  await assert.rejects(slow(1, FAULTS['lose-answer'])(answer()), TypeError);
});

test('the watcher sees every placement and its answer, and the page gets the answer whole', async () => {
  const seen = [];
  const watcher = {
    leaving: ({ requestId }) => (seen.push(requestId), null),
    answered: (_, { number }) => seen.push(number),
    unanswered: () => seen.push('lost'),
  };
  const watched = wrap(async () => new Response(ANSWER), watcher);
  assert.equal(await (await watched('/graphql', post(BODY))).text(), ANSWER);
  await watched('/graphql', post('{"query":"{ menu { version } }"}'));
  assert.deepEqual(seen, ['ab', 7]);
  const broken = wrap(() => Promise.reject(new TypeError('Failed to fetch')), watcher);
  await assert.rejects(broken('/graphql', post(BODY)), /Failed to fetch/);
  assert.deepEqual(seen.slice(2), ['ab', 'lost']);
});

test('the watcher knows what the server said, whatever the page gets to see of it', async () => {
  const said = [];
  const watcher = { leaving: () => FAULTS['lose-answer'], answered: (_, { number }) => said.push(number), unanswered() {} };
  const watched = wrap(async () => new Response(ANSWER), watcher);
  await assert.rejects(watched('/graphql', post(BODY)), TypeError);
  assert.deepEqual(said, [7]);
});
