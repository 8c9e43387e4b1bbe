// What a cart becomes after the shop's "no", if the guest agrees. Pure: lines in, lines out. Nothing here is sent: the guest
// confirms the mended cart anew, and the server decides again.

/**
 * Reduces what is short to what is left.
 *
 * @param {readonly object[]} lines of the cart
 * @param {{ kind: 'ITEM' | 'TOPPING', id: string, left: number }[]} shortages
 */
export function reduce(lines, shortages) {
  return shortages.reduce(reduceOne, lines).filter((line) => line.quantity > 0);
}

function reduceOne(lines, { kind, id, left }) {
  let rest = left;
  return lines.map((line) => {
    const perPiece = kind === 'ITEM' ? Number(line.menuItemId === id) : portions(line, id);
    if (perPiece === 0) return line;
    const quantity = Math.min(line.quantity, Math.floor(rest / perPiece));
    rest -= quantity * perPiece;
    return { ...line, quantity };
  });
}

/** Portions of a topping on each piece. */
function portions(line, id) {
  const of = (line.toppings ?? []).filter((topping) => topping.toppingId === id);
  return of.reduce((sum, topping) => sum + (topping.quantity ?? 1), 0);
}

/**
 * Takes out every line with something that is off the menu.
 *
 * @param {readonly object[]} lines of the cart
 * @param {{ id: string }[]} gone dishes and toppings
 */
export function without(lines, gone) {
  const ids = new Set(gone.map((one) => one.id));
  return lines.filter((line) => !ids.has(line.menuItemId) && !line.toppings?.some((one) => ids.has(one.toppingId)));
}

/**
 * Puts the menu's prices on the lines. What is not on it is left out.
 *
 * @param {readonly object[]} lines of the cart
 * @param {import('./menu.js').Menu} menu
 */
export function reprice(lines, menu) {
  return lines.flatMap((line) => {
    const item = menu.item(line.menuItemId);
    const toppings = (line.toppings ?? []).map((one) => ({ ...one, price: menu.topping(one.toppingId)?.price }));
    if (!item || toppings.some((one) => !one.price)) return [];
    return [{ ...line, price: item.price, toppings }];
  });
}

/** Puts lines in the place of a cart's. */
export function replace(cart, lines) {
  cart.clear();
  for (const line of lines) cart.add(line);
}
