// What the SDK is before any browser: a module that does nothing, documents that fit the schema.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { buildSchema, parse, validate } from 'graphql';

const at = (path) => new URL(`../../${path}`, import.meta.url);

test('on a server the module can be imported, and its client is an empty cart', async () => {
  const { createClient } = await import(at('sdk-wasm/dist/masterorder.js'));
  const client = createClient({ url: '/graphql', tableSessionId: 't', pin: '0000' });
  await client.ready;
  assert.deepEqual([client.cart().lines, client.cart().total], [[], null]);
  assert.equal(client.cart().state().phase, 'idle');
  assert.equal(await client.resume(), null);
  await assert.rejects(client.cart().submit(), /in a browser/);
});

test('the module exports the factories, its versions and nothing else', async () => {
  const names = Object.keys(await import(at('sdk-wasm/dist/masterorder.js')));
  assert.deepEqual(names, ['createBareClient', 'createClient', 'getVersions']);
});

test('what the SDK sends fits the schema', () => {
  const schema = buildSchema(readFileSync(at('protocol/schema.graphql'), 'utf8'));
  const folder = at('protocol/operations/');
  const all = readdirSync(folder).filter((file) => file.endsWith('.graphql')).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  assert.deepEqual(validate(schema, parse(all.join('\n'))).map(String), []);
});
