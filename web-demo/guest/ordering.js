// The SDK's client of this table, as one cart that lasts: the SDK speaks one language for life, so that a change of language
// brings a new client, which goes on from what the old one has stored.

import { lang, onLanguage } from '../shared/lang.js';

/**
 * @param {object} o
 * @param {Function | null} o.createClient of the SDK; `null` where it could not be loaded
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {(outcome: object, how: { resumed: boolean }) => void} o.onOutcome gets every outcome once, whoever asked for it
 * @param {() => void} o.onUnavailable orders can not be placed with this browser
 */
export function ordering({ createClient, credentials, onOutcome, onUnavailable }) {
  const listeners = new Set();
  const told = new WeakSet();
  let client = null;
  let source = NOTHING;
  let spoken = null;
  let unsubscribe = () => {};
  let closed = false;

  function open() {
    const language = lang();
    const next = createClient({
      url: '/graphql',
      tableSessionId: credentials.sessionId,
      pin: credentials.pin,
      lang: language,
    });
    return { language, next };
  }

  function use({ language, next }) {
    unsubscribe();
    client?.close();
    client = next;
    spoken = language;
    source = next.cart();
    unsubscribe = source.subscribe(changed);
    changed();
  }

  function changed() {
    for (const listener of [...listeners]) listener();
    translate();
  }

  /** What is on its way keeps its client, and its language, until it is settled. */
  async function translate() {
    if (closed || !client || spoken === lang() || source.state().locked) return;
    spoken = lang();
    const opened = open();
    // the old one is shown until the new one has read the cart
    await opened.next.ready.catch(() => {});
    if (closed || source.state().locked) {
      opened.next.close();
      spoken = null;
    } else {
      use(opened);
    }
  }

  /** Answers the promise as the SDK gave it, and tells its outcome once: ten taps are one promise. */
  function tell(promise, { resumed = false } = {}) {
    if (told.has(promise)) return promise;
    told.add(promise);
    // rejected only by a client that was closed
    promise.then((outcome) => !closed && onOutcome(withAnswers(outcome), { resumed }), () => {});
    return promise;
  }

  /** An answer to the question has an outcome of its own. */
  function withAnswers(outcome) {
    if (outcome?.kind !== 'possibleDuplicate') return outcome;
    return { ...outcome, confirm: () => tell(outcome.confirm()), decline: () => tell(outcome.decline()) };
  }

  const cart = Object.freeze({
    get lines() {
      return source.lines;
    },
    get total() {
      return source.total;
    },
    add: (line) => source.add(line),
    setQuantity: (index, quantity) => source.setQuantity(index, quantity),
    clear: () => source.clear(),
    submit: (options) => tell(source.submit(options)),
    withdraw: () => tell(source.withdraw()),
    state: () => source.state(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });

  if (createClient) {
    use(open());
    client.ready.catch(() => !closed && onUnavailable());
    onLanguage(() => translate());
  } else {
    queueMicrotask(onUnavailable);
  }

  return {
    /** As the SDK's, and always the same object. */
    cart,
    /** The cart has been read, or never will be. */
    ready: client ? client.ready.catch(() => {}) : Promise.resolve(),
    /** Settles what an earlier page left: it may send. To be called once. */
    async resume() {
      const isAble = await client?.ready.then(() => true, () => false);
      if (isAble && !closed) tell(client.resume(), { resumed: true });
    },
    close() {
      closed = true;
      unsubscribe();
      client?.close();
    },
  };
}

const noOrders = () => Promise.resolve(null);

/** The cart of a page without the SDK. */
const NOTHING = Object.freeze({
  lines: Object.freeze([]),
  total: null,
  add() {},
  setQuantity() {},
  clear() {},
  submit: noOrders,
  withdraw: noOrders,
  state: () => IDLE,
});

const IDLE = Object.freeze({ phase: 'idle', locked: false, persistent: true });
