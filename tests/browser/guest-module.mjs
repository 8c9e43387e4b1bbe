// Modules of the pages, loaded without a browser: those that touch none.

import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** Loads a module of `web-demo/`, by its path there, with what it imports. */
export async function load(path) {
  const file = fileURLToPath(new URL(`../../web-demo/${path}`, import.meta.url));
  // Node takes a `.js` for CommonJS where no package.json says otherwise
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, format: 'esm', write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}
