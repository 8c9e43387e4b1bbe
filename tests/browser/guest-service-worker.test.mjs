// The worker that opens the guest's page without a network: a page is whole of one version, and nothing that is asked of the
// shop is ever kept or repeated.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { audit } from './axe.mjs';
import { guestTests } from './guest.mjs';
import { until } from './harness.mjs';
import { held } from './network.mjs';
import { served } from './sdk.mjs';

const guestTest = guestTests({ tables: 10 });
const SCRIPT = '/service-worker.js';
const TEXTS = '/assets/guest/texts.js';

/** Opens the page on a phone whose worker has the page whole, and looks after it. */
async function openKept(open, options) {
  const guest = await open({ ...options, serviceWorkers: 'allow' });
  await guest.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await guest.reload();
  await guest.page.waitForFunction(() => navigator.serviceWorker.controller);
  return guest;
}

/** Answers everything that the phone keeps of the server: addresses, and in how many sets. */
function keptOf({ page }) {
  return page.evaluate(async () => {
    const sets = await caches.keys();
    const requests = await Promise.all(sets.map(async (name) => (await caches.open(name)).keys()));
    return { sets: sets.length, paths: requests.flat().map(({ url }) => new URL(url).pathname).sort() };
  });
}

const read = async (network, path) => (await fetch(network.url + path)).text();
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
/** The addresses in a worker's script, each with the SHA-256 of what is there. */
const filesIn = (script) => JSON.parse(/^const FILES = (.*);$/m.exec(script)[1]);

/** Makes the server one of a later version, of whose files one is another. */
async function renew(network, path, file) {
  const script = await read(network, SCRIPT);
  const renewed = script.replace(filesIn(script)[path], sha256(file)).replace(/VERSION = '/, "VERSION = 'later-");
  network.pages[SCRIPT] = served('text/javascript', renewed);
}

guestTest('without a network the page opens at once, with its cart, and orders when there is one', async ({ network, open, tickets }) => {
  const guest = await openKept(open, { locale: 'ja-JP', width: 360 });
  await guest.add('F-POTATO');
  network.cut();
  await guest.reload();
  await guest.banner('offline').getByText(/メニューは\d\d:\d\d時点のものです。$/).waitFor();
  await guest.openCart();
  await guest.page.locator('.cart-line .line-name').getByText('青のりフライドポテト').waitFor();
  await audit(guest.page, 'a cart without a network');
  await guest.page.keyboard.press('Escape');
  network.mend();
  await guest.banner('offline').waitFor({ state: 'hidden' });
  await guest.openCart();
  await guest.confirm.click();
  const number = await guest.placed();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
  assert.equal(network.placements.length, 1);
  guest.calm();
});

guestTest('killed with its order on the way, and opened without a network, the page takes it up', async ({ network, open, tickets }) => {
  const guest = await openKept(open);
  const answer = held();
  network.next = [answer];
  await guest.fill('F-POTATO', 'B-DRAFT');
  await guest.confirm.click();
  await answer.answered;
  network.cut();
  await guest.reload();
  await guest.banner('earlier').getByText('Checking whether your last order arrived (2 items, ¥1,030)').waitFor();
  await guest.banner('offline').waitFor();
  network.mend();
  const number = await guest.placed();
  await guest.act('more');
  await guest.banner('earlier').getByText(`Your last order, ${number}, has arrived`).waitFor();
  assert.deepEqual((await tickets()).map(({ receipt }) => receipt.number), [number]);
  assert.equal(network.requestIds.length, 1);
  guest.calm();
});

guestTest('the page\'s own files are kept, whole, and nothing else', async ({ network, open }) => {
  const guest = await openKept(open);
  await guest.order('F-POTATO');
  await guest.act('history');
  await guest.page.locator('#history [data-order]').waitFor();
  const files = filesIn(await read(network, SCRIPT));
  assert.deepEqual(await keptOf(guest), { sets: 1, paths: Object.keys(files).sort() });
  for (const path of ['/', '/sdk/masterorder.js', '/sdk/offline.js', '/sdk/socket.js', '/assets/guest/main.js']) {
    assert.equal(files[path], sha256(await read(network, path)), path);
  }
  const foreign = Object.keys(files).filter((path) => !/^\/(assets\/(base\.css|guest|icon\.svg|menu\/|shared\/)|sdk\/(masterorder|offline|socket)\.js$|$)/.test(path));
  assert.deepEqual(foreign, [], 'nothing of the shop, of staff or of the lab');
});

guestTest('to a page of the network nothing is answered that was kept', async ({ network, open, table }) => {
  const guest = await openKept(open);
  network.cut();
  const answered = await guest.page.evaluate(async () => {
    const question = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"query":"{ __typename }"}' };
    const asked = {
      '/graphql': question,
      '/graphql?query={__typename}': {},
      '/v1/placements/7d793037-a076-4f4b-9d2b-3c9a1e5c8f10': {},
      '/sdk/masterorder.js': { cache: 'no-store' },
      '/assets/guest/texts.js': { cache: 'no-store' },
      '/healthz': {},
      '/': {},
    };
    const answers = Object.entries(asked).map(([path, init]) => fetch(path, init).then(() => path, () => null));
    return (await Promise.all(answers)).filter(Boolean);
  });
  assert.deepEqual(answered, []);
  for (const path of ['/staff', '/graphql', '/assets/guest/texts.js']) {
    await assert.rejects(guest.page.goto(network.url + path), /net::ERR_/, path);
  }
  // the browser's own page about the last failure may still be on its way
  await until('the page opens', () => guest.page.goto(`${network.url}/`).then(() => true, () => false));
  await guest.menu();
  assert.equal(await guest.page.locator('[data-table]').textContent(), `Table ${table.table}`, 'but the page itself opens');
  assert.deepEqual(await guest.page.evaluate(() => fetch('/graphql', { method: 'POST' }).then(() => 'answered', () => 'no')), 'no');
});

guestTest('a new version is there at once, and without a network a page is whole of the old or of the new', async ({ network, open }) => {
  const guest = await openKept(open);
  await guest.add('F-POTATO');
  const texts = (await read(network, TEXTS)).replace("'View cart'", "'View basket'");
  await renew(network, TEXTS, texts);
  network.pages[TEXTS] = served('text/javascript', texts);
  await guest.reload();
  assert.match(await guest.band.textContent(), /View basket/);
  const waits = () => guest.page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration()).waiting));
  await until('the new set waits', waits);
  assert.equal((await keptOf(guest)).sets, 2);
  network.cut();
  await guest.reload();
  assert.match(await guest.band.textContent(), /View cart/, 'the old page has the old texts');
  // nobody looks any more: the new set takes over
  const seen = async () => {
    await guest.page.goto('about:blank');
    await guest.page.goto(`${network.url}/`);
    await guest.menu();
    return guest.band.textContent();
  };
  await until('the new page has the new texts', async () => /View basket/.test(await seen()));
  await until('the old set is gone', async () => (await keptOf(guest)).sets === 1);
});

guestTest('half of a new version is not kept', async ({ network, open }) => {
  const guest = await openKept(open);
  const before = await keptOf(guest);
  // the worker is of the new server, and this file still of the old
  await renew(network, TEXTS, 'another file');
  const become = await guest.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const worker = registration.installing ?? registration.waiting;
    if (!worker) return 'redundant';
    while (worker.state === 'installing') await new Promise((changed) => (worker.onstatechange = changed));
    return worker.state;
  });
  assert.equal(become, 'redundant');
  assert.deepEqual(await keptOf(guest), before);
  network.cut();
  await guest.reload();
});

guestTest('behind a proxy without a server the page opens, and a login page is shown as it is', async ({ network, open }) => {
  const guest = await openKept(open);
  network.pages['/'] = { ...served('text/html', '<title>Bad gateway</title>'), status: 502 };
  await guest.reload();
  network.pages['/'] = served('text/html', '<title>Log in to our network</title>');
  await guest.page.reload();
  assert.equal(await guest.page.title(), 'Log in to our network');
  delete network.pages['/'];
  await guest.reload();
});

guestTest('a server that is there and silent is waited for, but not for long', async ({ house, open }) => {
  const guest = await openKept(open);
  await house.signal('SIGSTOP');
  try {
    await guest.reload();
  } finally {
    await house.signal('SIGCONT');
  }
  await guest.order('F-POTATO');
});

/** A worker as libraries make it: what could not be sent is kept, and sent when the browser says so. This one does it twice. */
const QUEUE = `
  const queue = [];
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (event.request.method !== 'POST') return;
    const kept = event.request.clone();
    event.respondWith(fetch(event.request).catch(() => {
      queue.push(kept);
      return new Response('', { status: 503 });
    }));
  });
  addEventListener('sync', (event) => event.waitUntil(replay()));
  async function replay() {
    const answers = [];
    for (const request of queue.splice(0)) {
      for (const copy of [request.clone(), request]) answers.push(await (await fetch(copy)).json());
    }
    for (const client of await clients.matchAll()) client.postMessage(answers);
  }
`;

/** AC-155. */
guestTest('a worker of somebody else that sends a kept order twice orders once', async ({ house, table, network, open, tickets }) => {
  network.pages['/queue'] = served('text/html', '<!doctype html><link rel="icon" href="data:,"><title>Queue</title>');
  network.pages['/queue.js'] = served('text/javascript', QUEUE);
  const { page } = await open({ arrive: false, serviceWorkers: 'allow' });
  await page.goto(`${network.url}/queue`);
  const browser = await page.context().newCDPSession(page);
  const registered = new Promise((resolve) => {
    browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => registrations[0] && resolve(registrations[0]));
  });
  await browser.send('ServiceWorker.enable');
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/queue.js');
    const controlled = () => navigator.serviceWorker.controller;
    if (!controlled()) await new Promise((resolve) => (navigator.serviceWorker.oncontrollerchange = resolve));
    window.answers = new Promise((resolve) => (navigator.serviceWorker.onmessage = ({ data }) => resolve(data)));
    navigator.serviceWorker.startMessages();
  });
  network.cut();
  const status = await page.evaluate(
    async ({ table, input }) => {
      const query = 'mutation PlaceOrder($input: PlaceOrderInput!) { placeOrder(input: $input) { orderId idempotentReplay } }';
      const headers = {
        'Content-Type': 'application/json',
        'X-Session-Id': table.id,
        'X-Session-PIN': table.pin,
        'X-MasterOrder-Client-Id': 'guest-7d793037-a076-4f4b-9d2b-3c9a1e5c8f10',
      };
      const body = JSON.stringify({ query, variables: { input } });
      return (await fetch('/graphql', { method: 'POST', headers, body })).status;
    },
    { table, input: { requestId: crypto.randomUUID(), lines: [house.line('F-POTATO')] } },
  );
  assert.deepEqual([status, await tickets()], [503, []]);
  network.mend();
  const { registrationId } = await registered;
  await browser.send('ServiceWorker.dispatchSyncEvent', { origin: network.url, registrationId, tag: 'orders', lastChance: false });
  const [first, second] = (await page.evaluate(() => window.answers)).map(({ data }) => data.placeOrder);
  assert.deepEqual([first.idempotentReplay, second.idempotentReplay, second.orderId], [false, true, first.orderId]);
  assert.deepEqual([(await tickets()).map(({ orderId }) => orderId), network.placements.length], [[first.orderId], 2]);
});
