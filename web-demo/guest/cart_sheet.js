// The cart: what the guest is about to order, and the one button that orders it.

import { arrange, el, fill } from '../shared/dom.js';
import { lang, timeOfDay } from '../shared/lang.js';
import { tab } from '../shared/storage.js';
import { badge } from './dishes.js';
import { toppingText } from './lines.js';
import { canBeHad } from './menu.js';
import { lineTotal, money } from './money.js';
import { ORDER_NOTE, noteField } from './note.js';
import { openSheet } from './sheet.js';
import { stepper } from './stepper.js';
import { local, t } from './texts.js';
import { wouldWait } from './waiting.js';

/** Pieces of a line, as the server takes them. */
const MOST_PIECES = 99;

/**
 * Makes the cart's sheet, which can be opened and closed.
 *
 * @param {object} o
 * @param {object} o.cart
 * @param {import('./menu.js').Menu} o.menu
 * @param {() => boolean} o.isOffline the shop can not be reached
 */
export function cartSheet({ cart, menu, isOffline }) {
  const rows = [];
  let sheet = null;
  let says = null;
  let note = makeNote();

  const list = el('ul', { class: 'cart-lines' });
  const empty = el('div', { class: 'empty-state' });
  const noteToggle = el('button', { class: 'link', type: 'button', id: 'order-note-open', onclick: openNote });
  const noteBox = el('div', { class: 'order-note' });
  const lockedWhy = el('span', {});
  const withdraw = el('button', { class: 'link', type: 'button', id: 'withdraw', onclick: () => cart.withdraw() });
  const lockedBox = el('p', { class: 'cart-locked' }, lockedWhy, withdraw);
  const body = el('div', { class: 'sheet-body' }, list, empty, lockedBox, noteBox);
  const status = el('p', { class: 'cart-status', role: 'status', 'data-cart-status': '' });
  const totalLabel = el('span', { class: 'total-label' });
  const total = el('span', { class: 'total', 'data-total': '' });
  const confirm = el('button', { class: 'primary', id: 'confirm', type: 'button', onclick: submit });
  const foot = el(
    'footer',
    { class: 'sheet-foot' },
    el('div', { class: 'cart-total' }, totalLabel, total),
    status,
    confirm,
  );

  function submit() {
    // whoever tells people what to do next must see it
    if (!cart.state().locked && !note.fits()) {
      says = t('noteTooLong', ORDER_NOTE);
      show();
      note.input.focus();
      return;
    }
    says = null;
    cart.submit(order());
  }

  /** The words belong to the confirmation: one that is on its way keeps its own. */
  function order() {
    return cart.state().locked ? undefined : { note: note.text().trim() };
  }

  function makeNote() {
    return noteField({
      id: 'order-note',
      max: ORDER_NOTE,
      label: t('noteOrder'),
      hint: t('noteOrderHint'),
      value: tab.get('note') ?? '',
      onInput: (text) => tab.set('note', text),
    });
  }

  function openNote() {
    noteBox.replaceChildren(note.element);
    note.input.focus();
  }

  function show() {
    if (!sheet) return;
    const { lines } = cart;
    const state = cart.state();
    const { phase, outcome, locked, waiting } = state;
    sheet.retitle(t('cart'));
    showLines(lines, locked);
    showNote(lines, locked);
    empty.hidden = lines.length > 0;
    foot.hidden = lines.length === 0;
    totalLabel.textContent = t('total');
    total.textContent = cart.total ? money(cart.total) : '';
    const { busy, label, text, calm } = moment(state, isOffline());
    fill(confirm, busy && el('span', { class: 'spinner', 'aria-hidden': 'true' }), el('span', {}, label));
    confirm.setAttribute('aria-busy', String(busy));
    confirm.setAttribute('aria-disabled', String(busy));
    const line = says ?? text;
    if (status.textContent !== line) status.textContent = line;
    status.dataset.tone = says ? 'notice' : calm ? 'calm' : 'plain';
    const isOpen = waiting !== null || phase === 'checking' || phase === 'waiting';
    const canWithdraw = locked && isOpen && outcome?.kind !== 'possibleDuplicate';
    withdraw.hidden = !canWithdraw;
    withdraw.textContent = t('giveUp');
    lockedBox.hidden = !locked;
    lockedWhy.textContent = t(waiting ? 'lockedWaiting' : 'lockedWhy');
  }

  function showLines(lines, locked) {
    while (rows.length > lines.length) {
      // who works with the keyboard goes on in the sheet
      if (rows.pop().element.contains(document.activeElement)) sheet.element.focus({ preventScroll: true });
    }
    while (rows.length < lines.length) rows.push(cartRow(cart, rows.length));
    lines.forEach((line, index) => rows[index].show(line, menu, locked));
    arrange(list, rows.map((row) => row.element));
    if (lines.length === 0 && empty.drawn !== lang()) {
      empty.drawn = lang();
      fill(
        empty,
        el('img', { class: 'empty-picture', src: '/assets/menu/placeholder-bowl.svg', alt: '' }),
        el('p', { class: 'empty-title' }, t('cartEmpty')),
        el('p', { class: 'empty-what' }, t('cartEmptyWhat')),
        el('button', { class: 'secondary', type: 'button', onclick: () => sheet?.close() }, t('toMenu')),
      );
    }
  }

  function showNote(lines, locked) {
    // words that were written stay to be read
    noteBox.hidden = lines.length === 0 || (locked && !note.text());
    note.input.readOnly = locked;
    if (noteBox.drawn === lang()) return;
    noteBox.drawn = lang();
    note = makeNote();
    noteToggle.textContent = t('addNote');
    noteBox.replaceChildren(note.text() ? note.element : noteToggle);
  }

  return {
    show,
    confirm,
    isOpen: () => sheet !== null,
    open() {
      if (sheet) return;
      says = null;
      noteBox.drawn = null;
      sheet = openSheet({
        kind: 'panel',
        title: t('cart'),
        content: [body, foot],
        data: { id: 'cart', 'data-sheet': 'cart' },
        onClose: () => (sheet = null),
      });
      show();
    },
    close: () => sheet?.close(),
    /** Tells the guest something until the cart changes. */
    say(text) {
      says = text;
      show();
    },
    hush() {
      says = null;
    },
    /** The words went with the order. */
    forgetNote() {
      tab.remove('note');
      note.set('');
      noteBox.drawn = null;
    },
    note: () => note.text().trim(),
  };
}

/** What there is to say and to press. Nothing of it looks like a failure: nobody knows of one. */
function moment({ phase, outcome, locked, waiting }, isOffline) {
  if (waiting?.expired) return { busy: false, label: t('confirm'), text: t('waitingExpired'), calm: true };
  if (waiting) return { busy: true, label: t('waitingNow'), text: t('waitingUntil', timeOfDay(waiting.until)), calm: true };
  if (outcome?.kind === 'possibleDuplicate') return { busy: false, label: t('answer'), text: t('asked'), calm: true };
  if (outcome?.kind === 'unknown') return { busy: false, label: t('confirmAgain'), text: outcome.message, calm: true };
  if (outcome?.kind === 'pending') return { busy: false, label: t('confirmAgain'), text: t('pendingWhy'), calm: true };
  if (locked && ['sending', 'waiting', 'checking'].includes(phase)) {
    return { busy: true, label: t(phase), text: t('calm'), calm: true };
  }
  const text = t(isOffline ? (wouldWait() ? 'confirmWaits' : 'confirmLater') : 'beforeConfirm');
  return { busy: false, label: t('confirm'), text, calm: isOffline };
}

/** A line that can be changed. It stays in its place for as long as the cart has as many lines, and with it the focus. */
function cartRow(cart, index) {
  let shown = null;
  let label = '';
  const name = el('span', { class: 'line-name' });
  const toppings = el('span', { class: 'line-toppings' });
  const words = el('span', { class: 'line-note' });
  const total = el('span', { class: 'line-total' });
  const remove = el('button', { class: 'link line-remove', type: 'button', onclick: () => cart.setQuantity(index, 0) });
  const steps = stepper({
    what: () => label,
    onStep: (by) => cart.setQuantity(index, shown.quantity + by),
  });
  const element = el(
    'li',
    { class: 'cart-line' },
    el('span', { class: 'line-text' }, name, toppings, words),
    total,
    el('span', { class: 'cart-line-foot' }, remove, steps.element),
  );
  return {
    element,
    show(line, menu, locked) {
      shown = line;
      const item = menu.item(line.menuItemId);
      const known = menu.names(line.menuItemId);
      label = known ? local(known) : t('goneDish');
      fill(name, label, ' ', item && !canBeHad(item) && badge(item));
      const chosen = (line.toppings ?? []).map((one) => {
        const names = menu.names(one.toppingId);
        return { name: names ? local(names) : t('goneTopping'), quantity: one.quantity ?? 1 };
      });
      toppings.hidden = chosen.length === 0;
      toppings.textContent = toppingText(chosen);
      words.hidden = !line.note;
      words.textContent = line.note ?? '';
      total.textContent = money(lineTotal(line));
      element.dataset.line = item?.sku ?? line.menuItemId;
      steps.show({ quantity: line.quantity, min: 1, max: MOST_PIECES, off: locked });
      remove.textContent = t('remove');
      remove.setAttribute('aria-label', t('removeLine', label));
      remove.setAttribute('aria-disabled', String(locked));
    },
  };
}
