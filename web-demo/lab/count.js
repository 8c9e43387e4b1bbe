// What happened since the count began, as plain data: it survives a reload as JSON. Pure: every function answers a new count.

/**
 * @typedef {object} Count
 * @property {string[] | null} known ids of the orders that were there before; `null` until the server has told
 * @property {number} taps
 * @property {number} requests
 * @property {Record<string, Cart>} carts by what is the same for every request of one cart
 * @property {Order[] | null} orders new ones of this table, from the server
 * @property {number | null} askedAt when the server told, in ms since the Unix epoch
 * @property {boolean} current nothing has left since the server told
 */

/** @typedef {{ id: string, number: number, requestId: string, ticket: string | null }} Order */

/**
 * @typedef {object} Cart
 * @property {string[]} keys distinct requestIds
 * @property {import('./placement.js').Answer | null} answer the server's last word about it; an order is never unsaid
 */

/** @returns {Count} */
export function fresh(known = null) {
  return { known, taps: 0, requests: 0, carts: {}, orders: null, askedAt: null, current: false };
}

/** @param {Count} count */
export function tapped(count, taps = 1) {
  return { ...count, taps: count.taps + taps };
}

/** A request has left. @param {Count} count @param {import('./placement.js').Placement} placement */
export function sent(count, { requestId, cart }) {
  const before = count.carts[cart] ?? { keys: [], answer: null };
  const keys = before.keys.includes(requestId) ? before.keys : [...before.keys, requestId];
  const carts = { ...count.carts, [cart]: { ...before, keys } };
  return { ...count, requests: count.requests + 1, carts, current: false };
}

/** The server spoke about a cart. @param {Count} count @param {import('./placement.js').Answer | null} answer */
export function answered(count, cart, answer) {
  const before = count.carts[cart];
  if (!before || !answer || before.answer?.kind === 'placed') return count;
  return { ...count, carts: { ...count.carts, [cart]: { ...before, answer } } };
}

/**
 * The SDK has come to an end with the last cart. Tells about it only what the server's own answers, which may have been
 * missed (a reload, a real tunnel), did not.
 *
 * @param {Count} count
 * @param {{ kind: string, code?: string, order?: { id: string, number: number } } | undefined} outcome
 */
export function concluded(count, outcome) {
  const cart = Object.keys(count.carts).at(-1);
  if (!cart || count.carts[cart].answer) return count;
  return answered(count, cart, fromOutcome(outcome));
}

function fromOutcome(outcome) {
  switch (outcome?.kind) {
    case 'placed':
      return { kind: 'placed', orderId: outcome.order.id, number: outcome.order.number, replay: true };
    case 'possibleDuplicate':
      return { kind: 'asked', number: outcome.earlier?.number ?? null, ageMs: 0 };
    case 'rejected':
    case 'refused':
      return { kind: 'no', code: outcome.code };
    default:
      return null;
  }
}

/**
 * The server told which orders there are.
 *
 * @param {Count} count
 * @param {Order[]} orders
 */
export function told(count, orders, askedAt) {
  const known = count.known ?? orders.map((order) => order.id);
  return { ...count, known, orders: orders.filter((order) => !known.includes(order.id)), askedAt, current: true };
}

/** Answers how many new orders there must be: one for each cart, unless the server said no, asked, or it stood before. */
export function expected(count) {
  return Object.values(count.carts).filter(({ answer }) => {
    if (answer === null) return true;
    return answer.kind === 'placed' && !count.known?.includes(answer.orderId);
  }).length;
}

/**
 * Tells the new orders that came of this page's requests from those of other people at the table.
 *
 * @param {Count} count
 */
export function sorted(count) {
  const keys = new Set(Object.values(count.carts).flatMap((cart) => cart.keys));
  const isOurs = (order) => keys.has(order.requestId.toLowerCase());
  const orders = count.orders ?? [];
  return { ours: orders.filter(isOurs), others: orders.filter((order) => !isOurs(order)) };
}

/** Answers the four numbers. */
export function figures(count) {
  const { ours } = sorted(count);
  const tickets = ours.map((order) => order.ticket).filter((ticket) => ticket !== null);
  return { taps: count.taps, requests: count.requests, orders: ours.length, tickets: new Set(tickets).size };
}
