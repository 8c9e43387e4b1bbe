// Sheets over the page: from below on a phone, at the side or in the middle where there is room. They lie in `#sheets` and are
// not modal in the browser's sense, which would make everything else in the document dead, the network lab included; what lies
// under a sheet is made inert here.

import { el } from '../shared/dom.js';
import { t } from './texts.js';

const stack = [];
let names = 0;

const uppermost = () => stack[stack.length - 1];

/**
 * Opens a sheet.
 *
 * @param {object} o
 * @param {'panel' | 'dish-sheet' | 'placed' | 'question'} o.kind its look: at the side, or in the middle, where there is room
 * @param {string} [o.title] shown in a bar with the close button, and its name for those who listen
 * @param {Node[]} [o.content] below the bar
 * @param {(titleId: string) => Node[]} [o.fill] makes all of it, where there is no bar; a heading in it has the id
 * @param {Record<string, string>} [o.data] attributes of the sheet
 * @param {() => void} [o.onClose]
 */
export function openSheet({ kind, title, content = [], fill, data = {}, onClose }) {
  const titleId = `sheet-${(names += 1)}`;
  const opener = document.activeElement;
  const heading = el('h2', { class: 'sheet-title', id: titleId }, title);
  const bar = fill ? [] : [el('header', { class: 'sheet-bar' }, heading, closeButton('round', () => close()))];
  const attributes = { class: `sheet ${kind}`, open: true, tabindex: '-1', 'aria-labelledby': titleId, ...data };
  const dialog = el('dialog', attributes, ...bar, ...(fill ? fill(titleId) : content));
  const scrim = el('div', { class: 'scrim', onclick: () => close() });
  const layer = el('div', { class: 'layer' }, scrim, dialog);
  const sheet = { layer, dialog, close };
  let isOpen = true;

  function close() {
    if (!isOpen) return;
    isOpen = false;
    stack.splice(stack.indexOf(sheet), 1);
    layer.remove();
    watcher?.destroy();
    settle();
    const isThere = opener?.getClientRects().length > 0 && !opener.closest('[inert]');
    const target = isThere ? opener : (uppermost()?.dialog ?? document.querySelector('#app main:not([hidden])'));
    target?.focus({ preventScroll: true });
    onClose?.();
  }

  stack.push(sheet);
  document.getElementById('sheets').append(layer);
  settle();
  dialog.focus({ preventScroll: true });
  const watcher = watchBack(close);

  return {
    element: dialog,
    close,
    isOpen: () => isOpen,
    /** Writes the title anew. */
    retitle: (text) => heading.replaceChildren(text),
  };
}

/** Closes every sheet, the uppermost first. */
export function closeSheets() {
  while (stack.length > 0) uppermost().close();
}

/** Only the uppermost layer can be used. */
function settle() {
  document.getElementById('app').inert = stack.length > 0;
  const root = document.documentElement;
  if (!root.classList.contains('has-sheet')) {
    root.style.setProperty('--scrollbar', `${innerWidth - root.clientWidth}px`);
  }
  root.classList.toggle('has-sheet', stack.length > 0);
  stack.forEach(({ layer }, position) => {
    layer.inert = position < stack.length - 1;
  });
}

/** The back gesture of a phone closes a sheet and does not leave the page, where the browser can tell. */
function watchBack(close) {
  if (!('CloseWatcher' in window)) return null;
  const watcher = new CloseWatcher();
  watcher.onclose = close;
  return watcher;
}

if (!('CloseWatcher' in window)) {
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) uppermost()?.close();
  });
}

/** Makes the button that closes a sheet. */
export function closeButton(look, close) {
  const icon = el('span', { class: 'icon icon-cross', 'aria-hidden': 'true' });
  return el('button', { class: look, type: 'button', 'aria-label': t('close'), onclick: close }, icon);
}
