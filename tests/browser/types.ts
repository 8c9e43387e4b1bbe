// Compiled, never run: the package as a strict third party uses it.

import { createBareClient, createClient, getVersions, type CartState, type ClientEvent, type Messages, type Outcome } from '@masterorder/sdk';
import { watchOrders, type LiveState } from '@masterorder/sdk/live';
import { ReadError, findItem, isOrderable, makeLine, readMenu, type Menu } from '@masterorder/sdk/menu';
import { ago, en, ja, message, money } from '@masterorder/sdk/messages';
import { waitForNetwork, type Offline, type OfflineState } from '@masterorder/sdk/offline';
import { createClient as createSlim, type Client, type SlimOptions } from '@masterorder/sdk/slim';
import { createFakeShop, enterBrowser, inProgress, loseAnswer, offline, reject, slow, soldOut } from '@masterorder/sdk/testing';

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

export function measured(event: ClientEvent): string {
  const common = `${event.requestId ?? ''}${event.attempt}${event.durationMs}`;
  switch (event.type) {
    case 'settled':
      return common + event.kind + (event.code ?? '');
    case 'retried':
    case 'reconciled':
      return common + (event.code ?? '');
    default: {
      const rest: 'tap' | 'joined' | 'sent' = event.type;
      return common + rest;
    }
  }
}

const messages: Messages = {
  SOLD_OUT: ({ problem, lines }) => `${problem.shortages?.[0]?.name ?? ''}${lines.length}`,
  UNKNOWN: 'one moment',
  SOMETHING_NEW: 'new',
};
createClient({ ...options, messages, onEvent: measured });
createBareClient({ ...options, messages: { ...en, ...messages } });
export const versions: string = getVersions().sdk + getVersions().schema + (getVersions().commit ?? '');
export const texts: string = message(ja, 'SOLD_OUT', { problem: {}, lines: cart.lines }) + money('ja', { amountMinor: 1, currency: 'JPY' });
export const again: Messages = { POSSIBLE_DUPLICATE: ({ seconds }) => `${ago('en', seconds)}, ${seconds.toFixed()}` };

export async function order(id: string): Promise<string> {
  try {
    const menu: Menu = await readMenu(options);
    const item = findItem(menu, id);
    if (!item || !isOrderable(item)) return '';
    const { line, problems } = makeLine(menu, id, { quantity: 2, choices: { id: 1 }, note: 'hot' });
    if (line) cart.add(line);
    return problems.map((problem) => problem.message + (problem.code === 'CHOOSE' ? problem.of.min : '')).join();
  } catch (error) {
    return error instanceof ReadError ? error.code : '';
  }
}

const wait: Offline = waitForNetwork(client, { ...options, maxAgeMs: 60_000, storage: null, onOutcome: (outcome) => void told(outcome) });
export const waits: OfflineState = wait.state();
export const sent: Promise<string> = wait.submit({ note: 'hot' }).then(told);
export const cancelled: Promise<Outcome> = waits.waiting?.expired ? wait.cancel() : wait.submit();
wait.subscribe(() => void wait.state().waiting?.until)();
wait.close();

const orders = watchOrders(options);
export const live: LiveState = orders.state();
export const ready: boolean = live.orders.some((one) => one.ticket?.state === 'READY' && one.total.amountMinor > 0);

const shop = createFakeShop({ script: [loseAnswer(), inProgress(2), offline(3), slow(50), soldOut(), reject('WITHDRAWN')], lang: 'en' });
createClient({ url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, fetch: shop.fetch }).cart().add(shop.line());
export const leave: () => void = enterBrowser();
export const numbers: number[] = shop.orders.map(({ number }) => number);

// @ts-expect-error: a client without texts needs some
createBareClient(options);
// @ts-expect-error: it waits at a table
waitForNetwork(client, { maxAgeMs: 1 });
// @ts-expect-error: what waits is read-only
wait.state().waiting = null;
// @ts-expect-error: what is watched is read-only
live.orders.push();
// @ts-expect-error: there is no such text
createClient({ ...options, messages: { SOLD_OUT: 1 } });
// @ts-expect-error: the cart's lines are read-only
cart.lines.push();
// @ts-expect-error: a quantity is a number
cart.setQuantity(0, '1');
// @ts-expect-error: the default entry has its module inside
createClient({ ...options, wasm: '/masterorder.wasm' });
// @ts-expect-error: null is nowhere
createSlim({ ...options, wasm: null });
