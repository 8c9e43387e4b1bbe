// The little of a browser that the SDK wants, for tests that run in Node without jsdom or its like.

/** Storage as a browser has it. */
function storage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
}

/**
 * Puts in place what is missing: `window`, `document`, `location`, `navigator` and the storages. Answers the function that takes it away again.
 * Where a browser is, or jsdom, it does nothing.
 */
export function enterBrowser({ language = "en" } = {}) {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const location = new URL("http://localhost/");
  const parts = { document, location, navigator: { language }, localStorage: storage(), sessionStorage: storage() };
  const window = Object.assign(new EventTarget(), parts);
  const added = Object.entries({ window, ...parts }).filter(([name]) => globalThis[name] === undefined);
  for (const [name, value] of added) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name] of added) delete globalThis[name];
  };
}
