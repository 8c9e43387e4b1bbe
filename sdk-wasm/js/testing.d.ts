import type { Code, Line, Order, Problem } from "./masterorder.js";

/** Opens a shop without a server: it answers what the SDK asks, in the server's forms. */
export function createFakeShop(options?: FakeShopOptions): FakeShop;

/**
 * Puts the little of a browser in place that the SDK wants, for tests that run in Node without jsdom or its like. Answers the
 * function that takes it away again. Where a browser is, it does nothing.
 */
export function enterBrowser(options?: { language?: string }): () => void;

/** The order arrives, and its answer does not come back. */
export function loseAnswer(times?: number): Step;
/** Nothing arrives: the phone has no network. */
export function offline(times?: number): Step;
/** The answer comes so many ms later. The order stands at once. */
export function slow(ms: number): Step;
/** Somebody else answers, as a proxy does with a page. Default: 502. */
export function proxyPage(status?: number, times?: number): Step;
/** The first request with this key is still at work. */
export function inProgress(times?: number): Step;
/** So many are left of the order's first item. Default: none. */
export function soldOut(left?: number): Step;
/** The shop asks whether the guest means it. */
export function possibleDuplicate(): Step;
/** A "no" that is stored under the key. `more`: what comes with it. */
export function reject(code: Code, more?: Partial<Problem>): Step;
/** A "no" that nothing is stored of. */
export function conflict(code: Code, more?: Partial<Problem>, times?: number): Step;
/** A top-level error, as in `UNAVAILABLE`. */
export function fail(code: Code, options?: { retryAfterMs?: number | null; times?: number }): Step;

/** What becomes of a placement. */
export interface Step {
  readonly act: string;
  readonly times: number;
}

export interface FakeShopOptions {
  /** What becomes of the next placements, one after the other. All others are placed. */
  script?: readonly Step[];
  /** Default: a small one of our own. */
  menu?: FakeMenu;
  /** Of `orders`. Answers speak the client's language. */
  lang?: "ja" | "en";
}

export interface FakeShop {
  /** For `createClient`, with `fetch`. */
  readonly tableSessionId: string;
  readonly pin: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly menu: FakeMenu;
  /** What was ordered, in the order in which it was: what the kitchen would cook. */
  readonly orders: readonly Order[];
  /** Everything that was asked, in the order in which it was. */
  readonly requests: readonly { readonly operation: string; readonly requestId: string | null; readonly input: object | null }[];
  /** Adds to the script. */
  script(...steps: Step[]): void;
  /** `false`: nothing gets through until `true`. */
  connect(connected: boolean): void;
  /** The party has paid. */
  checkout(): void;
  /** Moves an order through the kitchen, for who watches it. */
  move(orderId: string, state: "RECEIVED" | "COOKING" | "READY" | "SERVED" | "CANCELLED"): void;
  /** A line for `cart.add`, with the first of whatever must be chosen. Default: a piece of the first item. */
  line(itemId?: string, quantity?: number): Line;
}

/** In one language, or in both. */
export type Named = string | { ja: string; en: string };

export interface FakeTopping {
  id: string;
  sku: string;
  name: Named;
  price: { amountMinor: number; currency: string };
  available: boolean;
  soldOut: boolean;
  remaining: number | null;
}

export interface FakeItem extends FakeTopping {
  description: Named;
  imageUrl: string | null;
  allergens: string[];
  toppingGroups: { id: string; name: Named; min: number; max: number; toppings: FakeTopping[] }[];
}

/** As `readMenu` answers it. */
export interface FakeMenu {
  version: number;
  shop: { name: Named; currency: string; takesOrders: boolean };
  sections: { id: string; name: Named; items: FakeItem[] }[];
}
