// A confirmation that waits for the network: written down, shown, and cancelled without anybody being asked. When there is a network
// the client submits it, as if the guest had tapped then: once, under one key, by its own slot. What becomes of that is the client's
// business; here is decided whether it may begin. Of several tabs one decides at a time.

import { language } from "./ask.js";
import { message } from "./messages.js";
import { keeper } from "./offline/kept.js";
import { TEXTS } from "./offline/texts.js";
import { takeTurn } from "./turn.js";

/** How long a confirmation is the guest's will while there is no network. *Units*: ms. */
const MAX_AGE_MS = 600_000;

/** That another tab has deleted what waited may be seen before its word of why. So long the word is waited for. *Units*: ms. */
const IN_STEP_MS = 500;

/** As the server takes it. *Units*: Unicode scalar values. */
const LONGEST_NOTE = 500;

const NOTHING = Object.freeze({ waiting: null });

/** One per client, however many views use it: React's StrictMode mounts each of them twice. */
const waits = new WeakMap();

const isOnline = () => navigator.onLine !== false;

/** The browser's storage; `null` where it is denied. */
function browsers() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** What the client would not take is for the client to refuse, and at once. */
function fits(note) {
  const plain = note.normalize("NFC").trim();
  return [...plain].length <= LONGEST_NOTE && !plain.includes("\0");
}

function pending() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

/** Lets what is confirmed without a network wait for one. */
export function waitForNetwork(client, options) {
  if (!options?.tableSessionId) throw new TypeError("tableSessionId is missing");
  if (typeof window !== "object" || typeof document !== "object") return onServer(client.cart());
  if (!waits.has(client)) waits.set(client, open(client, options));
  return waits.get(client).enter(options.onOutcome);
}

function onServer(cart) {
  return Object.freeze({ submit: cart.submit, cancel: cart.withdraw, state: () => NOTHING, subscribe: () => () => {}, close() {} });
}

function open(client, { tableSessionId, maxAgeMs = MAX_AGE_MS, storage = browsers(), lang, messages }) {
  const cart = client.cart();
  const words = { ...TEXTS[language(lang)], ...messages };
  const blocked = (code) => ({ kind: "blocked", code, message: message(words, code) });
  const unknown = () => ({ kind: "unknown", message: message(words, "UNKNOWN") });

  const key = `masterorder.${tableSessionId}.waiting`;
  const views = new Set();
  /** What waits, as it was read last. */
  let record = null;
  /** How old that was when it was met, by a clock that nobody sets. */
  let met = null;
  /** Whoever has called and waits for what comes of it. */
  let callers = null;
  /** What waited last, and what of that was told already: tabs tell, and the client does. */
  let seen = null;
  let answered = null;
  let shown = NOTHING;
  let isReady = false;
  let closed = false;
  /** Asked for or held. */
  let turn = null;
  let isCancelled = false;
  let isSending = false;
  let isFinishing = false;
  let timer;

  const kept = keeper(key, storage, (ended) => {
    read();
    if (ended && ended.id !== answered) {
      answered = ended.id;
      settle(ended.outcome);
    }
    look();
  });

  /** Reads what waits. What stands in the client's slot may have been sent: whoever sees it there leaves it to the client. */
  function read() {
    record = closed ? null : kept.read();
    seen = record?.id ?? seen;
    if (!record || isSending || !cart.state().locked) return;
    kept.forget();
    record = null;
  }

  /** How long ago the guest confirmed it. A time in the future is a clock that was set back: then nobody knows. */
  function ageMs() {
    const byClock = Date.now() - record.at;
    if (met?.id !== record.id) met = { id: record.id, at: performance.now(), ageMs: byClock < 0 ? Infinity : byClock };
    return Math.max(byClock, met.ageMs + performance.now() - met.at);
  }

  const isTooOld = () => ageMs() >= maxAgeMs;
  const isAsConfirmed = () => JSON.stringify(record.lines) === JSON.stringify(cart.lines);

  /** There is nothing to be done about what waits. */
  function rests() {
    if (isCancelled || !isAsConfirmed()) return false;
    return record.isLate || (!isOnline() && !isTooOld());
  }

  /** Sees what waits, and has it decided what becomes of it. */
  function look() {
    clearTimeout(timer);
    if (closed || !isReady) return;
    read();
    show();
    if (isSending) return;
    // by another tab
    if (record?.isLate && callers && !isCancelled) settle(blocked("OFFLINE_EXPIRED"));
    if (!record) timer = callers && setTimeout(leaveToClient, IN_STEP_MS);
    else if (!rests()) turn ??= takeTurn(key, storage, { granted: decide, lost() {}, told() {} });
    else if (!record.isLate) timer = setTimeout(look, maxAgeMs - ageMs());
  }

  /** Decides, as the only tab. */
  function decide() {
    read();
    if (record) {
      if (isCancelled) {
        end(blocked("OFFLINE_CANCELLED"));
      } else if (!isAsConfirmed()) {
        if (record.isLate) kept.forget();
        else end(blocked("CART_CHANGED"));
      } else if (!record.isLate && isTooOld()) {
        record = { ...record, isLate: true };
        kept.write(record);
        settle(blocked("OFFLINE_EXPIRED"));
      } else if (!record.isLate && isOnline()) {
        send();
        return;
      }
    }
    release();
    look();
  }

  function release() {
    turn?.release();
    turn = null;
  }

  /** It stays written down until it is settled: whoever finds it then goes on with it. */
  async function send() {
    const { id, note } = record;
    isSending = true;
    show();
    const outcome = await cart.submit({ note }).catch(() => null);
    record = kept.read();
    isSending = false;
    // nothing was sent, because the client was closed: the next one finds it
    const isLeft = record?.id === id && (outcome === null || (closed && outcome.code === "ABORTED"));
    if (isLeft) settle(outcome ?? unknown());
    else end(outcome ?? unknown(), id);
    release();
    if (!isLeft) look();
  }

  /** Nothing waits: whoever still waits for it wants what the client knows. */
  function leaveToClient() {
    if (!callers || isFinishing) return;
    if (cart.state().locked) finish(isCancelled ? cart.withdraw() : cart.submit());
    else settle(unknown());
  }

  /** Follows what the client does about an order that may have been sent. */
  async function finish(promise) {
    const before = callers;
    isFinishing = true;
    const outcome = await promise.catch(() => null);
    isFinishing = false;
    // another tab tells the same, sooner or later
    if (callers) answered = seen;
    if (callers || (!before && outcome && outcome.kind !== "unknown")) settle(outcome ?? unknown());
  }

  function end(outcome, id = record.id) {
    kept.end(id, outcome);
    record = null;
    settle(outcome);
  }

  /** Tells whoever has called, or else the views. */
  function settle(outcome) {
    const { resolve } = callers ?? {};
    callers = null;
    isCancelled = false;
    show();
    if (resolve) resolve(outcome);
    else for (const { onOutcome } of [...views]) onOutcome?.(outcome);
  }

  function show() {
    const waits = record && !isSending;
    const { at: since, isLate: expired = false } = record ?? {};
    const now = shown.waiting;
    if (waits ? now?.since === since && now.expired === expired : !now) return;
    shown = waits ? Object.freeze({ waiting: Object.freeze({ since, until: since + maxAgeMs, expired }) }) : NOTHING;
    for (const { listeners } of [...views]) for (const listener of [...listeners]) listener();
  }

  /** The page is looked at again, or has a network again. */
  function wake() {
    look();
    const { locked, outcome } = cart.state();
    const isOpen = locked && outcome?.kind === "unknown";
    if (isReady && !record && !isFinishing && isOpen && isOnline()) finish(client.resume());
  }

  function confirm(note) {
    const random = crypto.getRandomValues(new Uint32Array(4));
    kept.write({ id: random.join("-"), at: Date.now(), note, lines: cart.lines });
  }

  function called() {
    callers ??= pending();
    const { promise } = callers;
    look();
    return promise;
  }

  function submit(options = {}) {
    if (closed) return cart.submit(options);
    // what was put into the cart before is in it by then
    if (!isReady) return ready.then(() => (isReady ? submit(options) : cart.submit(options)));
    read();
    const { note } = options;
    const isOther = note !== undefined && note !== record?.note;
    if (isSending && !isOther) return called();
    if (cart.state().locked || !cart.total || !fits(note ?? "")) return cart.submit(options);
    if (record && !isAsConfirmed()) end(blocked("CART_CHANGED"));
    const waits = record && !record.isLate;
    if (!waits && isOnline()) {
      if (record) kept.forget();
      look();
      return cart.submit(options);
    }
    if (!waits || isOther) confirm(note ?? record?.note ?? "");
    return called();
  }

  function cancel() {
    if (closed) return cart.withdraw();
    if (!isReady) return ready.then(() => (isReady ? cancel() : cart.withdraw()));
    read();
    if (!record) return cart.withdraw();
    isCancelled = true;
    if (isSending) cart.withdraw().catch(() => {});
    return called();
  }

  const listening = [
    [window, "online", wake],
    [window, "pageshow", wake],
    [document, "visibilitychange", () => document.visibilityState === "visible" && wake()],
  ];
  for (const [target, name, listener] of listening) target.addEventListener(name, listener);
  const unsubscribe = cart.subscribe(look);
  const ready = client.ready.then(() => {
    isReady = true;
    look();
  }).catch(() => {});

  function stop() {
    closed = true;
    waits.delete(client);
    clearTimeout(timer);
    for (const [target, name, listener] of listening) target.removeEventListener(name, listener);
    unsubscribe();
    kept.close();
    // what is on its way is settled by whoever is there then
    if (!isSending) release();
    callers?.resolve(unknown());
    callers = null;
  }

  return {
    enter(onOutcome) {
      const listeners = new Set();
      const view = { onOutcome, listeners };
      views.add(view);
      return Object.freeze({
        submit,
        cancel,
        state: () => shown,
        subscribe(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        close() {
          listeners.clear();
          if (views.delete(view) && views.size === 0) stop();
        },
      });
    },
  };
}
