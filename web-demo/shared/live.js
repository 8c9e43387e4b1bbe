// A feed of the shop, watched by the SDK's socket for as long as the page is there, and tried anew whenever the browser says
// something that may have mended the way.

import { watch as open } from '/sdk/socket.js';

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
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql/ws`;
  const socket = open({ url, payload: credentials, query, onNews, onConnection, onRefused: onUnwelcome });

  function look() {
    if (document.visibilityState !== 'hidden') socket.look();
  }

  /** Back from the browser's back-forward cache, where sockets die. */
  function shown({ persisted }) {
    if (persisted) look();
  }

  addEventListener('online', look);
  addEventListener('offline', socket.leave);
  addEventListener('pageshow', shown);
  document.addEventListener('visibilitychange', look);

  return {
    /** Tries at once. */
    retry: socket.look,
    /** Ends it for good. */
    stop() {
      removeEventListener('online', look);
      removeEventListener('offline', socket.leave);
      removeEventListener('pageshow', shown);
      document.removeEventListener('visibilitychange', look);
      socket.stop();
    },
  };
}
