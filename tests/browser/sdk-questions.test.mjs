// The SDK in Chromium where a person decides: the same order again, an order to be given up, and what a page does wrong.

import assert from 'node:assert/strict';
import { held, stopped } from './network.mjs';
import { sdkTests } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 12 });

/** A first phone orders, a second one puts the same into its cart. */
async function twoPhones(open) {
  const [first, second] = [await open(), await open()];
  await first.add();
  assert.equal((await first.submit()).kind, 'placed');
  await second.add();
  return second;
}

/** The second phone submits, and answers the question by `confirm` or `decline`. */
function answerBy(phone, how) {
  return phone.page.evaluate(async (how) => {
    const asked = await window.cart.submit();
    return window.plain([asked, await asked[how]()]);
  }, how);
}

sdkTest('a second phone with the same order is asked, and yes makes a second ticket', async ({ open, tickets }) => {
  const second = await twoPhones(open);
  const [asked, answered] = await answerBy(second, 'confirm');
  assert.equal(asked.kind, 'possibleDuplicate');
  assert.match(asked.message, /^同じご注文が\d+秒前に入っています。もう一度注文しますか？$/);
  assert.deepEqual([answered.kind, answered.replay], ['placed', false]);
  assert.equal((await tickets()).length, 2);
});

sdkTest('a second phone with the same order is asked, and no makes none', async ({ open, tickets }) => {
  const second = await twoPhones(open);
  const [asked, answered] = await answerBy(second, 'decline');
  assert.equal(asked.kind, 'possibleDuplicate');
  assert.deepEqual([answered.kind, answered.code], ['rejected', 'WITHDRAWN']);
  assert.equal((await tickets()).length, 1);
  const { lines, locked } = await second.state();
  assert.deepEqual([lines.length, locked], [1, false], 'the cart can be edited and ordered again');
});

sdkTest('a question that was answered is not answered again', async ({ network, open, tickets }) => {
  const second = await twoPhones(open);
  const outcomes = await second.page.evaluate(async () => {
    const asked = await window.cart.submit();
    const both = await Promise.all([asked.confirm(), asked.confirm()]);
    return window.plain([...both, await asked.confirm(), await asked.decline()]);
  });
  assert.deepEqual(outcomes.map(({ kind, code }) => code ?? kind), ['placed', 'placed', 'NO_QUESTION', 'NO_QUESTION']);
  assert.equal(network.placements.length, 3, 'the first order, the question, the answer');
  assert.equal((await tickets()).length, 2);
});

sdkTest('the question survives a reload and sends nothing by itself', async ({ network, open, tickets }) => {
  const second = await twoPhones(open);
  assert.equal((await second.submit()).kind, 'possibleDuplicate');
  await second.reload();
  assert.equal((await second.resume()).kind, 'possibleDuplicate');
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 1]);
});

sdkTest('a page that comes back hours later asks with the hours', async ({ network, open, tickets }) => {
  const second = await twoPhones(open);
  assert.equal((await second.submit()).kind, 'possibleDuplicate');
  await second.page.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + 3 * 3_600_000;
  });
  await second.reload();
  const asked = await second.resume();
  assert.equal(asked.message, '同じご注文が3時間前に入っています。もう一度注文しますか？');
  assert.deepEqual([network.placements.length, (await tickets()).length], [2, 1]);
});

sdkTest('what is sold out altogether is told as that', async ({ house, open, tickets }) => {
  const sku = 'C-SASHIMI3';
  await house.order({ table: 11, lines: [house.line(sku, await house.remaining(sku))] });
  const phone = await open();
  await phone.add(1, { sku });
  const outcome = await phone.submit();
  assert.deepEqual([outcome.kind, outcome.code], ['rejected', 'SOLD_OUT']);
  assert.match(outcome.message, /.は売り切れました$/);
  assert.deepEqual(await tickets(), []);
});

sdkTest('a cart is edited after an unknown answer only once that order is given up', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const answer = held();
  network.next = [answer];
  await phone.tap();
  await answer.answered;
  await phone.add(5);
  assert.equal((await phone.state()).lines[0].quantity, 1, 'locked');
  // the order was faster: giving it up finds it
  const withdrawn = await phone.page.evaluate(async () => window.plain(await window.cart.withdraw()));
  assert.deepEqual([withdrawn.kind, (await phone.outcome()).kind], ['placed', 'placed']);
  assert.equal((await tickets()).length, 1);
});

sdkTest('an order that was given up places nothing, however late it arrives', async ({ network, open, tickets }) => {
  const phone = await open();
  await phone.add();
  const straggler = stopped();
  network.next = [straggler];
  await phone.tap();
  await straggler.arrived;
  const withdrawn = await phone.page.evaluate(async () => window.plain(await window.cart.withdraw()));
  assert.deepEqual([withdrawn.kind, withdrawn.code], ['rejected', 'WITHDRAWN']);
  assert.equal((await phone.outcome()).code, 'WITHDRAWN');
  straggler.release();
  const { data } = JSON.parse((await straggler.done).body);
  assert.equal(data.placeOrder.result.code, 'WITHDRAWN');
  assert.deepEqual(await tickets(), []);
  assert.equal((await phone.submit()).kind, 'placed');
  assert.equal(network.requestIds.length, 2);
});

sdkTest('what the page does wrong is thrown at its author, what the guest does is an outcome', async ({ network, open }) => {
  const phone = await open();
  assert.deepEqual(await phone.submit(), { kind: 'blocked', code: 'CART_EMPTY', message: 'カートに商品がありません' });
  const thrown = await phone.page.evaluate((line) => {
    const tries = [() => window.cart.add({}), () => window.cart.add({ ...line, quantity: 0 }), () => window.cart.setQuantity(3, 1)];
    return tries.map((one) => {
      try {
        one();
        return 'nothing';
      } catch (error) {
        return error.name;
      }
    });
  }, phone.line());
  assert.deepEqual(thrown, ['TypeError', 'RangeError', 'RangeError']);
  await phone.add();
  const aborted = await phone.page.evaluate(async () => window.plain(await window.cart.submit({ signal: AbortSignal.abort() })));
  assert.equal(aborted.code, 'ABORTED');
  assert.equal(network.placements.length, 0);
});

sdkTest('what is sold out is told with what is left', async ({ house, open, tickets }) => {
  const sku = 'C-SHIMESABA';
  const left = await house.remaining(sku);
  const phone = await open();
  await phone.add(left + 1, { sku });
  const outcome = await phone.submit();
  assert.deepEqual([outcome.kind, outcome.code], ['rejected', 'SOLD_OUT']);
  assert.match(outcome.message, new RegExp(`は残り${left}点です$`));
  const { phase, locked, lines } = await phone.state();
  assert.deepEqual([phase, locked, lines[0].quantity], ['failed', false, left + 1]);
  await phone.page.evaluate((left) => window.cart.setQuantity(0, left), left);
  assert.equal((await phone.submit()).kind, 'placed');
  assert.deepEqual([(await tickets()).length, await house.remaining(sku)], [1, 0]);
});
