// The npm package in a page: built with esbuild, and without any build. The other bundlers are in tests/bundlers.

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import esbuild from 'esbuild';
import { PAGE, appTests, assertOrders, open, pagesOf, script } from './app.mjs';
import { ROOT, project } from './npm.mjs';

const appTest = appTests({ tables: 18 });

/** Serves a built folder below a path. */
async function serve(around, folder, base = '/') {
  around.network.pages = await pagesOf(folder, base);
  return { ...around, url: around.network.url + base };
}

/** Makes a folder with the page, and its script as esbuild builds it. */
async function build(t, how, options = {}) {
  const folder = await project(t);
  await writeFile(join(folder, 'source.js'), script(how));
  await esbuild.build({
    absWorkingDir: folder,
    entryPoints: ['source.js'],
    outfile: 'public/main.js',
    bundle: true,
    format: 'esm',
    logLevel: 'error',
    ...options,
  });
  await writeFile(join(folder, 'public/index.html'), PAGE);
  return join(folder, 'public');
}

/** Makes a folder with the page, and the package as it is. */
async function copy(t, how, page = PAGE) {
  const folder = join(await project(t), 'public');
  await mkdir(folder);
  await cp(join(folder, '../node_modules/@masterorder/sdk'), join(folder, 'sdk'), { recursive: true });
  await writeFile(join(folder, 'main.js'), script(how));
  await writeFile(join(folder, 'index.html'), page);
  return folder;
}

const SLIM = '@masterorder/sdk/slim';
const WASM = "import wasm from '@masterorder/sdk/masterorder.wasm';";

/** AC-161: the sub-path. */
for (const base of ['/', '/shop/']) {
  appTest(`esbuild, the default entry, at ${base}`, async (around, t) => {
    await assertOrders(await serve(around, await build(t, {}, { minify: true }), base));
  });

  appTest(`esbuild, the slim entry with the file as an address, at ${base}`, async (around, t) => {
    const folder = await build(t, { entry: SLIM, wasm: WASM }, { loader: { '.wasm': 'file' } });
    await assertOrders(await serve(around, folder, base));
  });

  appTest(`no bundler, the default entry in a module script, at ${base}`, async (around, t) => {
    await assertOrders(await serve(around, await copy(t, { entry: './sdk/masterorder.js' }), base));
  });

  appTest(`no bundler, the slim entry in a module script, at ${base}`, async (around, t) => {
    await assertOrders(await serve(around, await copy(t, { entry: './sdk/slim.js' }), base));
  });
}

appTest('esbuild, the slim entry with the file as bytes', async (around, t) => {
  const folder = await build(t, { entry: SLIM, wasm: WASM }, { loader: { '.wasm': 'binary' } });
  await assertOrders(await serve(around, folder));
});

appTest('a classic script imports the default entry', async (around, t) => {
  const folder = await copy(t, {}, PAGE.replace('type="module" ', ''));
  const classic = script({}).replace("import { createClient } from '@masterorder/sdk';", '');
  await writeFile(join(folder, 'main.js'), `import('./sdk/masterorder.js').then(({ createClient }) => {${classic}});`);
  await assertOrders(await serve(around, folder));
});

for (const [what, wasm] of [
  ['an answer', "const wasm = fetch('./sdk/masterorder.wasm');"],
  ['bytes', "const wasm = fetch('./sdk/masterorder.wasm').then((response) => response.arrayBuffer());"],
  ['a module', "const wasm = WebAssembly.compileStreaming(fetch('./sdk/masterorder.wasm'));"],
]) {
  appTest(`the slim entry starts from ${what}`, async (around, t) => {
    await assertOrders(await serve(around, await copy(t, { entry: './sdk/slim.js', wasm })));
  });
}

/** AC-159: a single-page app's server answers everything that it does not have with its page. */
appTest('the slim entry says which address has no WebAssembly', async (around, t) => {
  const served = await serve(around, await copy(t, { entry: './sdk/slim.js' }));
  around.network.pages['/sdk/masterorder.wasm'] = around.network.pages['/'];
  const page = await open(served);
  assert.match(page.ready, /^NO_WEBASSEMBLY: .*createClient.* `wasm` \(http:.*\/sdk\/masterorder\.wasm answered 200 text\/html\)$/);
  assert.equal(await page.evaluate(async () => (await window.app.cart.submit()).code), 'NO_WEBASSEMBLY');
});

/** AC-157. */
for (const entry of ['masterorder', 'slim']) {
  appTest(`${entry}.js under a policy: without 'wasm-unsafe-eval' it quotes the header, with it it orders`, async (around, t) => {
    const served = await serve(around, await copy(t, { entry: `./sdk/${entry}.js` }));
    const policy = (scripts) => `default-src 'none'; script-src ${scripts}; connect-src 'self'; img-src data:`;
    const { headers } = around.network.pages['/'];
    headers['content-security-policy'] = policy("'self'");
    const page = await open(served);
    const [, header] = /^NO_WEBASSEMBLY: .*`(Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval')`/.exec(page.ready) ?? assert.fail(page.ready);
    const readme = await readFile(join(ROOT, 'sdk-wasm/npm/README.md'), 'utf8');
    assert.ok(readme.includes(`\n${header}\n`), 'the README says the same');
    assert.equal(await page.evaluate(async () => (await window.app.cart.submit()).code), 'NO_WEBASSEMBLY');
    // what the message says to add, and no more
    const [, advice] = /script-src ('self' .*?)`/.exec(page.ready);
    headers['content-security-policy'] = policy(advice);
    await assertOrders(served);
  });

  appTest(`${entry}.js without WebAssembly says so`, async (around, t) => {
    const served = await serve(around, await copy(t, { entry: `./sdk/${entry}.js` }));
    // before the page's own script
    const gone = PAGE.replace('<main>', '<script>delete window.WebAssembly</script><main>');
    around.network.pages['/'].body = gone;
    const page = await open(served);
    assert.match(page.ready, /^NO_WEBASSEMBLY: .*Lockdown Mode.* exclude this site from it$/);
    const outcome = await page.evaluate(() => window.app.cart.submit());
    const message = 'This browser can not order. Please ask our staff.';
    assert.deepEqual(outcome, { kind: 'blocked', code: 'NO_WEBASSEMBLY', message });
    assert.deepEqual(page.complaints, []);
  });
}
