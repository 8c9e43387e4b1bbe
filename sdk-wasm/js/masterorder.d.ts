/** Opens a client for one table session. Does nothing on a server. */
export function createClient(options: ClientOptions): Client;

/** The same without texts of its own: all are the page's, and a bundler leaves ours out. What is missing is said in the server's words. */
export function createBareClient(options: ClientOptions & { messages: Messages }): Client;

/** What this is. */
export function getVersions(): Versions;

export interface Versions {
  /** Of the package. */
  readonly sdk: string;
  /** The schema that it was built for: how the SHA-256 of the server's `/schema.graphql` begins, 12 hexadecimal digits. */
  readonly schema: string;
  /** `null`: it was not built from a commit as it is. */
  readonly commit: string | null;
}

export interface ClientOptions {
  /** The GraphQL endpoint, as in `/graphql`. */
  url: string;
  tableSessionId: string;
  pin: string;
  /** Of messages and names. Default: the browser's, if it is one of these. */
  lang?: "ja" | "en";
  /** Shared by all tabs. Default: localStorage. `null`: nothing outlives the page. */
  storage?: Storage | null;
  /** Texts of the page's own, in place of ours. */
  messages?: Messages;
  /** For measuring: called after what it tells of. Nothing in it says who orders, or what. */
  onEvent?: (event: ClientEvent) => void;
  /** In place of the browser's. Whatever it rejects with, nobody knows whether the order arrived. */
  fetch?: (url: string, init: RequestInit) => Promise<Pick<Response, "headers" | "json">>;
}

/** By code; `UNKNOWN` is for the outcome `unknown`, `OTHER` for what is missing here. */
export type Messages = { readonly [code in Code | "UNKNOWN" | "OTHER"]?: string | ((about: MessageAbout) => string) };

export type MessageAbout = {
  code: string;
  /** What came with the "no". Empty if nothing did. */
  problem: Partial<Problem>;
  /** What the guest confirmed. */
  lines: readonly Line[];
  /** `POSSIBLE_DUPLICATE`: since the earlier order, from 1 on. A page that was left open, or comes back, may ask hours later. */
  seconds: number;
};

export type ClientEvent = {
  /** `null`: nothing of this confirmation was sent from here yet. */
  readonly requestId: string | null;
  /** How often it was sent from here. */
  readonly attempt: number;
  /** Since the call that began it. */
  readonly durationMs: number;
} & (
  | { /** `submit()` was called; it was called again while the same was on its way; the order was sent. */ readonly type: "tap" | "joined" | "sent" }
  | { readonly type: "retried"; /** What the attempt before was answered with. `null`: nothing. */ readonly code: Code | null }
  | { readonly type: "reconciled"; /** What was found: the state by `placementStatus`, or `ORDERS` for the history. */ readonly code: string }
  | { readonly type: "settled"; readonly kind: Outcome["kind"]; readonly code: Code | null }
);

export interface Client {
  /** Rejected, with what to do about it, where WebAssembly is missing or forbidden: the error's `code` is `NO_WEBASSEMBLY`. */
  ready: Promise<void>;
  /** The cart of this table session: always the same object. */
  cart(): Cart;
  /** Settles what an earlier page left: call it once at the start. `null`: there was nothing. */
  resume(): Promise<Outcome | null>;
  close(): void;
}

export type Money = { amountMinor: number; currency: string };

export type Line = {
  menuItemId: string;
  /** One piece without toppings, as the guest saw it. */
  price: Money;
  /** 1 to 99. */
  quantity: number;
  note?: string;
  /** On each piece. */
  toppings?: { toppingId: string; price: Money; quantity?: number }[];
};

export interface Cart {
  readonly lines: readonly Line[];
  readonly total: Money | null;
  /** Changes nothing while `locked`, like the next two. */
  add(line: Line): void;
  /** 0 takes the line out. */
  setQuantity(index: number, quantity: number): void;
  clear(): void;
  /** As often as you like: while one is on its way, the same confirmation is the same promise. Never rejects for what network or shop did. */
  submit(options?: { note?: string; signal?: AbortSignal }): Promise<Outcome>;
  /** Gives an unsettled order up, so that the cart can be edited. Answers `placed` if it was too late. */
  withdraw(): Promise<Outcome>;
  /** The same object until something changes. */
  state(): CartState;
  /** Answers the function that ends it. */
  subscribe(listener: () => void): () => void;
}

export type CartState = {
  phase: "idle" | "sending" | "waiting" | "checking" | "done" | "failed";
  outcome?: Outcome;
  /** An order is not settled: the cart can not be edited. */
  locked: boolean;
  /** A reload would find everything again. */
  persistent: boolean;
};

export type Outcome =
  | { kind: "placed"; order: Order; replay: boolean }
  | { kind: "pending"; requestId: string }
  /** `blocked`: nothing was sent. `rejected`: a stored "no". `refused`: a "no" that nothing is stored of. */
  | { kind: "rejected" | "blocked" | "refused"; code: Code; message: string; problem?: Problem; order?: Order }
  /** Never a failure: the next `submit()` sends the same again. */
  | { kind: "unknown"; message: string }
  /** `message` is the question to the guest. */
  | { kind: "possibleDuplicate"; message: string; earlier: Order; confirm(): Promise<Outcome>; decline(): Promise<Outcome> };

export type Order = {
  id: string;
  requestId: string;
  /** What people call it. */
  number: number;
  table: string;
  /** Missing where the order can not be read any more and the receipt stands in. */
  status?: "PENDING" | "PLACED" | "CANCELLED";
  placedAt: string;
  cancelledAt?: string | null;
  note: string;
  total: Money;
  lines: OrderLine[];
};

export type OrderLine = {
  menuItemId: string;
  name: string;
  quantity: number;
  note: string;
  unitPrice: Money;
  lineTotal: Money;
  toppings: { toppingId: string; name: string; quantity: number; unitPrice: Money }[];
};

/** What came with a "no". Which fields are there depends on the code. */
export type Problem = {
  code: Code;
  status: number;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | null;
  retryWithNewRequestId?: boolean;
  shortages?: { kind: "ITEM" | "TOPPING"; id: string; name: string; requested: number; left: number }[] | null;
  items?: { kind: "ITEM" | "TOPPING"; id: string; name: string }[] | null;
  expectedTotal?: Money | null;
  actualTotal?: Money | null;
  lines?: { line: number; menuItemId: string; name: string; unitPrice: Money; lineTotal: Money }[] | null;
  fields?: string[] | null;
  ageMs?: number | null;
  order?: Order | null;
};

/** Of the server (see its contract), or why nothing was sent. A newer server may have others. */
export type Code =
  | "SOLD_OUT"
  | "ITEM_UNAVAILABLE"
  | "PRICE_CHANGED"
  | "SESSION_CLOSED"
  | "WITHDRAWN"
  | "POS_REJECTED"
  | "POS_UNAVAILABLE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "CHECKOUT_ALREADY_PLACED"
  | "POSSIBLE_DUPLICATE"
  | "ORDERING_PAUSED"
  | "RATE_LIMITED"
  | "BAD_USER_INPUT"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "CART_EMPTY"
  | "CART_CHANGED"
  | "ORDER_UNSETTLED"
  | "OTHER_TAB"
  | "CONFIRMATION_TOO_OLD"
  | "NO_QUESTION"
  | "NOTHING_TO_WITHDRAW"
  | "ABORTED"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "DUPLICATE_PAYLOAD"
  | "SESSION_ORDER_IN_PROGRESS"
  | "COOLDOWN_ACTIVE"
  | "SESSION_BUSY"
  | "NO_WEBASSEMBLY"
  | "OFFLINE_CANCELLED"
  | "OFFLINE_EXPIRED"
  | (string & {});
