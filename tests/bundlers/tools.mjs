// What each bundler does with a project: its page's files, or its server with them. As a newcomer uses it: next to no settings.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import * as vite5 from 'vite5';
import * as vite8 from 'vite';
import webpack from 'webpack';
import { PAGE, pagesOf } from '../browser/app.mjs';
import { freePort, until } from '../browser/harness.mjs';

/** Where tests/bundlers keeps its own tools. */
export const HERE = fileURLToPath(new URL('.', import.meta.url));

/**
 * @typedef {{ house: object, network: object, url: string }} Around what a page is opened with
 * @typedef {(folder: string, around: Around, t: object) => Promise<Around>} Tool builds a project and serves it
 */

/** Serves a folder below a path, with the house behind it. */
async function serve(around, folder, base) {
  around.network.pages = await pagesOf(folder, base);
  return { ...around, url: around.network.url + base };
}

/** What Vite's servers have in common: a port, and the way to the house. */
const served = (port, { house }) => ({ host: '127.0.0.1', port, strictPort: true, proxy: { '/graphql': house.url } });

const vite = (vite, plugins = []) => {
  const project = (root) => ({ root, configFile: false, logLevel: 'error', cacheDir: join(root, '.vite'), plugins });
  return {
    /** @type {Tool} */
    async build(folder, around) {
      await vite.build({ ...project(folder), base: '/shop/' });
      return serve(around, join(folder, 'dist'), '/shop/');
    },
    /** @type {Tool} */
    async preview(folder, around, t) {
      await vite.build(project(folder));
      const server = await vite.preview({ ...project(folder), preview: served(await freePort(), around) });
      t.after(() => server.close());
      return { ...around, url: server.resolvedUrls.local[0] };
    },
    /** @type {Tool} */
    async dev(folder, around, t) {
      // the packages of a project of one's own lie within it
      const server = { ...served(await freePort(), around), fs: { allow: [HERE] } };
      const dev = await vite.createServer({ ...project(folder), server });
      t.after(() => dev.close());
      await dev.listen();
      return { ...around, url: dev.resolvedUrls.local[0] };
    },
  };
};

export const withVite5 = vite(vite5);
export const withVite8 = vite(vite8);
/** With what reads a framework's files. */
export const withPlugins = (...plugins) => vite(vite8, plugins);

/** @returns {Tool} */
export const withWebpack = (mode) => async (folder, around) => {
  const compiler = webpack({ mode, context: folder, entry: './main.js', output: { path: join(folder, 'dist') } });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
  await writeFile(join(folder, 'dist/index.html'), PAGE.replace('type="module"', 'defer'));
  return serve(around, join(folder, 'dist'), '/shop/');
};

/** Rollup touches no file but scripts: whoever needs others copies them. */
export const withRollup = (...copied) => async (folder, around) => {
  const fail = (warning) => {
    throw new Error(warning.message);
  };
  const bundle = await rollup({ input: join(folder, 'main.js'), plugins: [nodeResolve()], onwarn: fail });
  await bundle.write({ dir: join(folder, 'dist'), format: 'es' });
  await bundle.close();
  for (const file of copied) await cp(join(HERE, 'node_modules/@masterorder/sdk', file), join(folder, 'dist', file));
  await writeFile(join(folder, 'dist/index.html'), PAGE);
  return serve(around, join(folder, 'dist'), '/shop/');
};

/** Runs Next's program to its end, or until it serves. */
async function next(t, folder, command, port) {
  const program = join(HERE, 'node_modules/next/dist/bin/next');
  const child = spawn('node', [program, command, ...(port ? ['--hostname', '127.0.0.1', '--port', String(port)] : [])], {
    cwd: folder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    // a group of its own: it starts others
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  if (!port) {
    const [code] = await ended;
    if (code !== 0) throw new Error(`next ${command} ended with ${code}: ${said}`);
    return;
  }
  t.after(async () => {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  });
  await until(`next ${command} serves`, () => {
    if (child.exitCode !== null) throw new Error(`next ${command} ended: ${said}`);
    return fetch(`http://127.0.0.1:${port}/`).then((response) => response.ok, () => false);
  }, 120_000);
}

/** @returns {Tool} */
const nextServes = (command) => async (folder, around, t) => {
  const rewrite = { source: '/graphql', destination: `${around.house.url}/graphql` };
  const config = { turbopack: { root: HERE }, rewrites: [rewrite] };
  await writeFile(
    join(folder, 'next.config.mjs'),
    `const { rewrites, ...config } = ${JSON.stringify(config)};\nexport default { ...config, rewrites: async () => rewrites };\n`,
  );
  if (command === 'start') await next(t, folder, 'build');
  const port = await freePort();
  await next(t, folder, command, port);
  return { ...around, url: `http://127.0.0.1:${port}/` };
};

export const withNext = { build: nextServes('start'), dev: nextServes('dev') };
