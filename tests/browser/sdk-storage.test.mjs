// The SDK in browsers that lack something: storage, locks, random UUIDs, WebAssembly. What can work works; what can not says so.

import assert from 'node:assert/strict';
import { PLAIN_HOST } from './harness.mjs';
import { sdkTests, served } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 10 });

/** Two taps at once bring the same order, once. */
async function assertTwoTapsOrderOnce(phone, { network, tickets }) {
  await phone.add();
  const [one, other] = await phone.page.evaluate(async () => {
    return window.plain(await Promise.all([window.cart.submit(), window.cart.submit()]));
  });
  assert.equal(one.kind, 'placed');
  assert.equal(other.order.id, one.order.id);
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
}

/** AC-143, where the browser lets nobody ask for storage. Locks go with it. */
sdkTest('without storage everything works, and says that a reload would forget', async ({ open, ...around }) => {
  const phone = await open({
    prepare: () => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      }
      LockManager.prototype.request = async () => {
        throw new DOMException('denied', 'SecurityError');
      };
    },
  });
  assert.equal((await phone.state()).persistent, false);
  await assertTwoTapsOrderOnce(phone, around);
});

/** AC-143, where it refuses to store. */
sdkTest('storage that takes nothing moves everything into memory, the id of the device too', async ({ open, ...around }) => {
  const phone = await open({
    prepare: () => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    },
  });
  await assertTwoTapsOrderOnce(phone, around);
  assert.equal((await phone.state()).persistent, false);
  await phone.add(2);
  assert.equal((await phone.submit()).kind, 'placed');
  const devices = around.network.placements.map(({ headers }) => headers['x-masterorder-client-id']);
  assert.match(devices[0], /^guest-[0-9a-f-]{36}$/);
  assert.equal(devices[1], devices[0]);
});

sdkTest('storage that is full in the middle of an order forgets nothing', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  await phone.page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  const outcome = await phone.submit();
  assert.equal(outcome.kind, 'placed');
  const { persistent, lines } = await phone.state();
  assert.deepEqual([persistent, lines, network.placements.length], [false, [], 1]);
  await phone.reload();
  assert.deepEqual((await phone.state()).lines, [], 'the cart that was ordered does not come back');
  assert.equal((await tickets()).length, 1);
});

sdkTest('a page that wants nothing stored gets its way', async ({ open, ...around }) => {
  const phone = await open({ client: { storage: null } });
  assert.equal((await phone.state()).persistent, false);
  await assertTwoTapsOrderOnce(phone, around);
  assert.deepEqual(await phone.page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 0]);
});

sdkTest('no PIN is stored', async ({ table, open }) => {
  const phone = await open();
  await phone.add();
  await phone.submit();
  await phone.add(2);
  const stored = await phone.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.match(stored, /masterorder/);
  const values = Object.values(Object.assign({}, ...JSON.parse(stored))).flatMap((text) => text.split(/[^0-9]+/));
  assert.ok(!values.includes(table.pin));
});

sdkTest('where there are no locks of the browser two clients of a page still send once', async ({ network, open, tickets }) => {
  const phone = await open({ prepare: () => Object.defineProperty(navigator, 'locks', { value: undefined }) });
  await phone.add();
  const kinds = await phone.page.evaluate(async (options) => {
    const other = window.createClient(options);
    await other.ready;
    const outcomes = await Promise.all([window.cart.submit(), other.cart().submit()]);
    return outcomes.map((outcome) => outcome.kind);
  }, phone.options);
  assert.deepEqual(kinds, ['placed', 'placed']);
  assert.deepEqual([network.placements.length, (await tickets()).length], [1, 1]);
});

/** AC-145: the ten thousand keys are in sdk-wasm/core/src/tests/words.rs. */
sdkTest('on plain http, without random UUIDs and locks, an order is placed', async ({ network, open, ...around }) => {
  const phone = await open({ url: `http://${PLAIN_HOST}:${network.port}` });
  const has = await phone.page.evaluate(() => [isSecureContext, Boolean(crypto.randomUUID), Boolean(crypto.subtle), Boolean(navigator.locks)]);
  assert.deepEqual(has, [false, false, false, false]);
  await assertTwoTapsOrderOnce(phone, { network, ...around });
  assert.match(network.requestIds[0], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal((await phone.state()).persistent, true);
});

/** AC-157: the third party's page comes with this policy for scripts. */
function underPolicy(network, scripts) {
  network.pages['/'].headers['content-security-policy'] = `default-src 'none'; script-src ${scripts}; connect-src 'self'`;
}

/** Nothing can be ordered, and the page goes on. */
async function assertUnavailable(phone, { network }) {
  assert.match(await phone.loaded(), /WebAssembly/);
  await phone.add();
  const outcome = await phone.submit();
  assert.deepEqual([outcome.kind, outcome.code], ['blocked', 'NO_WEBASSEMBLY']);
  assert.match(outcome.message, /スタッフにお声がけください/);
  const { phase, lines, locked } = await phone.state();
  assert.deepEqual([phase, lines, locked], ['idle', [], false]);
  assert.equal(network.placements.length, 0);
}

/** AC-157. */
sdkTest("a policy without 'wasm-unsafe-eval' is named by `ready`, and the page goes on", async ({ network, open }) => {
  underPolicy(network, "'self'");
  const phone = await open();
  assert.match(await phone.loaded(), /Content-Security-Policy.*'wasm-unsafe-eval'.*script-src/);
  await assertUnavailable(phone, { network });
});

/** AC-157. */
sdkTest("'wasm-unsafe-eval' is enough", async ({ network, open, ...around }) => {
  underPolicy(network, "'self' 'wasm-unsafe-eval'");
  const phone = await open();
  await assertTwoTapsOrderOnce(phone, { network, ...around });
});

sdkTest('a browser without WebAssembly is told apart', async ({ network, open }) => {
  const phone = await open({ prepare: () => delete window.WebAssembly });
  assert.match(await phone.loaded(), /Lockdown Mode/);
  await assertUnavailable(phone, { network });
});
