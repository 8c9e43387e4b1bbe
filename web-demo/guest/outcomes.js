// What became of a confirmation, shown: the order's number, a question, or what can be done about a "no". Which answer means
// what is the SDK's to know; this only shows it.

import { el } from '../shared/dom.js';
import { lineList } from './lines.js';
import { money } from './money.js';
import { openPlaced } from './placed.js';
import { actButton, question } from './question.js';
import { remedies } from './remedies.js';
import { t } from './texts.js';

const TITLES = {
  SOLD_OUT: 'problemSoldOut',
  ITEM_UNAVAILABLE: 'problemGone',
  PRICE_CHANGED: 'problemPrice',
  ORDERING_PAUSED: 'problemPaused',
  RATE_LIMITED: 'problemBusy',
  UNAVAILABLE: 'problemBusy',
  CHECKOUT_ALREADY_PLACED: 'problemPlaced',
};

/**
 * @param {object} o
 * @param {object} o.cart
 * @param {import('./menu.js').Menu} o.menu
 * @param {object} o.cartSheet
 * @param {(text: string) => void} o.onSay shows a short message
 * @param {() => Promise<boolean>} o.onRefresh reads menu and table anew; answers whether that went well
 * @param {() => void} o.onHistory
 */
export function outcomes({ cart, menu, cartSheet, onSay, onRefresh, onHistory }) {
  let shown = null;
  let declining = false;
  const remedyFor = remedies({ cart, menu, onRefresh, onSay, onDone: backToCart });

  /** Shows an outcome; `null` is nothing to show. */
  function present(outcome, { resumed }) {
    switch (outcome?.kind) {
      case 'placed':
        return placed(outcome.order, resumed);
      case 'pending':
      case 'unknown':
        return cartSheet.open();
      case 'possibleDuplicate':
        return ask(outcome);
      case 'blocked':
        // strip and cart ask for themselves
        return outcome.code === 'OFFLINE_EXPIRED' ? undefined : tell(outcome.message);
      case 'rejected':
      case 'refused':
        return outcome.code === 'WITHDRAWN' ? withdrawn() : refuse(outcome);
    }
  }

  /** In the cart if the guest looks at it. */
  function tell(text) {
    if (cartSheet.isOpen()) cartSheet.say(text);
    else onSay(text);
  }

  function withdrawn() {
    shown?.close();
    cartSheet.open();
    cartSheet.say(t(declining ? 'declined' : 'withdrawn'));
    declining = false;
  }

  function placed(order, resumed) {
    shown?.close();
    cartSheet.close();
    cartSheet.forgetNote();
    onRefresh();
    shown = openPlaced({ order, resumed, onHistory });
  }

  function ask({ message, earlier, confirm, decline }) {
    shown?.close();
    cartSheet.open();
    const answer = (how) => () => {
      declining = how === decline;
      shown.close();
      how();
    };
    shown = question({
      outcome: 'possibleDuplicate',
      title: t('duplicateTitle'),
      message,
      content: [orderBox(t('duplicateEarlier'), earlier)],
      buttons: [
        actButton('secondary', 'confirm', t('duplicateYes'), answer(confirm)),
        actButton('primary', 'decline', t('duplicateNo'), answer(decline)),
      ],
    });
  }

  /** A final "no", with what can be done about it. */
  function refuse({ code, message, problem, order }) {
    shown?.close();
    const leaves = code === 'SESSION_CLOSED' || code === 'UNAUTHENTICATED';
    // who has paid reads first that nothing was ordered, and is asked to leave then
    const refreshed = leaves ? null : onRefresh();
    const remedy = remedyFor(code, problem, refreshed);
    const isElsewhere = code === 'CHECKOUT_ALREADY_PLACED' || code === 'IDEMPOTENCY_KEY_REUSED';
    const back = actButton(remedy ? 'secondary' : 'primary', 'back', t(leaves ? 'close' : 'toCart'), () => sheet.close());
    const sheet = question({
      outcome: code,
      title: t(isAllGone(code, problem) ? 'problemAllGone' : (TITLES[code] ?? 'problemAny')),
      message,
      alert: true,
      content: [
        code === 'PRICE_CHANGED' && totals(problem),
        order && orderBox(t('orderNumber'), order),
        !isElsewhere && el('p', { class: 'question-hint' }, t('notOrdered')),
      ],
      buttons: [remedy, back],
      onClose: () => leaves && onRefresh(),
    });
    shown = sheet;
  }

  function backToCart(text) {
    shown?.close();
    cartSheet.open();
    if (cart.lines.length > 0) cartSheet.say(text);
  }

  return { present };
}

/** Nothing is left of anything that is short. */
function isAllGone(code, problem) {
  return code === 'SOLD_OUT' && problem?.shortages?.length > 0 && problem.shortages.every(({ left }) => left === 0);
}

function orderBox(label, order) {
  return el(
    'div',
    { class: 'earlier' },
    el(
      'p',
      { class: 'earlier-head' },
      el('span', {}, label),
      el('strong', { 'data-order-number': order.number }, order.number),
    ),
    lineList(order.lines),
  );
}

function totals(problem) {
  if (!problem?.expectedTotal || !problem.actualTotal) return null;
  return el(
    'p',
    { class: 'totals' },
    el('span', {}, t('total')),
    el('s', {}, el('span', { class: 'unseen' }, `${t('oldTotal')} `), money(problem.expectedTotal)),
    el('strong', {}, el('span', { class: 'unseen' }, `${t('newTotal')} `), money(problem.actualTotal)),
  );
}
