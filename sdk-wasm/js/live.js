// The orders of a table, whoever of the party ordered them, kept up to date over a socket; where sockets do not get through,
// the history is read again and again.

import line from "../../protocol/operations/line.graphql";
import fields from "../../protocol/operations/live_fields.graphql";
import history from "../../protocol/operations/live_orders.graphql";
import order from "../../protocol/operations/order.graphql";
import feed from "../../protocol/operations/table_orders.graphql";
import { ask, credentials } from "./ask.js";
import { watch } from "./socket.js";

const FRAGMENTS = fields + order + line;

/** Attempts that may fail before the history is read instead. The socket is tried on all the same; at the second one jitter has spread
 * the phones that were all thrown out at once. */
const TRIES = 2;
/** Between two readings: a kitchen does not work in seconds. */
const POLL_MS = 5_000;

/** The address of the sockets beside that of the operations. */
function addressOf(url) {
  const address = new URL(url, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.pathname = `${address.pathname.replace(/\/$/, "")}/ws`;
  return address.href;
}

const refuses = (code) => code === "UNAUTHENTICATED" || code === "FORBIDDEN";

export function watchOrders(options) {
  const inBrowser = typeof window === "object" && typeof document === "object";
  const listeners = new Set();
  const known = new Map();
  let shown = Object.freeze({ orders: Object.freeze([]), connection: "connecting", heardAt: null });
  let connection = "connecting";
  let heardAt = null;
  let polling = false;
  let pollTimer;
  let closed = !inBrowser;
  let socket;

  /** Shows what is known now. */
  function show() {
    const orders = [...known.values()].sort((a, b) => Date.parse(b.placedAt) - Date.parse(a.placedAt) || b.number - a.number);
    shown = Object.freeze({ orders: Object.freeze(orders), connection, heardAt });
    for (const listener of [...listeners]) listener();
  }

  function move(to) {
    if (closed || connection === to) return;
    connection = to;
    show();
  }

  /** Feed and readings may overtake each other: versions only grow. */
  function take(orders, { complete, removed = [] }) {
    const there = new Set(orders.map(({ id }) => id));
    if (complete) for (const id of [...known.keys()]) if (!there.has(id)) known.delete(id);
    for (const id of removed) known.delete(id);
    for (const order of orders) if (!(known.get(order.id)?.version > order.version)) known.set(order.id, Object.freeze(order));
    heardAt = Date.now();
  }

  /** Reads the history. Answers the code of what went wrong; `null` if nothing did. */
  async function readOnce() {
    try {
      const { orders } = await ask(options, history + FRAGMENTS);
      // what the socket says is newer
      if (closed || connection === "live") return null;
      take(orders.nodes, { complete: orders.nodes.length < 100 });
      return null;
    } catch (error) {
      return error.code;
    }
  }

  async function poll() {
    clearTimeout(pollTimer);
    if (closed || polling || connection === "live") return;
    if (document.visibilityState !== "hidden") {
      polling = true;
      const failed = await readOnce();
      polling = false;
      if (closed || connection === "live") return;
      if (refuses(failed)) return end(failed);
      connection = failed ? "lost" : "polling";
      show();
    }
    pollTimer = setTimeout(poll, POLL_MS);
  }

  /** The credentials are not valid any more: nothing will change that. */
  function end(code) {
    move(code === "FORBIDDEN" ? "forbidden" : "unauthenticated");
    stop();
  }

  function look() {
    if (closed || document.visibilityState === "hidden") return;
    socket.look();
    if (connection === "polling" || connection === "lost") poll();
  }

  const leave = () => socket.leave();
  const listening = closed ? [] : [
    [window, "online", look],
    [window, "offline", leave],
    [window, "pageshow", ({ persisted }) => persisted && look()],
    [document, "visibilitychange", look],
  ];

  function stop() {
    closed = true;
    clearTimeout(pollTimer);
    socket?.stop();
    for (const [target, name, listener] of listening) target.removeEventListener(name, listener);
  }

  if (!closed) {
    socket = watch({
      url: addressOf(options.url),
      payload: () => credentials(options),
      query: feed + FRAGMENTS,
      onNews({ snapshot, orders, removed }) {
        if (closed) return;
        take(orders, { complete: snapshot, removed });
        connection = "live";
        show();
      },
      onConnection({ live, attempts, since }) {
        if (live) return clearTimeout(pollTimer);
        // a quiet feed has no news, and is alive all the same
        heardAt = Math.max(heardAt, since) || null;
        if (connection === "live") move("lost");
        if (attempts >= TRIES && !polling && connection !== "polling") poll();
      },
      // a socket is also refused to who guesses too often, which passes: the door that can say why has the last word
      async onRefused() {
        const failed = await readOnce();
        if (refuses(failed)) end(failed);
        return !closed;
      },
    });
    for (const [target, name, listener] of listening) target.addEventListener(name, listener);
  }

  return Object.freeze({
    state: () => shown,
    subscribe(listener) {
      if (inBrowser) listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry: () => look(),
    close() {
      if (!closed) stop();
      listeners.clear();
    },
  });
}
