// The menu of a table: reads it, and makes lines for the cart of what the guest chose.

import query from "../../protocol/operations/menu.graphql";
import { ask, language } from "./ask.js";

export { ReadError } from "./ask.js";

/** As the server takes them. */
const MOST_PIECES = 99;
const MOST_TOPPINGS = 20;
const MOST_PORTIONS = 9;

const TEXTS = {
  ja: {
    UNKNOWN: () => "この商品はメニューにありません",
    UNAVAILABLE: ({ of }) => `${of.name}はただいまご注文いただけません`,
    SHORT: ({ of }) => `${of.name}は残り${of.remaining}点です`,
    QUANTITY: ({ of, max }) => `${of.name}は1から${max}までお選びください`,
    CHOOSE: ({ of, min, max }) =>
      min === max ? `${of.name}を${min}つお選びください` : min > 0 ? `${of.name}を${min}から${max}つお選びください` : `${of.name}は${max}つまでお選びいただけます`,
  },
  en: {
    UNKNOWN: () => "This is not on the menu.",
    UNAVAILABLE: ({ of }) => `Not available right now: ${of.name}.`,
    SHORT: ({ of }) => `Only ${of.remaining} left of ${of.name}.`,
    QUANTITY: ({ of, max }) => `Please choose 1 to ${max} of ${of.name}.`,
    CHOOSE: ({ of, min, max }) =>
      min === max ? `Please choose exactly ${min} of ${of.name}.` : min > 0 ? `Please choose ${min} to ${max} of ${of.name}.` : `Please choose at most ${max} of ${of.name}.`,
  },
};

/** Reads the menu as it is now. */
export async function readMenu(options) {
  const { shop, menu } = await ask(options, query);
  return { lang: language(options.lang), shop, ...menu };
}

/** Finds an item by its id. */
export const findItem = ({ sections }, id) => sections.flatMap(({ items }) => items).find((item) => item.id === id);

/** An item or topping can be ordered now, as far as this menu knows. */
export const isOrderable = ({ available, soldOut }) => available && !soldOut;

/** Makes a line, or says what keeps it from being one. `choices`: portions by the topping's id. */
export function makeLine(menu, itemId, { quantity = 1, choices = {}, note } = {}) {
  const problems = [];
  const complain = (code, more) => problems.push({ code, ...more, message: TEXTS[menu.lang][code](more) });
  const item = findItem(menu, itemId);
  if (!item) {
    complain("UNKNOWN", { id: itemId });
    return { line: null, problems };
  }

  function checkPieces(of, portions, pieces, most) {
    if (!Number.isInteger(portions) || portions < 1 || portions > most) complain("QUANTITY", { of, min: 1, max: most });
    else if (!isOrderable(of)) complain("UNAVAILABLE", { of });
    else if (of.remaining !== null && of.remaining < pieces) complain("SHORT", { of });
  }

  checkPieces(item, quantity, quantity, MOST_PIECES);
  const wanted = new Map(Object.entries(choices).filter(([, portions]) => portions !== 0));
  const toppings = [];
  for (const group of item.toppingGroups) {
    let chosen = 0;
    for (const topping of group.toppings) {
      const portions = wanted.get(topping.id);
      if (portions === undefined) continue;
      wanted.delete(topping.id);
      checkPieces(topping, portions, portions * quantity, MOST_PORTIONS);
      toppings.push({ toppingId: topping.id, price: topping.price, quantity: portions });
      chosen += portions;
    }
    const { min, max } = group;
    if (chosen < min || chosen > max) complain("CHOOSE", { of: group, min, max, chosen });
  }
  for (const id of wanted.keys()) complain("UNKNOWN", { id });
  if (toppings.length > MOST_TOPPINGS) complain("QUANTITY", { of: item, min: 1, max: MOST_TOPPINGS });
  if (problems.length > 0) return { line: null, problems };
  const line = { menuItemId: item.id, price: item.price, quantity, toppings };
  if (note) line.note = note;
  return { line, problems };
}
