// The other side of the comparison: what the server itself has, whatever the page believes.

import { ask } from '../shared/graphql.js';
import { device } from '../shared/storage.js';
import { newKey } from './key.js';

/** The newest come first, so that new ones are in it however long the evening was. */
const ORDERS = '{ orders(first: 100) { nodes { id number requestId ticket { id } } } }';

/** Between two orders of one device. */
const COOLDOWN = '{ shop { orderingPolicy { cooldownMs } } }';

/** For a browser that keeps nothing: its SDK has an id that nobody can read. */
const passing = `guest-${newKey()}`;

/**
 * Headers by which the server knows this table and this device: the SDK's device, not one of the lab's own.
 *
 * @param {{ sessionId: string, pin: string }} credentials
 */
export function headersOf({ sessionId, pin }) {
  return {
    'X-Session-Id': sessionId,
    'X-Session-PIN': pin,
    'X-MasterOrder-Client-Id': device.get('client') ?? passing,
  };
}

/**
 * Reads the table's orders with their tickets.
 *
 * @returns {Promise<import('./count.js').Order[]>} newest first
 *
 * *Errors*: those of `ask`.
 */
export async function readOrders(credentials) {
  const { orders } = await ask(headersOf(credentials), ORDERS);
  return orders.nodes.map(({ ticket, ...order }) => ({ ...order, ticket: ticket?.id ?? null }));
}

/**
 * Reads how long the shop lets a device wait between two orders.
 *
 * *Units*: ms. *Errors*: those of `ask`.
 */
export async function readCooldown(credentials) {
  const { shop } = await ask(headersOf(credentials), COOLDOWN);
  return shop.orderingPolicy.cooldownMs;
}
