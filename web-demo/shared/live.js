// One subscription over graphql-transport-ws that never gives up. The feed is the current state and no log, so that coming
// back is simple: the first message after every connection is a snapshot.

/** Between our pings. A cable that is pulled sends no goodbye: only silence tells. */
const PING_MS = 10_000;
/** How long a ping, the welcome and the snapshot may take. */
const PATIENCE_MS = 6_000;
/** The longest pause between two attempts: a kitchen can not wait for minutes. */
const LONGEST_PAUSE_MS = 8_000;
const FIRST_PAUSE_MS = 400;
/** Close codes by which the server says "not with this key". */
const UNWELCOME = [4401, 4403];

/**
 * Answers the pause before an attempt: it doubles, and jitter keeps ten tablets from coming back in step.
 *
 * *Units*: ms.
 */
export function pauseBefore(attempt, random = Math.random) {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest / 2 + (random() * longest) / 2;
}

/**
 * Watches a feed until `stop()`.
 *
 * @param {object} o
 * @param {() => Record<string, string>} o.credentials payload of `connection_init`
 * @param {string} o.query a subscription with one root field
 * @param {(news: any) => void} o.onNews gets the root field's value
 * @param {(connection: { live: boolean, since: number | null, attempts: number }) => void} o.onConnection `since`: the last
 *   sign of life before the connection was lost, in ms since the Unix epoch; `null` before the first snapshot
 * @param {(code: string) => Promise<boolean>} o.onUnwelcome answers whether to go on trying
 */
export function watch({ credentials, query, onNews, onConnection, onUnwelcome }) {
  let socket = null;
  let attempts = 0;
  let live = false;
  let since = null;
  let heardAt = null;
  let stopped = false;
  let retryTimer;
  let pingTimer;
  let patience;

  function connect() {
    clearTimeout(retryTimer);
    drop();
    const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql/ws`;
    const mine = new WebSocket(url, 'graphql-transport-ws');
    socket = mine;
    expectSignOfLife();
    mine.onopen = () => send({ type: 'connection_init', payload: credentials() });
    mine.onmessage = ({ data }) => hear(JSON.parse(data));
    mine.onclose = ({ code }) => lost(UNWELCOME.includes(code) ? 'UNAUTHENTICATED' : null);
  }

  function hear(message) {
    heardAt = Date.now();
    switch (message.type) {
      case 'connection_ack':
        send({ id: '1', type: 'subscribe', payload: { query } });
        break;
      case 'next':
        news(message.payload);
        break;
      case 'ping':
        send({ type: 'pong' });
        break;
      case 'pong':
        clearTimeout(patience);
        break;
      case 'error':
        lost(message.payload?.[0]?.extensions?.code ?? 'INTERNAL');
        break;
      case 'complete':
        lost(null);
        break;
    }
  }

  function news({ data, errors }) {
    const value = data && Object.values(data)[0];
    if (!value) {
      lost(errors?.[0]?.extensions?.code ?? 'INTERNAL');
      return;
    }
    if (!live) {
      clearTimeout(patience);
      live = true;
      since = null;
      attempts = 0;
      pingTimer = setInterval(ping, PING_MS);
      tell();
    }
    onNews(value);
  }

  function ping() {
    send({ type: 'ping' });
    expectSignOfLife();
  }

  function expectSignOfLife() {
    clearTimeout(patience);
    patience = setTimeout(() => lost(null), PATIENCE_MS);
  }

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
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
    if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') {
      if (!(await onUnwelcome(code)) || stopped) return;
    }
    if (stopped) return;
    retryTimer = setTimeout(connect, pauseBefore(attempts));
    attempts += 1;
    tell();
  }

  function tell() {
    if (!stopped) onConnection({ live, since, attempts });
  }

  /** Something happened that may have mended, or broken, the way. */
  function look() {
    if (stopped || document.visibilityState === 'hidden') return;
    if (live) ping();
    else connect();
  }

  function offline() {
    if (live) lost(null);
  }

  /** Back from the browser's back-forward cache, where sockets die. */
  function shown({ persisted }) {
    if (persisted) look();
  }

  addEventListener('online', look);
  addEventListener('offline', offline);
  addEventListener('pageshow', shown);
  document.addEventListener('visibilitychange', look);
  connect();

  return {
    /** Tries at once. */
    retry: () => !stopped && !live && connect(),
    /** Ends it for good. */
    stop() {
      stopped = true;
      clearTimeout(retryTimer);
      removeEventListener('online', look);
      removeEventListener('offline', offline);
      removeEventListener('pageshow', shown);
      document.removeEventListener('visibilitychange', look);
      drop();
    },
  };
}
