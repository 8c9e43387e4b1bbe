// A lock of all tabs where the browser has none (plain http, iOS before 15.4): a record in storage that ends by itself unless it
// is renewed. Storage of tabs is not quite in step, so in the worst case two of them hold it at once: they send the same key then.

/** How long a record lasts that nobody renews: its tab is gone or frozen. *Units*: ms, like the others. */
export const LEASE_MS = 4000;
const RENEW_MS = 1000;
/** Between writing it and believing it: whoever else has written meanwhile is seen by then. */
const IN_STEP_MS = 60;
/** How often whoever waits looks. */
const LOOK_MS = 100;

/**
 * Asks for the lease of a name.
 *
 * @param {Storage} storage shared by all tabs
 * @param {{ granted: () => void, lost: () => void, refused: () => void }} then each called once at most: it is held; another tab has
 *   taken it while this one slept; storage takes nothing
 * @returns {{ check: () => void, release: () => void }} `check`: finds out now whether it was lost, before anything is done with it
 */
export function lease(storage, name, { granted, lost, refused }) {
  const holder = String(crypto.getRandomValues(new Uint32Array(4)));
  let standing = "waiting";
  let timer;

  /** What stands there, as long as it counts. One that ends later than any could was written before the clock was set back. */
  function found() {
    try {
      const record = JSON.parse(storage.getItem(name));
      const left = record.until - Date.now();
      return { mine: record.holder === holder, counts: left > 0 && left <= LEASE_MS };
    } catch {
      return { mine: false, counts: false };
    }
  }

  const write = () => storage.setItem(name, JSON.stringify({ holder, until: Date.now() + LEASE_MS }));

  function end(how) {
    standing = "over";
    clearTimeout(timer);
    how();
  }

  function check() {
    const { mine, counts } = found();
    if (standing === "held" && counts && !mine) end(lost);
  }

  function step() {
    const { mine, counts } = found();
    let next = LOOK_MS;
    try {
      if (standing === "held") {
        if (counts && !mine) return end(lost);
        write();
        next = RENEW_MS;
      } else if (standing === "written" && counts && mine) {
        standing = "held";
        next = RENEW_MS;
        granted();
      } else if (counts) {
        standing = "waiting";
      } else {
        write();
        standing = "written";
        next = IN_STEP_MS;
      }
    } catch {
      return end(refused);
    }
    if (standing !== "over") timer = setTimeout(step, next);
    return undefined;
  }

  // never before this call has returned
  timer = setTimeout(step);
  return {
    check,
    release() {
      end(() => {
        try {
          if (found().mine) storage.removeItem(name);
        } catch {
          // it ends by itself
        }
      });
    },
  };
}
