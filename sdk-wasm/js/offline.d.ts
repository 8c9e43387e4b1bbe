import type { Client, Messages, Outcome } from "./masterorder.js";

/**
 * Lets what is confirmed without a network wait for one, and sends it then by itself. A client has one: whoever calls again gets the
 * same, with the options of the first call. Does nothing on a server.
 */
export function waitForNetwork(client: Client, options: OfflineOptions): Offline;

export interface OfflineOptions {
  /** The client's. */
  tableSessionId: string;
  /** How long a confirmation may wait before the guest is asked again. Default: 600,000, ten minutes. */
  maxAgeMs?: number;
  /** Shared by all tabs, as the client's. Default: localStorage. `null`: nothing outlives the page. */
  storage?: Storage | null;
  /** Of messages. Default: the browser's, if it is one of these. */
  lang?: "ja" | "en";
  /** Texts of the page's own, in place of ours. */
  messages?: Messages;
  /** Told of what came of it where no call waits for that: after a reload, or in another tab. */
  onOutcome?: (outcome: Outcome) => void;
}

export interface Offline {
  /**
   * As the cart's, and without a network nothing is sent: it waits, and every call gets the promise of the same. `blocked` with
   * `OFFLINE_CANCELLED`, `OFFLINE_EXPIRED` or `CART_CHANGED`: nothing was sent.
   */
  submit(options?: { note?: string }): Promise<Outcome>;
  /**
   * Gives up what waits, without asking anybody. What may have been sent is withdrawn, as by the cart's `withdraw()`: `unknown` if nobody
   * could be asked, which is done when there is a network. Answers `placed` if it was too late.
   */
  cancel(): Promise<Outcome>;
  /** The same object until something changes. */
  state(): OfflineState;
  /** Answers the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Before the client's. What waits stays written down, for the next page. */
  close(): void;
}

export type OfflineState = {
  /** What is confirmed and was not sent. Both times in ms since the epoch. */
  readonly waiting: {
    /** When the guest confirmed it. */
    readonly since: number;
    /** Until when it is sent by itself. */
    readonly until: number;
    /** It is not sent by itself any more: `submit()` confirms it anew, `cancel()` forgets it. */
    readonly expired: boolean;
  } | null;
};
