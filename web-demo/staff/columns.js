// Tables side by side: each goes below the shortest column so far, so that a cook scrolls as little as can be, and what
// has waited longest stands at the top.

import { arrange, el } from '../shared/dom.js';

/** What a card needs to be read from two metres. *Units*: px. */
const NARROWEST_PX = 304;
const GAP_PX = 14;

/** Makes the columns; `onRoom` is called when there is room for more or fewer of them. */
export function columns(onRoom) {
  const element = el('div', { class: 'tables' });
  const all = [];
  let room = 1;

  new ResizeObserver(([{ contentRect }]) => {
    const now = Math.max(1, Math.floor((contentRect.width + GAP_PX) / (NARROWEST_PX + GAP_PX)));
    if (now === room) return;
    room = now;
    onRoom();
  }).observe(element);

  return {
    element,
    /** @param {{ element: Element, height: number }[]} groups the oldest first */
    show(groups) {
      while (all.length < room) all.push({ element: el('div', { class: 'column' }), groups: [] });
      const used = all.slice(0, room);
      for (const column of all) Object.assign(column, { height: 0, groups: [] });
      for (const group of groups) {
        const shortest = used.reduce((least, column) => (column.height < least.height ? column : least));
        shortest.groups.push(group.element);
        shortest.height += group.height;
      }
      arrange(
        element,
        used.map((column) => column.element),
      );
      for (const column of used) arrange(column.element, column.groups);
    },
  };
}

/**
 * Guesses a ticket's height, so that nothing has to be measured.
 *
 * *Units*: px, about.
 */
export function height({ state, receipt }) {
  const line = state === 'READY' ? 36 : 54;
  const lines = receipt.lines.map(({ toppings, note }) => line + 30 * toppings.length + (note ? 48 : 0));
  return lines.reduce((sum, one) => sum + one, 160 + (receipt.note ? 100 : 0));
}
