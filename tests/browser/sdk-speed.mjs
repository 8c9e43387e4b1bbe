// What the SDK costs a guest, in milliseconds. Not one of the tests, which a busy machine would fail: `cargo xtask soak speed`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, device, launch } from './harness.mjs';

/** From `createClient()` to `ready`, in a page that has loaded the module. Unit: ms, like all others. */
const READY_BELOW = 50;
/** What `submit()` takes longer than the same request by `fetch`. */
const SUBMIT_BELOW = 2;
const PAGES = 40;
const PAIRS = 500;
/** Between two orders: what is stored and locked for the one before is given back by then. */
const PAUSE = 100;

let house;
let browser;
before(async () => {
  house = await House.open({ tables: 2 });
  await house.start();
  // equal orders one after the other, and nobody asks
  await house.ask(house.staffKey, 'mutation { setOrderingPolicy(input: { contentWindowMs: 0 }) { shop { id } } }');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await house?.close();
});

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}

const shown = (ms) => `${ms.toFixed(2)} ms`;

/** Opens something of the server's that runs nothing, and runs a function in there. */
async function inFreshPage(act, given) {
  const page = await device(browser);
  try {
    await page.goto(`${house.url}/healthz`);
    return await page.evaluate(act, given);
  } finally {
    await page.context().close();
  }
}

/** For `createClient`. */
function optionsOf({ id, pin }) {
  return { url: '/graphql', tableSessionId: id, pin, lang: 'en' };
}

async function measureReady(options) {
  const { createClient } = await import('/sdk/masterorder.js');
  await new Promise((idle) => requestIdleCallback(idle));
  const began = performance.now();
  await createClient(options).ready;
  return performance.now() - began;
}

/** Orders by `submit()` and by `fetch` in turn, each a cart of its own. Answers the times of both. */
async function measureOrders({ options, line, pairs, pause }) {
  const { createClient } = await import('/sdk/masterorder.js');
  let request;
  const client = createClient({
    ...options,
    fetch(url, init) {
      request = init;
      return fetch(url, init);
    },
  });
  await client.ready;
  const cart = client.cart();

  async function submitted() {
    cart.add(line);
    const began = performance.now();
    const outcome = await cart.submit();
    const took = performance.now() - began;
    if (outcome.kind !== 'placed' || outcome.replay) throw new Error(JSON.stringify(outcome));
    return took;
  }

  async function fetched() {
    const { query, variables } = JSON.parse(request.body);
    Object.assign(variables.input, { requestId: crypto.randomUUID(), checkoutId: crypto.randomUUID() });
    const began = performance.now();
    const response = await fetch(options.url, { method: 'POST', headers: request.headers, body: JSON.stringify({ query, variables }) });
    const { data } = await response.json();
    const took = performance.now() - began;
    if (data.placeOrder.result.__typename !== 'OrderPlaced' || data.placeOrder.idempotentReplay) throw new Error(JSON.stringify(data));
    return took;
  }

  const times = { submitted: [], fetched: [] };
  const rest = () => new Promise((over) => setTimeout(over, pause));
  await submitted();
  for (let pair = 0; pair < pairs; pair += 1) {
    const both = [[times.submitted, submitted], [times.fetched, fetched]];
    // neither is always the first
    for (const [kept, order] of pair % 2 ? both : both.reverse()) {
      await rest();
      kept.push(await order());
    }
  }
  return times;
}

test(`ready within ${READY_BELOW} ms`, async () => {
  const options = optionsOf(house.tableSessions[0]);
  const times = [];
  for (let page = 0; page < PAGES; page += 1) times.push(await inFreshPage(measureReady, options));
  console.log(`ready: ${shown(median(times))}, ${PAGES} fresh pages`);
  assert.ok(median(times) < READY_BELOW);
});

test(`submit() within ${SUBMIT_BELOW} ms of a bare fetch`, async () => {
  const [item] = house.menuItems;
  const line = { menuItemId: item.id, price: { amountMinor: item.priceMinor, currency: 'JPY' }, quantity: 1 };
  const options = optionsOf(house.tableSessions[1]);
  const { submitted, fetched } = await inFreshPage(measureOrders, { options, line, pairs: PAIRS, pause: PAUSE });
  const more = median(submitted.map((ms, pair) => ms - fetched[pair]));
  console.log(`submit(): ${shown(median(submitted))}, bare fetch: ${shown(median(fetched))}, difference: ${shown(more)}, ${PAIRS} pairs`);
  assert.ok(more < SUBMIT_BELOW);
});
