// The page's head: whose kitchen, which station, how much is open, the sound, the language.

import { arrange, el } from '../shared/dom.js';
import { lang, speak } from '../shared/lang.js';
import { stationName, t } from './texts.js';

/** Makes the head. `show` brings it up to date. */
export function head({ onStation, onStart, onSound }) {
  const shop = el('span', { class: 'shop' });
  const title = el('h1', { class: 'head-title' });
  const open = el('span', { class: 'open-count' });
  const stations = el('div', { class: 'stations', role: 'group' });
  const chips = new Map();
  const sound = el('button', { class: 'head-button sound', onclick: onSound });
  const languages = el(
    'div',
    { class: 'languages', role: 'group' },
    ...[
      ['ja', '日本語'],
      ['en', 'EN'],
    ].map(([code, name]) =>
      el('button', { class: 'head-button', lang: code, 'data-lang': code, onclick: () => speak(code) }, name),
    ),
  );
  const startWhat = el('strong', {});
  const startWhy = el('span', {});
  const start = el('button', { class: 'start', onclick: onStart }, startWhat, startWhy);
  const element = el(
    'header',
    { class: 'head' },
    el('div', { class: 'head-row' }, el('div', { class: 'whose' }, title, shop), open, sound, languages),
    stations,
    start,
  );
  let started = false;

  function chip(name) {
    if (!chips.has(name)) {
      chips.set(
        name,
        el(
          'button',
          { class: 'chip', 'data-station': name ?? '', onclick: () => onStation(name) },
          el('span', {}),
          el('span', { class: 'chip-count' }),
        ),
      );
    }
    return chips.get(name);
  }

  function label(element, text, count, chosen) {
    element.setAttribute('aria-pressed', String(chosen));
    element.firstElementChild.textContent = text;
    element.lastElementChild.textContent = count || '';
  }

  return {
    element,
    show(state) {
      started ||= state.sound;
      title.textContent = t('kitchen');
      shop.textContent = state.name;
      open.textContent = t('open', state.open);
      stations.setAttribute('aria-label', t('stations'));
      languages.setAttribute('aria-label', t('language'));
      arrange(stations, [null, ...state.stations.map((station) => station.name)].map(chip));
      label(chip(null), t('allStations'), state.open, state.station === null);
      for (const { name, open: count } of state.stations) {
        label(chip(name), stationName(name), count, state.station === name);
      }
      sound.textContent = t(state.sound ? 'soundOn' : 'soundOff');
      sound.setAttribute('aria-pressed', String(state.sound));
      sound.hidden = !started;
      start.hidden = started;
      startWhat.textContent = t('start');
      startWhy.textContent = t('startWhy');
      for (const button of languages.children) {
        button.setAttribute('aria-pressed', String(button.dataset.lang === lang()));
      }
    },
  };
}
