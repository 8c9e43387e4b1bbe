// A question, or something to be told, in the middle of the page.

import { el } from '../shared/dom.js';
import { openSheet } from './sheet.js';

/**
 * Opens a question.
 *
 * @param {object} o
 * @param {string} o.outcome what it is about, for `data-outcome`
 * @param {string} o.title
 * @param {string} o.message
 * @param {(Node | null | false)[]} [o.content]
 * @param {(Node | null)[]} o.buttons
 * @param {boolean} [o.alert] it tells of a failure
 * @param {() => void} [o.onClose]
 */
export function question({ outcome, title, message, content = [], buttons, alert = false, onClose }) {
  const messageId = 'question-message';
  return openSheet({
    kind: 'question',
    data: { role: 'alertdialog', 'data-sheet': 'outcome', 'data-outcome': outcome, 'aria-describedby': messageId },
    onClose,
    fill: (titleId) => [
      el(
        'div',
        { class: 'sheet-body' },
        el('h2', { class: 'question-title', id: titleId }, title),
        el('p', { class: 'question-message', id: messageId, role: alert ? 'alert' : null }, message),
        ...content,
      ),
      el('footer', { class: 'sheet-foot' }, ...buttons),
    ],
  });
}

/** Makes one of its buttons. `act` is what it does, for `data-act`. */
export function actButton(look, act, label, onclick) {
  return el('button', { class: look, type: 'button', 'data-act': act, onclick }, label);
}
