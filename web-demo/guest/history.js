// The table's orders, kept up to date by the feed, whoever of the party ordered them.

import { ask } from '../shared/graphql.js';
import { watch } from '../shared/live.js';
import { headers } from './credentials.js';

const ORDER = `id number status placedAt cancelledAt note version total { amountMinor currency } ticket { state }
  lines { quantity note lineTotal { amountMinor currency } ja: name(lang: JA) en: name(lang: EN)
    toppings { quantity ja: name(lang: JA) en: name(lang: EN) } }`;

const FEED = `subscription Orders { tableSessionOrders { snapshot removed orders { ${ORDER} } } }`;
const READ = `query Orders { orders(first: 100) { nodes { ${ORDER} } } }`;
const CANCEL = `mutation Cancel($id: ID!) { cancelOrder(orderId: $id) { changed order { ${ORDER} } } }`;

/**
 * Follows the orders of a table.
 *
 * @param {object} o
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {() => void} o.onChange orders or connection are others than before
 * @param {(live: boolean) => void} o.onLive the feed has come or gone
 * @param {(order: object) => void} o.onReady the kitchen has finished an order
 * @param {() => Promise<boolean>} o.onUnwelcome answers whether to go on trying
 */
export function history({ credentials, onChange, onLive, onReady, onUnwelcome }) {
  const orders = new Map();
  let connection = { live: false, since: null };
  let closed = false;

  const feed = watch({
    credentials: () => headers(credentials),
    query: FEED,
    onNews({ snapshot, orders: news, removed }) {
      const kept = new Set(news.map((order) => order.id));
      if (snapshot) for (const id of [...orders.keys()]) if (!kept.has(id)) orders.delete(id);
      for (const id of removed) orders.delete(id);
      for (const order of news) take(order);
      onChange();
    },
    onConnection({ live, since }) {
      const isNews = live !== connection.live;
      connection = { live, since: live ? null : (since ?? connection.since) };
      onChange();
      if (isNews) onLive(live);
    },
    onUnwelcome,
  });

  /** The feed, an answer and a reading may overtake each other: versions only grow. */
  function take(order) {
    const known = orders.get(order.id);
    if (known && known.version > order.version) return;
    orders.set(order.id, order);
    if (known && state(known) !== 'READY' && state(order) === 'READY') onReady(order);
  }

  return {
    /** Newest first. */
    orders: () => [...orders.values()].sort((a, b) => Date.parse(b.placedAt) - Date.parse(a.placedAt)),
    connection: () => connection,
    /** Asks once, for those who look while the feed is down. */
    async read() {
      if (connection.live) return;
      const answer = await ask(headers(credentials), READ).catch(() => null);
      if (!answer || closed || connection.live) return;
      for (const order of answer.orders.nodes) take(order);
      connection = { live: false, since: Date.now() };
      onChange();
    },
    /** Cancels an order. Throws what `ask` throws. */
    async cancel(id) {
      const { cancelOrder } = await ask(headers(credentials), CANCEL, { id });
      take(cancelOrder.order);
      onChange();
    },
    retry: () => feed.retry(),
    close() {
      closed = true;
      feed.stop();
    },
  };
}

/** Where an order stands for the guest: the ticket's state, once there is a ticket. */
export function state({ status, ticket }) {
  return status === 'PLACED' ? (ticket?.state ?? 'RECEIVED') : status;
}

/** The kitchen still has something to do for it. */
export function isUnderway(order) {
  return !['SERVED', 'CANCELLED'].includes(state(order));
}
