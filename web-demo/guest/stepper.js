// − 2 ＋

import { el } from '../shared/dom.js';
import { t } from './texts.js';

/**
 * Makes a stepper. Its buttons are never disabled: a button that is takes the focus away with it.
 *
 * @param {object} o
 * @param {(by: 1 | -1) => void} o.onStep is called only for steps that are allowed
 * @param {() => string} o.what what is counted
 */
export function stepper({ onStep, what }) {
  const value = el('span', { class: 'step-value', 'aria-live': 'polite' });
  const button = (by, sign) => {
    const icon = el('span', { class: `icon icon-${sign}`, 'aria-hidden': 'true' });
    const press = () => allowed(by) && onStep(by);
    return el('button', { class: `round step step-${sign}`, type: 'button', onclick: press }, icon);
  };
  const minus = button(-1, 'minus');
  const plus = button(1, 'plus');
  const allowed = (by) => (by > 0 ? plus : minus).getAttribute('aria-disabled') !== 'true';
  return {
    element: el('div', { class: 'stepper', role: 'group' }, minus, value, plus),
    focusMore: () => plus.focus({ preventScroll: true }),
    /** @param {{ quantity: number, min: number, max: number, off?: boolean }} shown `off`: nothing can be changed now */
    show({ quantity, min, max, off = false }) {
      value.textContent = quantity;
      minus.setAttribute('aria-disabled', String(off || quantity <= min));
      plus.setAttribute('aria-disabled', String(off || quantity >= max));
      minus.setAttribute('aria-label', t('fewer', what()));
      plus.setAttribute('aria-label', t('more', what()));
    },
  };
}
