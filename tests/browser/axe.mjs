// What axe knows about accessibility.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Asks axe about what is on the screen. It must find nothing. */
export async function audit(page, screen) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  const found = violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html }) => `${id} (${help}): ${target} ${html}`));
  assert.deepEqual(found, [], screen);
}
