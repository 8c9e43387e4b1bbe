// What a network does to an answer. The request has arrived and is committed by then: the accidents worth showing are the
// ones where the order stands and the phone does not know.

import { pause } from './wait.js';

/**
 * Gets the server's answer and gives the page what a bad network would. `signal` is the request's own.
 *
 * @typedef {(o: { response: Response, text: string, signal?: AbortSignal }) => Promise<Response>} Fault
 */

/** As long as a guest takes for a second look at the button. *Units*: ms. */
const LATE_MS = 3_000;

/** What browsers say when a connection breaks. */
async function lost() {
  throw new TypeError('Failed to fetch');
}

async function late({ response, signal }) {
  await pause(LATE_MS, signal);
  return response;
}

async function gateway() {
  const page = '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>';
  return new Response(page, { status: 502, statusText: 'Bad Gateway', headers: { 'Content-Type': 'text/html' } });
}

async function cut({ response, text }) {
  const { status, headers } = response;
  return new Response(text.slice(0, Math.floor(text.length / 2)), { status, headers });
}

/** By the experiment's name. @type {Record<string, Fault>} */
export const FAULTS = { 'lose-answer': lost, 'gateway-502': gateway, 'late-answer': late, 'cut-answer': cut };

/**
 * A slow line: holds the answer, and does then what `next` does with it.
 *
 * @param {number} ms
 * @param {Fault | null} next
 * @returns {Fault}
 */
export function slow(ms, next) {
  return async (answer) => {
    await pause(ms, answer.signal);
    return next ? next(answer) : answer.response;
  };
}
