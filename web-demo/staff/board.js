// What the kitchen has to know: the newest version of each ticket. Pure: no page, no clock, no network.

/** How many ticket ids are remembered as raised: more than a kitchen makes in a day. */
const REMEMBERED = 5_000;

/** A ticket's way. Each step has its step back, but none leads out of `CANCELLED`. */
const FORWARD = { RECEIVED: 'COOKING', COOKING: 'READY', READY: 'SERVED' };
const BACK = { SERVED: 'READY' };

/** Answers the state after this one; `undefined` where the way ends. */
export const next = (state) => FORWARD[state];

/** Answers the state to which a finished ticket is called back; `undefined` if it can not be. */
export const before = (state) => BACK[state];

/** The ticket still wants something from the kitchen. */
export const isOpen = (ticket) => ticket.state in FORWARD;

/** The board of one device. */
export class Board {
  #tickets = new Map();
  #known = new Set();
  #withdrawn = new Set();
  #begun = false;

  /**
   * Takes the feed's news in, in whatever order and how often it comes.
   *
   * Answers the tickets to raise as new orders, each id once per page, whatever is sent again: what is there when the page
   * opens is nothing new. And the tickets that were cancelled under the cook's hands.
   */
  take({ snapshot, tickets, removed }) {
    if (snapshot) {
      const shown = new Set(tickets.map((ticket) => ticket.id));
      for (const id of this.#tickets.keys()) if (!shown.has(id)) this.#tickets.delete(id);
    }
    for (const id of removed) this.#tickets.delete(id);
    const raised = [];
    const cancelled = [];
    for (const ticket of tickets) {
      const shown = this.#tickets.get(ticket.id);
      if (!this.#keep(ticket)) continue;
      if (shown && isOpen(shown) && ticket.state === 'CANCELLED') {
        cancelled.push(ticket);
        this.#withdrawn.add(ticket.id);
      }
      if (this.#known.has(ticket.id)) continue;
      if (this.#begun && ticket.state === 'RECEIVED') raised.push(ticket);
      this.#remember(ticket.id);
    }
    this.#begun = true;
    return { raised, cancelled };
  }

  /** Takes the answer to a tap in: it may come before or after the feed's news. */
  answer({ id, state, version, updatedAt }) {
    const shown = this.#tickets.get(id);
    if (shown) this.#keep({ ...shown, state, version, updatedAt });
  }

  /** The cook has seen that a ticket was cancelled. */
  acknowledge(id) {
    this.#withdrawn.delete(id);
  }

  /** The ticket belongs before the cook's eyes: it is open, or was cancelled and nobody has seen that yet. */
  concerns(ticket) {
    return isOpen(ticket) || this.#withdrawn.has(ticket.id);
  }

  /** Finds a ticket. */
  find(id) {
    return this.#tickets.get(id);
  }

  /** Lists all tickets, oldest first. */
  all() {
    return [...this.#tickets.values()].sort(byAge);
  }

  /** Lists the tables that wait for something, the one that has waited longest first, with their tickets, oldest first. */
  tables(isShown = () => true) {
    const tables = new Map();
    for (const ticket of this.all()) {
      if (!this.concerns(ticket) || !isShown(ticket)) continue;
      const key = ticket.receipt.tableSessionId;
      if (!tables.has(key)) tables.set(key, { key, label: ticket.receipt.table, tickets: [] });
      tables.get(key).tickets.push(ticket);
    }
    return [...tables.values()];
  }

  /** Lists what is finished, the latest first. */
  finished() {
    const done = [...this.#tickets.values()].filter((ticket) => !this.concerns(ticket));
    return done.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  }

  #keep(ticket) {
    const shown = this.#tickets.get(ticket.id);
    if (shown && shown.version >= ticket.version) return false;
    this.#tickets.set(ticket.id, ticket);
    return true;
  }

  #remember(id) {
    this.#known.add(id);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.values().next().value);
  }
}

/** Instants of the API sort as text; tickets of one instant stay in one order by their ids. */
function byAge(a, b) {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
