import type { Line, Money } from "./masterorder.js";

/** Reads the menu as it is now, once. Rejects with a `ReadError`. */
export function readMenu(options: MenuOptions): Promise<Menu>;

/** Finds an item by its id. */
export function findItem(menu: Menu, id: string): MenuItem | undefined;

/** It can be ordered now, as far as this menu knows. */
export function isOrderable(thing: { available: boolean; soldOut: boolean }): boolean;

/** Makes a line for `cart.add`, or says what keeps it from being one. The server has the last word. */
export function makeLine(menu: Menu, itemId: string, wish?: Wish): { line: Line; problems: [] } | { line: null; problems: LineProblem[] };

/** Why nothing was read. `code` is the server's, as in `UNAUTHENTICATED`, or `NO_ANSWER`. */
export class ReadError extends Error {
  readonly code: string;
}

export interface MenuOptions {
  /** The GraphQL endpoint, as in `/graphql`. */
  url: string;
  tableSessionId: string;
  pin: string;
  /** Of names and messages. Default: the browser's, if it is one of these. */
  lang?: "ja" | "en";
  signal?: AbortSignal;
  /** In place of the browser's. */
  fetch?: (url: string, init: RequestInit) => Promise<Pick<Response, "headers" | "json">>;
}

export interface Wish {
  /** Default: 1. */
  quantity?: number;
  /** Portions on each piece, by the topping's id. */
  choices?: Readonly<Record<string, number>>;
  note?: string;
}

/** `message` is for the guest. */
export type LineProblem =
  /** An item or topping that is not on the menu (any more). */
  | { code: "UNKNOWN"; message: string; id: string }
  | { code: "UNAVAILABLE" | "SHORT"; message: string; of: MenuItem | Topping }
  /** The pieces, or the portions on a piece, are none that can be ordered. */
  | { code: "QUANTITY"; message: string; of: MenuItem | Topping; min: number; max: number }
  /** Too few or too many of a group. */
  | { code: "CHOOSE"; message: string; of: ToppingGroup; min: number; max: number; chosen: number };

export interface Menu {
  lang: "ja" | "en";
  shop: { name: string; currency: string; takesOrders: boolean };
  /** Counts changes of the menu; stock does not count. */
  version: number;
  sections: MenuSection[];
}

export interface MenuSection {
  id: string;
  name: string;
  items: MenuItem[];
}

export interface Topping {
  id: string;
  sku: string;
  name: string;
  /** One piece, or one portion. */
  price: Money;
  /** Switched on by the shop. */
  available: boolean;
  soldOut: boolean;
  /** `null`: nobody counts them. */
  remaining: number | null;
}

export interface MenuItem extends Topping {
  description: string;
  imageUrl: string | null;
  allergens: string[];
  toppingGroups: ToppingGroup[];
}

/** Each piece takes `min` to `max` portions of these. */
export interface ToppingGroup {
  id: string;
  name: string;
  min: number;
  max: number;
  toppings: Topping[];
}
