// Compiled, never run: the SDK as a strict third party uses it.

import { createClient, type CartState, type Outcome } from '../../sdk-wasm/js/masterorder';

const client = createClient({ url: '/graphql', tableSessionId: 'id', pin: '1234', lang: 'ja', storage: null });
const cart = client.cart();
cart.add({ menuItemId: 'id', price: { amountMinor: 500, currency: 'JPY' }, quantity: 1 });
const state: CartState = cart.state();
const off: () => void = cart.subscribe(() => void state.phase);
off();

export async function told(outcome: Outcome): Promise<string> {
  switch (outcome.kind) {
    case 'placed':
      return String(outcome.order.number) + String(outcome.replay);
    case 'pending':
      return outcome.requestId;
    case 'possibleDuplicate':
      return told(await outcome.confirm());
    case 'unknown':
      return outcome.message;
    case 'rejected':
    case 'refused':
    case 'blocked':
      return outcome.code + outcome.message + (outcome.problem?.shortages?.[0]?.left ?? '');
    default: {
      const never: never = outcome;
      return never;
    }
  }
}

// @ts-expect-error: the cart's lines are read-only
cart.lines.push();
// @ts-expect-error: a quantity is a number
cart.setQuantity(0, '1');
