// The SDK in Chromium against silence. These tests wait as long as a guest would: at the same time, each at its own table.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { held, instead, through } from './network.mjs';
import { sdkTests } from './sdk.mjs';

/** `ATTEMPT_TIMEOUT_MS` of sdk-wasm/core/src/policy.rs. */
const ATTEMPT_MS = 10_000;
/** An answer that some other attempt is at work. Nothing of it reaches the server. */
const IN_PROGRESS = instead(
  200,
  JSON.stringify({
    data: {
      placeOrder: {
        idempotentReplay: false,
        result: {
          __typename: 'PlacementConflict',
          code: 'IDEMPOTENCY_IN_PROGRESS',
          status: 409,
          message: 'still at work',
          retryable: true,
          retryAfterMs: 100,
          retryWithNewRequestId: false,
        },
      },
    },
  }),
  { 'content-type': 'application/json' },
);

/** Nobody knows yet: that is what the guest is told, the cart stays, and the key is kept for the next tap. */
async function assertUnknown(phone, outcome) {
  assert.equal(outcome.kind, 'unknown');
  assert.match(outcome.message, /もう一度押しても二重にはなりません/);
  const { phase, locked, lines } = await phone.state();
  assert.deepEqual([phase, locked, lines.length], ['checking', true, 1]);
  assert.ok(!(await phone.phases()).includes('failed'));
  return JSON.parse(await phone.stored('slot')).requestId;
}

describe('patience', { concurrency: true }, () => {
  const sdkTest = sdkTests({ tables: 6 });

  /** AC-139. */
  sdkTest('a fetch that never settles ends by the SDK\'s own clock, and the order is found', async ({ network, open, tickets }) => {
    const phone = await open({
      prepare: () => {
        const { fetch } = window;
        window.fetch = (...request) => {
          window.fetch = fetch;
          // it is sent, and committed; this promise is left alone
          void fetch(...request);
          return new Promise(() => {});
        };
      },
    });
    await phone.add();
    const began = Date.now();
    const outcome = await phone.submit();
    assert.ok(Date.now() - began >= ATTEMPT_MS);
    assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
    assert.deepEqual(network.requestIds, [outcome.order.requestId]);
    assert.equal((await tickets()).length, 1);
    assert.ok(!(await phone.phases()).includes('failed'));
  });

  sdkTest('an answer that comes after its attempt was given up changes nothing', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    const answer = held();
    network.next = [answer];
    const outcome = await phone.submit();
    assert.deepEqual([outcome.kind, outcome.replay], ['placed', true]);
    answer.release();
    const { phase, lines } = await phone.state();
    assert.deepEqual([phase, lines.length, (await tickets()).length], ['done', 0, 1]);
    assert.deepEqual(network.requestIds, [outcome.order.requestId]);
  });

  sdkTest('a network that is gone is nothing known, and the same key is sent when it is back', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    network.cut();
    const key = await assertUnknown(phone, await phone.submit());
    assert.deepEqual(network.placements, []);
    network.mend();
    const outcome = await phone.submit();
    assert.deepEqual([outcome.kind, outcome.order.requestId], ['placed', key]);
    assert.deepEqual(network.requestIds, [key]);
    assert.equal((await tickets()).length, 1);
  });

  /** AC-215. */
  sdkTest('an order that is at work for longer than anybody waits is not given up', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    network.always = IN_PROGRESS;
    const key = await assertUnknown(phone, await phone.submit());
    network.always = through;
    await phone.reload();
    const outcome = await phone.resume();
    assert.deepEqual([outcome.kind, outcome.order.requestId], ['placed', key]);
    assert.deepEqual(network.requestIds, [key]);
    assert.equal((await tickets()).length, 1);
  });

  /** AC-213: the history is searched for the key, never for what was ordered. */
  sdkTest('an equal order of before is not taken for this one', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    const first = await phone.submit();
    await phone.add();
    network.always = IN_PROGRESS;
    const key = await assertUnknown(phone, await phone.submit());
    assert.notEqual(key, first.order.requestId);
    assert.equal((await tickets()).length, 1);
    network.always = through;
    const [asked, placed] = await phone.page.evaluate(async () => {
      const asked = await window.cart.submit();
      return window.plain([asked, await asked.confirm()]);
    });
    assert.deepEqual([asked.kind, asked.earlier.id], ['possibleDuplicate', first.order.id]);
    assert.deepEqual([placed.kind, placed.order.requestId], ['placed', key]);
    assert.deepEqual(network.requestIds, [first.order.requestId, key]);
    assert.equal((await tickets()).length, 2);
  });

  sdkTest('who leaves is told that nobody knows, and what was sent is found later', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    const answer = held();
    network.next = [answer];
    await phone.page.evaluate(() => {
      window.leaving = new AbortController();
      window.outcome = window.cart.submit({ signal: window.leaving.signal });
    });
    await answer.answered;
    await phone.page.evaluate(() => window.leaving.abort());
    const key = await assertUnknown(phone, await phone.outcome());
    const outcome = await phone.submit();
    assert.deepEqual([outcome.kind, outcome.replay, outcome.order.requestId], ['placed', true, key]);
    assert.equal((await tickets()).length, 1);
  });
});
