// The SDK in a real browser against the real server: one order, one ticket, whatever thumb and network do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { openNetwork, openShop, until } from "./shop.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** As a third party would write it. The rest of the test calls what it puts on `window`. */
const page = (table, options) => `<!doctype html><meta charset="utf-8"><title>SDK</title>
<script type="module">
  import { createClient } from "/sdk/masterorder.js";
  const client = createClient({ url: "/graphql", tableSessionId: "${table.id}", pin: "${table.pin}", lang: "ja" ${options} });
  const cart = client.cart();
  window.phases = [];
  cart.subscribe(() => window.phases.push(cart.state().phase));
  // what a promise brings without its functions, which do not travel
  window.plain = (outcome) => JSON.parse(JSON.stringify(outcome));
  window.client = client;
  window.cart = cart;
  await client.ready;
  window.loaded = true;
</script>`;

let shop;
let browser;

before(async () => {
  shop = await openShop(20);
  const executablePath = process.env.MASTERORDER_CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: FLAGS });
});

after(async () => {
  await browser?.close();
  await shop?.close();
});

/** Opens the page at a table, on a phone of its own. */
async function phone(t, table, network, { options = "", prepare } = {}) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const tab = await context.newPage();
  tab.errors = [];
  tab.said = [];
  tab.on("console", (line) => tab.said.push(line.text()));
  tab.on("pageerror", (error) => tab.errors.push(String(error)));
  if (prepare) await tab.addInitScript(prepare);
  await tab.route(`${network.url}/`, (route) => route.fulfill({ contentType: "text/html", body: page(table, options) }));
  await tab.goto(network.url);
  await loaded(tab);
  return tab;
}

const loaded = (tab) => tab.waitForFunction(() => window.loaded, undefined, { timeout: 20_000 });

const line = (quantity) => ({
  menuItemId: shop.item.id,
  price: { amountMinor: shop.item.priceMinor, currency: "JPY" },
  quantity,
});

const add = (tab, quantity = 1) => tab.evaluate((line) => window.cart.add(line), line(quantity));
const submit = (tab) => tab.evaluate(async () => window.plain(await window.cart.submit()));

async function setUp(t) {
  const network = await openNetwork(shop.port);
  t.after(() => network.close());
  return { table: shop.table(), network };
}

test("ten taps are one promise, one request and one ticket", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  const [outcomes, promises] = await tab.evaluate(async () => {
    const taps = Array.from({ length: 10 }, () => window.cart.submit());
    return [window.plain(await Promise.all(taps)), new Set(taps).size];
  });
  assert.equal(promises, 1);
  assert.deepEqual([...new Set(outcomes.map((outcome) => outcome.kind))], ["placed"]);
  assert.equal(outcomes[0].replay, false);
  assert.equal(outcomes[0].order.lines[0].quantity, 1);
  assert.equal(network.placing, 1);
  assert.equal(await shop.tickets(table), 1);
  const state = await tab.evaluate(() => ({ ...window.cart.state(), lines: window.cart.lines, total: window.cart.total }));
  assert.deepEqual([state.phase, state.locked, state.persistent], ["done", false, true]);
  assert.deepEqual([state.lines, state.total], [[], null]);
  assert.deepEqual(tab.errors, []);
});

test("an answer that is lost after the commit is found, and never looks like a failure", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  network.drop = 1;
  const outcome = await submit(tab);
  assert.deepEqual([outcome.kind, outcome.replay], ["placed", true]);
  assert.equal(network.drop, 0);
  assert.equal(await shop.tickets(table), 1);
  assert.ok(!(await tab.evaluate(() => window.phases)).includes("failed"));
});

test("a proxy's page instead of the answer is no answer", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  let spoiled = 0;
  await tab.route("**/graphql", async (route) => {
    const response = await route.fetch();
    if (spoiled++ > 0) return route.fulfill({ response });
    return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
  });
  const outcome = await submit(tab);
  assert.deepEqual([outcome.kind, outcome.replay], ["placed", true]);
  assert.equal(await shop.tickets(table), 1);
});

test("a page that is reloaded while its order is on its way finds it again", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab, 2);
  network.hold = true;
  await tab.evaluate(() => void window.cart.submit());
  await until("the answer is on its way", () => network.held > 0);
  network.hold = false;
  await tab.reload();
  await loaded(tab);
  const before = await tab.evaluate(() => ({ locked: window.cart.state().locked, lines: window.cart.lines.length }));
  assert.deepEqual(before, { locked: true, lines: 1 });
  const outcome = await tab.evaluate(async () => window.plain(await window.client.resume()));
  assert.deepEqual([outcome.kind, outcome.replay], ["placed", true]);
  assert.equal(outcome.order.lines[0].quantity, 2);
  assert.equal(await shop.tickets(table), 1);
  assert.equal(await tab.evaluate(() => window.client.resume()), null);
});

/** A first phone orders, a second one orders the same. */
async function twice(t) {
  const { table, network } = await setUp(t);
  const first = await phone(t, table, network);
  await add(first);
  assert.equal((await submit(first)).kind, "placed");
  const second = await phone(t, table, network);
  await add(second);
  return { table, second };
}

test("a second phone with the same order is asked, and yes makes a second ticket", async (t) => {
  const { table, second } = await twice(t);
  const [asked, answered] = await second.evaluate(async () => {
    const asked = await window.cart.submit();
    return [window.plain(asked), window.plain(await asked.confirm())];
  });
  assert.equal(asked.kind, "possibleDuplicate");
  assert.match(asked.message, /^同じご注文が\d+秒前に入っています。もう一度注文しますか？$/);
  assert.deepEqual([answered.kind, answered.replay], ["placed", false]);
  assert.equal(await shop.tickets(table), 2);
});

test("a second phone with the same order is asked, and no makes none", async (t) => {
  const { table, second } = await twice(t);
  const [asked, answered] = await second.evaluate(async () => {
    const asked = await window.cart.submit();
    return [window.plain(asked), window.plain(await asked.decline())];
  });
  assert.equal(asked.kind, "possibleDuplicate");
  assert.deepEqual([answered.kind, answered.code], ["rejected", "WITHDRAWN"]);
  assert.equal(await shop.tickets(table), 1);
  assert.equal(await second.evaluate(() => window.cart.lines.length), 1, "the cart can be edited and ordered again");
});

test("the question survives a reload and sends nothing by itself", async (t) => {
  const { table, second } = await twice(t);
  assert.equal((await submit(second)).kind, "possibleDuplicate");
  await second.reload();
  await loaded(second);
  const asked = await second.evaluate(async () => window.plain(await window.client.resume()));
  assert.equal(asked.kind, "possibleDuplicate");
  assert.equal(await shop.tickets(table), 1);
});

test("without storage everything works, and says that a reload would forget", async (t) => {
  const { table, network } = await setUp(t);
  const prepare = () => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    }
  };
  const tab = await phone(t, table, network, { prepare });
  await add(tab);
  assert.equal(await tab.evaluate(() => window.cart.state().persistent), false);
  assert.equal((await submit(tab)).kind, "placed");
  assert.equal(await shop.tickets(table), 1);
});

test("storage that is full moves everything into memory", async (t) => {
  const { table, network } = await setUp(t);
  const prepare = () => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  };
  const tab = await phone(t, table, network, { prepare });
  await add(tab);
  assert.equal(await tab.evaluate(() => window.cart.state().persistent), false);
  assert.equal((await submit(tab)).kind, "placed");
  assert.equal(await shop.tickets(table), 1);
});

test("where there are no locks of the browser two clients of a page still send once", async (t) => {
  const { table, network } = await setUp(t);
  const prepare = () => Object.defineProperty(navigator, "locks", { value: undefined });
  const tab = await phone(t, table, network, { prepare });
  await add(tab);
  const kinds = await tab.evaluate(async ({ id, pin }) => {
    const { createClient } = await import("/sdk/masterorder.js");
    const other = createClient({ url: "/graphql", tableSessionId: id, pin, lang: "ja" });
    await other.ready;
    const outcomes = await Promise.all([window.cart.submit(), other.cart().submit()]);
    return outcomes.map((outcome) => outcome.kind);
  }, table);
  assert.ok(kinds.includes("placed"), kinds.join());
  assert.equal(await shop.tickets(table), 1);
});

test("another tab of the same phone sees the cart and joins the order", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  const other = await tab.context().newPage();
  await other.route(`${network.url}/`, (route) => route.fulfill({ contentType: "text/html", body: page(table, "") }));
  await other.goto(network.url);
  await loaded(other);
  assert.equal(await other.evaluate(() => window.cart.lines.length), 1);
  const outcomes = await Promise.all([submit(tab), submit(other)]);
  assert.ok(outcomes.some((outcome) => outcome.kind === "placed"), JSON.stringify(outcomes));
  assert.equal(await shop.tickets(table), 1);
  await until("the other tab shows the empty cart", () => other.evaluate(() => window.cart.lines.length === 0));
});

test("a module that dies is rebuilt from what is stored, and the promise is kept", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  network.hold = true;
  await tab.evaluate(() => void (window.outcome = window.cart.submit()));
  await until("the answer is on its way", () => network.held > 0);
  network.hold = false;
  const outcome = await tab.evaluate(async () => {
    const real = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = () => {
      crypto.getRandomValues = real;
      throw new Error("a trap");
    };
    window.dispatchEvent(new Event("storage"));
    return window.plain(await window.outcome);
  });
  assert.deepEqual([outcome.kind, outcome.replay], ["placed", true]);
  assert.ok(tab.said.some((text) => text.includes("the module stopped")), "it did die");
  assert.equal(await shop.tickets(table), 1);
});

test("a cart is edited after an unknown answer only once that order is given up", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  await add(tab);
  network.hold = true;
  await tab.evaluate(() => void (window.outcome = window.cart.submit()));
  await until("the answer is on its way", () => network.held > 0);
  network.hold = false;
  await add(tab, 5);
  assert.equal(await tab.evaluate(() => window.cart.lines[0].quantity), 1, "locked");
  // the order was faster: giving it up finds it
  const [withdrawn, submitted] = await tab.evaluate(async () => {
    const both = [window.cart.withdraw(), window.outcome];
    return window.plain(await Promise.all(both));
  });
  assert.deepEqual([withdrawn.kind, submitted.kind], ["placed", "placed"]);
  assert.equal(await shop.tickets(table), 1);
});

test("what the page does wrong is thrown at its author, what the guest does is an outcome", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  assert.deepEqual(
    await tab.evaluate(async () => window.plain(await window.cart.submit())),
    { kind: "blocked", code: "CART_EMPTY", message: "カートに商品がありません" },
  );
  const thrown = await tab.evaluate((line) => {
    const tries = [() => window.cart.add({}), () => window.cart.add({ ...line, quantity: 0 }), () => window.cart.setQuantity(3, 1)];
    return tries.map((one) => {
      try {
        one();
        return "nothing";
      } catch (error) {
        return error.name;
      }
    });
  }, line(1));
  assert.deepEqual(thrown, ["TypeError", "RangeError", "RangeError"]);
  await add(tab);
  const aborted = await tab.evaluate(async () => window.plain(await window.cart.submit({ signal: AbortSignal.abort() })));
  assert.equal(aborted.code, "ABORTED");
  assert.equal(network.placing, 0);
});

test("a price that changed is told with both prices", async (t) => {
  const { table, network } = await setUp(t);
  const tab = await phone(t, table, network);
  const outcome = await tab.evaluate(async (line) => {
    line.price.amountMinor -= 1;
    window.cart.add(line);
    return window.plain(await window.cart.submit());
  }, line(1));
  assert.deepEqual([outcome.kind, outcome.code], ["rejected", "PRICE_CHANGED"]);
  const price = shop.item.priceMinor;
  assert.ok(outcome.message.endsWith(`の価格が${price - 1}円から${price}円に変わりました`), outcome.message);
  assert.equal(await shop.tickets(table), 0);
});
