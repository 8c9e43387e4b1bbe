// The staff page: a key, then the kitchen.

import { onLanguage } from '../shared/lang.js';
import * as key from './key.js';
import { kitchen } from './kitchen.js';
import { t } from './texts.js';

const app = document.getElementById('app');
let page = null;

function open(found) {
  page?.close();
  page = null;
  document.title = t('title');
  if (found) {
    page = kitchen({ key: found, onLeave: leave });
    app.replaceChildren(page.element);
  } else {
    askForKey(null);
  }
}

function askForKey(problem) {
  const { element, focus } = key.form(problem, open);
  app.replaceChildren(element);
  focus();
}

/** @param {string | null} problem why, as the name of a text */
function leave(problem) {
  key.forget();
  page?.close();
  page = null;
  askForKey(problem);
}

onLanguage(() => {
  document.title = t('title');
});
// a new link, opened where the page is open already
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#k=')) open(key.find());
});
open(key.find());
