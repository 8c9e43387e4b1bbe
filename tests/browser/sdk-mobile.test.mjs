// The SDK on a phone's network: slow, gone, and back again.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { until } from './harness.mjs';
import { instead } from './network.mjs';
import { sdkTests } from './sdk.mjs';

/** Slow 3G, as the browser's tools play it. Unit: ms; bytes a second. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** `ONLINE_MS` of sdk-wasm/core/src/policy.rs. */
const ONLINE_MS = 300;

/** Every pause is as long as it can be, and no timer goes off that is set for longer than the browser's news may take. */
function stopTheClock(onlineMs) {
  const { setTimeout } = window;
  window.setTimeout = (act, ms) => (ms > onlineMs ? 0 : setTimeout(act, ms));
  const { getRandomValues } = Crypto.prototype;
  crypto.getRandomValues = (bytes) => (bytes.length === 4 ? bytes.fill(255) : getRandomValues.call(crypto, bytes));
}

/** Taps without a network, and waits until the first attempt has failed. */
async function tapOffline(phone) {
  await phone.page.context().setOffline(true);
  await phone.tap();
  await until('the SDK knows that nobody knows', async () => (await phone.state()).phase === 'checking');
}

describe("a phone's network", { concurrency: true }, () => {
  const sdkTest = sdkTests({ tables: 3 });

  /** AC-137, AC-139: what takes long is neither a failure nor a reason to send it again. */
  sdkTest('ten taps on Slow 3G are one request and one ticket', async ({ network, open, tickets }) => {
    const phone = await open();
    const tools = await phone.page.context().newCDPSession(phone.page);
    await tools.send('Network.enable');
    await tools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await tools.send('Network.emulateNetworkConditions', SLOW);
    // the page and the SDK come over it too
    await phone.reload();
    await phone.add();
    const [outcomes, tookMs] = await phone.page.evaluate(async () => {
      const began = performance.now();
      const taps = [];
      for (let tap = 0; tap < 10; tap += 1) {
        taps.push(window.cart.submit());
        await new Promise((later) => setTimeout(later, 20));
      }
      const outcomes = await Promise.all(taps);
      return [window.plain(outcomes), performance.now() - began];
    });
    assert.ok(tookMs >= SLOW.latency, `the network was not slow: ${tookMs} ms`);
    assert.deepEqual([...new Set(outcomes.map(({ kind, replay }) => `${kind} ${replay}`))], ['placed false']);
    assert.equal(network.placements.length, 1);
    assert.deepEqual((await tickets()).map((ticket) => ticket.orderId), [outcomes[0].order.id]);
    assert.deepEqual((await phone.phases()).filter((phase) => phase === 'failed' || phase === 'checking'), []);
  });

  sdkTest('an order that waits for the network goes on when the browser says that it is back', async ({ network, open, tickets }) => {
    const phone = await open();
    await phone.add();
    await phone.page.evaluate(stopTheClock, ONLINE_MS);
    await tapOffline(phone);
    await phone.page.context().setOffline(false);
    await until('the order is sent', () => network.placements.length > 0);
    const outcome = await phone.outcome();
    assert.equal(outcome.kind, 'placed');
    assert.deepEqual(network.requestIds, [outcome.order.requestId]);
    assert.equal((await tickets()).length, 1);
  });

  sdkTest('who was told to come back later does not come sooner because the network was away', async ({ network, open }) => {
    const phone = await open();
    await phone.add();
    network.next = [instead(503, 'one moment', { 'retry-after': '2' })];
    await phone.tap();
    await until('the SDK was told so', async () => (await phone.state()).phase === 'checking');
    await phone.page.context().setOffline(true);
    await phone.page.context().setOffline(false);
    assert.equal((await phone.outcome()).kind, 'placed');
    const [first, second] = network.placements;
    // timers of the browser and of this process are not one clock
    assert.ok(second.at - first.at >= 2_000 - 20, `${second.at - first.at} ms`);
  });
});
