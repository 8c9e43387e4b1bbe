// Ways to wait.

/** Waits, unless what it is for is given up meanwhile. *Units*: ms. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/** Waits until the page has drawn what was changed: a guest would tap on what they see. */
export function rendered() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    // a tab in the background draws nothing
    setTimeout(resolve, 200);
  });
}

/** Waits until something is so; answers whether it came to be in time. */
export async function until(probe, withinMs) {
  const end = Date.now() + withinMs;
  while (!probe()) {
    if (Date.now() > end) return false;
    await pause(50);
  }
  return true;
}
