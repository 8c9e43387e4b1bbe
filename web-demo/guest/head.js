// Where one is, in which language, and the way to the orders.

import { el, fill } from '../shared/dom.js';
import { lang, speak } from '../shared/lang.js';
import { t } from './texts.js';

/** Makes the button that changes the language. It is written in the language that it leads to. */
export function languageButton() {
  const button = el('button', { class: 'head-button', type: 'button', id: 'language', onclick: () => speak(other()) });
  const other = () => (lang() === 'ja' ? 'en' : 'ja');
  return {
    element: button,
    show() {
      button.textContent = other() === 'en' ? 'English' : '日本語';
      button.setAttribute('lang', other());
    },
  };
}

/**
 * @param {object} o
 * @param {() => void} o.onHistory
 */
export function head({ onHistory }) {
  const shop = el('h1', { class: 'shop' });
  const table = el('span', { class: 'table-label', 'data-table': '' });
  const language = languageButton();
  const history = el('button', { class: 'head-button is-strong', type: 'button', id: 'history-open', onclick: onHistory });
  const element = el('header', { class: 'head' }, el('div', { class: 'head-where' }, shop, table), language.element, history);
  return {
    element,
    /** @param {{ shop: string, table: string, underway: number }} shown `underway`: orders that the kitchen works on */
    show({ shop: name, table: label, underway }) {
      shop.textContent = name || t('menu');
      table.textContent = label ? t('table', label) : '';
      language.show();
      const count = el('span', { class: 'count', 'aria-hidden': 'true' }, underway);
      const said = el('span', { class: 'unseen' }, t('underway', underway));
      fill(history, t('historyShort'), ...(underway > 0 ? [count, said] : []));
    },
  };
}
