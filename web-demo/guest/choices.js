// What goes with a dish: groups of toppings, each with a least and a most of portions. How many is the menu's word; the
// server holds to it, and this only helps to get there.

import { el } from '../shared/dom.js';
import { badge } from './dishes.js';
import { canBeHad } from './menu.js';
import { money } from './money.js';
import { behavior } from './motion.js';
import { stepper } from './stepper.js';
import { local, t } from './texts.js';

/** Portions of one topping on one piece, as the server takes them. */
const MOST_PORTIONS = 9;

/**
 * Makes the groups of a dish.
 *
 * @param {object} item of the menu
 * @param {() => void} onChange
 */
export function choices(item, onChange) {
  const groups = item.toppingGroups.map((group) => makeGroup(group, changed));

  function changed() {
    for (const group of groups) group.show();
    onChange();
  }

  for (const group of groups) group.show();
  return {
    elements: groups.map((group) => group.element),
    /** As a cart's line wants them. */
    toppings: () =>
      groups.flatMap(({ group, chosen }) =>
        group.toppings
          .filter((topping) => chosen.get(topping.id) > 0)
          .map((topping) => ({ toppingId: topping.id, price: topping.price, quantity: chosen.get(topping.id) })),
      ),
    /** Shows the first group that lacks something, and answers its name; `null` if none does. */
    complain() {
      const lacking = groups.filter((group) => group.lacks());
      for (const group of groups) group.warn(lacking.includes(group));
      lacking[0]?.goTo();
      return lacking[0] ? local(lacking[0].group) : null;
    },
  };
}

function makeGroup(group, onChange) {
  const chosen = new Map();
  const count = () => [...chosen.values()].reduce((sum, portions) => sum + portions, 0);
  const most = (topping) => Math.min(MOST_PORTIONS, topping.remaining ?? MOST_PORTIONS);
  const setting = { group, chosen, count, most, onChange };
  const makeRow = group.max === 1 ? pickRow : group.toppings.every((one) => most(one) <= 1) ? checkRow : portionsRow;
  const rows = group.toppings.map((topping) => makeRow(topping, setting));
  const rule = el('span', { class: group.min > 0 ? 'group-rule is-required' : 'group-rule' }, ruleOf(group));
  const legend = el('legend', { class: 'group-head' }, el('span', { class: 'group-name' }, local(group)), rule);
  const element = el('fieldset', { class: 'group', 'data-group': group.id }, legend, ...rows.map((row) => row.element));
  return {
    group,
    chosen,
    element,
    show: () => {
      for (const row of rows) row.show();
      if (count() >= group.min) element.classList.remove('is-lacking');
    },
    lacks: () => count() < group.min,
    warn: (lacks) => element.classList.toggle('is-lacking', lacks),
    goTo() {
      element.scrollIntoView({ behavior: behavior(), block: 'center' });
      element.querySelector('input:not(:disabled), button')?.focus({ preventScroll: true });
    },
  };
}

function ruleOf({ min, max }) {
  if (min === 0) return t('upTo', max);
  if (min === max) return min === 1 ? t('chooseOne') : t('chooseExactly', min);
  return t('chooseBetween', min, max);
}

/** Just one of the group. Where none is needed either, a second tap takes the choice back. */
function pickRow(topping, { group, chosen, onChange }) {
  const isRadio = group.min === 1;
  const input = el('input', {
    type: isRadio ? 'radio' : 'checkbox',
    name: group.id,
    disabled: !canBeHad(topping),
    onchange() {
      chosen.clear();
      if (input.checked) chosen.set(topping.id, 1);
      onChange();
    },
  });
  const element = tickable(isRadio ? 'option is-radio' : 'option', input, topping);
  return { element, show: () => (input.checked = chosen.get(topping.id) === 1) };
}

/** One portion or none. */
function checkRow(topping, { group, chosen, count, onChange }) {
  const input = el('input', {
    type: 'checkbox',
    disabled: !canBeHad(topping),
    onchange() {
      chosen.set(topping.id, input.checked ? 1 : 0);
      onChange();
    },
  });
  const element = tickable('option', input, topping);
  return {
    element,
    show() {
      input.checked = chosen.get(topping.id) > 0;
      input.disabled = !canBeHad(topping) || (!input.checked && count() >= group.max);
    },
  };
}

/** Several portions. */
function portionsRow(topping, { group, chosen, count, most, onChange }) {
  const portions = () => chosen.get(topping.id) ?? 0;
  const steps = stepper({
    what: () => local(topping),
    onStep(by) {
      chosen.set(topping.id, portions() + by);
      onChange();
    },
  });
  const element = el('div', { class: 'option is-portions' }, ...optionText(topping), canBeHad(topping) && steps.element);
  return {
    element,
    show() {
      const room = group.max - count();
      steps.show({ quantity: portions(), min: 0, max: Math.min(most(topping), portions() + room) });
      const wasFocused = steps.element.contains(document.activeElement);
      element.classList.toggle('has-some', portions() > 0);
      // with nothing chosen there is only the ＋
      if (wasFocused && portions() === 0) steps.focusMore();
    },
  };
}

function tickable(look, input, topping) {
  const tick = el('span', { class: 'tick', 'aria-hidden': 'true' });
  return el('label', { class: look }, input, tick, ...optionText(topping));
}

function optionText(topping) {
  const price = topping.price.amountMinor > 0 && el('span', { class: 'option-price' }, `+${money(topping.price)}`);
  return [el('span', { class: 'option-name' }, local(topping), ' ', badge(topping)), price].filter(Boolean);
}
