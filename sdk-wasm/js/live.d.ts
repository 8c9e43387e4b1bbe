import type { Order } from "./masterorder.js";

/** Keeps the orders of a table up to date, whoever of the party ordered them. Does nothing on a server. */
export function watchOrders(options: LiveOptions): LiveOrders;

export interface LiveOptions {
  /** The GraphQL endpoint, as in `/graphql`. The socket is at `/ws` below it. */
  url: string;
  tableSessionId: string;
  pin: string;
  /** Of names. Default: the browser's, if it is one of these. */
  lang?: "ja" | "en";
  /** In place of the browser's, for reading the history. */
  fetch?: (url: string, init: RequestInit) => Promise<Pick<Response, "headers" | "json">>;
}

export interface LiveOrders {
  /** The same object until something changes. */
  state(): LiveState;
  /** Answers the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Tries at once: for a button. The page being shown again and the network coming back do so by themselves. */
  retry(): void;
  close(): void;
}

export type LiveState = {
  /** Newest first. */
  readonly orders: readonly Readonly<LiveOrder>[];
  /**
   * `live`: what is shown is what is. `polling`: no socket gets through, the history is read every few seconds. `lost`: being tried
   * again. The last two are for good: scan the QR code again.
   */
  readonly connection: "connecting" | "live" | "polling" | "lost" | "unauthenticated" | "forbidden";
  /** When the server was heard last, in ms since the epoch. */
  readonly heardAt: number | null;
};

export type LiveOrder = Order & {
  /** Only grows. */
  version: number;
  /** Where the kitchen is with it. `null` while it is pending. */
  ticket: { state: "RECEIVED" | "COOKING" | "READY" | "SERVED" | "CANCELLED" } | null;
};
