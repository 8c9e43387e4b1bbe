// The npm package before any bundler: what is in the tarball, what TypeScript makes of it, and that a server can import it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, install, pack, project } from './npm.mjs';

const FILES = [
  'LICENSE-APACHE',
  'LICENSE-MIT',
  'README.md',
  'live.d.ts',
  'live.js',
  'masterorder.d.ts',
  'masterorder.js',
  'masterorder.wasm',
  'menu.d.ts',
  'menu.js',
  'messages.d.ts',
  'messages.js',
  'offline.d.ts',
  'offline.js',
  'package.json',
  'slim.d.ts',
  'slim.js',
  'testing.d.ts',
  'testing.js',
];

test('the tarball holds these files and no other', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'masterorder-packed-'));
  t.after(() => rm(folder, { recursive: true }));
  const listed = execFileSync('tar', ['-tzf', pack(folder)], { encoding: 'utf8' });
  assert.deepEqual(listed.trim().split('\n').sort(), FILES.map((file) => `package/${file}`));
});

test('no file knows of the machine that built it, or of a source map', async (t) => {
  const folder = await install(await project(t));
  for (const file of FILES) {
    const text = await readFile(join(folder, file), 'latin1');
    assert.doesNotMatch(text, /sourceMappingURL/, file);
    for (const path of [ROOT, homedir(), '.cargo/', 'registry/src', 'xtask', '.rs:']) assert.ok(!text.includes(path), `${path} in ${file}`);
  }
});

test('the manifest names files that are there, and the version of the SDK', async (t) => {
  const folder = await install(await project(t));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const named = JSON.stringify([manifest.exports, manifest.main, manifest.types]).match(/(?<="\.\/)[\w.]+(?=")/g);
  const there = await readdir(folder);
  // the keys of `exports` are no files: `./slim`
  const keys = Object.keys(manifest.exports).map((key) => key.slice(2));
  assert.deepEqual(named.filter((file) => !there.includes(file) && !keys.includes(file)), []);
  assert.deepEqual(there.filter((file) => file.endsWith('.js') && !named.includes(file)), []);
  const [, version] = /^version = "(.*)"$/m.exec(await readFile(join(ROOT, 'sdk-wasm/Cargo.toml'), 'utf8'));
  assert.deepEqual([manifest.version, manifest.license, manifest.sideEffects, manifest.dependencies], [version, 'MIT OR Apache-2.0', false, undefined]);
});

for (const resolution of [['esnext', 'bundler'], ['nodenext', 'nodenext']]) {
  test(`the types hold under strict, as ${resolution[1]} resolves them`, async (t) => {
    const folder = await project(t);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await cp(join(ROOT, 'tests/browser/types.ts'), join(folder, 'types.ts'));
    const [module, moduleResolution] = resolution;
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2020', '--lib', 'es2020,dom', '--types', ''];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    try {
      execFileSync(tsc, [...flags, '--module', module, '--moduleResolution', moduleResolution, 'types.ts'], { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      assert.fail(error.stdout);
    }
  });
}

test('no type is `any`', async (t) => {
  const folder = await install(await project(t));
  for (const file of FILES.filter((name) => name.endsWith('.d.ts'))) {
    const code = (await readFile(join(folder, file), 'utf8')).replace(/\/\*\*.*?\*\//gs, '');
    assert.doesNotMatch(code, /\bany\b/, file);
  }
});

/** Everything that an import could set going is a trap, and the process has to end by itself. */
const ON_A_SERVER = `
  const trap = (name) => () => { throw new Error(name + ' was used'); };
  for (const name of ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask']) globalThis[name] = trap(name);
  for (const name of ['compile', 'instantiate', 'Module', 'Memory']) WebAssembly[name] = trap(name);
  const before = Reflect.ownKeys(globalThis).length;
  // a component that is drawn on a server never takes its listener back
  const draw = (cart) => {
    const listener = trap('the listener');
    cart.subscribe(listener);
    return new WeakRef(listener);
  };
  const clients = [];
  const listeners = [];
  const entries = [await import('@masterorder/sdk'), await import('@masterorder/sdk/slim')];
  for (const entry of entries) {
    if (Object.keys(entry).join() !== 'createBareClient,createClient,getVersions') throw new Error(Object.keys(entry).join());
    const client = entry.createClient({ url: '/graphql', tableSessionId: 't', pin: '0000' });
    await client.ready;
    const cart = client.cart();
    listeners.push(draw(cart));
    clients.push(client);
    cart.add({ menuItemId: 'm', price: { amountMinor: 1, currency: 'JPY' }, quantity: 1 });
    if (cart.state() !== cart.state() || cart.lines !== cart.lines || cart.lines.length > 0) throw new Error('no empty cart');
    if ((await client.resume()) !== null) throw new Error('something was left');
    const { waitForNetwork } = await import('@masterorder/sdk/offline');
    const offline = waitForNetwork(client, { tableSessionId: 't' });
    listeners.push(draw(offline));
    if (offline.state() !== offline.state() || offline.state().waiting !== null) throw new Error('something waits');
    offline.close();
  }
  for (const name of ['menu', 'messages', 'testing', 'live']) {
    const { watchOrders, createFakeShop } = await import('@masterorder/sdk/' + name);
    createFakeShop?.();
    watchOrders?.({ url: '/graphql', tableSessionId: 't', pin: '0000' }).subscribe(trap('the listener'));
  }
  await new Promise((later) => setImmediate(later));
  gc();
  if (listeners.some((listener) => listener.deref())) throw new Error('a listener is kept');
  if (Reflect.ownKeys(globalThis).length !== before) throw new Error('a global was added');
  console.log('nothing happened');
`;

test('imported on a server, no entry does anything', async (t) => {
  const folder = await project(t);
  await writeFile(join(folder, 'server.mjs'), ON_A_SERVER);
  const printed = execFileSync('node', ['--expose-gc', 'server.mjs'], { cwd: folder, encoding: 'utf8', timeout: 30_000, stdio: ['ignore', 'pipe', 'pipe'] });
  assert.equal(printed, 'nothing happened\n');
});

test('it says which version it is, for which schema, and of which commit, if of any', async (t) => {
  const folder = await install(await project(t));
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const schema = createHash('sha256').update(await readFile(join(ROOT, 'protocol/schema.graphql'))).digest('hex').slice(0, 12);
  for (const file of ['masterorder.js', 'slim.js']) {
    const { getVersions } = await import(join(folder, file));
    const { commit, ...versions } = getVersions();
    assert.deepEqual(versions, { sdk: version, schema });
    assert.ok(commit === null || /^[\da-f]{40}$/.test(commit), commit);
    assert.ok(Object.isFrozen(getVersions()));
  }
});
