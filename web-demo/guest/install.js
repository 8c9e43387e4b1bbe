// What makes an app of the page: a manifest in the reader's language, and the worker that opens the page without a network.

import { lang, onLanguage } from '../shared/lang.js';

/** Does it, beside everything else. */
export function installable() {
  describe();
  onLanguage(describe);
  // not before the page is there: both load the same files
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}

function describe() {
  document.querySelector('link[rel="manifest"]').setAttribute('href', `/assets/guest.${lang()}.webmanifest`);
}

/** Missing without TLS and in private windows, where the page does without. */
function register() {
  navigator.serviceWorker?.register('/service-worker.js').catch(() => {});
}
