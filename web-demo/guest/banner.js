// A strip under the head that says something for as long as it is so.

import { el, fill } from '../shared/dom.js';
import { t } from './texts.js';

const MARKS = { notice: '!', good: '✓' };

/**
 * Makes a strip.
 *
 * @param {string} name for `data-banner`
 * @param {() => void} [onClose] the guest has read it
 */
export function banner(name, onClose) {
  const mark = el('span', { 'aria-hidden': 'true' });
  // stays in the page: what is new to it is read out
  const text = el('p', { class: 'banner-text', role: 'status' });
  const act = el('button', { class: 'link', type: 'button', onclick: () => press() });
  const icon = el('span', { class: 'icon icon-cross', 'aria-hidden': 'true' });
  const cross = el('button', { class: 'round', type: 'button', onclick: close }, icon);
  const inner = el('div', { class: 'banner-inner' }, mark, text, act, cross);
  const element = el('div', { class: 'banner', 'data-banner': name, hidden: true }, inner);
  let press = () => {};

  function close() {
    onClose();
    document.querySelector('#app main:not([hidden])')?.focus({ preventScroll: true });
  }

  return {
    element,
    /**
     * Shows what there is to say; `null` is nothing.
     *
     * @param {{ says: string, tone: 'calm' | 'notice' | 'good', busy?: boolean, label?: string, act?: () => void,
     *   isRead?: boolean } | null} what `label` and `act`: what can be done; `isRead`: it can be closed
     */
    show(what) {
      element.hidden = !what;
      const says = what?.says ?? '';
      if (text.textContent !== says) fill(text, says);
      if (!what) return;
      element.dataset.tone = what.tone;
      mark.className = what.busy ? 'spinner' : 'banner-mark';
      mark.textContent = what.busy ? '' : MARKS[what.tone];
      act.hidden = !what.label;
      act.textContent = what.label ?? '';
      press = what.act;
      cross.hidden = !what.isRead;
      cross.setAttribute('aria-label', t('close'));
    },
  };
}
