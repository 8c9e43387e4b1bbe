// A client as people write it without the SDK: every tap is a new order with a new key, all at once, and nothing says that
// it is one cart. Only the server can notice.

import { newKey } from './key.js';
import { placementOf, readAnswer } from './placement.js';
import { headersOf } from './server.js';

export const TAPS = 10;

const PLACE_ORDER = `mutation PlaceOrder($input: PlaceOrderInput!) {
  placeOrder(input: $input) {
    idempotentReplay
    result {
      __typename
      ... on OrderPlaced { receipt { id: orderId number } }
      ... on PlacementProblem { code }
      ... on PlacementConflict { ageMs order { number } }
    }
  }
}`;

/**
 * Sends the same order ten times at once, each under a key of its own. Answers when all are through.
 *
 * @param {object} o
 * @param {typeof fetch} o.fetch the unwatched one
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {{ lines: object[], expectedTotal: object }} o.input
 * @param {(placement: import('./placement.js').Placement) => void} o.onSent
 * @param {(placement: import('./placement.js').Placement, answer: import('./placement.js').Answer | null) => void} o.onAnswer
 */
export async function orderNaively({ fetch, credentials, input: { lines, expectedTotal }, onSent, onAnswer }) {
  const headers = { 'Content-Type': 'application/json', ...headersOf(credentials) };
  const send = async () => {
    const input = { requestId: newKey(), lines, expectedTotal };
    const placement = placementOf(input);
    onSent(placement);
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: PLACE_ORDER, variables: { input } }),
    }).then(
      async (response) => readAnswer(await response.text()),
      () => null,
    );
    onAnswer(placement, answer);
    return answer;
  };
  return Promise.all(Array.from({ length: TAPS }, send));
}
