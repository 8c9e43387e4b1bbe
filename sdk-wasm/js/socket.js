// One subscription over graphql-transport-ws that never gives up. The feed is the current state and no log, so that coming
// back is simple: the first message after every connection is a snapshot.
//
// The server's own pages import this file as it is written: it imports nothing, and the oldest phones read it.

/** Between our pings. A cable that is pulled sends no goodbye: only silence tells. */
const PING_MS = 10_000;
/** How long a ping, the welcome and the snapshot may take. */
const PATIENCE_MS = 6_000;
/** Bounds of the pause between two attempts: it doubles from the first to the last. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 8_000;
/** Close codes by which the server says "not with these credentials". */
const UNWELCOME = [4401, 4403];

/** Answers the pause before an attempt (from 0): full jitter, so that a room full of phones does not come back in step. */
export const pauseMs = (attempt, random = Math.random) => random() * Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);

/**
 * Watches a feed until `stop()`.
 *
 * `onNews` gets the root field's value; `onConnection({ live, attempts, since })` is told when the feed begins, and whenever an attempt
 * is over: how many were in vain, and when the server was heard last before the feed was lost (ms since the epoch, `null` before
 * the first); `onRefused(code)` answers a promise of whether to go on.
 */
export function watch({ url, payload, query, onNews, onConnection, onRefused }) {
  let socket = null;
  let attempts = 0;
  let live = false;
  let heardAt = null;
  let since = null;
  let stopped = false;
  let retryTimer;
  let pingTimer;
  let patience;

  function connect() {
    clearTimeout(retryTimer);
    drop();
    expectSignOfLife();
    try {
      socket = new WebSocket(url, "graphql-transport-ws");
    } catch {
      // a policy of the page, or a browser without sockets; told once our caller has us
      return queueMicrotask(() => stopped || lost(null));
    }
    socket.onopen = () => send({ type: "connection_init", payload: payload() });
    socket.onmessage = ({ data }) => hear(data);
    socket.onclose = ({ code }) => lost(UNWELCOME.includes(code) ? "UNAUTHENTICATED" : null);
  }

  function hear(data) {
    heardAt = Date.now();
    const { type, payload } = parse(data);
    switch (type) {
      case "connection_ack":
        return send({ id: "1", type: "subscribe", payload: { query } });
      case "next":
        return news(payload ?? {});
      case "ping":
        return send({ type: "pong" });
      case "pong":
        return clearTimeout(patience);
      case "error":
        return lost(payload?.[0]?.extensions?.code ?? null);
      case "complete":
        return lost(null);
    }
  }

  function news({ data, errors }) {
    const value = data && Object.values(data)[0];
    if (!value) return lost(errors?.[0]?.extensions?.code ?? null);
    if (!live) {
      clearTimeout(patience);
      live = true;
      attempts = 0;
      pingTimer = setInterval(ping, PING_MS);
      onConnection({ live, attempts, since: null });
    }
    onNews(value);
  }

  function ping() {
    send({ type: "ping" });
    expectSignOfLife();
  }

  function expectSignOfLife() {
    clearTimeout(patience);
    patience = setTimeout(() => lost(null), PATIENCE_MS);
  }

  function send(message) {
    if (socket?.readyState === 1) socket.send(JSON.stringify(message));
  }

  /** Leaves the socket without waiting for its goodbye. */
  function drop() {
    clearInterval(pingTimer);
    clearTimeout(patience);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    socket = null;
  }

  async function lost(code) {
    drop();
    if (live) since = heardAt;
    live = false;
    clearTimeout(retryTimer);
    onConnection({ live, attempts: attempts + 1, since });
    const refused = code === "UNAUTHENTICATED" || code === "FORBIDDEN";
    if ((refused && !(await onRefused(code))) || stopped) return;
    // somebody may have tried in the meantime
    if (socket) return;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(connect, pauseMs(attempts));
    attempts += 1;
  }

  connect();

  return {
    /** Something happened that may have mended the way, or broken it. */
    look: () => !stopped && (live ? ping() : connect()),
    /** The way is gone, as far as the browser knows. */
    leave: () => live && lost(null),
    stop() {
      stopped = true;
      clearTimeout(retryTimer);
      drop();
    },
  };
}

function parse(data) {
  try {
    return JSON.parse(data) ?? {};
  } catch {
    return {};
  }
}
