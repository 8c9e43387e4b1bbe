// What React's `useSyncExternalStore` and its like ask of the SDK.

import assert from 'node:assert/strict';
import { sdkTests } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 1 });

sdkTest('lines, total and state are frozen, the same until something changes, and never the same when told of', async ({ open }) => {
  const phone = await open();
  const { frozen, stable, told, before, kept } = await phone.page.evaluate(async (line) => {
    const { cart } = window;
    const read = () => [cart.lines, cart.total, cart.state()];
    const same = (one, other) => one.every((value, index) => value === other[index]);
    let last = read();
    const told = [];
    cart.subscribe(() => {
      const now = read();
      told.push(same(now, last) ? 'nothing new' : 'new');
      last = now;
    });
    cart.add(line);
    const first = read();
    const before = JSON.stringify(first);
    cart.add({ ...line, quantity: 2 });
    const stable = same(read(), read()) && same(read(), last);
    await cart.submit();
    await new Promise((later) => setTimeout(later, 100));
    const frozen = (value) => typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    return { frozen: [...first, ...read()].every(frozen), stable: stable && same(read(), last), told, before, kept: JSON.stringify(first) };
  }, phone.line());
  assert.deepEqual([frozen, stable, kept], [true, true, before]);
  assert.ok(told.length >= 4, told.join());
  assert.deepEqual(new Set(told), new Set(['new']));
});
