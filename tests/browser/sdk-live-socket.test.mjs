// The entry `./live` without any network: what a socket can say, and what is made of it.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import esbuild from 'esbuild';
import { until } from './harness.mjs';
import { watchOrders } from '../../sdk-wasm/pkg/live.js';
import { createFakeShop, enterBrowser } from '../../sdk-wasm/pkg/testing.js';

/** Opens the orders of a fake shop's table; its sockets are the test's. */
function watching(t, more = {}) {
  const leave = enterBrowser();
  const sockets = [];
  globalThis.WebSocket = class {
    readyState = 1;
    sent = [];

    constructor(url, protocol) {
      Object.assign(this, { url, protocol });
      sockets.push(this);
    }

    send(text) {
      this.sent.push(JSON.parse(text));
    }

    close() {
      this.readyState = 3;
    }

    say(message) {
      this.onmessage({ data: JSON.stringify(message) });
    }
  };
  const shop = createFakeShop();
  const live = watchOrders({ url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, lang: 'ja', fetch: shop.fetch, ...more });
  t.after(() => {
    live.close();
    leave();
    delete globalThis.WebSocket;
  });
  const next = (count) => until(`socket ${count}`, () => sockets[count - 1]);
  return { shop, live, sockets, next };
}

/** Brings a socket as far as its snapshot. */
function welcome(socket, orders = []) {
  socket.onopen();
  socket.say({ type: 'connection_ack' });
  socket.say({ id: '1', type: 'next', payload: { data: { tableSessionOrders: { snapshot: true, removed: [], orders } } } });
}

const order = (id, version) => ({ id, version, number: 1, placedAt: '2026-01-01T00:00:00.000Z' });
const say = (socket, news) =>
  socket.say({ id: '1', type: 'next', payload: { data: { tableSessionOrders: { snapshot: false, removed: [], orders: [], ...news } } } });

test('the credentials go into connection_init, and into no address', async (t) => {
  const { shop, live, sockets: [socket] } = watching(t);
  assert.deepEqual([socket.url, socket.protocol], ['ws://localhost/graphql/ws', 'graphql-transport-ws']);
  welcome(socket);
  const [init, subscribe] = socket.sent;
  assert.deepEqual([init.type, init.payload['X-Session-Id'], init.payload['X-Session-PIN'], init.payload['Accept-Language']], ['connection_init', shop.tableSessionId, shop.pin, 'ja']);
  assert.match(init.payload['X-MasterOrder-Client-Id'], /^guest-/);
  assert.match(subscribe.payload.query, /^subscription TableOrders/);
  assert.equal(live.state().connection, 'live');
  socket.say({ type: 'ping' });
  assert.deepEqual(socket.sent.at(-1), { type: 'pong' });
});

test('the highest version wins; what is removed goes; a snapshot forgets the rest', async (t) => {
  const { live, sockets: [socket], next } = watching(t);
  const shown = () => live.state().orders.map(({ id, version }) => `${id}${version}`).sort().join(' ');
  welcome(socket, [order('a', 1), order('b', 3)]);
  say(socket, { orders: [order('a', 2), order('b', 2), order('c', 1)] });
  assert.equal(shown(), 'a2 b3 c1');
  say(socket, { removed: ['c'] });
  assert.equal(shown(), 'a2 b3');
  socket.onclose({ code: 1001 });
  assert.equal(live.state().connection, 'lost');
  assert.equal(shown(), 'a2 b3', 'what was known stays on the screen');
  welcome(await next(2), [order('b', 4)]);
  assert.equal(shown(), 'b4');
});

for (const code of [4401, 4403]) {
  test(`${code} is for good if the credentials are not valid`, async (t) => {
    const { live, sockets: [socket], sockets } = watching(t, { pin: '9999' });
    socket.onclose({ code });
    await until('it is over', () => live.state().connection === 'unauthenticated');
    window.dispatchEvent(new Event('online'));
    await new Promise((later) => setTimeout(later, 700));
    assert.equal(sockets.length, 1);
  });

  test(`${code} is tried again if it was said for another reason`, async (t) => {
    const { live, sockets: [socket], next } = watching(t);
    socket.onclose({ code });
    welcome(await next(2));
    assert.equal(live.state().connection, 'live');
  });
}

test('coming back to the page asks for a sign of life, or tries at once', async (t) => {
  const { sockets: [socket], sockets, live } = watching(t);
  welcome(socket);
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.equal(socket.sent.at(-1).type, 'subscribe', 'nobody looks');
  document.visibilityState = 'visible';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(socket.sent.at(-1), { type: 'ping' });
  socket.onclose({ code: 1006 });
  window.dispatchEvent(new Event('online'));
  assert.equal(sockets.length, 2);
  const restored = Object.assign(new Event('pageshow'), { persisted: true });
  window.dispatchEvent(restored);
  assert.equal(sockets.length, 3);
  assert.equal(live.state().connection, 'lost');
  welcome(sockets[2]);
  window.dispatchEvent(new Event('offline'));
  assert.equal(live.state().connection, 'lost');
});

test('silence is a loss', async (t) => {
  t.mock.timers.enable(['setTimeout', 'setInterval']);
  const { live, sockets: [socket] } = watching(t);
  welcome(socket);
  t.mock.timers.tick(10_000);
  assert.deepEqual(socket.sent.at(-1), { type: 'ping' });
  socket.say({ type: 'pong' });
  t.mock.timers.tick(6_000);
  assert.equal(live.state().connection, 'live');
  t.mock.timers.tick(4_000);
  t.mock.timers.tick(6_000);
  assert.equal(live.state().connection, 'lost');
});

test('a quiet feed that is lost was heard until its last sign of life', (t) => {
  let now = 1_000;
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  t.mock.method(Date, 'now', () => now);
  const { live, sockets: [socket] } = watching(t);
  welcome(socket);
  assert.equal(live.state().heardAt, 1_000);
  now = 9_000;
  t.mock.timers.tick(10_000);
  socket.say({ type: 'pong' });
  now = 12_000;
  socket.onclose({ code: 1006 });
  assert.deepEqual([live.state().connection, live.state().heardAt], ['lost', 9_000]);
});

test('while sockets fail, what the history says is shown', async (t) => {
  const { live, sockets: [socket], next, shop } = watching(t);
  const place = { query: 'mutation PlaceOrder', variables: { input: { requestId: crypto.randomUUID(), lines: [{ ...shop.line(), price: undefined }] } } };
  const headers = { 'X-Session-Id': shop.tableSessionId, 'X-Session-PIN': shop.pin };
  await shop.fetch('/graphql', { body: JSON.stringify(place), headers });
  socket.onclose({ code: 1006 });
  (await next(2)).onclose({ code: 1006 });
  await until('it reads', () => live.state().connection === 'polling');
  assert.deepEqual(live.state().orders.map(({ id, version }) => [id, version]), [[shop.orders[0].id, 1]]);
  shop.connect(false);
  live.retry();
  await until('it is lost', () => live.state().connection === 'lost');
});

test('the pause is spread over all of a doubling bound', async () => {
  const file = fileURLToPath(new URL('../../sdk-wasm/js/socket.js', import.meta.url));
  const { outputFiles } = await esbuild.build({ entryPoints: [file], bundle: true, format: 'esm', write: false });
  const { pauseMs } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map((attempt) => pauseMs(attempt, () => 1)), [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.deepEqual([0, 5].map((attempt) => pauseMs(attempt, () => 0)), [0, 0]);
});
