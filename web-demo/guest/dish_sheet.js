// One dish: what it is, what goes with it, how many, and into the cart.

import { el, fill } from '../shared/dom.js';
import { allergenNames } from './allergens.js';
import { choices } from './choices.js';
import { badge } from './dishes.js';
import { canBeHad } from './menu.js';
import { lineTotal, money } from './money.js';
import { DISH_NOTE, noteField } from './note.js';
import { picture } from './picture.js';
import { closeButton, openSheet } from './sheet.js';
import { stepper } from './stepper.js';
import { local, t } from './texts.js';

/** Pieces of a line, as the server takes them. */
const MOST_PIECES = 99;

/**
 * Opens a dish.
 *
 * @param {object} o
 * @param {object} o.item of the menu
 * @param {object} o.cart
 * @param {boolean} o.canOrder
 * @param {(item: object) => void} o.onAdded
 */
export function openDish({ item, cart, canOrder, onAdded }) {
  let quantity = 1;
  const available = canBeHad(item);
  const chosen = choices(item, show);
  const note = noteField({ id: 'dish-note', max: DISH_NOTE, label: t('noteDish'), hint: t('noteDishHint') });
  const steps = stepper({
    what: () => t('quantity'),
    onStep(by) {
      quantity += by;
      show();
    },
  });
  const add = el('button', { class: 'primary', id: 'dish-add', type: 'button', onclick: addToCart });
  // no alert: nothing has failed
  const problem = el('p', { class: 'sheet-problem', role: 'status' });

  const line = () => ({
    menuItemId: item.id,
    price: item.price,
    quantity,
    note: note.text().trim() || undefined,
    toppings: chosen.toppings(),
  });

  function show() {
    steps.show({ quantity, min: 1, max: Math.max(1, Math.min(MOST_PIECES, item.remaining ?? MOST_PIECES)) });
    fill(add, el('span', {}, t('add')), el('span', { class: 'primary-price' }, money(lineTotal(line()))));
    problem.textContent = '';
  }

  function addToCart() {
    const lacking = chosen.complain();
    if (lacking) {
      problem.textContent = t('missing', lacking);
    } else if (!note.fits()) {
      problem.textContent = t('noteTooLong', DISH_NOTE);
      note.input.focus();
    } else if (cart.state().locked) {
      problem.textContent = t(cart.state().waiting ? 'addWaiting' : 'addLocked');
    } else if (put(cart, line())) {
      sheet.close();
      onAdded(item);
    } else {
      problem.textContent = t('addNot');
    }
  }

  const description = local({ ja: item.descriptionJa, en: item.descriptionEn });
  const allergens = el(
    'dl',
    { class: 'allergens' },
    el('dt', {}, t('allergens')),
    el('dd', {}, item.allergens.length > 0 ? allergenNames(item.allergens) : t('noAllergens')),
  );
  const order = [...chosen.elements, el('div', { class: 'dish-note' }, note.element)];
  const foot = el('footer', { class: 'sheet-foot' }, problem, el('div', { class: 'dish-buy' }, steps.element, add));
  const sheet = openSheet({
    kind: 'dish-sheet',
    data: { 'data-sheet': 'dish', 'data-sku': item.sku },
    fill: (titleId) => [
      closeButton('round dish-close', () => sheet.close()),
      el(
        'div',
        { class: 'sheet-body' },
        picture(item),
        el(
          'div',
          { class: 'dish-head' },
          el('h2', { class: 'dish-title', id: titleId }, local(item)),
          el('p', { class: 'dish-price' }, el('span', { class: 'price' }, money(item.price)), badge(item)),
          description && el('p', { class: 'dish-description' }, description),
          allergens,
        ),
        ...(available && canOrder ? order : []),
      ),
      available && canOrder && foot,
    ],
  });
  show();
}

/** Adds a line. The SDK throws for what can not be ordered at all. */
export function put(cart, line) {
  try {
    cart.add(line);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
