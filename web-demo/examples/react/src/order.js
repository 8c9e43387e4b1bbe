// The client of the page, outside the components: they come and go. The table comes with the link, as in `/#t=<id>&p=<pin>`.

import { useSyncExternalStore } from 'react';
import { createClient } from '@masterorder/sdk';

const link = new URLSearchParams(location.hash.slice(1));
const table = { tableSessionId: link.get('t') ?? '', pin: link.get('p') ?? '' };

const client = createClient({ url: '/graphql', lang: 'en', ...table });
export const cart = client.cart();
export const ready = client.ready;
// settles what an earlier page left; what comes of it is in the state
client.resume();

/** Draws the component again when what it reads of the cart changes. */
export const useCart = (read) => useSyncExternalStore(cart.subscribe, read, read);

const MENU = '{ menu { sections { id name(lang: EN) items { id name(lang: EN) price { amountMinor currency } available soldOut toppingGroups { min } } } } }';

/** Asks for the menu. Dishes with a choice that must be made are beyond this example. */
export async function askMenu() {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Session-Id': table.tableSessionId,
      'X-Session-PIN': table.pin,
      'X-MasterOrder-Client-Id': `guest-${crypto.randomUUID()}`,
    },
    body: JSON.stringify({ query: MENU }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data.menu.sections
    .map((section) => ({ ...section, items: section.items.filter(({ toppingGroups }) => toppingGroups.every(({ min }) => min === 0)) }))
    .filter(({ items }) => items.length > 0);
}

/** Writes an amount as people do. A yen has no smaller unit, a dollar has a hundred. */
export function amount({ amountMinor, currency }) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amountMinor / 10 ** format.resolvedOptions().maximumFractionDigits);
}
