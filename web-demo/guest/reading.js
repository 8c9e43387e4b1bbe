// Menu and table as the server tells them: read anew while people look, and asked for until there is an answer. Whether the shop
// can be reached is known from these questions and from nothing else: the browser's own word for it tells of a radio, not of a
// shop.

import { NoAnswer } from '../shared/graphql.js';
import { headers } from './credentials.js';
import * as kept from './kept.js';
import { askMenu } from './menu.js';

/** What is left changes while people read. */
const REFRESH_MS = 3 * 60_000;
/** Coming back to the page twice in a moment is coming back once. */
const FRESH_MS = 10_000;
/** Between attempts while there is no answer. */
const RETRY_MS = 4_000;
/** Before the menu of an earlier page is better than none. */
const PATIENCE_MS = 2_500;
/** One miss may be a blink. The second tells. */
const BLINK_MS = 800;

/**
 * Begins to read.
 *
 * @param {object} o
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {import('./menu.js').Menu} o.menu takes what is read
 * @param {() => void} o.onChange
 * @param {(why: 'paid' | 'unknownTable') => void} o.onLeave nobody may sit here any more
 */
export function reading({ credentials, menu, onChange, onLeave }) {
  let place = null;
  let keptAt = null;
  let failed = false;
  let misses = 0;
  let closed = false;
  let askedAt = -Infinity;
  let asked = 0;
  let heard = 0;
  let retryTimer;
  let known;
  const first = new Promise((resolve) => (known = resolve));

  /** Reads menu and table; answers whether that went well. */
  async function refresh() {
    const mine = (asked += 1);
    askedAt = performance.now();
    clearTimeout(retryTimer);
    const result = await askMenu(headers(credentials)).then(
      (answer) => ({ answer }),
      (error) => ({ error }),
    );
    if (closed) return false;
    // a later question has been answered meanwhile
    if (mine < heard) return !result.error;
    heard = mine;
    return result.error ? miss(result.error) : take(result.answer);
  }

  function take(answer) {
    place = answer;
    if (answer.tableSession?.open === false) return leave('paid');
    menu.take(answer.menu);
    kept.keep(credentials, answer);
    keptAt = null;
    failed = false;
    misses = 0;
    known();
    onChange();
    return true;
  }

  function miss(error) {
    if (error.code === 'UNAUTHENTICATED') return leave('unknownTable');
    failed = true;
    misses = error instanceof NoAnswer ? misses + 1 : 0;
    takeKept();
    if (!place || misses > 0) retryTimer = setTimeout(retry, misses === 1 ? BLINK_MS : RETRY_MS);
    onChange();
    return false;
  }

  function takeKept() {
    const found = place ? null : kept.find(credentials);
    if (!found) return;
    place = found.answer;
    keptAt = found.at;
    menu.take(found.answer.menu);
    known();
    onChange();
  }

  function leave(why) {
    onLeave(why);
    return false;
  }

  function retry() {
    // a phone in a pocket asks when it is taken out again
    if (document.visibilityState === 'visible') refresh();
  }

  function looked() {
    if (document.visibilityState !== 'visible') return;
    if (misses > 0 || performance.now() - askedAt > FRESH_MS) refresh();
  }

  /** Back from the browser's back-forward cache. */
  function returned({ persisted }) {
    if (persisted) refresh();
  }

  const impatient = setTimeout(takeKept, PATIENCE_MS);
  const refreshing = setInterval(looked, REFRESH_MS);
  document.addEventListener('visibilitychange', looked);
  addEventListener('focus', looked);
  addEventListener('pageshow', returned);
  addEventListener('online', refresh);
  addEventListener('offline', refresh);
  refresh();

  return {
    refresh,
    /** What is known of shop and table, `null` before anything is. */
    place: () => place,
    /** The last question was not answered as it should be. */
    failed: () => failed,
    /** The shop can not be reached. */
    isOffline: () => misses > 1 || (misses > 0 && navigator.onLine === false),
    /** When the menu was read, if that was an earlier page; `null` if it is this one's. Unit: ms since the Unix epoch. */
    keptAt: () => keptAt,
    /** There is a menu. */
    first,
    /** The feed has come or gone, which may say the same of the shop. */
    wonder(live) {
      if (!closed && (live ? misses > 0 : misses === 0)) refresh();
    },
    close() {
      closed = true;
      clearTimeout(retryTimer);
      clearTimeout(impatient);
      clearInterval(refreshing);
      document.removeEventListener('visibilitychange', looked);
      removeEventListener('focus', looked);
      removeEventListener('pageshow', returned);
      removeEventListener('online', refresh);
      removeEventListener('offline', refresh);
    },
  };
}
