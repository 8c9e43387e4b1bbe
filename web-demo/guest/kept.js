// The last answer about menu and table, kept on this device until the table is forgotten: a page that opens without a network
// has names and prices for its cart. What it shows of it says from when it is, and the server decides on every order anyway.

import { device } from '../shared/storage.js';
import { MENU } from './menu.js';

/** Keeps an answer. */
export function keep({ sessionId }, answer) {
  device.set('menu', JSON.stringify({ sessionId, question: MENU, at: Date.now(), answer }));
}

/**
 * Finds what was kept for this table by a page that asked the same: after an update the answer may lack what this one needs.
 *
 * @returns {{ at: number, answer: object } | null} `at`: ms since the Unix epoch
 */
export function find({ sessionId }) {
  const found = read();
  return found?.sessionId === sessionId && found.question === MENU ? found : null;
}

/** Forgets it, if it still is this table's. */
export function forget({ sessionId }) {
  if (read()?.sessionId === sessionId) device.remove('menu');
}

function read() {
  try {
    return JSON.parse(device.get('menu'));
  } catch {
    return null;
  }
}
