// The menu as this page knows it: names in both languages, and what is left.

import { ask } from '../shared/graphql.js';

/** What is asked. */
export const MENU = `query Menu {
  shop { ja: name(lang: JA) en: name(lang: EN) }
  tableSession { table open }
  menu { version sections { id ja: name(lang: JA) en: name(lang: EN) items {
    id sku ja: name(lang: JA) en: name(lang: EN)
    descriptionJa: description(lang: JA) descriptionEn: description(lang: EN)
    imageUrl allergens station price { amountMinor currency } available soldOut remaining
    toppingGroups { id ja: name(lang: JA) en: name(lang: EN) min max toppings {
      id ja: name(lang: JA) en: name(lang: EN) price { amountMinor currency } available soldOut remaining
    } }
  } } }
}`;

/** Asks for the menu, with the shop and the table. */
export async function askMenu(credentials) {
  return ask(credentials, MENU);
}

/** What can be found in a menu by id. What has left it keeps its name: it may still stand in the cart. */
export class Menu {
  sections = [];
  #items = new Map();
  #toppings = new Map();
  #names = new Map();

  /** Takes a menu as the server tells it. */
  take({ sections }) {
    this.sections = sections.filter((section) => section.items.length > 0);
    this.#items.clear();
    this.#toppings.clear();
    for (const section of sections) {
      for (const item of section.items) {
        this.#items.set(item.id, item);
        this.#names.set(item.id, item);
        for (const group of item.toppingGroups) {
          for (const topping of group.toppings) {
            this.#toppings.set(topping.id, topping);
            this.#names.set(topping.id, topping);
          }
        }
      }
    }
  }

  /** Finds a dish that is on the menu. */
  item(id) {
    return this.#items.get(id);
  }

  /** Finds a topping that is on the menu. */
  topping(id) {
    return this.#toppings.get(id);
  }

  /** Answers the names `{ ja, en }` of a dish or topping, `undefined` if this page has never heard of it. */
  names(id) {
    return this.#names.get(id);
  }
}

/** It can be ordered now, as far as this page knows. */
export function canBeHad({ available, soldOut }) {
  return available && !soldOut;
}
