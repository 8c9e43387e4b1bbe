// The quick start of the README, as a newcomer runs it: pasted into the console of the guests' page. Code that is only shown
// is wrong within a month.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { House, device, launch } from './harness.mjs';

let browser;
let house;

before(async () => {
  house = await House.open();
  await house.start();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** Reads the marked block of a page. */
async function quickStart(file) {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [, code] = /<!-- quick-start -->\n```js\n([^]*?)```/.exec(text) ?? assert.fail(`${file} has no quick start`);
  return code;
}

/** Runs code as the console does: at the top level, with `await`. Answers what it logged. */
async function paste(page, code) {
  const logged = page.waitForEvent('console', (message) => message.type() === 'log');
  const console = await page.context().newCDPSession(page);
  const { exceptionDetails } = await console.send('Runtime.evaluate', { expression: code, replMode: true, awaitPromise: true });
  assert.equal(exceptionDetails, undefined, exceptionDetails?.exception?.description);
  return (await logged).text();
}

test('the quick start places an order, and one only', async () => {
  const code = await quickStart('README.md');
  const { id, pin } = house.tableSessions[0];
  assert.equal(code.split('"…"').length, 3, 'the table and its PIN are all there is to fill in');
  const filled = code.replace('"…"', JSON.stringify(id)).replace('"…"', JSON.stringify(pin));
  const page = await device(browser);
  await page.goto(`${house.url}/`);
  const logged = await paste(page, filled);
  const tickets = await house.tickets();
  assert.equal(tickets.length, 1);
  assert.equal(logged, `placed ${tickets[0].receipt.number}`);
});

test('every language has the same quick start', async () => {
  assert.equal(await quickStart('README.ja.md'), await quickStart('README.md'));
});
