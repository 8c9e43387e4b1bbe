// The playground in a real browser, offline: a request for anybody but the server under test is blocked and fails the run,
// and so does every word in the console.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { House, device, launch, until } from './harness.mjs';

const TABS = ['KitchenTickets', 'Menu', 'OpenTable', 'PlaceOrder', 'PlacementStatus', 'AuditTrail', 'LiveKitchen'];
const WRONG_KEY = `mo_live_${'0'.repeat(32)}`;

let house, browser;
const contexts = [];

before(async () => {
  house = await House.open({ tables: 1 });
  await house.start();
  browser = await launch();
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** Opens the playground. `complaints` are what the console said and who else was asked. */
async function open(screen = {}) {
  const page = await device(browser, screen);
  contexts.push(page.context());
  const complaints = page.complaints;
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(house.url) || url.startsWith('data:')) return route.continue();
    complaints.push(`a request to ${url}`);
    return route.abort();
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('websocket', (socket) => {
    if (!socket.url().startsWith(house.url.replace('http', 'ws'))) complaints.push(`a socket to ${socket.url()}`);
  });
  const response = await page.goto(`${house.url}/graphql`);
  await ready(page);
  return { page, response, complaints };
}

/** Waits until GraphiQL shows the first tab. */
async function ready(page) {
  await page.locator('.graphiql-execute-button').waitFor();
  await until('the first tab', async () => (await held(page, '.graphiql-query-editor')).includes('KitchenTickets'));
}

async function giveKey(page, key) {
  await page.locator('#key').fill(key);
  await page.locator('#key').press('Enter');
}

async function useStaffKey(page) {
  await giveKey(page, house.staffKey);
  await page.locator('#forget').waitFor();
}

async function choose(page, tab) {
  await page.getByRole('tab', { name: tab, exact: true }).click();
}

async function run(page) {
  await page.locator('.graphiql-execute-button').click();
}

/** What CodeMirror holds; only the lines in view are in the document. */
async function held(page, editor) {
  return page.locator(`${editor} .CodeMirror`).first().evaluate((element) => element.CodeMirror.getValue());
}

async function variables(page) {
  return held(page, '.graphiql-editor-tool');
}

async function answer(page, fits) {
  let shown = '';
  const fitting = async () => fits((shown = await held(page, '.graphiql-response')));
  await until(`an answer that fits ${fits}`, fitting).catch((error) => {
    throw new Error(`${error.message}; it is ${shown || 'empty'}`);
  });
}

describe('the playground', () => {
  it('loads under its policy, asks nobody else and reads the schema', async () => {
    const { page, response, complaints } = await open();
    assert.equal(response.status(), 200);
    const policy = response.headers()['content-security-policy'];
    assert.match(policy, /^default-src 'none'; script-src 'nonce-[^']+'; style-src 'nonce-[^']+';/);
    assert.doesNotMatch(policy, /unsafe/);
    const titles = await page.locator('.graphiql-tab-button').allInnerTexts();
    assert.deepEqual(titles.map((title) => title.trim()), TABS);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).click();
    await page.locator('.graphiql-doc-explorer').getByText('placeOrder', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('shows what the server says to a wrong key and to no key', async () => {
    const { page } = await open();
    await giveKey(page, WRONG_KEY);
    await page.locator('#status.error').waitFor();
    const refused = await fetch(`${house.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${WRONG_KEY}` },
      body: JSON.stringify({ query: '{ shop { id } }' }),
    });
    const { errors } = await refused.json();
    assert.equal(await page.locator('#status').textContent(), errors[0].message);
    assert.ok(await page.locator('#key-form').isVisible());

    await run(page);
    await answer(page, (text) => text.includes('UNAUTHENTICATED'));
    await choose(page, 'LiveKitchen');
    await run(page);
    await answer(page, (text) => text.includes('connection_init must carry'));
  });

  it('runs queries and mutations with the key, and the prepared order is placed once', async () => {
    const { page, complaints } = await open();
    await useStaffKey(page);
    await run(page);
    await answer(page, (text) => text.includes('"kitchenTickets"'));

    await choose(page, 'OpenTable');
    await run(page);
    await answer(page, (text) => text.includes('"alreadyOpen": true'));
    await choose(page, 'PlaceOrder');
    await until('the variables are filled in', async () => !(await variables(page)).includes('<'));
    const { input } = JSON.parse(await variables(page));
    assert.equal(input.tableSessionId, house.tableSessions[0].id);
    assert.ok(house.menuItems.some((item) => item.id === input.lines[0].menuItemId));
    await run(page);
    await answer(page, (text) => text.includes('"idempotentReplay": false') && text.includes('"allowed": true'));
    await run(page);
    await answer(page, (text) => text.includes('"idempotentReplay": true'));

    for (const [tab, word] of [['PlacementStatus', '"PLACED"'], ['AuditTrail', '"placeOrder"']]) {
      await choose(page, tab);
      assert.equal(JSON.parse(await variables(page)).requestId, input.requestId);
      await run(page);
      await answer(page, (text) => text.includes(word));
    }
    assert.deepEqual(complaints, []);
  });

  it('watches the kitchen', async () => {
    const { page, complaints } = await open();
    await useStaffKey(page);
    await choose(page, 'LiveKitchen');
    await run(page);
    await answer(page, (text) => text.includes('"snapshot": true'));
    await house.order();
    await answer(page, (text) => text.includes('"snapshot": false') && text.includes('RECEIVED'));
    await run(page);
    await page.getByRole('button', { name: /Execute/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('keeps the key nowhere', async () => {
    const { page } = await open();
    await useStaffKey(page);
    await run(page);
    await answer(page, (text) => text.includes('"kitchenTickets"'));
    // GraphiQL writes down what it keeps half a second later
    await sleep(1_500);
    const found = await page.evaluate(async () => ({
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      databases: await indexedDB.databases(),
      address: location.href,
      history: JSON.stringify(history.state),
      html: document.documentElement.outerHTML,
      inputs: [...document.querySelectorAll('input, textarea')].map((element) => element.value).join(),
    }));
    assert.deepEqual([found.local, found.session, found.databases], [[], [], []]);
    assert.deepEqual(await page.context().cookies(), []);
    for (const place of ['address', 'history', 'html', 'inputs']) {
      assert.ok(!found[place].includes(house.staffKey), `the key is in the ${place}`);
    }
    await page.reload();
    await page.locator('#key-form').waitFor();
    assert.equal(await page.locator('#key').inputValue(), '');
    await ready(page);
    await run(page);
    await answer(page, (text) => text.includes('UNAUTHENTICATED'));
  });

  it('forgets the key when it is told to', async () => {
    const { page } = await open();
    await useStaffKey(page);
    await page.locator('#forget').click();
    await run(page);
    await answer(page, (text) => text.includes('UNAUTHENTICATED'));
  });

  it('speaks the language of the browser', async () => {
    const { page } = await open({ locale: 'ja-JP' });
    assert.equal(await page.locator('label[for=key]').textContent(), 'スタッフまたは連携用のキー');
    assert.match(await held(page, '.graphiql-query-editor'), /^# 厨房の伝票/);
    await useStaffKey(page);
    await choose(page, 'Menu');
    await run(page);
    await answer(page, (text) => /"name": "[^"]*[ぁ-ん]/.test(text));
  });

  it('fits a phone', async () => {
    const { page, complaints } = await open({ width: 360, height: 740 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} wide`);
    await useStaffKey(page);
    await run(page);
    await answer(page, (text) => text.includes('"kitchenTickets"'));
    assert.deepEqual(complaints, []);
  });
});
