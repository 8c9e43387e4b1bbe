// The SDK's client of this table, as one cart that lasts: the SDK speaks one language for life, so that a change of language
// brings a new client, which goes on from what the old one has stored. What is confirmed without a network waits for one.

import { lang, onLanguage } from '../shared/lang.js';

/**
 * @param {object} o
 * @param {{ createClient: Function, waitForNetwork: Function } | null} o.sdk `null` where it could not be loaded
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {(outcome: object, how: { resumed: boolean }) => void} o.onOutcome gets every outcome once, whoever asked for it
 * @param {() => void} o.onUnavailable orders can not be placed with this browser
 */
export function ordering({ sdk, credentials, onOutcome, onUnavailable }) {
  const listeners = new Set();
  const told = new WeakSet();
  let client = null;
  let source = NOTHING;
  let wait = NO_WAIT;
  let spoken = null;
  let unsubscribe = () => {};
  let closed = false;

  function open() {
    const language = lang();
    const next = sdk.createClient({
      url: '/graphql',
      tableSessionId: credentials.sessionId,
      pin: credentials.pin,
      lang: language,
    });
    return { language, next };
  }

  function use({ language, next }) {
    end();
    client = next;
    spoken = language;
    source = next.cart();
    wait = sdk.waitForNetwork(next, { tableSessionId: credentials.sessionId, lang: language, onOutcome: (outcome) => hear(outcome) });
    const leave = [source.subscribe(changed), wait.subscribe(changed)];
    unsubscribe = () => leave.forEach((one) => one());
    changed();
  }

  /** What waits stays written down for the next client. */
  function end() {
    unsubscribe();
    wait.close();
    client?.close();
  }

  /** Confirmed, and not sent yet. */
  function isWaiting() {
    const { waiting } = wait.state();
    return waiting !== null && !waiting.expired;
  }

  const isFixed = () => source.state().locked || isWaiting();

  function changed() {
    for (const listener of [...listeners]) listener();
    translate();
  }

  /** What is on its way keeps its client, and its language, until it is settled. */
  async function translate() {
    if (closed || !client || spoken === lang() || isFixed()) return;
    spoken = lang();
    const opened = open();
    // the old one is shown until the new one has read the cart
    await opened.next.ready.catch(() => {});
    if (closed || isFixed()) {
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
    promise.then((outcome) => hear(outcome, resumed), () => {});
    return promise;
  }

  function hear(outcome, resumed = false) {
    if (closed || told.has(outcome)) return;
    if (outcome) told.add(outcome);
    onOutcome(withAnswers(outcome), { resumed });
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
    add: (line) => isWaiting() || source.add(line),
    setQuantity: (index, quantity) => isWaiting() || source.setQuantity(index, quantity),
    clear: () => isWaiting() || source.clear(),
    submit: (options) => tell(wait.submit(options)),
    withdraw: () => tell(wait.cancel()),
    /** The client's, with what waits: that can not be edited either. */
    state: () => ({ ...source.state(), ...wait.state(), locked: isFixed() }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });

  if (sdk) {
    use(open());
    client.ready.catch(() => !closed && onUnavailable());
    onLanguage(() => translate());
  } else {
    queueMicrotask(onUnavailable);
  }

  return {
    /** As the SDK's, with what waits for the network; always the same object. */
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
      end();
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
  state: () => IDLE,
});

const NO_WAIT = Object.freeze({ submit: noOrders, cancel: noOrders, state: () => ({ waiting: null }), close() {} });

const IDLE = Object.freeze({ phase: 'idle', locked: false, persistent: true });
