// Compiled, never run: the package as a strict third party uses it.

import { createClient, type CartState, type Outcome } from '@masterorder/sdk';
import { createClient as createSlim, type Client, type SlimOptions } from '@masterorder/sdk/slim';

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

const options = { url: '/graphql', tableSessionId: 'id', pin: '1234' };
const wasm: SlimOptions['wasm'][] = [
  undefined,
  '/masterorder.wasm',
  new URL('https://example.com/masterorder.wasm'),
  fetch('/masterorder.wasm'),
  new Uint8Array(8),
  new ArrayBuffer(8),
];
export const slim: Client[] = wasm.map((one) => createSlim({ ...options, wasm: one }));
export const compiled = (module: WebAssembly.Module): Client => createSlim({ ...options, wasm: module });

// @ts-expect-error: the cart's lines are read-only
cart.lines.push();
// @ts-expect-error: a quantity is a number
cart.setQuantity(0, '1');
// @ts-expect-error: the default entry has its module inside
createClient({ ...options, wasm: '/masterorder.wasm' });
// @ts-expect-error: null is nowhere
createSlim({ ...options, wasm: null });
