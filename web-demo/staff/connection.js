// The bar that says whether the board is true. It stands above everything, because a board that looks calm and is dead is
// the worst that can happen to a kitchen.

import { el } from '../shared/dom.js';
import { timeOfDay } from '../shared/lang.js';
import { t } from './texts.js';

/** How long it is said that everything is well again. */
const GOOD_NEWS_MS = 4_000;

/** Makes the bar. */
export function connectionBar({ onRetry }) {
  const what = el('strong', { class: 'bar-what' });
  const why = el('span', { class: 'bar-why' });
  const retry = el('button', { class: 'bar-retry', onclick: onRetry });
  const element = el('div', { class: 'bar', role: 'alert', hidden: true }, el('div', {}, what, why), retry);
  let lostSince = null;
  let goodNews;

  function relabel() {
    if (element.dataset.state === 'back') what.textContent = t('back');
    else if (lostSince !== null) what.textContent = t('offline', timeOfDay(lostSince));
    why.textContent = lostSince === null ? '' : t('offlineWhy');
    retry.textContent = t('retry');
  }

  return {
    element,
    relabel,
    /** Shows how it stands. */
    show({ live, since, attempts }) {
      clearTimeout(goodNews);
      const wasLost = lostSince !== null;
      if (live) {
        lostSince = null;
        element.hidden = !wasLost;
        element.dataset.state = 'back';
        goodNews = setTimeout(() => {
          element.hidden = true;
        }, GOOD_NEWS_MS);
      } else if (wasLost || since !== null || attempts > 1) {
        // a page that never had a connection counts from when it began to try
        lostSince ??= since ?? Date.now();
        element.hidden = false;
        element.dataset.state = 'lost';
      }
      retry.hidden = live;
      relabel();
    },
  };
}
