// Texts: ours, an app's in place of ours, and a client that carries none.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import esbuild from 'esbuild';
import { ago, en, ja, message, money } from '../../sdk-wasm/pkg/messages.js';
import { createBareClient } from '../../sdk-wasm/pkg/masterorder.js';
import { possibleDuplicate, reject, soldOut } from '../../sdk-wasm/pkg/testing.js';
import { table } from './fake.mjs';
import { ROOT } from './npm.mjs';

test('both languages have the same codes, and a text for each', () => {
  assert.deepEqual(Object.keys(ja), Object.keys(en));
  for (const words of [ja, en]) for (const code of Object.keys(words)) assert.ok(message(words, code).length > 5, code);
});

test('the texts of the entry are those of the client', async (t) => {
  for (const [lang, words] of Object.entries({ ja, en })) {
    const { cart } = table(t, [soldOut(2)], { lang });
    const { code, problem, message: said } = await cart.submit();
    assert.equal(said, message(words, code, { problem }));
  }
});

test('of what is short it is said what is left, and nothing left is sold out', async (t) => {
  const shortages = [{ name: '枝豆', left: 2 }, { name: '卵', left: 0 }];
  assert.equal(message(ja, 'SOLD_OUT', { problem: { shortages } }), '枝豆は残り2点です\n卵は売り切れました');
  assert.equal(message(en, 'SOLD_OUT', { problem: { shortages } }), 'Only 2 left of 枝豆.\n卵 is sold out.');
  const { shop, cart } = table(t, [soldOut()]);
  const outcome = await cart.submit();
  assert.equal(outcome.message, `${outcome.problem.shortages[0].name} is sold out.`);
  assert.deepEqual(shop.orders, []);
});

test('what is off the menu is listed as people of a language do', () => {
  const items = [{ name: '枝豆' }, { name: '卵' }];
  assert.equal(message(ja, 'ITEM_UNAVAILABLE', { problem: { items } }), '枝豆、卵はただいまご注文いただけません');
  assert.equal(message(en, 'ITEM_UNAVAILABLE', { problem: { items } }), 'Not available right now: 枝豆, 卵.');
  assert.equal(message(en, 'ITEM_UNAVAILABLE', { problem: { items: [] } }), en.OTHER, 'and nothing is not listed');
});

test('the age of the earlier order is told in the largest unit that is over', () => {
  for (const [seconds, inJapanese, inEnglish] of [
    [0, '1秒前', '1 second ago'],
    [1, '1秒前', '1 second ago'],
    [59, '59秒前', '59 seconds ago'],
    [60, '1分前', '1 minute ago'],
    [119, '1分前', '1 minute ago'],
    [120, '2分前', '2 minutes ago'],
    [3_599, '59分前', '59 minutes ago'],
    [3_600, '1時間前', '1 hour ago'],
    [86_399, '23時間前', '23 hours ago'],
    [172_800, '2日前', '2 days ago'],
  ]) {
    assert.deepEqual([ago('ja', seconds), ago('en', seconds)], [inJapanese, inEnglish]);
    assert.equal(message(ja, 'POSSIBLE_DUPLICATE', { seconds }), `同じご注文が${inJapanese}に入っています。もう一度注文しますか？`);
    assert.equal(message(en, 'POSSIBLE_DUPLICATE', { seconds }), `The same order came in ${inEnglish}. Order it again?`);
  }
});

test('amounts are written as people write them', () => {
  assert.equal(money('ja', { amountMinor: 680, currency: 'JPY' }), '680円');
  assert.equal(money('en', { amountMinor: 680, currency: 'JPY' }), '¥680');
  assert.equal(money('en', { amountMinor: 680, currency: 'USD' }), '$6.80');
});

test('an app says some of it in its own words, and the rest stays', async (t) => {
  const messages = {
    SOLD_OUT: ({ code, problem }) => `${code}: ${problem.shortages[0].left}`,
    POSSIBLE_DUPLICATE: ({ seconds }) => `?${typeof seconds}`,
    CART_EMPTY: '텅 비었습니다',
  };
  const { shop, cart } = table(t, [soldOut(2), possibleDuplicate()], { messages });
  assert.equal((await cart.submit()).message, 'SOLD_OUT: 2');
  assert.equal(cart.state().outcome.message, 'SOLD_OUT: 2', 'what is shown is what was answered');
  assert.equal((await cart.submit()).message, '?number');
  await cart.withdraw();
  cart.clear();
  assert.equal((await cart.submit()).message, '텅 비었습니다');
  assert.equal(shop.orders.length, 1);
  assert.equal((await cart.withdraw()).message, en.NOTHING_TO_WITHDRAW);
});

test('a text that throws costs the text, and not the order', async (t) => {
  const told = t.mock.method(console, 'error', () => {});
  const { shop, cart } = table(t, [soldOut()], { messages: { SOLD_OUT: () => assert.fail('no') } });
  const outcome = await cart.submit();
  assert.deepEqual([outcome.kind, outcome.message], ['rejected', 'scripted: SOLD_OUT']);
  assert.ok(told.mock.callCount() > 0);
  assert.equal((await cart.submit()).kind, 'placed', 'the module lives on');
  assert.equal(shop.orders.length, 1);
});

test('the bare client says what the page gives it, then the server’s words, then the code', async (t) => {
  const { shop, client } = table(t, [soldOut(), reject('WITHDRAWN', { message: 'gone' })]);
  await client.ready;
  client.close();
  const bare = createBareClient({
    url: '/graphql', tableSessionId: shop.tableSessionId, pin: shop.pin, fetch: shop.fetch, lang: 'en', messages: { SOLD_OUT: 'out' },
  });
  t.after(() => bare.close());
  const cart = bare.cart();
  cart.add(shop.line());
  assert.equal((await cart.submit()).message, 'out');
  assert.equal((await cart.submit()).message, 'gone');
  cart.clear();
  assert.equal((await cart.submit()).message, 'CART_EMPTY');
});

/** Bundles what an app imports of the package, as its bundler would. */
async function bundled(names) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `export { ${names} } from './masterorder.js';`, resolveDir: join(ROOT, 'sdk-wasm/pkg') },
    bundle: true, format: 'esm', minify: true, charset: 'utf8', write: false,
  });
  return outputFiles[0].text;
}

test('whoever imports the bare client alone carries none of our texts', async (t) => {
  const [bare, whole] = [await bundled('createBareClient'), await bundled('createClient')];
  assert.ok(whole.includes(ja.UNKNOWN) && whole.includes(en.UNKNOWN));
  for (const words of [ja, en]) for (const text of Object.values(words)) if (typeof text === 'string') assert.ok(!bare.includes(text), text);
  t.diagnostic(`brotli: ${brotliCompressSync(bare).length} without texts, ${brotliCompressSync(whole).length} with them`);
});
