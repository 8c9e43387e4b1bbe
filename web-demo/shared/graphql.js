// Operations by POST.

/** How long an answer may take. The server's own budget is five seconds. */
const TIMEOUT_MS = 10_000;

let clockOffsetMs = 0;

/**
 * Answers the server's time: a tablet on a wall may be minutes off, and ages must not be.
 *
 * *Units*: ms since the Unix epoch.
 */
export function serverNow() {
  return Date.now() + clockOffsetMs;
}

/** No answer, or one that tells nothing about the operation: it may have run. */
export class NoAnswer extends Error {}

/** The server's "no". `code` is its stable name. */
export class Refused extends Error {
  /** @param {{ message: string, extensions?: { code?: string } }} error */
  constructor(error) {
    super(error.message);
    this.code = error.extensions?.code ?? 'INTERNAL';
  }
}

/**
 * Runs a query or mutation and answers its data.
 *
 * *Errors*: `Refused` with the server's code; `NoAnswer` for everything the network did.
 *
 * @param {Record<string, string>} credentials headers
 */
export async function ask(credentials, query, variables = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  let answer;
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...credentials },
      body: JSON.stringify({ query, variables }),
      signal: abort.signal,
    });
    readClock(response);
    answer = await response.json();
  } catch (cause) {
    throw new NoAnswer('no answer', { cause });
  } finally {
    clearTimeout(timer);
  }
  if (answer?.errors?.length > 0) throw new Refused(answer.errors[0]);
  if (!answer?.data) throw new NoAnswer('an answer without data');
  return answer.data;
}

/** The header has whole seconds: a smaller difference is none. */
function readClock(response) {
  const server = Date.parse(response.headers.get('Date') ?? '');
  const difference = server + 500 - Date.now();
  clockOffsetMs = Math.abs(difference) > 3_000 ? difference : 0;
}
