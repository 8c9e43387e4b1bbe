// The way to the cart, at the foot of the page. While an order is being confirmed it says so, in the same place and height.

import { el, fill } from '../shared/dom.js';
import { money } from './money.js';
import { t } from './texts.js';

/** What an order that is not settled waits for, when it waits for the guest. */
const RESTING = { unknown: 'barUnknown', possibleDuplicate: 'asked', pending: 'pendingTitle' };

/**
 * @param {object} o
 * @param {object} o.cart
 * @param {() => void} o.onOpen
 */
export function cartBar({ cart, onOpen }) {
  const button = el('button', { class: 'cart-open', type: 'button', id: 'cart-open', onclick: onOpen });
  const element = el('div', { class: 'cart-bar' }, button);
  let count = 0;
  return {
    element,
    show() {
      const { lines, total } = cart;
      const { phase, outcome, locked, waiting } = cart.state();
      const pieces = lines.reduce((sum, line) => sum + line.quantity, 0);
      element.hidden = pieces === 0 && !locked;
      button.dataset.phase = phase;
      button.classList.toggle('is-locked', locked);
      if (locked) {
        const text = waiting ? 'barWaiting' : RESTING[outcome?.kind];
        const spinner = !text && el('span', { class: 'spinner', 'aria-hidden': 'true' });
        fill(button, spinner, el('span', { class: 'cart-open-calm' }, t(text ?? 'calm')));
      } else {
        fill(
          button,
          el('span', { class: 'count', 'aria-hidden': 'true' }, pieces),
          el('span', { class: 'cart-open-label' }, t('openCart'), said(pieces)),
          el('span', { class: 'cart-open-total' }, total ? money(total) : ''),
        );
      }
      if (pieces > count) bump();
      count = pieces;
    },
  };

  function said(pieces) {
    return el('span', { class: 'unseen' }, `, ${t('pieces', pieces)}, `);
  }

  function bump() {
    button.classList.remove('is-bumped');
    // reading it makes the browser see both states, so that the animation runs again
    void button.offsetWidth;
    button.classList.add('is-bumped');
  }
}
