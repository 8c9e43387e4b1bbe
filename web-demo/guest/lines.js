// Lines of an order: names, toppings, words, amounts. For what was ordered; the cart has its own, which can be changed.

import { el } from '../shared/dom.js';
import { money } from './money.js';
import { t } from './texts.js';

/**
 * Lists lines.
 *
 * @param {{ name: string, quantity: number, note: string, lineTotal: object, toppings: object[] }[]} lines in the reader's
 *   language
 */
export function lineList(lines) {
  return el('ul', { class: 'lines' }, ...lines.map(row));
}

function row({ name, quantity, note, lineTotal, toppings }) {
  return el(
    'li',
    { class: 'line' },
    el('span', { class: 'line-quantity' }, t('times', quantity)),
    el(
      'span',
      { class: 'line-text' },
      el('span', { class: 'line-name' }, name),
      toppings.length > 0 && el('span', { class: 'line-toppings' }, toppingText(toppings)),
      note && el('span', { class: 'line-note' }, note),
    ),
    el('span', { class: 'line-total' }, money(lineTotal)),
  );
}

/** Names toppings in one line. */
export function toppingText(toppings) {
  return toppings.map(({ name, quantity }) => (quantity > 1 ? `${name} ×${quantity}` : name)).join(' · ');
}
