// The lab: watches the page's placements, breaks what it is asked to break, and asks the server what came of it.

import { answered, concluded, figures, fresh, sent, sorted, tapped, told } from './count.js';
import { FAULTS, slow } from './faults.js';
import * as memory from './memory.js';
import { intercept } from './network.js';
import { createPanel } from './panel.js';
import { TAPS, orderNaively } from './raw.js';
import { readCooldown, readOrders } from './server.js';
import { isSettled, judge } from './verdict.js';
import { pause, rendered, until } from './wait.js';

/** Ten taps take a quarter of a second. *Units*: ms. */
const BETWEEN_TAPS_MS = 25;
/** So that all ten land while the order is on its way, as they do on a phone's network. *Units*: ms. */
const SLOW_MS = 600;
/** A page that has not sent anything by then will not. *Units*: ms. */
const SENDING_MS = 3_000;
/** The SDK's longest way to an answer is shorter. *Units*: ms. */
const SETTLING_MS = 60_000;
/** How long a page may take to find what it was doing before the reload. *Units*: ms. */
const RESUMING_MS = 8_000;
const ASK_AGAIN_MS = 2_000;

/** Why an experiment ended early, as the name of a text. Nothing is said in a lab that is closed. */
class Stop extends Error {}

/**
 * @param {import('./main.js').Handle} handle
 */
export function createLab(handle) {
  const { cart, credentials } = handle;
  const kept = memory.recall(credentials.sessionId);
  /** Changes what happens to the answer of the next placement, on top of what is armed. */
  let next = null;
  let wire = null;
  let unsubscribe = null;
  let running = null;
  let tapping = false;
  let unasked = false;
  let asking = 0;
  let askAgain;
  let resumedBy = 0;
  let seen;

  const panel = createPanel(handle, { onExperiment: start, onReset: reset, onClose: close, onCollapse: collapse });

  const watcher = {
    leaving(placement) {
      const again = kept.count.carts[placement.cart]?.keys.includes(placement.requestId);
      kept.count = sent(kept.count, placement);
      note(again ? 'sentAgain' : 'sent', kept.count.requests, short(placement.requestId));
      return takeFault();
    },
    answered(placement, answer) {
      kept.count = answered(kept.count, placement.cart, answer);
      noteAnswer(answer);
    },
    unanswered() {
      note('unanswered');
    },
  };

  function takeFault() {
    const id = kept.armed;
    kept.armed = null;
    const armed = id && ((answer) => (note(`did-${id}`), FAULTS[id](answer)));
    const fault = next ? next(armed) : armed;
    next = null;
    show();
    return fault;
  }

  function noteAnswer(answer) {
    if (answer === null) note('silent');
    else if (answer.kind === 'placed') note(answer.replay ? 'replayed' : 'placed', answer.number);
    else if (answer.kind === 'asked') note('asked', answer.number, Math.max(1, Math.round(answer.ageMs / 1_000)));
    else note('no', answer.code);
  }

  function note(name, ...values) {
    if (!wire) return;
    memory.write(kept, name, values);
    show();
  }

  // ---- what the page does

  /** The guest's own thumb. */
  function onClick({ target }) {
    if (tapping || !(target instanceof Node) || !handle.confirmButton()?.contains(target)) return;
    kept.count = tapped(kept.count);
    show();
  }

  function settled() {
    const state = cart.state();
    if (kept.reloading !== null && !state.outcome && Date.now() < resumedBy) return false;
    return isSettled(state);
  }

  function follow() {
    const { outcome } = cart.state();
    if (kept.count.requests > 0 && settled() && (outcome !== seen || !kept.count.current)) {
      seen = outcome;
      if (outcome?.kind === 'placed') kept.placedAt = Date.now();
      kept.count = concluded(kept.count, outcome);
      noteResumed(outcome);
      ask();
    }
    show();
  }

  function noteResumed(outcome) {
    if (kept.reloading === null) return;
    const again = kept.count.requests - kept.reloading;
    kept.reloading = null;
    if (outcome?.kind === 'placed') note(again ? 'resent' : 'resumed', outcome.order.number);
    else if (outcome) note('resumedOther', outcome.message ?? outcome.kind);
  }

  // ---- what the server says

  async function ask() {
    const mine = ++asking;
    const before = kept.count.requests;
    clearTimeout(askAgain);
    try {
      const orders = await readOrders(credentials);
      if (mine !== asking || !wire) return;
      // one more has left meanwhile: this is not about it
      if (kept.count.requests > before) return void ask();
      kept.count = told(kept.count, orders, Date.now());
      unasked = false;
      report();
    } catch {
      if (mine !== asking || !wire) return;
      unasked = true;
      askAgain = setTimeout(ask, ASK_AGAIN_MS);
    }
    show();
  }

  /** Writes the result down, once for the same figures. */
  function report() {
    const tone = judge(kept.count, { settled: settled(), running: false, armed: false, unasked: false });
    if (tone !== 'good' && tone !== 'bad') return;
    if (kept.experiment) kept.marks = { ...kept.marks, [kept.experiment]: tone };
    const { taps, requests, orders, tickets } = figures(kept.count);
    const now = [taps, requests, orders, tickets].join('/');
    if (kept.reported === now) return;
    kept.reported = now;
    const keys = [...new Set(Object.values(kept.count.carts).flatMap((entry) => entry.keys))].map(short);
    const numbers = sorted(kept.count).ours.map((order) => order.number);
    note('result', taps, requests, keys, numbers, tickets);
  }

  // ---- experiments

  async function start(id) {
    if (running) return;
    if (kept.armed === id) {
      kept.armed = null;
      note('disarmed');
      return;
    }
    running = id;
    show();
    try {
      await begin(id);
      await (RUNS[id] ?? arm)(id);
    } catch (cause) {
      if (!(cause instanceof Stop)) throw cause;
      note(cause.message);
    } finally {
      running = null;
      next = null;
      if (wire && kept.count.requests > 0) await ask();
      show();
    }
  }

  /** Every experiment counts from zero. */
  async function begin(id) {
    if (cart.state().locked) throw new Stop('unsettled');
    const [cooldownMs, orders] = await Promise.all([readCooldown(credentials), readOrders(credentials)]).catch(() => {
      throw new Stop('unreachable');
    });
    // the SDK would wait it out as well, with a second request that is another story
    await pause(Math.max(0, kept.placedAt + cooldownMs - Date.now()));
    if (!wire) throw new Stop('closed');
    kept.count = told(fresh(), orders, Date.now());
    kept.experiment = id;
    kept.reported = null;
    kept.reloading = null;
    if (id !== 'ten-taps') kept.armed = null;
  }

  const RUNS = {
    async 'ten-taps'() {
      await fill();
      next = (fault) => {
        note('slow');
        return slow(SLOW_MS, fault);
      };
      for (let n = 0; n < TAPS; n += 1) {
        tap();
        await pause(BETWEEN_TAPS_MS);
      }
      await sending();
      await until(settled, SETTLING_MS);
    },

    async reload() {
      await fill();
      next = () => () => {
        kept.reloading = kept.count.requests;
        note('reloading');
        location.reload();
        return new Promise(() => {});
      };
      tap();
      await sending();
      await pause(SETTLING_MS);
    },

    async 'new-keys'() {
      const ours = await fill();
      const answers = await orderNaively({
        fetch: wire.fetch,
        credentials,
        input: handle.rawInput(),
        onSent(placement) {
          kept.count = sent(tapped(kept.count), placement);
          show();
        },
        onAnswer(placement, answer) {
          if (answer?.kind === 'placed') kept.placedAt = Date.now();
          kept.count = answered(kept.count, placement.cart, answer);
        },
      });
      const placed = answers.filter((answer) => answer?.kind === 'placed');
      const made = placed.filter((answer) => !answer.replay).length;
      note('naive', made, placed.length - made, answers.length - placed.length, placed[0]?.number ?? null);
      // what the lab put in, it takes out: it is ordered, and the next experiment should not be the same again
      if (ours) cart.clear();
    },
  };

  async function arm(id) {
    await fill();
    kept.armed = id;
    note('armed', id);
  }

  /** Sees to a cart with something in it. Answers whether it was empty before. */
  async function fill() {
    const empty = cart.lines.length === 0;
    await handle.prepare().catch(() => {
      throw new Stop('notPrepared');
    });
    if (empty && cart.lines.length > 0) {
      // every time another quantity: the same again within half a minute is asked about, and that is another story
      cart.setQuantity(0, 1 + (kept.turn % 9));
      kept.turn += 1;
    }
    await rendered();
    if (!wire) throw new Stop('closed');
    return empty;
  }

  function tap() {
    const button = wire && handle.confirmButton();
    if (!button) throw new Stop('nothingSent');
    kept.count = tapped(kept.count);
    tapping = true;
    button.click();
    tapping = false;
    show();
  }

  async function sending() {
    if (!(await until(() => kept.count.requests > 0, SENDING_MS))) throw new Stop('nothingSent');
  }

  // ---- the drawer

  function show() {
    if (!wire) return;
    memory.keep(kept);
    const now = { settled: settled(), running: running !== null, armed: kept.armed !== null, unasked };
    panel.render({ ...kept, tone: judge(kept.count, now), running });
  }

  function reset() {
    if (running) return;
    memory.clear(kept);
    ask();
    show();
  }

  function collapse(collapsed) {
    kept.collapsed = collapsed;
    show();
  }

  function open() {
    if (wire) {
      collapse(false);
      panel.focus();
      return;
    }
    const returning = memory.wasOpen();
    memory.keepOpen(true);
    wire = intercept(watcher);
    unsubscribe = cart.subscribe(follow);
    document.addEventListener('click', onClick, true);
    panel.attach();
    if (!returning) panel.focus();
    if (kept.reloading !== null) {
      resumedBy = Date.now() + RESUMING_MS;
      setTimeout(follow, RESUMING_MS);
    }
    if (kept.count.known === null) ask();
    follow();
  }

  function close() {
    if (!wire) return;
    wire.restore();
    wire = null;
    unsubscribe();
    document.removeEventListener('click', onClick, true);
    clearTimeout(askAgain);
    memory.clear(kept);
    memory.keep(kept);
    memory.keepOpen(false);
    panel.detach();
  }

  return { handle, open, close };
}

/** Enough of a key to see that two are the same. */
const short = (key) => key.slice(0, 4);
