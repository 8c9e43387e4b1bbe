// How a ticket looks: on the board, and in the column of what is done.

import { el, fill } from '../shared/dom.js';
import { serverNow } from '../shared/graphql.js';
import { before, next } from './board.js';
import { local, t } from './texts.js';

/** From here on a ticket is late, and from there on very late. *Units*: minutes. */
const LATE_MIN = 5;
const VERY_LATE_MIN = 10;

/** Answers how long a ticket has waited, in whole minutes. */
function age(ticket) {
  return Math.max(0, Math.floor((serverNow() - Date.parse(ticket.createdAt)) / 60_000));
}

/** Writes the age of a card's ticket, if it has changed. */
export function grow(card, ticket) {
  const minutes = age(ticket);
  card.dataset.age = minutes >= VERY_LATE_MIN ? 'very-late' : minutes >= LATE_MIN ? 'late' : 'fresh';
  const pill = card.querySelector('.age');
  const text = t('minutes', minutes);
  if (pill.textContent !== text) pill.textContent = text;
}

/**
 * Draws a ticket into its card.
 *
 * @param {HTMLElement} card
 * @param {object} view
 * @param {string | null} view.station lines of this station only
 * @param {boolean} view.busy an answer is awaited
 * @param {(to: string) => void} view.onMove
 * @param {() => void} view.onSeen
 */
export function draw(card, ticket, { station, busy, onMove, onSeen }) {
  const { receipt, state } = ticket;
  const lines = receipt.lines.filter((line) => !station || line.station === station);
  const elsewhere = receipt.lines.length - lines.length;
  const held = card.contains(document.activeElement);
  card.dataset.state = state;
  card.setAttribute('aria-label', t('order', receipt.number, receipt.table, t(state)));
  fill(
    card,
    el(
      'header',
      { class: 'ticket-head' },
      el('span', { class: 'number' }, receipt.number),
      el('span', { class: 'state' }, t(state)),
      el('span', { class: 'age' }),
    ),
    state === 'CANCELLED' && el('p', { class: 'stop' }, t('stop')),
    el('ul', { class: 'lines' }, ...lines.map(line)),
    receipt.note && el('p', { class: 'note order-note' }, el('span', { class: 'note-label' }, t('note')), receipt.note),
    elsewhere > 0 && el('p', { class: 'elsewhere' }, t('elsewhere', elsewhere)),
    button(ticket, busy, onMove, onSeen),
  );
  grow(card, ticket);
  if (held) card.querySelector('button')?.focus({ preventScroll: true });
}

function button(ticket, busy, onMove, onSeen) {
  const to = next(ticket.state);
  const label = to ? t(`to${to}`) : t('seen');
  return el(
    'button',
    {
      class: 'advance',
      'data-to': to,
      'aria-label': t('actOn', label, ticket.receipt.number),
      'aria-busy': busy,
      'aria-disabled': busy,
      onclick: () => (to ? onMove(to) : onSeen()),
    },
    label,
  );
}

function line({ quantity, ja, en, note, toppings }) {
  return el(
    'li',
    { class: quantity > 1 ? 'line several' : 'line' },
    el('span', { class: 'quantity' }, quantity),
    el(
      'div',
      { class: 'what' },
      el('span', { class: 'name' }, local({ ja, en })),
      toppings.length > 0 && el('ul', { class: 'toppings' }, ...toppings.map(topping)),
      note && el('p', { class: 'note' }, note),
    ),
  );
}

function topping({ quantity, ja, en }) {
  return el('li', {}, local({ ja, en }), quantity > 1 && el('b', {}, ` ×${quantity}`));
}

/** Makes the row of a finished ticket. `onRecall` is called with the state to go back to. */
export function finishedRow(ticket, { busy, onRecall }) {
  const { number, table } = ticket.receipt;
  const back = before(ticket.state);
  return el(
    'li',
    { class: 'finished-row', 'data-finished': ticket.id, 'data-state': ticket.state },
    el('span', { class: 'finished-number' }, number),
    el('span', { class: 'finished-table' }, table),
    back
      ? el(
          'button',
          {
            class: 'quiet',
            'aria-label': t('actOn', t('recall'), number),
            'aria-busy': busy,
            onclick: () => onRecall(back),
          },
          t('recall'),
        )
      : el('span', { class: 'finished-cancelled' }, t('CANCELLED')),
  );
}
