// The projects that the bundlers get. They lie below tests/bundlers, so that they find the tools, and the package among them.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PAGE, script } from '../browser/app.mjs';
import { filled, quickStart } from '../browser/quick-start.mjs';
import { HERE } from './tools.mjs';

/** Makes a folder with these files. Answers it. */
export async function project(name, files) {
  const folder = join(HERE, 'build', name.replaceAll(/\W+/g, '-'));
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries({ 'package.json': '{ "private": true, "type": "module" }', ...files })) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

/** A page with the SDK and no framework. */
export const plain = (how) => ({ 'index.html': PAGE, 'main.js': script(how) });

/** What mounts the README's component. */
const MOUNTS = {
  'Cart.jsx': `import { createElement, StrictMode } from 'react'; import { createRoot } from 'react-dom/client'; import Cart from './Cart.jsx';
    createRoot(document.querySelector('main')).render(createElement(StrictMode, null, createElement(Cart)));`,
  'Cart.vue': `import { createApp } from 'vue'; import Cart from './Cart.vue'; createApp(Cart).mount('main');`,
  'Cart.svelte': `import { mount } from 'svelte'; import Cart from './Cart.svelte'; mount(Cart, { target: document.querySelector('main') });`,
};

/** The README's quick start in a language: one component, and the module that all share. */
export async function readme(language, around) {
  const component = `Cart.${language}`;
  return {
    'index.html': PAGE,
    'main.js': MOUNTS[component],
    'order.js': filled(await quickStart('js'), around),
    [component]: await quickStart(language),
  };
}

const LAYOUT = 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;';

/** A page of Next with the SDK: imported on the server, and started in the browser. */
export const nextPage = (how) => ({
  'app/layout.js': LAYOUT,
  'app/page.js': `"use client";
    import { useEffect } from "react";
    import { start } from "../main.js";
    export default function Page() {
      useEffect(start, []);
      return <main></main>;
    }`,
  'main.js': script(how).replace(/^ *const \{ options.*/ms, (body) => `export function start() {\n${body}}`),
});

/** The README's component as a page of Next. */
export async function nextReadme(around) {
  const { 'order.js': order, 'Cart.jsx': cart } = await readme('jsx', around);
  return {
    'app/layout.js': LAYOUT,
    'app/page.js': 'import Cart from "../Cart.jsx";\nexport default () => <Cart />;',
    'Cart.jsx': `"use client";\n${cart}`,
    'order.js': order,
  };
}
