// What the page can do to the cart after a "no", if the guest wants it: one button each. The guest confirms the mended cart anew.

import { reduce, replace, reprice, without } from './mend.js';
import { actButton } from './question.js';
import { t } from './texts.js';

/**
 * @param {object} o
 * @param {object} o.cart
 * @param {import('./menu.js').Menu} o.menu
 * @param {() => Promise<boolean>} o.onRefresh reads the menu anew; answers whether that went well
 * @param {(text: string) => void} o.onSay
 * @param {(text: string) => void} o.onDone the cart is mended
 * @returns {(code: string, problem: object | undefined, refreshed: Promise<boolean> | null) => Node | null}
 */
export function remedies({ cart, menu, onRefresh, onSay, onDone }) {
  function mend(label, mended) {
    return actButton('primary', 'mend', label, () => {
      replace(cart, mended(cart.lines));
      onDone(t('mended'));
    });
  }

  function takePrices(refreshed) {
    const button = actButton('primary', 'prices', t('takePrices'), async () => {
      button.setAttribute('aria-busy', 'true');
      const isKnown = (await refreshed) || (await onRefresh());
      button.setAttribute('aria-busy', 'false');
      if (!isKnown) return onSay(t('pricesNotRead'));
      replace(cart, reprice(cart.lines, menu));
      return onDone(t('pricesTaken'));
    });
    return button;
  }

  return (code, problem, refreshed) => {
    const { shortages, items } = problem ?? {};
    if (code === 'SOLD_OUT' && shortages?.length > 0) {
      const isSomeLeft = shortages.some((shortage) => shortage.left > 0);
      return mend(t(isSomeLeft ? 'reduce' : 'removeShort'), (lines) => reduce(lines, shortages));
    }
    if (code === 'ITEM_UNAVAILABLE' && items?.length > 0) {
      return mend(t('removeShort'), (lines) => without(lines, items));
    }
    return code === 'PRICE_CHANGED' ? takePrices(refreshed) : null;
  };
}
