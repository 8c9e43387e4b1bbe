// The reader's language: what they chose on this device, else what their browser speaks.

import { device } from './storage.js';

const LANGUAGES = ['ja', 'en'];
const listeners = new Set();
let current = initial();
document.documentElement.lang = current;

function initial() {
  const chosen = device.get('lang');
  if (LANGUAGES.includes(chosen)) return chosen;
  return (navigator.languages ?? [navigator.language]).some((tag) => tag?.startsWith('ja')) ? 'ja' : 'en';
}

/** Answers the language: `ja` or `en`. */
export function lang() {
  return current;
}

/** Changes the language and tells everybody who listens. */
export function speak(language) {
  current = language;
  device.set('lang', language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener(language);
}

/** Calls back after every change. */
export function onLanguage(listener) {
  listeners.add(listener);
}

/** Writes a time of day, as in 19:42. */
export function timeOfDay(instant) {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(instant);
}
