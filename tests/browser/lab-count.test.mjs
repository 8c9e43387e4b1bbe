// What the lab counts and how it judges: it must be able to say no.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './guest-module.mjs';

const { answered, concluded, expected, figures, fresh, sent, sorted, tapped, told } = await load('lab/count.js');
const { isSettled, judge } = await load('lab/verdict.js');

const SETTLED = { settled: true, running: false, armed: false, unasked: false };
const OLD = { id: 'old', number: 1, requestId: 'key-old', ticket: 'ticket-old' };
const order = (id, requestId, ticket = `ticket-${id}`) => ({ id, number: 2, requestId, ticket });
const placed = (orderId) => ({ kind: 'placed', orderId, number: 2, replay: false });

/** One cart that was confirmed by ten taps, and left in one request. Then the server tells its orders. */
function confirmed(...orders) {
  const count = sent(tapped(told(fresh(), [OLD], 1), 10), { requestId: 'key', cart: 'cart' });
  return orders.length > 0 ? told(count, orders, 2) : count;
}

test('a count begins at zero, whatever was ordered before', () => {
  const count = told(fresh(), [OLD], 1);
  assert.deepEqual(figures(count), { taps: 0, requests: 0, orders: 0, tickets: 0 });
  assert.deepEqual([judge(count, SETTLED), judge(count, { ...SETTLED, armed: true })], ['idle', 'armed']);
});

test('ten taps, one request, one order, one ticket: as promised', () => {
  const count = confirmed(order('new', 'key'), OLD);
  assert.deepEqual(figures(count), { taps: 10, requests: 1, orders: 1, tickets: 1 });
  assert.equal(judge(count, SETTLED), 'good');
});

test('the same key again is a request more and no cart more', () => {
  const count = told(sent(confirmed(), { requestId: 'key', cart: 'cart' }), [order('new', 'key'), OLD], 2);
  assert.deepEqual([figures(count).requests, expected(count), judge(count, SETTLED)], [2, 1, 'good']);
});

test('two carts are two orders', () => {
  const two = sent(confirmed(), { requestId: 'other', cart: 'second' });
  assert.equal(judge(told(two, [order('a', 'key'), order('b', 'other'), OLD], 2), SETTLED), 'good');
  assert.equal(judge(told(two, [order('a', 'key'), OLD], 2), SETTLED), 'bad');
});

for (const [what, orders] of [
  ['an order that was lost', [OLD]],
  ['a second order of one cart', [order('new', 'key'), order('again', 'key'), OLD]],
  ['an order without a ticket', [order('new', 'key', null), OLD]],
  ['two orders on one ticket', [order('new', 'key', 'one'), order('again', 'key', 'one'), OLD]],
]) {
  test(`${what}: not as promised`, () => {
    assert.equal(judge(confirmed(...orders), SETTLED), 'bad');
  });
}

test('a second order under a key that another tap made is no less a second order', () => {
  const naive = sent(confirmed(), { requestId: 'key-2', cart: 'cart' });
  assert.equal(judge(told(naive, [order('a', 'key'), OLD], 2), SETTLED), 'good');
  assert.equal(judge(told(naive, [order('a', 'key'), order('b', 'key-2'), OLD], 2), SETTLED), 'bad');
});

test('a no and a question make no order', () => {
  for (const answer of [{ kind: 'asked', number: 1, ageMs: 900 }, { kind: 'no', code: 'SOLD_OUT' }]) {
    const count = told(answered(confirmed(), 'cart', answer), [OLD], 2);
    assert.deepEqual([expected(count), judge(count, SETTLED)], [0, 'good']);
    assert.equal(judge(told(count, [order('new', 'key'), OLD], 3), SETTLED), 'bad', 'and then there must be none');
  }
});

test('an order that stood before is none that came of this', () => {
  const count = told(answered(confirmed(), 'cart', placed('old')), [OLD], 2);
  assert.deepEqual([expected(count), judge(count, SETTLED)], [0, 'good']);
});

test('an order is never unsaid', () => {
  const count = answered(answered(confirmed(), 'cart', placed('new')), 'cart', { kind: 'no', code: 'SOLD_OUT' });
  assert.equal(expected(count), 1);
  assert.equal(expected(concluded(count, { kind: 'refused', code: 'SOLD_OUT' })), 1);
});

test('what the SDK ends with counts where the answer itself was missed', () => {
  const lost = confirmed();
  assert.equal(expected(concluded(lost, { kind: 'placed', order: { id: 'new', number: 2 } })), 1);
  assert.equal(expected(concluded(lost, { kind: 'possibleDuplicate', earlier: { number: 1 } })), 0);
  assert.equal(expected(concluded(lost, { kind: 'rejected', code: 'SOLD_OUT' })), 0);
  assert.equal(expected(concluded(lost, { kind: 'unknown' })), 1, 'who does not know expects the order');
  assert.deepEqual(concluded(fresh(), { kind: 'placed', order: { id: 'new', number: 2 } }), fresh());
});

test('an answer about a cart that never left is about something else', () => {
  assert.deepEqual(answered(confirmed(), 'another', placed('new')), confirmed());
  assert.deepEqual(answered(confirmed(), 'cart', null), confirmed());
});

test('orders of others at the table are told apart', () => {
  const count = confirmed(order('new', 'KEY'), order('theirs', 'key-of-theirs'), OLD);
  const { ours, others } = sorted(count);
  assert.deepEqual([ours.map(({ id }) => id), others.map(({ id }) => id)], [['new'], ['theirs']]);
  assert.equal(judge(count, SETTLED), 'good');
});

test('nothing is judged before it is over and the server has told', () => {
  const asked = confirmed(order('new', 'key'), OLD);
  const late = sent(asked, { requestId: 'key', cart: 'cart' });
  assert.equal(judge(asked, { ...SETTLED, running: true }), 'running');
  assert.equal(judge(asked, { ...SETTLED, settled: false }), 'running');
  assert.equal(judge(late, SETTLED), 'running', 'one more has left since the server told');
  assert.equal(judge(asked, { ...SETTLED, unasked: true }), 'unasked');
});

test('a count outlives a reload as JSON', () => {
  const count = answered(confirmed(order('new', 'key'), OLD), 'cart', placed('new'));
  assert.deepEqual(JSON.parse(JSON.stringify(count)), count);
});

test('the SDK has come to an end when it rests, or asks', () => {
  assert.equal(isSettled({ phase: 'done', locked: false }), true);
  assert.equal(isSettled({ phase: 'waiting', locked: true, outcome: { kind: 'possibleDuplicate' } }), true);
  for (const phase of ['sending', 'waiting', 'checking']) assert.equal(isSettled({ phase, locked: true }), false);
  assert.equal(isSettled({ phase: 'failed', locked: true, outcome: { kind: 'unknown' } }), false);
});
