// The order stands: its number, as large as it goes, and what was ordered.

import { el } from '../shared/dom.js';
import { lineList } from './lines.js';
import { money } from './money.js';
import { actButton } from './question.js';
import { openSheet } from './sheet.js';
import { t } from './texts.js';

/**
 * Opens it.
 *
 * @param {object} o
 * @param {object} o.order as the SDK tells it
 * @param {boolean} o.resumed an earlier page sent it, and this one has found it
 * @param {() => void} o.onHistory
 */
export function openPlaced({ order, resumed, onHistory }) {
  const toHistory = () => {
    sheet.close();
    onHistory();
  };
  const sheet = openSheet({
    kind: 'placed',
    data: { 'data-sheet': 'outcome', 'data-outcome': 'placed' },
    fill: (titleId) => [
      el(
        'div',
        { class: 'sheet-body' },
        el('span', { class: 'seal', 'aria-hidden': 'true' }),
        el(
          'div',
          { role: 'status' },
          el('h2', { class: 'placed-title', id: titleId }, t(resumed ? 'placedFound' : 'placedKitchen')),
          el('p', { class: 'placed-thanks' }, t('placedThanks')),
          el('p', { class: 'placed-label' }, t('orderNumber')),
          el('p', { class: 'placed-number', 'data-order-number': order.number }, order.number),
        ),
        el(
          'div',
          { class: 'placed-lines' },
          lineList(order.lines),
          order.note && el('p', { class: 'line-note' }, order.note),
          el('p', { class: 'placed-total' }, el('span', {}, t('total')), el('span', {}, money(order.total))),
        ),
      ),
      el(
        'footer',
        { class: 'sheet-foot' },
        actButton('primary', 'more', t('orderMore'), () => sheet.close()),
        actButton('secondary', 'history', t('history'), toHistory),
      ),
    ],
  });
  return sheet;
}
