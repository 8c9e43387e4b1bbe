// The quick starts in plain HTML and React run as they stand in the package's README. Those of Vue and Svelte, which take a
// compiler each, are in tests/bundlers.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import esbuild from 'esbuild';
import { PAGE, appTests, pagesOf } from './app.mjs';
import { until } from './harness.mjs';
import { held } from './network.mjs';
import { ROOT, project } from './npm.mjs';
import { assertQuickStart, enter, filled, quickStart } from './quick-start.mjs';
import { served } from './sdk.mjs';

const appTest = appTests({ tables: 6 });

/** Builds the README's component, mounted by a script of the test's. */
async function react(t, around, mount, more = {}) {
  const folder = await project(t);
  await writeFile(join(folder, 'order.js'), filled(await quickStart('js'), around));
  await writeFile(join(folder, 'Cart.jsx'), await quickStart('jsx'));
  await writeFile(join(folder, 'source.jsx'), mount);
  for (const [name, code] of Object.entries(more)) await writeFile(join(folder, name), code);
  await esbuild.build({
    absWorkingDir: folder,
    entryPoints: ['source.jsx'],
    outfile: 'public/main.js',
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
    nodePaths: [join(ROOT, 'node_modules')],
    // StrictMode mounts twice in development only
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  await writeFile(join(folder, 'public/index.html'), PAGE);
  around.network.pages = await pagesOf(join(folder, 'public'));
}

async function html(around) {
  const head = '<!doctype html><meta charset="utf-8"><title>Quick start</title><link rel="icon" href="data:,">';
  around.network.pages = { '/': served('text/html', head + filled(await quickStart('html'), around)) };
}

/** The guest reloads before the answer is there: the page says what became of the order, and nothing is sent twice. */
async function assertFoundAfterReload(around) {
  const order = held();
  around.network.next = [order];
  const guest = await enter(around);
  await guest.add();
  await guest.order();
  await order.answered;
  await guest.page.reload();
  await guest.placed();
  assert.equal(new Set(around.network.requestIds).size, 1);
}

appTest('plain HTML: what the README says places an order, and one only', async (around) => {
  await html(around);
  await assertQuickStart(around);
});

appTest('plain HTML: what the README says finds an order whose answer was lost', async (around) => {
  await html(around);
  await assertFoundAfterReload(around);
});

const STRICT = `
  import { StrictMode } from 'react';
  import { createRoot } from 'react-dom/client';
  import Cart from './Cart.jsx';
  createRoot(document.querySelector('main')).render(<StrictMode><Cart /></StrictMode>);
`;

appTest('React: what the README says places an order, and one only, also where StrictMode mounts twice', async (around, t) => {
  await react(t, around, STRICT);
  await assertQuickStart(around);
  assert.equal(new Set(around.network.requestIds).size, 1);
  assert.equal(around.network.placements.length, 1);
});

appTest('React: what the README says finds an order whose answer was lost', async (around, t) => {
  await react(t, around, STRICT);
  await assertFoundAfterReload(around);
});

/** Shows a component, and hides it and shows it again as the test likes. */
const comesAndGoes = (component) => `
  import { StrictMode, useEffect, useState } from 'react';
  import { flushSync } from 'react-dom';
  import { createRoot } from 'react-dom/client';
  import Cart from '${component}';
  window.mounts = 0;
  function Counted() {
    useEffect(() => void (window.mounts += 1), []);
    return <Cart />;
  }
  function App() {
    const [shown, show] = useState(true);
    window.show = (now) => flushSync(() => show(now));
    return shown && <Counted />;
  }
  createRoot(document.querySelector('main')).render(<StrictMode><App /></StrictMode>);
`;

async function comeAndGo(page) {
  const mounts = await page.evaluate(() => {
    for (let turn = 1; turn <= 10; turn += 1) {
      for (const shown of [false, true]) window.show(shown);
    }
    return window.mounts;
  });
  assert.equal(mounts, 22, 'StrictMode mounts each time twice');
}

/** AC-165: with the client outside the components, as the README says. */
appTest('a view that comes and goes under StrictMode while the order is sent: one key, sent once', async (around, t) => {
  await react(t, around, comesAndGoes('./Cart.jsx'));
  const order = held();
  around.network.next = [order];
  const guest = await enter(around);
  await guest.add();
  await guest.order();
  await comeAndGo(guest.page);
  await guest.order();
  order.release();
  await guest.placed();
  assert.equal(around.network.placements.length, 1);
});

/** AC-165: against the README. */
const A_CLIENT_PER_MOUNT = `
  import { useEffect, useState } from 'react';
  import { createClient } from '@masterorder/sdk';
  const seat = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  export default function Cart() {
    const [cart, setCart] = useState(null);
    useEffect(() => {
      const client = createClient(seat.options);
      setCart(client.cart());
      return () => client.close();
    }, []);
    const order = async () => (document.title = (await cart.submit()).kind);
    return cart && <><button onClick={() => cart.add(seat.line)}>Add</button><button onClick={order}>Order</button></>;
  }
`;

/** AC-165. */
appTest('a view with a client of its own that comes and goes under StrictMode sends the key that it showed, once', async (around, t) => {
  await react(t, around, comesAndGoes('./Own.jsx'), { 'Own.jsx': A_CLIENT_PER_MOUNT });
  const { house, table, network } = around;
  const [{ id, priceMinor }] = house.menuItems;
  const options = { url: '/graphql', tableSessionId: table.id, pin: table.pin };
  const line = { menuItemId: id, price: { amountMinor: priceMinor, currency: 'JPY' }, quantity: 1 };
  const guest = await enter({ ...around, url: `${around.url}#${encodeURIComponent(JSON.stringify({ options, line }))}` });
  await guest.add();
  const key = () => guest.page.evaluate((name) => sessionStorage.getItem(name), `masterorder.${table.id}.request`);
  const shown = await until('the cart is shown with its key', key);
  await comeAndGo(guest.page);
  await guest.order();
  await until('it is placed', async () => (await guest.page.title()) === 'placed');
  assert.deepEqual([network.requestIds, (await guest.tickets()).length, guest.page.complaints], [[shown], 1, []]);
});
