// Reads what goes over the wire: a placement on its way out, and the server's answer to it.

/**
 * @typedef {object} Placement
 * @property {string} requestId the idempotency key
 * @property {string} cart what is the same for every request of one cart: its checkoutId, else its content
 */

/**
 * @typedef {{ kind: 'placed', orderId: string, number: number, replay: boolean }
 *   | { kind: 'asked', number: number | null, ageMs: number }
 *   | { kind: 'no', code: string }} Answer
 */

/**
 * Answers the placement in a request, or `null` for any other request.
 *
 * @returns {Placement | null}
 */
export function readPlacement(input, init) {
  const body = init?.body;
  if (init?.method !== 'POST' || typeof body !== 'string' || !body.includes('mutation PlaceOrder')) return null;
  if (!/\/graphql(?:[?#]|$)/.test(String(input?.url ?? input))) return null;
  const order = parse(body)?.variables?.input;
  return order?.requestId ? placementOf(order) : null;
}

/** Sums a `PlaceOrderInput` up. @returns {Placement} */
export function placementOf({ requestId, checkoutId, lines }) {
  return { requestId: requestId.toLowerCase(), cart: checkoutId?.toLowerCase() ?? JSON.stringify(lines) };
}

/**
 * Reads an answer to `placeOrder`; `null` if it tells nothing about the order.
 *
 * @param {string} text the body
 * @returns {Answer | null}
 */
export function readAnswer(text) {
  const answer = parse(text);
  const payload = answer?.data?.placeOrder;
  const result = payload?.result;
  if (result?.receipt) {
    const { id, number } = result.receipt;
    return { kind: 'placed', orderId: id, number, replay: Boolean(payload.idempotentReplay) };
  }
  if (result?.code === 'POSSIBLE_DUPLICATE') {
    return { kind: 'asked', number: result.order?.number ?? null, ageMs: result.ageMs ?? 0 };
  }
  const code = result?.code ?? answer?.errors?.[0]?.extensions?.code;
  return code ? { kind: 'no', code } : null;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
