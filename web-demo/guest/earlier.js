// An order that an earlier page left unsettled, because it was reloaded or killed: what this page does about it, and what became
// of it.

import { banner } from './banner.js';
import { money } from './money.js';
import { t } from './texts.js';

/** Under these something was ordered, only not this: the dialog tells. */
const ELSEWHERE = ['CHECKOUT_ALREADY_PLACED', 'IDEMPOTENCY_KEY_REUSED'];

/**
 * @param {object} o
 * @param {object} o.cart
 * @param {() => void} o.onCart shows the cart
 * @param {() => void} o.onHistory
 */
export function earlier({ cart, onCart, onHistory }) {
  let settling = true;
  let became = null;
  const strip = banner('earlier', () => {
    became = null;
    show();
  });

  function show() {
    const { locked, waiting } = cart.state();
    // somebody settled it where this page does not look: another tab, another phone
    if (became?.isOpen && !locked) became = null;
    if (became) strip.show({ ...became, says: became.text(), label: t(became.label) });
    else strip.show(settling && locked && !waiting ? { tone: 'calm', busy: true, says: doing() } : null);
  }

  function doing() {
    const { lines, total } = cart;
    const pieces = lines.reduce((sum, line) => sum + line.quantity, 0);
    return total ? t('earlierDoing', t('pieces', pieces), money(total)) : t('calm');
  }

  function fate(outcome) {
    const toCart = { label: 'openCart', act: onCart };
    switch (outcome?.kind) {
      case 'placed':
        return { tone: 'good', text: () => t('earlierPlaced', outcome.order.number), label: 'historyShort', act: onHistory, isRead: true };
      case 'pending':
        return { tone: 'good', text: () => t('earlierPending'), ...toCart, isOpen: true };
      case 'unknown':
        return { tone: 'notice', text: () => t('earlierUnknown'), ...toCart, isOpen: true };
      case 'rejected':
      case 'refused':
        if (ELSEWHERE.includes(outcome.code)) return null;
        return { tone: 'notice', text: () => t('earlierNot'), ...toCart, isRead: true };
      default:
        // a question asks for itself
        return null;
    }
  }

  return {
    element: strip.element,
    show,
    /** Hears every outcome. The next one of this page's own takes the strip's place. */
    hear(outcome, { resumed }) {
      settling = false;
      became = resumed ? fate(outcome) : null;
      show();
    },
  };
}
