// Opens the guest's page where there is no network, and does nothing else. The server puts two constants above this: `FILES`, the
// addresses of the page's own files, each with its SHA-256, and `VERSION`, which names exactly this set and this script.
//
// A page comes whole from the network, as if this were not here, or whole from one set. An old page never gets a new SDK, nor a
// new page an old one, and nothing that was kept is shown to who can reach the shop. What is asked of the shop (`/graphql`,
// `/v1`, the feeds) passes by: an answer that was kept would be a lie about the table, and a request that was kept could order
// when nobody waits for it any more.

const CACHE = `masterorder-${VERSION}`;
/** How long a guest looks at a white page before the kept one is better than none. */
const PATIENCE_MS = 4_000;
/** Pages that were opened from the set. Lost when the browser ends this worker, and by then they have loaded. */
const opened = new Set();

addEventListener('install', (event) => event.waitUntil(keep()));
addEventListener('activate', (event) => event.waitUntil(forgetOthers()));

// No `skipWaiting`: a page that was opened from the old set goes on with the old set. Another set takes over when the last page
// is closed, and until then it matters only to those without a network.

addEventListener('fetch', (event) => {
  const { request, clientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || !Object.hasOwn(FILES, pathname)) return;
  if (pathname === '/' && request.mode === 'navigate') event.respondWith(open(event));
  else if (opened.has(clientId)) event.respondWith(find(pathname).then((file) => file ?? fetch(request)));
});

/** All files or none: while a new version is rolled out, a server may still have some of the old. */
async function keep() {
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(Object.keys(FILES).map((path) => keepOne(cache, path)));
  } catch (cause) {
    await caches.delete(CACHE);
    throw cause;
  }
}

async function keepOne(cache, path) {
  const response = await fetch(path, { cache: 'no-cache' });
  const bytes = await response.clone().arrayBuffer();
  if (!response.ok || (await digest(bytes)) !== FILES[path]) throw new Error(`${path} is not of this version`);
  await cache.put(path, response);
}

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function forgetOthers() {
  const others = (await caches.keys()).filter((name) => name.startsWith('masterorder-') && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** The page of the network; the kept one if there is no answer, or only a proxy's word that there is no server. */
async function open({ request, resultingClientId }) {
  const asked = fetch(request).catch(() => null);
  const response = await Promise.race([asked, after(PATIENCE_MS)]);
  if (response && response.status < 500) return response;
  const page = await find('/');
  if (!page) return (await asked) ?? Response.error();
  opened.add(resultingClientId);
  return page;
}

/** In this set only: beside it lies that of the worker that waits. */
async function find(path) {
  const cache = await caches.open(CACHE);
  return cache.match(path, { ignoreVary: true });
}

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms, null));
