// What the guest's page says: everything in both languages, and nothing that nobody says.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const folder = new URL('../../web-demo/guest/', import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith('.js') && name !== 'texts.js');
const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
const written = await readFile(new URL('texts.js', folder), 'utf8');
// without the reader's language, which is a browser's
const module = `${written.replace(/^import .*$/m, 'const lang = () => "ja";')}\nexport { TEXTS };`;
const { TEXTS } = await import(`data:text/javascript;base64,${Buffer.from(module).toString('base64')}`);

/** Says a text, with values if it wants any. */
const said = (text) => (typeof text === 'function' ? text(['X', 'Y'], 2) : text);

test('every text is there in both languages, and takes the same values', () => {
  for (const [name, { ja, en, ...more }] of Object.entries(TEXTS)) {
    assert.deepEqual(more, {}, name);
    assert.equal(typeof ja, typeof en, name);
    assert.equal(ja.length > 0 && en.length > 0, true, name);
    if (typeof ja === 'function') assert.equal(ja.length, en.length, name);
    assert.match(said(ja), name === 'times' ? /×/ : /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, name);
    assert.doesNotMatch(said(en), /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, name);
  }
});

test('every text that is said is written, and every one that is written is said', () => {
  const all = sources.join('\n');
  for (const [, name] of all.matchAll(/\bt\('(\w+)'/g)) assert.ok(name in TEXTS, name);
  // by a name that is put together, or comes from the server
  const composed = new Set(['PENDING', ...['welcome', 'unknownTable', 'paid'].flatMap((name) => [`${name}What`, `${name}Hint`])]);
  const unsaid = Object.keys(TEXTS).filter((name) => !composed.has(name) && !new RegExp(`['"]${name}['"]`).test(all));
  assert.deepEqual(unsaid, []);
});
