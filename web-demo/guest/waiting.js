// An order that was confirmed without a network: until when it is sent by itself, and the way out.

import { timeOfDay } from '../shared/lang.js';
import { banner } from './banner.js';
import { t } from './texts.js';

/** What is confirmed now waits. Where the browser only believes in its network, it is sent, and what becomes of it is found out. */
export const wouldWait = () => navigator.onLine === false;

/**
 * @param {object} o
 * @param {object} o.cart
 * @param {() => void} o.onCart shows the cart
 */
export function waitingStrip({ cart, onCart }) {
  const strip = banner('waiting', () => cart.withdraw());
  return {
    element: strip.element,
    show() {
      const { waiting } = cart.state();
      if (!waiting) return strip.show(null);
      if (waiting.expired) return strip.show({ tone: 'notice', says: t('waitingExpired'), label: t('openCart'), act: onCart, isRead: true });
      const says = t('waitingUntil', timeOfDay(waiting.until));
      return strip.show({ tone: 'calm', busy: true, says, label: t('waitingStop'), act: () => cart.withdraw() });
    },
  };
}
