// Browser storage that may be missing: private windows and strict settings throw on the first touch. Then a page remembers
// until it is closed.

/**
 * Keeps texts under names of this product.
 *
 * @param {() => Storage} area answers the storage; may throw
 */
function store(area) {
  const memory = new Map();
  const attempt = (action) => {
    try {
      return action(area());
    } catch {
      return undefined;
    }
  };
  const full = (name) => `masterorder.${name}`;
  return {
    /** Answers the text, or `null`. */
    get: (name) => attempt((storage) => storage.getItem(full(name))) ?? memory.get(name) ?? null,
    /** Keeps a text. */
    set(name, value) {
      memory.set(name, value);
      attempt((storage) => storage.setItem(full(name), value));
    },
    /** Forgets a text. */
    remove(name) {
      memory.delete(name);
      attempt((storage) => storage.removeItem(full(name)));
    },
  };
}

/** For this tab. */
export const tab = store(() => sessionStorage);
/** For this device. */
export const device = store(() => localStorage);
