// A page with one thing to say: scan the code, scan it again, thank you.

import { el, fill } from '../shared/dom.js';
import { languageButton } from './head.js';
import { t } from './texts.js';

/**
 * Makes the page.
 *
 * @param {'welcome' | 'unknownTable' | 'paid'} name of its texts
 */
export function notice(name) {
  const language = languageButton();
  const title = el('h1', { class: 'notice-title', tabindex: '-1' });
  const what = el('p', { class: 'notice-what' });
  const hint = el('p', { class: 'notice-hint' });
  const drawing = name === 'paid' ? 'thanks' : 'scan';
  const picture = el('img', { class: 'notice-picture', src: `/assets/menu/${drawing}.svg`, alt: '' });
  const element = el(
    'div',
    { class: 'notice', 'data-notice': name },
    el('div', { class: 'notice-bar' }, language.element),
    el('main', { class: 'notice-box' }, picture, title, what, hint),
  );
  return {
    element,
    show() {
      document.title = t('appName');
      language.show();
      fill(title, t(name));
      fill(what, t(`${name}What`));
      fill(hint, t(`${name}Hint`));
    },
    focus: () => title.focus({ preventScroll: true }),
    close() {},
  };
}
