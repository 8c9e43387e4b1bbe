// Holds a GraphQL endpoint against the GraphQL-over-HTTP draft.
// Usage: node tests/http/audit.mjs http://127.0.0.1:8080/graphql
// Exits 1 when an audit with the word MUST fails; SHOULD and MAY are told, not required.

import { auditServer } from 'graphql-http';

const url = process.argv[2];
if (!url) {
  console.error('usage: node tests/http/audit.mjs URL');
  process.exit(2);
}

const LABELS = { ok: 'ok', notice: 'notice', warn: 'WARNING', error: 'FAILED' };

const results = await auditServer({ url });
for (const { id, name, status, reason } of results) {
  console.log(`${LABELS[status].padEnd(8)} ${id} ${name}${reason ? `: ${reason}` : ''}`);
}

const count = (status) => results.filter((result) => result.status === status).length;
console.log(`${count('warn')} warnings, ${count('notice')} notices`);
console.log(`${count('ok')} passed, ${count('error')} failed`);
process.exitCode = count('error') > 0 || results.length === 0 ? 1 : 0;
