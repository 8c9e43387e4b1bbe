// Short messages at the foot of the page, each with at most one thing to do.

import { el } from '../shared/dom.js';

/** Long enough to see a slip and reach for the screen with wet hands. */
const SHOWN_MS = 8_000;
/** More would hide the board. */
const AT_ONCE = 3;

/** Makes the place where messages appear. */
export function toasts() {
  const element = el('div', { class: 'toasts', role: 'status' });

  function show(text, { label, act } = {}) {
    const toast = el('div', { class: 'toast' }, el('span', {}, text));
    const close = () => {
      clearTimeout(timer);
      toast.remove();
    };
    const run = () => {
      close();
      act();
    };
    if (act) toast.append(el('button', { class: 'toast-act', onclick: run }, label));
    toast.run = act && run;
    const timer = setTimeout(close, SHOWN_MS);
    element.append(toast);
    while (element.children.length > AT_ONCE) element.firstElementChild.remove();
  }

  return {
    element,
    /** Shows a message. */
    show,
    /** Does what the latest message offers; answers whether there was something. */
    runLatest() {
      const latest = [...element.children].reverse().find((toast) => toast.run);
      latest?.run();
      return Boolean(latest);
    },
  };
}
