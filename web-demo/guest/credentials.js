// Who sits here: the table session and its PIN come in the fragment of the QR code's link, which no server ever sees, and are
// kept on this device until the table session is closed.

import { device } from '../shared/storage.js';

/** @typedef {{ sessionId: string, pin: string }} Credentials */

/** The link is one of a table. */
export function inLink() {
  return /^#(.*&)?t=/.test(location.hash);
}

/**
 * Finds the credentials, in the link first, and takes them out of the address bar: whoever looks over the shoulder or gets
 * the address sent should not sit at this table.
 *
 * @returns {Credentials | null}
 */
export function find() {
  if (inLink()) {
    const link = new URLSearchParams(location.hash.slice(1));
    device.set('table', JSON.stringify({ sessionId: link.get('t') ?? '', pin: link.get('p') ?? '' }));
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return read(device.get('table'));
}

function read(text) {
  try {
    const { sessionId, pin } = JSON.parse(text);
    return sessionId && pin ? { sessionId, pin } : null;
  } catch {
    return null;
  }
}

/** Forgets the table, if it still is this one: another tab may have scanned the next. */
export function forget({ sessionId }) {
  if (read(device.get('table'))?.sessionId === sessionId) device.remove('table');
}

/**
 * Makes the headers of a request; over a socket the same is the payload of `connection_init`.
 *
 * @param {Credentials} credentials
 */
export function headers({ sessionId, pin }) {
  return { 'X-Session-Id': sessionId, 'X-Session-PIN': pin, 'X-MasterOrder-Client-Id': clientId() };
}

/** This device's id: the one that the SDK keeps under the same name. */
function clientId() {
  const kept = device.get('client');
  if (kept) return kept;
  const id = `guest-${uuid()}`;
  device.set('client', id);
  return id;
}

/** `crypto.randomUUID` is missing on pages without TLS, as in a shop's own network. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
