// What the shop has decided, under which key, and the answers made of it. The rules are those of the contract as far as a client
// can tell; gates and the content window are the script's.

const uuid = () => crypto.randomUUID();
const sumOf = (amounts) => amounts.reduce((sum, one) => sum + one, 0);

/** In the reader's language; a menu in one language is as good. */
const said = (name, lang) => (typeof name === "string" ? name : (name[lang] ?? name.en));

/** The fields of a request in which two under one key differ. */
const differing = (one, other) =>
  ["checkoutId", "lines", "expectedTotal", "note"].filter((name) => JSON.stringify(one[name] ?? "") !== JSON.stringify(other[name] ?? ""));

const STATUS = { SESSION_CLOSED: 410, COOLDOWN_ACTIVE: 429 };
const RETRYABLE = ["DUPLICATE_PAYLOAD", "IDEMPOTENCY_IN_PROGRESS", "SESSION_ORDER_IN_PROGRESS", "COOLDOWN_ACTIVE", "SESSION_BUSY"];
const NEW_KEY = ["SOLD_OUT", "ITEM_UNAVAILABLE", "PRICE_CHANGED", "WITHDRAWN"];

const problem = (code) => ({
  code,
  status: STATUS[code] ?? 409,
  message: `scripted: ${code}`,
  retryable: RETRYABLE.includes(code),
  retryAfterMs: null,
  retryWithNewRequestId: NEW_KEY.includes(code),
});

export class Ledger {
  tableSessionId = uuid();
  open = true;
  /** In the order in which they were placed. */
  orders = [];
  #menu;
  /** What is stored under a key: `{ input, order }` or `{ input, rejection }`. */
  #outcomes = new Map();

  constructor(menu) {
    this.#menu = menu;
    this.items = menu.sections.flatMap(({ items }) => items);
  }

  item(id) {
    return this.items.find((item) => item.id === id);
  }

  knows({ requestId }) {
    return this.#outcomes.has(requestId);
  }

  /** Answers an operation other than a placement. */
  answer(operation, { requestId }, lang) {
    const newestFirst = [...this.orders].reverse();
    switch (operation) {
      case "PlacementStatus":
        return { placementStatus: this.#status(requestId, lang) };
      case "WithdrawPlacement":
        if (!this.#outcomes.has(requestId)) this.#outcomes.set(requestId, { rejection: this.#rejection("WITHDRAWN") });
        return { withdrawPlacement: this.#result(requestId, lang) };
      case "Orders":
        return { orders: { nodes: newestFirst.slice(0, 50).map((order) => this.shown(order, lang)) } };
      case "LiveOrders":
        return { orders: { nodes: newestFirst.slice(0, 100).map((order) => this.live(order, lang)) } };
      case "Menu":
        return this.#menuAnswer(lang);
      default:
        throw new Error(`the fake shop answers what the SDK asks, and not ${operation}`);
    }
  }

  /** Decides a placement as the server does. */
  place(input, lang) {
    const { requestId, checkoutId } = input;
    const stored = this.#outcomes.get(requestId);
    if (stored) {
      const fields = differing(stored.input ?? input, input);
      if (fields.length > 0) return this.conflict("IDEMPOTENCY_KEY_REUSED", { fields });
      return this.#answered(requestId, true, lang);
    }
    const earlier = this.orders.find((order) => checkoutId && order.checkoutId === checkoutId);
    if (earlier) {
      const fields = differing(earlier.input, input);
      if (fields.includes("lines") || fields.includes("note")) return this.conflict("CHECKOUT_ALREADY_PLACED", { order: this.shown(earlier, lang) });
      this.#outcomes.set(requestId, { input, order: earlier });
      return this.#answered(requestId, true, lang);
    }
    const rejection = this.#objection(input, lang);
    this.#outcomes.set(requestId, rejection ? { input, rejection } : { input, order: this.#take(input) });
    return this.#answered(requestId, false, lang);
  }

  /** Stores a "no". */
  reject(input, code, more) {
    this.#outcomes.set(input.requestId, { input, rejection: this.#rejection(code, more) });
    return this.#answered(input.requestId, false, "en");
  }

  /** Says that less is left of the first item than was asked for. */
  sellOut(input, left, lang) {
    const [{ menuItemId }] = input.lines;
    const requested = sumOf(input.lines.filter((line) => line.menuItemId === menuItemId).map(({ quantity }) => quantity));
    const shortage = { kind: "ITEM", id: menuItemId, name: said(this.item(menuItemId)?.name ?? menuItemId, lang), requested, left };
    return this.reject(input, "SOLD_OUT", { shortages: [shortage] });
  }

  /** Asks whether the guest means it, unless they said so. */
  askAgain(input, lang) {
    if (input.confirmDuplicateOf) return this.place(input, lang);
    const earlier = this.orders.at(-1) ?? this.#take({ ...input, requestId: uuid(), checkoutId: uuid() });
    return this.conflict("POSSIBLE_DUPLICATE", { order: this.shown(earlier, lang), ageMs: Date.now() - earlier.placedAtMs });
  }

  /** Says a "no" that nothing is stored of. */
  conflict(code, more = {}) {
    const result = { __typename: "PlacementConflict", ...problem(code), fields: null, ageMs: null, order: null, ...more };
    return { placeOrder: { idempotentReplay: false, result } };
  }

  /** Moves an order through the kitchen. */
  move(orderId, state) {
    const order = this.orders.find(({ id }) => id === orderId);
    if (!order) throw new Error(`there is no order ${orderId}`);
    order.version += 1;
    order.state = state;
    if (state === "CANCELLED") Object.assign(order, { status: "CANCELLED", cancelledAt: new Date().toISOString() });
  }

  /** An order as the SDK asks for it. */
  shown(order, lang) {
    const { id, requestId, number, status, placedAt, cancelledAt, input } = order;
    const { lines, total } = this.#priced(input, lang);
    return { id, requestId, number, table: "T1", status, placedAt, cancelledAt, note: input.note ?? "", total, lines };
  }

  live(order, lang) {
    return { ...this.shown(order, lang), version: order.version, ticket: { state: order.state } };
  }

  /** Why an order can not be taken; `null` if it can. */
  #objection(input, lang) {
    if (!this.open) return this.#rejection("SESSION_CLOSED");
    const off = input.lines.map(({ menuItemId }) => this.item(menuItemId)).filter((item) => !item?.available);
    if (off.includes(undefined)) throw new Error("the fake shop was asked for an item that is not on its menu");
    const named = (item, more) => ({ kind: "ITEM", id: item.id, name: said(item.name, lang), ...more });
    if (off.length > 0) return this.#rejection("ITEM_UNAVAILABLE", { items: off.map((item) => named(item)) });
    const { total, lines } = this.#priced(input, lang);
    if (input.expectedTotal && input.expectedTotal.amountMinor !== total.amountMinor) {
      const current = lines.map(({ menuItemId, name, unitPrice, lineTotal }, line) => ({ line, menuItemId, name, unitPrice, lineTotal }));
      return this.#rejection("PRICE_CHANGED", { expectedTotal: input.expectedTotal, actualTotal: total, lines: current });
    }
    const short = this.items.flatMap((item) => {
      const requested = sumOf(input.lines.filter((line) => line.menuItemId === item.id).map(({ quantity }) => quantity));
      const left = item.soldOut ? 0 : (item.remaining ?? requested);
      return requested > left ? [named(item, { requested, left })] : [];
    });
    return short.length > 0 ? this.#rejection("SOLD_OUT", { shortages: short }) : null;
  }

  #take(input) {
    const placedAtMs = Date.now();
    const order = {
      id: uuid(),
      requestId: input.requestId,
      checkoutId: input.checkoutId,
      number: this.orders.length + 1,
      status: "PLACED",
      state: "RECEIVED",
      version: 1,
      placedAtMs,
      placedAt: new Date(placedAtMs).toISOString(),
      cancelledAt: null,
      input,
    };
    this.orders.push(order);
    return order;
  }

  /** What the lines cost by the menu. */
  #priced({ lines }, lang) {
    const priced = lines.map(({ menuItemId, quantity, note, toppings }) => {
      const item = this.item(menuItemId);
      const taken = (toppings ?? []).map(({ toppingId, quantity: portions = 1 }) => {
        const topping = item.toppingGroups.flatMap((group) => group.toppings).find(({ id }) => id === toppingId);
        if (!topping) throw new Error(`${said(item.name, "en")} has no topping ${toppingId}`);
        return { toppingId, name: said(topping.name, lang), quantity: portions, unitPrice: topping.price };
      });
      const { currency } = item.price;
      const unit = sumOf([item.price.amountMinor, ...taken.map((one) => one.unitPrice.amountMinor * one.quantity)]);
      return {
        menuItemId,
        name: said(item.name, lang),
        quantity,
        note: note ?? "",
        unitPrice: { amountMinor: unit, currency },
        lineTotal: { amountMinor: unit * quantity, currency },
        toppings: taken,
      };
    });
    return { lines: priced, total: { amountMinor: sumOf(priced.map(({ lineTotal }) => lineTotal.amountMinor)), currency: priced[0].lineTotal.currency } };
  }

  #status(requestId, lang) {
    const { order, rejection } = this.#outcomes.get(requestId) ?? {};
    if (order) return { state: "PLACED", code: null, order: this.shown(order, lang) };
    return { state: rejection ? "REJECTED" : "UNKNOWN", code: rejection?.code ?? null, order: null };
  }

  #answered(requestId, idempotentReplay, lang) {
    return { placeOrder: { idempotentReplay, result: this.#result(requestId, lang) } };
  }

  #result(requestId, lang) {
    const { order, rejection } = this.#outcomes.get(requestId);
    if (rejection) return rejection;
    const shown = this.shown(order, lang);
    const { id, requestId: key, number, table, placedAt, note, total, lines } = shown;
    return { __typename: "OrderPlaced", order: shown, receipt: { id, requestId: key, number, table, placedAt, note, total, lines } };
  }

  #rejection(code, more = {}) {
    const nothing = { shortages: null, items: null, expectedTotal: null, actualTotal: null, lines: null };
    return { __typename: "OrderRejected", ...problem(code), ...nothing, ...more };
  }

  #menuAnswer(lang) {
    const { shop, version, sections } = this.#menu;
    const named = (thing) => ({ ...thing, name: said(thing.name, lang) });
    const dish = (item) => ({
      ...named(item),
      description: said(item.description, lang),
      toppingGroups: item.toppingGroups.map((group) => ({ ...named(group), toppings: group.toppings.map(named) })),
    });
    return {
      shop: named(shop),
      menu: { version, sections: sections.map((section) => ({ ...named(section), items: section.items.map(dish) })) },
    };
  }
}
