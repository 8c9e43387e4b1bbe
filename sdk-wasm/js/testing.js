// A shop without a server, for the tests of an app: it answers what the SDK asks, in the server's forms, and does to the next
// placements what a script says.

import { MENU } from "./testing/menu.js";
import { answered, broken, page, refused } from "./testing/answers.js";
import { Ledger } from "./testing/ledger.js";

export { enterBrowser } from "./testing/browser.js";

const step = (act, more) => Object.freeze({ act, times: 1, ...more });

/** The order arrives, and its answer does not come back. */
export const loseAnswer = (times = 1) => step("loseAnswer", { times });
/** Nothing arrives: the phone has no network. */
export const offline = (times = 1) => step("offline", { times });
/** The answer comes so many ms later. The order stands at once. */
export const slow = (ms) => step("slow", { ms });
/** Somebody else answers, as a proxy does with a page. */
export const proxyPage = (status = 502, times = 1) => step("page", { status, times });
/** The shop says no, and stores that. */
export const reject = (code, more = {}) => step("reject", { code, more });
/** The shop says no, and stores nothing. */
export const conflict = (code, more = {}, times = 1) => step("conflict", { code, more, times });
/** The server can not: a top-level error. */
export const fail = (code, { retryAfterMs = null, times = 1 } = {}) => step("fail", { code, retryAfterMs, times });
/** The first request with this key is still at work. */
export const inProgress = (times = 1) => conflict("IDEMPOTENCY_IN_PROGRESS", {}, times);
/** Of the first item of the order, so many are left. */
export const soldOut = (left = 0) => step("soldOut", { left });
/** The same was ordered a moment ago: an order of the shop, or one that it makes up. */
export const possibleDuplicate = () => step("possibleDuplicate");

const OPERATION = /^\s*(?:query|mutation|subscription)\s+(\w+)/;

/** Opens a shop. */
export function createFakeShop({ script = [], menu = MENU, lang: fallback = "en" } = {}) {
  const ledger = new Ledger(menu);
  const requests = [];
  let steps = [];
  let connected = true;

  const shop = {
    tableSessionId: ledger.tableSessionId,
    pin: "0000",
    requests,
    menu,
    get orders() {
      return ledger.orders.map((order) => ledger.shown(order, fallback));
    },
    script(...more) {
      steps = [...steps, ...more.flatMap((one) => Array.from({ length: one.times }, () => one))];
    },
    connect(yes) {
      connected = yes;
    },
    checkout() {
      ledger.open = false;
    },
    move: (orderId, state) => ledger.move(orderId, state),
    line(itemId = ledger.items[0].id, quantity = 1) {
      const item = ledger.item(itemId);
      const toppings = item.toppingGroups.flatMap(({ min, toppings: [first] }) =>
        min > 0 ? [{ toppingId: first.id, price: first.price, quantity: min }] : [],
      );
      return { menuItemId: item.id, price: item.price, quantity, toppings };
    },
    fetch: async (_url, { body, headers, signal }) => {
      const { query, variables = {} } = JSON.parse(body);
      const [, operation] = OPERATION.exec(query) ?? [];
      const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const lang = sent.get("accept-language")?.startsWith("ja") ? "ja" : (sent.get("accept-language")?.slice(0, 2) ?? fallback);
      const requestId = variables.input?.requestId ?? variables.requestId ?? null;
      requests.push({ operation, requestId, input: variables.input ?? null });
      if (signal?.aborted) throw broken(signal);
      if (!connected) throw broken();
      if (sent.get("x-session-id") !== shop.tableSessionId || sent.get("x-session-pin") !== shop.pin) return refused("UNAUTHENTICATED");
      if (operation !== "PlaceOrder") return answered(ledger.answer(operation, variables, lang));
      return place(variables.input, lang, signal);
    },
  };

  async function place(input, lang, signal) {
    const now = steps[0];
    // what is decided under a key stays decided, whatever the script has for the next one
    const decides = ["reject", "conflict", "soldOut", "possibleDuplicate"].includes(now?.act);
    if (!now || (decides && ledger.knows(input))) return answered(ledger.place(input, lang));
    steps = steps.slice(1);
    switch (now.act) {
      case "loseAnswer":
        ledger.place(input, lang);
        throw broken();
      case "offline":
        throw broken();
      case "slow": {
        const answer = answered(ledger.place(input, lang));
        await new Promise((later, never) => {
          const timer = setTimeout(later, now.ms);
          signal?.addEventListener("abort", () => never(broken(signal, clearTimeout(timer))));
        });
        return answer;
      }
      case "page":
        return page(now.status);
      case "fail":
        return refused(now.code, now.retryAfterMs);
      case "reject":
        return answered(ledger.reject(input, now.code, now.more));
      case "soldOut":
        return answered(ledger.sellOut(input, now.left, lang));
      case "possibleDuplicate":
        return answered(ledger.askAgain(input, lang));
      case "conflict":
        return answered(ledger.conflict(now.code, now.more));
    }
  }

  shop.script(...script);
  return Object.freeze(shop);
}
