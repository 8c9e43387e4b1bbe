// The snippets of the package's README for the entries beside the client: run as they stand there, in Node, at a fake shop.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, project } from './npm.mjs';

/** Reads a snippet by its name. */
async function snippet(name) {
  const text = await readFile(join(ROOT, 'sdk-wasm/npm/README.md'), 'utf8');
  const [, code] = new RegExp(`^\`\`\`mjs ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? assert.fail(`no snippet ${name}`);
  return code;
}

/** A browser and a shop around it; the page's own fetch is the shop's. */
const AROUND = `
import { createFakeShop as openShop, enterBrowser as enter } from '@masterorder/sdk/testing';
enter({ language: 'ja' });
const around = openShop();
const [, ramen] = around.menu.sections[0].items;
globalThis.fetch = around.fetch;
const known = [around.tableSessionId, around.pin, ramen.id, ramen.toppingGroups[0].toppings[1].id];
`;

/** Runs a snippet, with what it leaves open filled in and more after it. Answers what it printed. */
async function run(t, name, after = '', before = '') {
  const folder = await project(t);
  let filled = 0;
  // a key of an object has to be computed
  const code = (await snippet(name)).replace(/\{ "…":/g, '{ ["…"]:').replaceAll('"…"', () => `known[${filled++}]`);
  await writeFile(join(folder, 'snippet.mjs'), `${AROUND}${before}\n${code}\n${after}\nsetTimeout(() => process.exit(), 100);`);
  return execFileSync('node', ['snippet.mjs'], { cwd: folder, encoding: 'utf8', timeout: 30_000, stdio: ['ignore', 'pipe', 'inherit'] });
}

test('the menu is read, and the line is in the cart', async (t) => {
  const printed = await run(t, 'menu', `
    while (cart.lines.length === 0) await new Promise((later) => setTimeout(later, 10));
    console.log('cart', cart.lines.length, cart.total.amountMinor);
    console.log(makeLine(menu, known[2]).problems[0].message);`);
  assert.match(printed, /^枝豆 380 true\n醤油ラーメン 850 true\n刺身盛り合わせ 1580 false\nおでん 680 false\ncart 1 1700\n/);
  assert.ok(printed.includes(await snippet('menu').then((code) => /\/\/ (麺.*)/.exec(code)[1])), printed);
});

test('the orders of the table are told', async (t) => {
  const order = `
    const body = JSON.stringify({ query: 'mutation PlaceOrder', variables: { input: { requestId: crypto.randomUUID(), lines: [around.line()] } } });
    await around.fetch('', { body, headers: { 'X-Session-Id': known[0], 'X-Session-PIN': known[1] } });`;
  const printed = await run(t, 'live', 'await new Promise((later) => setTimeout(later, 3000));', `delete globalThis.WebSocket;${order}`);
  assert.match(printed, /^polling 1 RECEIVED$/m);
});

test('what is confirmed without a network waits, and is sent', async (t) => {
  const before = `
    Object.defineProperty(navigator, 'onLine', { value: false, writable: true });
    const found = () => {
      console.log('asked', around.requests.length);
      navigator.onLine = true;
      window.dispatchEvent(new Event('online'));
    };
    setTimeout(found, 500);`;
  const printed = await run(t, 'offline', '', before);
  assert.match(printed, /^Sent by itself until .*\nasked 0\nplaced 1\n$/);
});

test('own words are said, and what happens is told', async (t) => {
  const lines = (await run(t, 'messages')).trim().split('\n');
  assert.deepEqual(lines.map((line) => line.split(' ')[0]), ['tap', 'settled', 'まずは一品お選びください']);
  assert.match(lines[1], /^settled null 0 \d+ CART_EMPTY$/);
});

test('the test passes, and fails with another script', async (t) => {
  const folder = await project(t);
  const code = await snippet('testing');
  const passes = async (text) => {
    await writeFile(join(folder, 'own.test.mjs'), text);
    // not as a part of this run
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    try {
      execFileSync('node', ['--test', 'own.test.mjs'], { cwd: folder, env, encoding: 'utf8', timeout: 60_000, stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  };
  assert.equal(await passes(code), true);
  assert.equal(await passes(code.replace('inProgress(2)', 'inProgress(1)')), false);
});
