// The wire between the page and the server, where the lab can look and cut. It is the page's own `fetch`: the SDK calls
// `window.fetch` anew for every request and does not know that it is watched.

import { readAnswer, readPlacement } from './placement.js';

/**
 * Makes a `fetch` that shows placements to a watcher. Everything else goes through untouched.
 *
 * @param {typeof fetch} real
 * @param {object} watcher
 * @param {(placement: import('./placement.js').Placement) => import('./faults.js').Fault | null} watcher.leaving is told
 *   that a request leaves, and answers what is to happen to its answer
 * @param {(placement: import('./placement.js').Placement, answer: import('./placement.js').Answer | null) => void}
 *   watcher.answered is told what the server said, whatever the page gets to see of it
 * @param {(placement: import('./placement.js').Placement) => void} watcher.unanswered is told that a real network lost it
 */
export function wrap(real, watcher) {
  return (input, init) => {
    const placement = readPlacement(input, init);
    return placement ? watched(placement, input, init) : real(input, init);
  };

  async function watched(placement, input, init) {
    const fault = watcher.leaving(placement);
    const { response, text } = await real(input, init)
      .then(read)
      .catch((cause) => {
        watcher.unanswered(placement);
        throw cause;
      });
    watcher.answered(placement, readAnswer(text));
    return fault ? fault({ response, text, signal: init.signal }) : response;
  }
}

/** Reads an answer, and leaves it whole for the page. */
async function read(response) {
  return { response, text: await response.clone().text() };
}

/**
 * Puts a watcher between this page and the server. Answers the unwatched `fetch`, and how to take the watcher away.
 *
 * @param {Parameters<typeof wrap>[1]} watcher
 */
export function intercept(watcher) {
  const original = window.fetch;
  const real = (input, init) => original.call(window, input, init);
  const watchful = wrap(real, watcher);
  let watching = true;
  const ours = (input, init) => (watching ? watchful(input, init) : real(input, init));
  window.fetch = ours;
  return {
    fetch: real,
    restore() {
      watching = false;
      // whoever wrapped it after us keeps what they have
      if (window.fetch === ours) window.fetch = original;
    },
  };
}
