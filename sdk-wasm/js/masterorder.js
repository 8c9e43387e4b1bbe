// The page's side of the SDK. It holds promises and listeners, adds texts, and notices a trap; every rule is in the module.

import { events } from "./events.js";
import { instantiate } from "./instance.js";
import { message, texts } from "./messages.js";
import { takeTurn } from "./turn.js";

export { getVersions } from "./versions.js";

/** Why a call was a mistake of the page, as the module numbers it. */
const MISTAKES = [
  "",
  "no line stands at this position",
  "quantity must be 1 to 99, also together with the equal line in the cart",
  "at most 20 toppings, 1 to 9 portions of each",
  "a line's note has at most 100 characters and no U+0000",
  "price must be whole minor units from 0, all in one currency",
  "a cart has at most 100 lines",
  "a line is { menuItemId: string, price: { amountMinor, currency }, quantity, note?, toppings? }",
];

/** The words for the module's numbers, in its order. */
const KINDS = ["placed", "pending", "rejected", "refused", "blocked", "unknown", "possibleDuplicate"];
const PHASES = ["idle", "sending", "waiting", "checking", "done", "failed"];

const EMPTY = Object.freeze({ lines: Object.freeze([]), total: null, state: Object.freeze({ phase: "idle", locked: false, persistent: true }) });

/** The browser's storage; `null` where it is denied. */
function browsers(name) {
  try {
    return window[name];
  } catch {
    return null;
  }
}

/** Storage of this page alone. */
function memory() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

/** Nobody waits for weeks; and what does not fit the module's numbers would come out as 0 there. */
const MAX_MS = 2 ** 31;

/** Reads `Retry-After`, seconds or a date, as ms. */
function retryAfterMs({ headers }) {
  const text = headers.get("Retry-After");
  const seconds = Number(text);
  return Math.min(MAX_MS, Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000);
}

/** The clients of this page: the browser tells other tabs only that storage has changed. */
const clients = new Set();

function deepFreeze(value) {
  if (value && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Opens a client that speaks Japanese and English. */
export const createClient = (options) => createBareClient(options, texts);

/** The same without texts of its own: a bundler leaves them out if nobody asks for the other one. */
export function createBareClient({ url, tableSessionId, pin, lang, storage, wasm, fetch, messages, onEvent }, ours = {}) {
  const inBrowser = typeof window === "object" && typeof document === "object";
  lang ??= inBrowser && !navigator.language.startsWith("ja") ? "en" : "ja";
  if (lang !== "ja" && lang !== "en") throw new TypeError('lang must be "ja" or "en"');
  const words = { ...ours[lang], ...messages };
  const told = events(onEvent);

  const listeners = new Set();
  const promises = new Map();
  let shell;
  let current = EMPTY;
  let shown = EMPTY;
  let depth = 0;
  let closed = false;
  /** Which instance is alive: callbacks of one that trapped are not. */
  let life = 0;
  let unavailable;

  const blocked = (code) => ({ kind: "blocked", code, message: message(words, code) });
  const unknown = () => ({ kind: "unknown", message: message(words, "UNKNOWN") });

  /** Adds texts and what can be done about it. */
  function dress(raw, lines) {
    if (!raw) return null;
    const { kind, code, problem } = raw;
    switch (kind) {
      case "unknown":
        return unknown();
      case "possibleDuplicate": {
        const { earlier, question: id } = raw;
        const answer = (how) => () => wish((shell) => shell[how](id));
        const seconds = Math.max(1, Math.round((Date.now() - Date.parse(earlier.placedAt)) / 1000));
        return { kind, message: message(words, "POSSIBLE_DUPLICATE", { seconds }), earlier, confirm: answer("confirm"), decline: answer("decline") };
      }
      case "rejected":
      case "refused":
      case "blocked": {
        const outcome = { kind, code, message: message(words, code, { problem, lines }) };
        if (problem) outcome.problem = problem;
        if (problem?.order) outcome.order = problem.order;
        return outcome;
      }
      default:
        return raw;
    }
  }

  function promiseOf(submission) {
    let entry = promises.get(submission);
    if (!entry) {
      entry = { callers: 0, aborted: 0 };
      entry.promise = new Promise((resolve) => (entry.resolve = resolve));
      promises.set(submission, entry);
    }
    return entry;
  }

  /** Tells the listeners, once the module has returned: they may call it again. */
  function tell() {
    if (shown === current) return;
    shown = current;
    for (const listener of [...listeners]) listener();
  }

  /** Locks that are held or asked for, by token. */
  const turns = new Map();

  const host = (instance, mine, shared, texts = [""], numbers = new Map([["", 0]]), papers = []) => ({
    name(text) {
      if (typeof text !== "string") return -1;
      if (!numbers.has(text)) numbers.set(text, texts.push(text) - 1);
      return numbers.get(text);
    },
    nameAll(all) {
      for (const text of all.split(" ")) this.name(text);
    },
    text: (name) => texts[name],
    plain: (text) => text.normalize("NFC").replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ""),
    keep: (paper) => papers.push(paper) - 1,
    kept: (paper) => papers[paper],
    memory: memory(),
    retryAfterMs,
    locks: Boolean(navigator.locks),
    lock: (token, name, granted, lost, told) => turns.set(token, takeTurn(name, shared, { granted, lost, told })),
    tell: (token, slot, kind, code, paper) => turns.get(token)?.say([slot, kind, texts[code], papers[paper]]),
    unlock(token) {
      turns.get(token)?.release();
      turns.delete(token);
    },
    callback: (news, token) => (value) => {
      // whoever slept must not go on as if nothing had happened
      for (const turn of [...turns.values()]) turn.check();
      return mine === life ? enter(() => instance.report(news, token, value)) : undefined;
    },
    outcome(number, text, paper, more) {
      const kind = KINDS[number];
      switch (kind) {
        case "placed":
          return { kind, order: papers[paper], replay: more === 1 };
        case "pending":
          return { kind, requestId: texts[text] };
        case "possibleDuplicate":
          return { kind, question: more, earlier: papers[paper] };
        default:
          return { kind, code: texts[text], problem: papers[paper] };
      }
    },
    settle(submission, raw) {
      const { resolve } = promiseOf(submission);
      told.settled(submission, raw);
      resolve(dress(raw, current.lines));
      queueMicrotask(() => promises.delete(submission));
    },
    changed(lines, total, phase, outcome, locked, persistent) {
      const state = { phase: PHASES[phase], locked, persistent };
      const dressed = dress(outcome, current.lines);
      if (dressed) state.outcome = deepFreeze(dressed);
      current = { lines: deepFreeze(lines), total: deepFreeze(total), state: Object.freeze(state) };
    },
    wrote() {
      for (const other of clients) if (other !== refresh) queueMicrotask(() => other(tableSessionId));
    },
  });

  /** Calls the module, if it is there; later if it is busy with another call. */
  function tellShell(call) {
    if (!shell) return;
    if (depth > 0) later(() => tellShell(call));
    else enter(() => call(shell));
  }

  const refresh = (session) => {
    if (session === tableSessionId) tellShell((shell) => shell.refresh());
  };

  /** What the module has of the window. The page may have a network of its own, and may want to know what goes over it. */
  const io = {
    fetch: async (address, request) => {
      const { heard } = told.sending(request);
      return heard(await (fetch ?? globalThis.fetch)(address, request));
    },
    setTimeout: (act, ms) => setTimeout(act, ms),
    clearTimeout: (timer) => clearTimeout(timer),
  };

  /** What the browser tells whoever listens. */
  const listening = !inBrowser ? [] : [
    [window, "storage", () => tellShell((shell) => shell.refresh())],
    [window, "pageshow", ({ persisted }) => tellShell((shell) => shell.shown(persisted))],
    [window, "online", () => tellShell((shell) => shell.online())],
    [document, "visibilitychange", () => document.visibilityState === "visible" && tellShell((shell) => shell.shown(false))],
  ];

  function enter(act) {
    depth += 1;
    try {
      return act();
    } catch (error) {
      trapped(error);
      return undefined;
    } finally {
      depth -= 1;
      if (depth === 0) tell();
    }
  }

  async function open() {
    const mine = ++life;
    const instance = await instantiate(wasm);
    if (closed || mine !== life) return;
    enter(() => {
      const shared = storage === undefined ? browsers("localStorage") : storage;
      instance.open({ url, tableSessionId, pin, lang }, host(instance, mine, shared), io, shared, browsers("sessionStorage"));
      shell = instance;
    });
  }

  let rebuilding;

  /** The module died. A fresh one goes on from what is stored, once; whoever waited is told what it finds. */
  function trapped(error) {
    console.error("MasterOrder: the module stopped", error);
    const waiting = [...promises.values()];
    promises.clear();
    life += 1;
    shell = undefined;
    for (const turn of turns.values()) turn.release();
    turns.clear();
    const giveUp = () => waiting.forEach(({ resolve }) => resolve(unknown()));
    if (rebuilding) {
      unavailable = unknown;
      return giveUp();
    }
    rebuilding = open().then(async () => {
      const outcome = waiting.length > 0 && shell ? await wish((shell) => shell.resume()) : null;
      waiting.forEach(({ resolve }) => resolve(outcome ?? unknown()));
    });
    rebuilding.catch(() => {
      unavailable = unknown;
      giveUp();
    });
  }

  const ready = inBrowser ? open() : Promise.resolve();
  ready.catch(() => (unavailable = () => blocked("NO_WEBASSEMBLY")));
  if (inBrowser) clients.add(refresh);
  for (const [target, name, listener] of listening) target.addEventListener(name, listener);

  /** Calls the module, now if it is there and later if it is not. Answers the promise of the submission. */
  function wish(call, since = Date.now()) {
    if (!inBrowser) return Promise.reject(new Error("orders are placed in a browser"));
    if (closed) return Promise.reject(new Error("the client is closed"));
    told.entered(since);
    if (unavailable) {
      const answer = unavailable();
      told.settled(null, answer);
      return Promise.resolve(answer);
    }
    if (!shell || depth > 0) return later(() => wish(call, since));
    let submission;
    enter(() => (submission = call(shell)));
    if (submission === undefined) return Promise.resolve(unknown());
    const entry = promiseOf(submission);
    told.called(submission, ++entry.callers > 1);
    return entry.promise;
  }

  const later = (act) => (rebuilding ?? ready).then(() => undefined, () => undefined).then(act);

  function edit(call) {
    if (!inBrowser || closed || unavailable) return;
    if (!shell || depth > 0) {
      later(() => edit(call));
      return;
    }
    let mistake = 0;
    enter(() => (mistake = call(shell)));
    if (mistake > 0) throw new (mistake < MISTAKES.length - 1 ? RangeError : TypeError)(MISTAKES[mistake]);
  }

  function submit({ note, signal } = {}) {
    if (signal?.aborted) return Promise.resolve(blocked("ABORTED"));
    told.tapped();
    return wish((shell) => {
      const submission = shell.submit(note);
      const leave = () =>
        tellShell((shell) => {
          const entry = promises.get(submission);
          // the others still wait for it
          if (entry && ++entry.aborted === entry.callers) shell.abort(submission);
        });
      signal?.addEventListener("abort", leave, { once: true });
      return submission;
    });
  }

  const cart = Object.freeze({
    get lines() {
      return current.lines;
    },
    get total() {
      return current.total;
    },
    add: (line) => edit((shell) => shell.add(line)),
    setQuantity(index, quantity) {
      const whole = Number.isInteger(index) && index >= 0 && Number.isInteger(quantity) && quantity >= 0;
      if (!whole) throw new TypeError("position and quantity must be whole numbers from 0");
      edit((shell) => shell.setQuantity(index, quantity));
    },
    clear: () => edit((shell) => shell.clear()),
    submit,
    withdraw: () => wish((shell) => shell.withdraw()),
    state: () => current.state,
    subscribe(listener) {
      // on a server nothing changes, and nobody may take it back
      if (inBrowser) listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });

  return Object.freeze({
    ready,
    cart: () => cart,
    resume: () => (inBrowser ? wish((shell) => shell.resume()) : Promise.resolve(null)),
    close() {
      if (closed) return;
      tellShell((shell) => shell.close());
      closed = true;
      for (const [target, name, listener] of listening) target.removeEventListener(name, listener);
      clients.delete(refresh);
      listeners.clear();
    },
  });
}
