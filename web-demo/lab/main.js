// The network lab: shows in ten seconds what the product is about, and lets everybody try to break it.

import { createLab } from './lab.js';

/**
 * What the guest's page lends to the lab.
 *
 * @typedef {object} Handle
 * @property {{ sessionId: string, pin: string }} credentials of the table session
 * @property {() => 'ja' | 'en'} lang
 * @property {(listener: () => void) => void} onLanguage
 * @property {import('/sdk/masterorder.js').Cart} cart the SDK's
 * @property {() => Promise<void>} prepare puts a dish into the cart if it is empty, and opens the cart sheet
 * @property {() => HTMLElement} confirmButton
 * @property {() => { lines: object[], expectedTotal: { amountMinor: number, currency: string } }} rawInput the cart as
 *   `PlaceOrderInput` wants it
 */

let lab = null;

/**
 * Opens the lab, or brings it forward. A page that has gone to another table opens it anew.
 *
 * @param {Handle} handle
 */
export function openLab(handle) {
  if (lab && lab.handle !== handle) closeLab();
  lab ??= createLab(handle);
  lab.open();
}

/** Closes it, if it is open: the table was left. */
export function closeLab() {
  lab?.close();
  lab = null;
}
