// Tells whoever measures what becomes of a confirmation. No PIN, no word of the guest, nothing of what is ordered.

/** What each of our documents asks, by how it begins. */
const PLACE = "mutation PlaceOrder";
const STATUS = "query PlacementStatus";
const HISTORY = "query Orders";

/** How a confirmation ends for good: the next one has another key. */
const FINAL = ["placed", "rejected", "refused"];

const UNSENT = Object.freeze({ requestId: null, attempt: 0, code: null });

const SILENT = Object.freeze({
  tapped() {},
  entered() {},
  called() {},
  sending: () => ({ heard: (response) => response }),
  settled() {},
});

/** What an answer says, as the word of its code or state; `null` if it says yes, or nothing. */
function wordOf(begins, body) {
  const { placeOrder, placementStatus } = body?.data ?? {};
  if (begins === PLACE && placeOrder) return placeOrder.result?.code ?? null;
  if (begins === STATUS && placementStatus) return placementStatus.state;
  if (begins === HISTORY && body?.data) return "ORDERS";
  return body?.errors?.[0]?.extensions?.code ?? null;
}

export function events(onEvent) {
  if (!onEvent) return SILENT;
  /** The key that was sent last, how often, and what the last answer to it said. */
  let sent = UNSENT;
  /** What was found out by asking, if that came last. */
  let found = null;
  /** The submission that is open, and since when. */
  let open = null;
  /** The last one that was settled: that may happen before the call that began it has returned. */
  let over = null;
  /** When the last call of the page began. */
  let entry = 0;

  function tell(type, more, since = open?.since ?? entry) {
    const durationMs = type === "tap" ? 0 : Math.max(0, Date.now() - since);
    const event = Object.freeze({ type, requestId: sent.requestId, attempt: sent.attempt, durationMs, ...more });
    // later, so that no listener stands between the guest and the order
    queueMicrotask(() => {
      try {
        onEvent(event);
      } catch (error) {
        console.error("MasterOrder: onEvent failed", error);
      }
    });
  }

  return {
    tapped: () => tell("tap"),
    entered(at) {
      entry = at;
    },
    called(submission, joins) {
      if (joins) tell("joined");
      else if (submission !== over) open = { submission, since: entry };
    },
    sending({ body }) {
      const { query, variables } = JSON.parse(body);
      const begins = [PLACE, STATUS, HISTORY].find((begin) => query.startsWith(begin));
      const requestId = variables?.input?.requestId ?? variables?.requestId ?? sent.requestId;
      const { attempt, code } = requestId === sent.requestId ? sent : UNSENT;
      sent = { requestId, attempt, code };
      if (begins === PLACE) {
        sent = { requestId, attempt: attempt + 1, code: null };
        if (attempt === 0) tell("sent");
        else tell("retried", { code });
      }
      const mine = sent;
      const note = (answer) => {
        const word = wordOf(begins, answer);
        if (begins === PLACE) mine.code = word;
        found = begins === STATUS || begins === HISTORY ? word : null;
        return answer;
      };
      return { heard: (response) => ({ headers: response.headers, json: async () => note(await response.json()) }) };
    },
    settled(submission, outcome) {
      if (!outcome) return;
      const { kind, code = null, order } = outcome;
      // another tab may have sent it
      const more = sent.requestId === null && order ? { requestId: order.requestId } : {};
      const ends = open === null || open.submission === submission;
      if (found && ends && (kind === "placed" || kind === "rejected")) tell("reconciled", { ...more, code: found });
      // what was blocked beside it has not ended it
      tell("settled", { ...more, kind, code }, ends ? undefined : entry);
      over = submission;
      if (!ends) return;
      open = found = null;
      if (FINAL.includes(kind)) sent = UNSENT;
    },
  };
}
