// The SDK's lock where the browser has none, tab by tab on a clock of the test's own.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { LEASE_MS, lease } from '../../sdk-wasm/js/lease.js';

const NAME = 'masterorder.table.slot.lease';

/** Runs a test on a clock of its own. `ask` asks for the lease as a tab does, and answers what it was told. */
function leaseTest(name, body) {
  test(name, () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
    try {
      const kept = new Map();
      const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
      const ask = (of = storage) => {
        const tab = { told: [] };
        const tell = (word) => () => tab.told.push(word);
        Object.assign(tab, lease(of, NAME, { granted: tell('granted'), lost: tell('lost'), refused: tell('refused') }));
        return tab;
      };
      body({ ask, storage, kept, pass: (ms) => mock.timers.tick(ms) });
    } finally {
      mock.timers.reset();
    }
  });
}

/** Time goes by, step by step as the timers of a page do. */
function wait(pass, ms) {
  for (let gone = 0; gone < ms; gone += 10) pass(10);
}

leaseTest('one of ten tabs that ask at once holds it, and each gets its turn', ({ ask, pass }) => {
  const tabs = Array.from({ length: 10 }, () => ask());
  for (let turn = 1; turn <= 10; turn += 1) {
    wait(pass, 400);
    const held = tabs.filter(({ told }) => told.includes('granted'));
    assert.equal(held.length, turn);
    held.find((tab) => !tab.done).release();
    for (const tab of held) tab.done = true;
  }
});

leaseTest('it is held for as long as it takes', ({ ask, pass }) => {
  const [one, other] = [ask(), ask()];
  wait(pass, 10 * LEASE_MS);
  assert.deepEqual([one.told, other.told].sort(), [[], ['granted']]);
});

leaseTest('who is gone is waited for until the lease ends', ({ ask, pass, storage }) => {
  storage.setItem(NAME, JSON.stringify({ holder: 'gone', until: Date.now() + LEASE_MS }));
  const tab = ask();
  wait(pass, LEASE_MS - 100);
  assert.deepEqual(tab.told, []);
  wait(pass, 400);
  assert.deepEqual(tab.told, ['granted']);
});

leaseTest('who slept while another tab took it finds that out before anything else', ({ ask, pass, storage }) => {
  const sleeper = ask();
  wait(pass, 100);
  assert.deepEqual(sleeper.told, ['granted']);
  // its timers did not run, and the other tab's did
  storage.setItem(NAME, JSON.stringify({ holder: 'other', until: Date.now() + LEASE_MS }));
  sleeper.check();
  assert.deepEqual(sleeper.told, ['granted', 'lost']);
  sleeper.release();
  assert.match(storage.getItem(NAME), /other/, 'what another tab holds is not given back');
});

leaseTest('who is not asked finds it out when it would renew', ({ ask, pass, storage }) => {
  const sleeper = ask();
  wait(pass, 100);
  storage.setItem(NAME, JSON.stringify({ holder: 'other', until: Date.now() + LEASE_MS }));
  wait(pass, 1100);
  assert.deepEqual(sleeper.told, ['granted', 'lost']);
  assert.match(storage.getItem(NAME), /other/);
});

leaseTest('who slept and lost nothing goes on', ({ ask, pass, storage }) => {
  const sleeper = ask();
  wait(pass, 100);
  storage.setItem(NAME, JSON.stringify({ ...JSON.parse(storage.getItem(NAME)), until: Date.now() - 1 }));
  sleeper.check();
  wait(pass, 1100);
  assert.deepEqual(sleeper.told, ['granted']);
  assert.ok(JSON.parse(storage.getItem(NAME)).until > Date.now());
});

leaseTest('a record from before the clock was set back, or from anybody else, holds up nobody', ({ ask, pass, storage }) => {
  for (const record of [JSON.stringify({ holder: 'later', until: Date.now() + 10 * LEASE_MS }), 'null', '{', '{}']) {
    storage.setItem(NAME, record);
    const tab = ask();
    wait(pass, 200);
    assert.deepEqual(tab.told, ['granted'], record);
    tab.release();
  }
});

leaseTest('who gives up waiting gets nothing and leaves nothing', ({ ask, pass, kept }) => {
  const [one, other] = [ask(), ask()];
  wait(pass, 100);
  const [held, waiting] = one.told.length ? [one, other] : [other, one];
  waiting.release();
  held.release();
  wait(pass, 2 * LEASE_MS);
  assert.deepEqual([held.told, waiting.told, kept.size], [['granted'], [], 0]);
});

leaseTest('storage that takes nothing says so', ({ ask, pass, storage }) => {
  const full = { ...storage, setItem: () => { throw new Error('full'); } };
  const tab = ask(full);
  wait(pass, 200);
  assert.deepEqual(tab.told, ['refused']);
});
