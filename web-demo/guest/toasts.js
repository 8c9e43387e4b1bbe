// Short messages that go by themselves.

import { el } from '../shared/dom.js';

/** Long enough to read two lines. */
const SHOWN_MS = 6_000;
/** More would hide the menu. */
const AT_ONCE = 2;

/** Makes the place where messages appear. */
export function toasts() {
  const element = el('div', { class: 'toasts', role: 'status' });
  return {
    element,
    /** Shows a message. @param {'plain' | 'good'} [tone] */
    show(text, tone = 'plain') {
      const toast = el('p', { class: 'toast', 'data-tone': tone }, text);
      element.append(toast);
      while (element.children.length > AT_ONCE) element.firstElementChild.remove();
      setTimeout(() => toast.remove(), SHOWN_MS);
    },
  };
}
