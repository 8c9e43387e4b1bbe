// What the table has ordered, and how far the kitchen is.

import { el, fill } from '../shared/dom.js';
import { NoAnswer } from '../shared/graphql.js';
import { lang, timeOfDay } from '../shared/lang.js';
import { state } from './history.js';
import { lineList } from './lines.js';
import { money, sum } from './money.js';
import { actButton, question } from './question.js';
import { openSheet } from './sheet.js';
import { local, t } from './texts.js';

/** The way of an order, for the little track under its number. */
const WAY = ['RECEIVED', 'COOKING', 'READY', 'SERVED'];

/**
 * Makes the history's sheet, which can be opened and closed.
 *
 * @param {object} o
 * @param {object} o.orders of `history.js`
 * @param {() => boolean} o.isOffline the shop can not be reached
 * @param {(text: string) => void} o.onSay
 */
export function historySheet({ orders, isOffline, onSay }) {
  let sheet = null;
  let drawn = null;
  const cancelling = new Set();
  const offline = el('p', { class: 'offline', role: 'status' });
  const list = el('div', { class: 'orders' });
  const totalBox = el('footer', { class: 'sheet-foot table-total' });

  function show() {
    if (!sheet) return;
    sheet.retitle(t('history'));
    showConnection();
    const all = orders.orders();
    const { live, since } = orders.connection();
    // before the first word from the shop nobody knows that there are none
    const isKnown = live || since !== null;
    const now = JSON.stringify([lang(), isKnown, all.map((order) => [order.id, order.version, cancelling.has(order.id)])]);
    if (now === drawn) return;
    drawn = now;
    const focused = document.activeElement?.closest?.('[data-order]')?.dataset.order;
    fill(list, ...(all.length > 0 ? all.map(card) : [isKnown && nothing()]));
    const follower = focused && (list.querySelector(`[data-order="${focused}"] button`) ?? sheet.element);
    if (follower) follower.focus({ preventScroll: true });
    totalBox.hidden = all.length === 0;
    if (all.length === 0) return;
    const owed = all.map(({ status, total }) => (status === 'CANCELLED' ? { ...total, amountMinor: 0 } : total));
    fill(
      totalBox,
      el(
        'span',
        {},
        el('span', { class: 'total-label' }, t('tableTotal')),
        el('span', { class: 'total-what' }, t('tableTotalWhat')),
      ),
      el('span', { class: 'total', 'data-table-total': '' }, money(sum(owed))),
    );
  }

  function showConnection() {
    const { live, since } = orders.connection();
    const never = isOffline() ? 'offlineHistory' : 'offlineYet';
    const text = live ? '' : since ? t('offline', timeOfDay(since)) : t(never);
    if (offline.textContent !== text) offline.textContent = text;
    offline.hidden = live;
  }

  function card(order) {
    const where = state(order);
    const at = WAY.indexOf(where);
    const track = el(
      'ol',
      { class: 'track', 'aria-hidden': 'true' },
      ...WAY.map((step, i) => el('li', { class: i < at ? 'is-past' : i === at ? 'is-now' : '' }, t(step))),
    );
    return el(
      'article',
      { class: 'order', 'data-order': order.id, 'data-state': where, 'aria-label': `${t('orderNumber')} ${order.number}` },
      el(
        'header',
        { class: 'order-head' },
        el('span', { class: 'order-number', 'data-order-number': order.number }, order.number),
        el('span', { class: 'order-state', 'data-state': where }, t(where)),
        el('time', { class: 'order-time', datetime: order.placedAt }, timeOfDay(Date.parse(order.placedAt))),
      ),
      at >= 0 && track,
      lineList(order.lines.map(named)),
      order.note && el('p', { class: 'line-note order-words' }, order.note),
      el('p', { class: 'order-total' }, el('span', {}, t('total')), el('span', {}, money(order.total))),
      where === 'RECEIVED' && cancelButton(order),
    );
  }

  function cancelButton(order) {
    const busy = cancelling.has(order.id);
    return el(
      'button',
      { class: 'link order-cancel', type: 'button', 'aria-busy': String(busy), onclick: () => !busy && askToCancel(order) },
      t(busy ? 'cancelling' : 'cancelOrder'),
    );
  }

  function askToCancel(order) {
    const sure = () => {
      asked.close();
      cancel(order);
    };
    const asked = question({
      outcome: 'cancel',
      title: t('cancelSure', order.number),
      message: t('cancelWhy'),
      buttons: [
        actButton('danger', 'cancel', t('cancelYes'), sure),
        actButton('secondary', 'keep', t('cancelNo'), () => asked.close()),
      ],
    });
  }

  async function cancel({ id, number }) {
    cancelling.add(id);
    show();
    try {
      await orders.cancel(id);
      onSay(t('cancelled', number));
    } catch (error) {
      if (error instanceof NoAnswer) onSay(t('cancelNoAnswer'));
      else onSay(t(error.code === 'FORBIDDEN' ? 'cancelTooLate' : 'cancelNot'));
    } finally {
      cancelling.delete(id);
      show();
    }
  }

  return {
    show,
    isOpen: () => sheet !== null,
    open() {
      if (sheet) return;
      drawn = null;
      sheet = openSheet({
        kind: 'panel',
        title: t('history'),
        content: [el('div', { class: 'sheet-body' }, offline, list), totalBox],
        data: { id: 'history', 'data-sheet': 'history' },
        onClose: () => (sheet = null),
      });
      show();
      orders.read();
    },
  };
}

function named(line) {
  return { ...line, name: local(line), toppings: line.toppings.map((one) => ({ ...one, name: local(one) })) };
}

function nothing() {
  return el(
    'div',
    { class: 'empty-state' },
    el('img', { class: 'empty-picture', src: '/assets/menu/placeholder-plate.svg', alt: '' }),
    el('p', { class: 'empty-title' }, t('noHistory')),
    el('p', { class: 'empty-what' }, t('noHistoryWhat')),
  );
}
