// The staff key: from the link's fragment, which no server and no log ever sees, into this tab's storage.

import { el } from '../shared/dom.js';
import { tab } from '../shared/storage.js';
import { t } from './texts.js';

const NAME = 'staff-key';

/** Answers the key of this tab, or `null`. A key in the address bar is moved out of it. */
export function find() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = fragment.get('k')?.trim();
  if (key) {
    tab.set(NAME, key);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return tab.get(NAME);
}

/** Forgets the key. */
export function forget() {
  tab.remove(NAME);
}

/** Answers the headers, and the payload of `connection_init`, that show the key. */
export function credentials(key) {
  return { Authorization: `Bearer ${key}` };
}

/**
 * Makes the form that asks for a key.
 *
 * @param {string | null} problem the name of a text
 * @param {(key: string) => void} onKey
 */
export function form(problem, onKey) {
  const input = el('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-describedby': 'key-hint key-problem',
  });
  const complaint = el('p', { id: 'key-problem', class: 'sign-in-problem', role: 'alert' }, problem && t(problem));
  const submit = (event) => {
    event.preventDefault();
    const key = input.value.trim();
    if (/^mo_(live|test)_\S+$/.test(key)) {
      tab.set(NAME, key);
      onKey(key);
    } else {
      complaint.textContent = t('keyShape');
      input.focus();
    }
  };
  const entry = el(
    'form',
    { class: 'sign-in', onsubmit: submit },
    el('p', { class: 'brand' }, 'MasterOrder'),
    el('h1', {}, t('signIn')),
    el('label', { for: 'key' }, t('keyLabel')),
    input,
    el('p', { id: 'key-hint', class: 'sign-in-hint' }, t('keyHint')),
    complaint,
    el('button', { class: 'primary' }, t('enter')),
  );
  return { element: el('main', {}, entry), focus: () => input.focus() };
}
