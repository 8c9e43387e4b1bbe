// The SDK in Chromium behind a network that misbehaves: what is lost is found, nothing is placed twice, and nothing that is
// not known looks like a failure.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { instead, insteadAfter, resetAfter, resetBefore, through, truncate } from './network.mjs';
import { sdkTests } from './sdk.mjs';

const HTML = '<h1>Bad Gateway</h1>';

/** The order stands once, under one key, and the guest was never told that it failed. */
async function assertPlacedOnce({ phone, outcome, network, tickets, replay }) {
  assert.deepEqual([outcome.kind, outcome.replay], ['placed', replay], JSON.stringify(outcome));
  assert.deepEqual(network.requestIds, [outcome.order.requestId]);
  assert.deepEqual((await tickets()).map((ticket) => ticket.orderId), [outcome.order.id]);
  const phases = await phone.phases();
  assert.ok(!phases.includes('failed'), phases.join());
  assert.equal(phases.at(-1), 'done');
}

/**
 * Breaks the connection of the next placement, and of the ones that the browser sends by itself when it was a used one:
 * the page hears of it, once.
 */
function breaking(network, fault) {
  network.always = (exchange) => {
    if (!exchange.reused) network.always = through;
    return fault(exchange);
  };
}

/** A top-level error of our own, as a limiter in front of the server may answer it. */
const limited = (headers, extensions) => {
  const error = { message: 'slow down', extensions: { code: 'RATE_LIMITED', status: 429, retryable: true, ...extensions } };
  return instead(429, JSON.stringify({ errors: [error] }), { 'content-type': 'application/json', ...headers });
};

// mostly pauses: at the same time
describe('the network', { concurrency: 4 }, () => {
  const sdkTest = sdkTests({ tables: 18 });

  /** Defines a test: a phone confirms a cart once, and the network does this to it. */
  function lostTest(name, { faults, attempts = faults.length + 1, replay }) {
    sdkTest(`${name} costs another try and no other order`, async ({ network, open, tickets }) => {
      const phone = await open();
      await phone.add();
      network.next = [...faults];
      const outcome = await phone.submit();
      await assertPlacedOnce({ phone, outcome, network, tickets, replay });
      assert.equal(network.placements.length, attempts);
    });
  }

  /** AC-003. */
  sdkTest('an answer that is cut in the middle is no failure, and another tap orders nothing', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    network.next = [truncate];
    const [outcome, again] = await phone.page.evaluate(async () => {
      const first = window.cart.submit();
      const second = new Promise((resolve) => {
        const off = window.cart.subscribe(() => {
          if (window.cart.state().phase !== 'checking') return;
          off();
          resolve(window.cart.submit());
        });
      });
      return window.plain(await Promise.all([first, second]));
    });
    assert.equal(again.order.id, outcome.order.id);
    await assertPlacedOnce({ phone, outcome, network, tickets, replay: true });
    assert.deepEqual([(await phone.submit()).code, (await tickets()).length], ['CART_EMPTY', 1]);
  });

  lostTest("a proxy's page before the order has reached the server", { faults: [instead(502, HTML)], replay: false });
  lostTest("a proxy's page after it has", { faults: [insteadAfter(502, HTML)], replay: true });
  lostTest('a page with status 200 that is none of ours', { faults: [insteadAfter(200, '{"data":{}}')], replay: true });
  /** AC-019. */
  lostTest('a server that is away twice', { faults: [instead(503), instead(503)], replay: false });
  lostTest('a whole row of accidents', { faults: [truncate, instead(503), insteadAfter(500)], replay: true });

  /** AC-137: the phone reuses a connection that has been idle, and it breaks when the order is written to it. */
  for (const [when, fault, replay] of [
    ['before the order has reached the server', resetBefore, false],
    ['after the order has reached the server', resetAfter, true],
  ]) {
    sdkTest(`a kept connection that breaks ${when} is no failure`, async ({ network, open, tickets }) => {
      const phone = await open();
      await phone.page.evaluate(() => fetch('/healthz').then((response) => response.text()));
      await phone.add();
      breaking(network, fault);
      const outcome = await phone.submit();
      assert.equal(network.placements[0].reused, true);
      await assertPlacedOnce({ phone, outcome, network, tickets, replay });
      assert.ok((await phone.phases()).includes('checking'));
    });
  }

  for (const [form, fault, waitsMs] of [
    ['in seconds', () => instead(429, 'slow down', { 'retry-after': '1' }), 1_000],
    // a date has whole seconds: up to one of the two is cut off
    ['as a date', () => instead(429, 'slow down', { 'retry-after': new Date(Date.now() + 2_000).toUTCString() }), 1_000],
    ['in our own words', () => limited({}, { retryAfterMs: 700 }), 700],
    ['in seconds, beside our own error', () => limited({ 'retry-after': '1' }, {}), 1_000],
  ]) {
    sdkTest(`who is told to come back later, ${form}, does so, and not before`, async ({ network, open, tickets }) => {
      const phone = await open();
      await phone.add();
      network.next = [(exchange) => fault()(exchange)];
      const outcome = await phone.submit();
      await assertPlacedOnce({ phone, outcome, network, tickets, replay: false });
      const [first, second] = network.placements;
      // timers of the browser and of this process are not one clock
      assert.ok(second.at - first.at >= waitsMs - 20, `${second.at - first.at} ms`);
    });
  }

  for (const [what, fault] of [
    ['a day later', instead(503, HTML, { 'retry-after': '86400' })],
    ['at the end of time', instead(429, HTML, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' })],
    ['a day later, in our own words', limited({}, { retryAfterMs: 86_400_000 })],
  ]) {
    sdkTest(`who is told to come back ${what} is left to the guest's next tap`, async ({ network, open, tickets }) => {
      const phone = await open();
      await phone.add();
      network.next = [fault];
      const outcome = await phone.submit();
      const { phase, locked } = await phone.state();
      assert.deepEqual([outcome.kind, phase, locked, network.placements.length], ['unknown', 'checking', true, 1]);
      await assertPlacedOnce({ phone, outcome: await phone.submit(), network, tickets, replay: false });
    });
  }

  for (const header of ['-5', 'Thu, 01 Jan 1970 00:00:00 GMT', 'whenever']) {
    lostTest(`Retry-After: ${header}`, { faults: [instead(503, HTML, { 'retry-after': header })], replay: false });
  }
});
