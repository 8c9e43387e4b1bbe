// The menu on the page: chips of the sections that stick to the top, and the dishes.

import { arrange, el, fill } from '../shared/dom.js';
import { lang } from '../shared/lang.js';
import { allergenNames } from './allergens.js';
import { canBeHad } from './menu.js';
import { money } from './money.js';
import { behavior } from './motion.js';
import { picture } from './picture.js';
import { local, t } from './texts.js';

/** From here on down it is worth saying how many are left. */
const FEW = 10;

/**
 * @param {object} o
 * @param {(item: object) => void} o.onOpen shows a dish
 * @param {(item: object) => void} o.onAdd puts one piece of a dish without choices into the cart
 */
export function dishes({ onOpen, onAdd }) {
  const chips = el('div', { class: 'chips-row' });
  const nav = el('nav', { class: 'chips' }, chips);
  const main = el('main', { class: 'menu', id: 'menu', tabindex: '-1' });
  const sections = new Map();
  const cards = new Map();
  let shown = [];
  let current = null;
  let aiming = false;

  function show(menu, cart, canOrder) {
    nav.setAttribute('aria-label', t('sections'));
    main.setAttribute('aria-label', t('menu'));
    shown = menu.sections;
    const ids = new Set(shown.flatMap((section) => section.items.map((item) => item.id)));
    for (const id of cards.keys()) if (!ids.has(id)) cards.delete(id);
    arrange(chips, shown.map((section) => place(section).chip));
    arrange(main, [...shown.map((section) => place(section).element), emptyHint]);
    emptyHint.hidden = shown.length > 0;
    emptyHint.textContent = t('emptyMenu');
    for (const section of shown) {
      const { chip, heading, list } = place(section);
      chip.textContent = local(section);
      heading.textContent = local(section);
      arrange(list, section.items.map((item) => card(item, pieces(cart, item), canOrder)));
    }
    follow();
  }

  function place(section) {
    if (!sections.has(section.id)) {
      const headingId = `section-${section.id}`;
      const heading = el('h2', { class: 'section-title', id: headingId, tabindex: '-1' });
      const list = el('div', { class: 'dishes' });
      const element = el('section', { class: 'section', 'aria-labelledby': headingId }, heading, list);
      const chip = el('button', { class: 'chip', type: 'button', onclick: () => goTo(section.id) });
      sections.set(section.id, { element, heading, list, chip });
    }
    return sections.get(section.id);
  }

  /** Draws a card anew only if something on it is different: a picture that is replaced flickers. */
  function card(item, inCart, canOrder) {
    if (!cards.has(item.id)) cards.set(item.id, makeCard(item));
    const known = cards.get(item.id);
    const drawn = JSON.stringify([item, inCart, canOrder, lang()]);
    if (known.drawn !== drawn) draw(known, item, inCart, canOrder);
    known.drawn = drawn;
    return known.element;
  }

  /** Its buttons last: a button that is replaced loses the focus, and a sheet that closes gives it back to its button. */
  function makeCard({ sku }) {
    const made = {
      element: el('article', { class: 'dish', 'data-dish': sku }),
      open: el('button', { class: 'dish-open', type: 'button', onclick: () => onOpen(made.item) }),
      add: el('button', { type: 'button', onclick: () => (hasChoices(made.item) ? onOpen : onAdd)(made.item) }),
    };
    return made;
  }

  function draw(made, item, inCart, canOrder) {
    const { element, open, add } = made;
    const available = canBeHad(item);
    made.item = item;
    element.classList.toggle('is-gone', !available);
    const description = local({ ja: item.descriptionJa, en: item.descriptionEn });
    fill(
      open,
      el(
        'span',
        { class: 'dish-text' },
        el('span', { class: 'dish-name' }, local(item)),
        description && el('span', { class: 'dish-what' }, description),
        item.allergens.length > 0 && allergens(item),
        el('span', { class: 'dish-foot' }, el('span', { class: 'price' }, money(item.price)), badge(item)),
      ),
      picture(item),
    );
    const name = t(hasChoices(item) ? 'choose' : 'quickAdd', local(item));
    add.className = inCart > 0 ? 'dish-add has-some' : 'dish-add';
    add.setAttribute('aria-label', inCart > 0 ? `${name}, ${t('inCart', inCart)}` : name);
    fill(add, inCart > 0 ? inCart : el('span', { class: 'icon icon-plus', 'aria-hidden': 'true' }));
    arrange(element, available && canOrder ? [open, add] : [open]);
  }

  function goTo(id) {
    const { element, heading } = sections.get(id);
    mark(id);
    aiming = true;
    element.scrollIntoView({ behavior: behavior(), block: 'start' });
    heading.focus({ preventScroll: true });
  }

  function mark(id) {
    if (current === id) return;
    current = id;
    for (const section of shown) {
      const { chip } = place(section);
      if (section.id === id) chip.setAttribute('aria-current', 'true');
      else chip.removeAttribute('aria-current');
    }
    const chip = sections.get(id)?.chip;
    // only sideways: scrolling into view would move the page, too
    if (chip) nav.scrollTo({ left: chip.offsetLeft - (nav.clientWidth - chip.offsetWidth) / 2, behavior: behavior() });
  }

  /** Marks the section that stands under the chips. */
  function follow() {
    if (aiming || shown.length === 0 || !main.isConnected) return;
    const line = nav.getBoundingClientRect().bottom + 24;
    const passed = shown.filter((section) => place(section).element.getBoundingClientRect().top <= line);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4 && scrollY > 0;
    mark((atEnd ? shown[shown.length - 1] : (passed[passed.length - 1] ?? shown[0])).id);
  }

  let resting;
  let frame = 0;
  function scrolled() {
    clearTimeout(resting);
    // the way to a tapped section passes others
    resting = setTimeout(() => (aiming = false), 150);
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      follow();
    });
  }

  const emptyHint = el('p', { class: 'empty', hidden: true });
  addEventListener('scroll', scrolled, { passive: true });

  return {
    nav,
    main,
    show,
    /** Draws every card anew the next time: pictures that did not come are asked for again. */
    freshen() {
      for (const made of cards.values()) made.drawn = null;
    },
    close: () => removeEventListener('scroll', scrolled),
  };
}

function hasChoices(item) {
  return item.toppingGroups.length > 0;
}

function pieces(cart, item) {
  return cart.lines.filter((line) => line.menuItemId === item.id).reduce((sum, line) => sum + line.quantity, 0);
}

function allergens(item) {
  const label = el('span', { class: 'unseen' }, `${t('allergens')}: `);
  return el('span', { class: 'dish-allergens' }, label, allergenNames(item.allergens));
}

/** What is to be known before wanting it: gone, or nearly. */
export function badge({ available, soldOut, remaining }) {
  if (!available) return el('span', { class: 'badge badge-gone' }, t('off'));
  if (soldOut) return el('span', { class: 'badge badge-gone' }, t('soldOut'));
  if (remaining !== null && remaining <= FEW) return el('span', { class: 'badge badge-few' }, t('left', remaining));
  return null;
}
