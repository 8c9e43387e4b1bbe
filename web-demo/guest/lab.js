// The way to the network lab, which is loaded when somebody wants it, and what it gets to work with.

import { lang, onLanguage } from '../shared/lang.js';
import { tab } from '../shared/storage.js';
import { put } from './dish_sheet.js';
import { canBeHad } from './menu.js';
import { closeSheets } from './sheet.js';

/**
 * @param {object} o
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {object} o.cart
 * @param {import('./menu.js').Menu} o.menu
 * @param {object} o.cartSheet
 * @param {Promise<unknown>} o.ready menu and cart have been read
 * @param {() => void} o.onMissing it could not be loaded
 */
export function networkLab({ credentials, cart, menu, cartSheet, ready, onMissing }) {
  let lab = null;
  let closed = false;

  const handle = {
    credentials,
    lang,
    onLanguage,
    cart,
    /** Makes sure that there is something to confirm, and shows it. */
    async prepare() {
      await ready;
      closeSheets();
      if (cart.lines.length === 0) addSomething();
      cartSheet.open();
    },
    confirmButton: () => cartSheet.confirm,
    /** The cart as `PlaceOrderInput` wants it, for a client without the SDK. */
    rawInput: () => ({ lines: cart.lines.map(rawLine), expectedTotal: cart.total }),
  };

  /** One dish that goes without a choice. */
  function addSomething() {
    const items = menu.sections.flatMap((section) => section.items);
    const simple = items.find((item) => canBeHad(item) && item.toppingGroups.every((group) => group.min === 0));
    if (simple) put(cart, { menuItemId: simple.id, price: simple.price, quantity: 1 });
  }

  async function open() {
    try {
      lab = await import('/assets/lab/main.js');
    } catch {
      return onMissing();
    }
    if (!closed) lab.openLab(handle);
  }

  return {
    open,
    /** It reloads the page on purpose, and has to watch again before anything is sent. */
    reopened: tab.get('lab') === 'open' ? open() : Promise.resolve(),
    close() {
      closed = true;
      lab?.closeLab();
    },
  };
}

function rawLine({ menuItemId, quantity, note, toppings = [] }) {
  const portions = toppings.map((topping) => ({ toppingId: topping.toppingId, quantity: topping.quantity ?? 1 }));
  return { menuItemId, quantity, note, toppings: portions };
}
