// Answers as the server and what stands before it send them.

const STATUS = { BAD_USER_INPUT: 400, UNAUTHENTICATED: 401, FORBIDDEN: 403, NOT_FOUND: 404, RATE_LIMITED: 429, UNAVAILABLE: 503, INTERNAL: 500 };
const RETRYABLE = ["RATE_LIMITED", "UNAVAILABLE", "INTERNAL"];

const AS_SENT = { "Content-Type": "application/graphql-response+json; charset=utf-8", "Cache-Control": "no-store" };

/** The operation ran. */
export const answered = (data) => new Response(JSON.stringify({ data }), { status: 200, headers: AS_SENT });

/** The request was refused before it ran. */
export function refused(code, retryAfterMs = null) {
  const status = STATUS[code] ?? 500;
  const error = { message: `scripted: ${code}`, extensions: { code, status, retryable: RETRYABLE.includes(code), retryAfterMs } };
  const waiting = retryAfterMs === null ? {} : { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) };
  return new Response(JSON.stringify({ errors: [error] }), { status, headers: { ...AS_SENT, ...waiting } });
}

/** A proxy's page. */
export const page = (status) => new Response("<h1>Sorry</h1>", { status, headers: { "Content-Type": "text/html" } });

/** What `fetch` rejects with: each browser has words of its own. */
export const broken = (signal) => signal?.reason ?? new TypeError("Failed to fetch");
