// One subscription over graphql-transport-ws that never gives up. The feed is the current state and no log, so that coming
// back is simple: the first message after every connection is a snapshot.

/** Between our pings. A cable that is pulled sends no goodbye: only silence tells. */
const PING_MS = 10_000;
/** How long a ping, the welcome and the snapshot may take. */
const PATIENCE_MS = 6_000;
/** Bounds of the pause between two attempts: it doubles from the first to the last. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 8_000;
/** Close codes by which the server says "not with these credentials". */
const UNWELCOME = { 4401: "UNAUTHENTICATED", 4403: "FORBIDDEN" };

/** Answers the pause before an attempt (from 0): full jitter, so that a room full of phones does not come back in step. */
export const pauseMs = (attempt, random = Math.random) => random() * Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);

/**
 * Watches a feed until `stop()`.
 *
 * `onNews` gets the root field's value; `onLive` is told when the feed begins (`true`) and when it is lost; `onRefused(code)`
 * answers a promise of whether to go on.
 */
export function watch({ url, payload, query, onNews, onLive, onRefused }) {
  let socket = null;
  let attempts = 0;
  let live = false;
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
      // a policy of the page, or a browser without sockets
      return lost(null);
    }
    socket.onopen = () => send({ type: "connection_init", payload: payload() });
    socket.onmessage = ({ data }) => hear(data);
    socket.onclose = ({ code }) => lost(UNWELCOME[code] ?? null);
  }

  function hear(data) {
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
      onLive(true);
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
    live = false;
    clearTimeout(retryTimer);
    onLive(false, attempts + 1);
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
