// What every browser test needs: the real server on a SQLite file of its own, a shop, and Chromium. The network between
// them is in network.mjs. `cargo xtask test --only browser` sets MASTERORDER_BIN and MASTERORDER_CHROMIUM.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const BINARY = required('MASTERORDER_BIN');
const CHROMIUM = required('MASTERORDER_CHROMIUM');
/** Generous: a busy machine with two cores. */
export const DEADLINE_MS = 30_000;

function required(variable) {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run \`cargo xtask test --only browser\``);
  return value;
}

/** Waits until `probe` answers something truthy, and answers that. */
export async function until(what, probe, deadlineMs = DEADLINE_MS) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await sleep(25);
  }
}

/** Runs a command of the program to its end, and answers what it printed. */
async function run(...commandLine) {
  const child = spawn(BINARY, commandLine, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let said = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${commandLine[0]} ended with ${code}: ${printed}${said}`);
  return printed;
}

/** Answers a port that nobody listens on. */
export async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A shop with its database and, while it runs, its server. */
export class House {
  #folder;
  #server = null;
  #log = '';

  /** Seeds a shop with tables T1, T2, … */
  static async open({ tables = 6 } = {}) {
    const house = new House();
    house.#folder = await mkdtemp(join(tmpdir(), 'masterorder-browser-'));
    const seeded = await run('seed-demo', '--json', '--tables', String(tables), '--database-url', house.database);
    Object.assign(house, JSON.parse(seeded));
    house.port = await freePort();
    return house;
  }

  /** The database's URL. */
  get database() {
    return `sqlite://${join(this.#folder, 'masterorder.db')}`;
  }

  /** Starts the server and waits until it answers. */
  async start(port = this.port) {
    const server = spawn(BINARY, ['serve', '--listen', `127.0.0.1:${port}`, '--database-url', this.database], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    const listen = (chunk) => (this.#log += chunk);
    server.stdout.on('data', listen);
    server.stderr.on('data', listen);
    await until('the server answers', async () => {
      if (server.exitCode !== null) throw new Error(`the server ended: ${this.#log}`);
      return fetch(`${this.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
    });
    // a test is quicker than any guest
    await this.ask(this.staffKey, 'mutation { setOrderingPolicy(input: { cooldownMs: 0 }) { shop { id } } }');
  }

  /** Sends the server a signal: SIGKILL is a crash, SIGSTOP a server that is there and silent. */
  async signal(name) {
    const server = this.#server;
    const ended = once(server, 'close');
    server.kill(name);
    if (name === 'SIGKILL' || name === 'SIGTERM') {
      await ended;
      this.#server = null;
    }
  }

  /** Ends everything, holds the database against the ledger's rules, and removes it. */
  async close() {
    if (this.#server) {
      this.#server.kill('SIGCONT');
      await this.signal('SIGKILL');
    }
    const checked = await run('doctor', '--database-url', this.database);
    if (!checked.includes('the ledger holds')) throw new Error(checked);
    await rm(this.#folder, { recursive: true });
  }

  /** Runs an operation with a key and answers its data. */
  async ask(key, query, variables = {}) {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, variables }),
    });
    const answer = await response.json();
    if (answer.errors) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  }

  /**
   * Places an order for the table at `table`, by the key that no gate slows down. Answers its payload.
   *
   * @param {object[] | undefined} lines what is ordered; by default one piece of the first item
   */
  async order({ table = 0, requestId = crypto.randomUUID(), lines, note } = {}) {
    const input = {
      requestId,
      tableSessionId: this.tableSessions[table].id,
      lines: lines ?? [this.line(this.menuItems[0].sku)],
      note,
    };
    const query = `mutation($input: PlaceOrderInput!) { placeOrder(input: $input) {
      orderId idempotentReplay result { ... on OrderPlaced { receipt { number table } } ... on PlacementProblem { code } } } }`;
    const { placeOrder } = await this.ask(this.integratorKey, query, { input });
    if (!placeOrder.orderId) throw new Error(JSON.stringify(placeOrder));
    return placeOrder;
  }

  /** Makes a line by the item's and the toppings' codes. */
  line(sku, quantity = 1, { toppings = [], note } = {}) {
    const item = this.menuItems.find((entry) => entry.sku === sku);
    const topping = ([name, pieces]) => ({
      toppingId: item.toppings.find((entry) => entry.name === name).id,
      quantity: pieces,
    });
    return { menuItemId: item.id, quantity, note, toppings: toppings.map(topping) };
  }

  /** Makes the menu what a CSV says. */
  async importMenu(csv) {
    const file = join(this.#folder, 'menu.csv');
    await writeFile(file, csv);
    await run('menu', 'import', file, '--database-url', this.database);
  }

  /** Reads how many pieces of an item are left. */
  async remaining(sku) {
    const { menu } = await this.ask(this.staffKey, '{ menu { sections { items { sku remaining } } } }');
    return menu.sections.flatMap(({ items }) => items).find((item) => item.sku === sku).remaining;
  }

  /** Reads all tickets, as the database has them. */
  async tickets() {
    const query = `{ kitchenTickets(states: [RECEIVED, COOKING, READY, SERVED, CANCELLED]) {
      id orderId state version receipt { number table } } }`;
    return (await this.ask(this.staffKey, query)).kitchenTickets;
  }
}

/** A name of this machine that browsers do not trust as they trust 127.0.0.1: a page from there has no secure context. */
export const PLAIN_HOST = 'sakaba.test';

/**
 * Starts Chromium.
 *
 * @param {{ backForwardCache?: boolean }} options Playwright switches the cache off, which guests' browsers have
 */
export function launch({ backForwardCache = false } = {}) {
  return chromium.launch({
    executablePath: CHROMIUM,
    ignoreDefaultArgs: backForwardCache ? ['--disable-back-forward-cache'] : [],
    args: [
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=user-gesture-required',
    ],
  });
}

/**
 * Opens a device of its own: nothing is shared with other devices. Whatever the page complains of fails the test.
 *
 * @param {{ serviceWorkers?: 'block' | 'allow' }} options a worker loads every file a second time: only for tests that are about it
 */
export async function device(browser, options = {}) {
  const { width = 1280, height = 800, locale = 'en-GB', ignoreHTTPSErrors = false, serviceWorkers = 'block' } = options;
  const context = await browser.newContext({ viewport: { width, height }, locale, ignoreHTTPSErrors, serviceWorkers });
  context.setDefaultTimeout(DEADLINE_MS);
  return listen(await context.newPage(), []);
}

/** Writes down what a page complains of. */
export function listen(page, complaints) {
  page.complaints = complaints;
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // a network that is cut on purpose is no fault of the page
    const expected = /net::ERR_|WebSocket connection|Failed to load resource/;
    if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text());
  });
  return page;
}
