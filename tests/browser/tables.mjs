// The tests of a file in one house, each at a table of its own, behind a network of its own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { House, launch } from './harness.mjs';
import { Network } from './network.mjs';

/**
 * Opens a house for the tests of a file. Afterwards the ledger must hold.
 *
 * @param {{ tables: number, timeout?: number, browser?: object }} options `tables`: one per test; `timeout`: of each. Unit: ms;
 *   `browser`: for `launch`
 * @param {(around: { browser: object, house: House, table: { id: string, pin: string, table: string }, network: Network },
 *   body: Function, t: object) => Promise<void>} run runs a test's body
 * @returns {(name: string, body: Function) => void} defines a test
 */
export function tableTests({ tables, timeout = 120_000, browser: launched }, run) {
  let house;
  let browser;
  let taken = 0;
  before(async () => {
    house = await House.open({ tables });
    await house.start();
    browser = await launch(launched);
  });
  after(async () => {
    await browser?.close();
    await house?.close();
  });
  return (name, body) => {
    test(name, { timeout }, async (t) => {
      const table = house.tableSessions[taken];
      taken += 1;
      assert.ok(table, `a house of ${tables} tables has none left: say more \`tables\``);
      const network = await Network.to(house.port);
      try {
        await run({ browser, house, table, network }, body, t);
      } finally {
        network.close();
      }
    });
  };
}
