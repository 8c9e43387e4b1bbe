// Whose turn it is: one tab at a time, and what it tells the others that wait.

import { lease } from "./lease.js";

/**
 * How long a lock is kept after the last word. What a tab writes and tells is not in step with its lock: whoever gets that next
 * should find everything. *Units*: ms.
 */
const IN_STEP_MS = 50;

/** Where storage is denied and locks with it: the turns of this page. */
const here = new Map();

function inThisPage(name, granted) {
  const turn = { done: () => {} };
  turn.over = new Promise((done) => (turn.done = done));
  const before = here.get(name) ?? Promise.resolve();
  here.set(name, before.then(() => turn.over));
  let wanted = true;
  before.then(() => wanted && granted());
  return {
    check() {},
    release() {
      wanted = false;
      turn.done();
    },
  };
}

/** By the browser's locks. Answers `undefined` where it has none. */
function byLocks(name, granted, refused) {
  const { locks } = navigator;
  if (!locks) return undefined;
  const controller = new AbortController();
  let release = () => controller.abort();
  const asked = locks.request(name, { signal: controller.signal }, () =>
    new Promise((done) => {
      if (controller.signal.aborted) return done();
      release = () => setTimeout(done, IN_STEP_MS);
      granted();
    }));
  // storage is denied, and locks with it
  asked.catch(() => controller.signal.aborted || refused());
  return { check() {}, release: () => release() };
}

function byLease(name, storage, granted, lost, refused) {
  if (!storage) return undefined;
  const { check, release } = lease(storage, `${name}.lease`, { granted, lost, refused });
  return { check, release: () => setTimeout(release, IN_STEP_MS) };
}

/** Brings words to the other tabs: by a channel, else by storage, which calls them when something is written. */
function words(name, storage, hear) {
  try {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => hear(data);
    return { say: (word) => channel.postMessage(word), end: () => channel.close() };
  } catch {
    // old, or denied like storage
  }
  const key = `${name}.told`;
  const listener = ({ key: written, newValue }) => {
    if (written === key && newValue) hear(JSON.parse(newValue));
  };
  window.addEventListener("storage", listener);
  return {
    say(word) {
      try {
        storage.setItem(key, JSON.stringify(word));
        storage.removeItem(key);
      } catch {
        // whoever was not told asks the server
      }
    },
    end: () => window.removeEventListener("storage", listener),
  };
}

/**
 * Asks for the turn of a name.
 *
 * @param {Storage | null | undefined} storage shared by all tabs
 * @param {{ granted: () => void, lost: () => void, told: (word: unknown) => void }} then `told` is what others say as long as the turn
 *   is not given back
 */
export function takeTurn(name, storage, { granted, lost, told }) {
  let over = false;
  let turn;
  const refused = () => {
    if (!over) turn = inThisPage(name, granted);
  };
  turn = byLocks(name, granted, refused) ?? byLease(name, storage, granted, lost, refused) ?? inThisPage(name, granted);
  // after the browser was asked, which answers meanwhile
  const { say, end } = words(name, storage, told);
  return {
    say,
    /** Notices now if the turn was lost. */
    check: () => turn.check(),
    release() {
      over = true;
      end();
      turn.release();
    },
  };
}
