// Says whether the promise was kept. Pure, and able to say no.

import { expected, figures } from './count.js';

/** The SDK is at work. */
const BUSY = ['sending', 'waiting', 'checking'];

/**
 * Answers whether the SDK has come to an end with what was confirmed: a final answer, or a question to the guest.
 *
 * @param {{ phase: string, locked: boolean, outcome?: { kind: string } }} state the SDK's `CartState`
 */
export function isSettled({ phase, locked, outcome }) {
  if (outcome?.kind === 'possibleDuplicate') return true;
  return !BUSY.includes(phase) && !locked;
}

/**
 * @typedef {'idle' | 'armed' | 'running' | 'unasked' | 'good' | 'bad'} Tone
 */

/**
 * Judges a count. Green needs both: every order has its one ticket, and there are as many orders as confirmed carts.
 *
 * @param {import('./count.js').Count} count
 * @param {{ settled: boolean, running: boolean, armed: boolean, unasked: boolean }} now `unasked`: the server could not
 *   be asked
 * @returns {Tone}
 */
export function judge(count, { settled, running, armed, unasked }) {
  if (running) return 'running';
  if (count.requests === 0) return armed ? 'armed' : 'idle';
  if (!settled) return 'running';
  if (unasked) return 'unasked';
  if (!count.current) return 'running';
  const { orders, tickets } = figures(count);
  return tickets === orders && orders === expected(count) ? 'good' : 'bad';
}
