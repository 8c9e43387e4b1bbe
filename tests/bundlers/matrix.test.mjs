// The npm package in the bundlers that people have. esbuild and pages without a bundler are in tests/browser/bundle.test.mjs.
//
// AC-159 is the rows of Vite, AC-161 those of webpack; what is built is served below /shop/.

import assert from 'node:assert/strict';
import { before } from 'node:test';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import vue from '@vitejs/plugin-vue';
import { appTests, assertOrders, open } from '../browser/app.mjs';
import { install } from '../browser/npm.mjs';
import { assertQuickStart } from '../browser/quick-start.mjs';
import { nextPage, nextReadme, plain, project, readme } from './projects.mjs';
import { HERE, withNext, withPlugins, withRollup, withVite5, withVite8, withWebpack } from './tools.mjs';

const DEFAULT = {};
const SLIM = { entry: '@masterorder/sdk/slim' };
const SLIM_BY_URL = { ...SLIM, wasm: "import wasm from '@masterorder/sdk/masterorder.wasm?url';" };
const SLIM_BY_ADDRESS = { ...SLIM, wasm: "const wasm = new URL('masterorder.wasm', document.baseURI);" };

/** @type {[string, object, import('./tools.mjs').Tool][]} */
const MATRIX = [
  ['Vite 5, build', DEFAULT, withVite5.build],
  ['Vite 5, build and preview', DEFAULT, withVite5.preview],
  ['Vite 5, dev', DEFAULT, withVite5.dev],
  ['Vite 5, build, slim', SLIM, withVite5.build],
  ['Vite 5, build, slim by ?url', SLIM_BY_URL, withVite5.build],
  ['Vite 5, dev, slim by ?url', SLIM_BY_URL, withVite5.dev],
  ['Vite 8, build', DEFAULT, withVite8.build],
  ['Vite 8, build and preview', DEFAULT, withVite8.preview],
  ['Vite 8, dev', DEFAULT, withVite8.dev],
  ['Vite 8, build, slim', SLIM, withVite8.build],
  ['Vite 8, dev, slim', SLIM, withVite8.dev],
  ['Vite 8, build, slim by ?url', SLIM_BY_URL, withVite8.build],
  ['Vite 8, dev, slim by ?url', SLIM_BY_URL, withVite8.dev],
  ['webpack 5, development', DEFAULT, withWebpack('development')],
  ['webpack 5, production', DEFAULT, withWebpack('production')],
  ['webpack 5, development, slim', SLIM, withWebpack('development')],
  ['webpack 5, production, slim', SLIM, withWebpack('production')],
  ['Rollup 4', DEFAULT, withRollup()],
  ['Rollup 4, slim beside a copy', SLIM, withRollup('masterorder.wasm')],
  ['Rollup 4, slim by address', SLIM_BY_ADDRESS, withRollup('masterorder.wasm')],
];

before(() => install(HERE));

const appTest = appTests({ tables: MATRIX.length + 14, timeout: 300_000 });

for (const [name, how, tool] of MATRIX) {
  appTest(name, async (around, t) => {
    const folder = await project(name, plain(how));
    await assertOrders({ ...(await tool(folder, around, t)), modules: how.entry ? 1 : 0 });
  });
}

/** AC-159: Vite 5 moves scripts and nothing else, and answers with the page where nothing lies. */
appTest('Vite 5, dev, slim by itself says what to do', async (around, t) => {
  const page = await open(await withVite5.dev(await project('vite-5-dev-slim', plain(SLIM)), around, t));
  assert.match(page.ready, /^NO_WEBASSEMBLY: .* takes its address as `wasm`/);
});

for (const [name, language, plugins] of [
  ['React', 'jsx', []],
  ['Vue', 'vue', [vue()]],
  ['Svelte', 'svelte', [svelte({ configFile: false })]],
]) {
  for (const how of ['build', 'dev']) {
    appTest(`${name}: what the README says, with Vite 8, ${how}`, async (around, t) => {
      const folder = await project(`readme-${language}-${how}`, await readme(language, around));
      await assertQuickStart(await withPlugins(...plugins)[how](folder, around, t));
    });
  }
}

for (const [name, how] of [['Next 16', DEFAULT], ['Next 16, slim', SLIM]]) {
  for (const mode of ['build', 'dev']) {
    appTest(`${name}, ${mode}`, async (around, t) => {
      // StrictMode starts it twice; the file is loaded once
      const served = await withNext[mode](await project(`${name} ${mode}`, nextPage(how)), around, t);
      await assertOrders({ ...served, modules: how.entry ? 1 : 0 });
    });
  }
}

for (const how of ['build', 'dev']) {
  appTest(`Next 16, ${how}: what the README says, rendered on the server first`, async (around, t) => {
    const served = await withNext[how](await project(`next-readme-${how}`, await nextReadme(around)), around, t);
    const html = await (await fetch(served.url)).text();
    assert.match(html, /<button[^>]*>Add<\/button>/, 'rendered on the server');
    await assertQuickStart(served);
  });
}
