// A question to the server: of the entries that only read.

/** Above the server's answer budget of 5 s. */
const TIMEOUT_MS = 10_000;

/** Where the client keeps this device's id. */
const CLIENT_ID = "masterorder.client";

/** What went wrong. `code` is the server's; `NO_ANSWER` if it said nothing that can be used. */
export class ReadError extends Error {
  constructor(code, message, cause) {
    super(message, { cause });
    this.name = "ReadError";
    this.code = code;
  }
}

/** `randomUUID` is missing on plain http and on old phones. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Where storage is denied: one id for as long as the page lives. */
let ofThisPage;

function clientId() {
  try {
    const kept = localStorage.getItem(CLIENT_ID);
    if (/^guest-[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(kept)) return kept;
    ofThisPage ??= `guest-${uuid()}`;
    localStorage.setItem(CLIENT_ID, ofThisPage);
  } catch {
    ofThisPage ??= `guest-${uuid()}`;
  }
  return ofThisPage;
}

/** The language of names and messages. */
export const language = (lang) => lang ?? (typeof navigator === "object" && !navigator.language?.startsWith("ja") ? "en" : "ja");

/** Who asks, and in which language: the headers of a request, and the payload of `connection_init`. */
export const credentials = ({ tableSessionId, pin, lang }) => ({
  "Accept-Language": language(lang),
  "X-Session-Id": tableSessionId,
  "X-Session-PIN": pin,
  "X-MasterOrder-Client-Id": clientId(),
});

/** Runs a query and answers its data; rejects with a `ReadError`. */
export async function ask(options, query) {
  const { url, signal, fetch = globalThis.fetch } = options;
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const timer = setTimeout(abort, TIMEOUT_MS);
  let answer;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/graphql-response+json, application/json", ...credentials(options) },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    });
    answer = await response.json();
  } catch (error) {
    throw new ReadError("NO_ANSWER", "no answer, or none that can be read", error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  const [error] = answer?.errors ?? [];
  if (error) throw new ReadError(error.extensions?.code ?? "INTERNAL", error.message);
  if (!answer?.data) throw new ReadError("NO_ANSWER", "an answer without data");
  return answer.data;
}
