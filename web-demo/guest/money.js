// Amounts of money, as in ¥2,340. An amount is `{ amountMinor, currency }`: whole minor units, never a float.

const formats = new Map();

/** Writes an amount. Both languages write it alike: the Japanese form has a sign of double width that tears columns apart. */
export function money({ amountMinor, currency }) {
  if (!formats.has(currency)) {
    const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' };
    formats.set(currency, new Intl.NumberFormat('en', style));
  }
  const format = formats.get(currency);
  return format.format(amountMinor / 10 ** format.resolvedOptions().maximumFractionDigits);
}

/** One piece of a cart's line with its toppings. */
export function unitPrice(line) {
  const toppings = (line.toppings ?? []).reduce((sum, one) => sum + one.price.amountMinor * (one.quantity ?? 1), 0);
  return { ...line.price, amountMinor: line.price.amountMinor + toppings };
}

/** All pieces of a cart's line. */
export function lineTotal(line) {
  const unit = unitPrice(line);
  return { ...unit, amountMinor: unit.amountMinor * line.quantity };
}

/** Adds amounts of one currency up; `null` if there are none. */
export function sum(amounts) {
  if (amounts.length === 0) return null;
  return { ...amounts[0], amountMinor: amounts.reduce((total, one) => total + one.amountMinor, 0) };
}
