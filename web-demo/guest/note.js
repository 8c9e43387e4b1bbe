// A field for the guest's words, with the room that is left.

import { el } from '../shared/dom.js';
import { t } from './texts.js';

/** What the server takes, in Unicode scalar values: an emoji is one, and `length` would say two. */
export const DISH_NOTE = 100;
export const ORDER_NOTE = 500;

/**
 * Makes the field. It takes more than fits and says so: cutting off what somebody pastes would change its meaning unseen.
 *
 * @param {object} o
 * @param {string} o.id
 * @param {number} o.max
 * @param {string} o.label
 * @param {string} o.hint
 * @param {string} [o.value]
 * @param {(text: string) => void} [o.onInput]
 */
export function noteField({ id, max, label, hint, value = '', onInput }) {
  const input = el('textarea', { id, class: 'note-input', rows: '2', placeholder: hint, 'aria-describedby': `${id}-count` });
  const count = el('p', { class: 'note-count', id: `${id}-count` });
  input.value = value;

  function show() {
    const length = [...input.value].length;
    const fits = length <= max;
    count.textContent = fits ? t('noteCount', length, max) : `${t('noteTooLong', max)} (${length})`;
    count.classList.toggle('is-over', !fits);
    input.setAttribute('aria-invalid', String(!fits));
  }

  input.addEventListener('input', () => {
    show();
    onInput?.(input.value);
  });
  show();
  return {
    element: el('div', { class: 'note' }, el('label', { class: 'note-label', for: id }, label), input, count),
    input,
    text: () => input.value,
    fits: () => [...input.value].length <= max,
    set(text) {
      input.value = text;
      show();
    },
  };
}
