// What the lab looks like: four numbers, a verdict, the experiments, a log.

import { el, fill } from '../shared/dom.js';
import { experimentButton } from './button.js';
import { expected, figures, sorted } from './count.js';
import { icon, say } from './dom.js';
import { EXPERIMENTS } from './experiments.js';
import { speaker } from './texts.js';

const STYLESHEET = '/assets/lab/lab.css';
/** As in lab.css: from here on the lab stands beside the page. */
const WIDE = '(min-width: 60rem)';
/** Resolves without it, too: then the lab is still readable, at the end of the page. */
let styled = null;
const COUNTS = ['taps', 'requests', 'orders', 'tickets'];

/**
 * @param {import('./main.js').Handle} handle
 * @param {object} actions
 * @param {(id: string) => void} actions.onExperiment
 * @param {() => void} actions.onReset
 * @param {() => void} actions.onClose
 * @param {(collapsed: boolean) => void} actions.onCollapse
 */
export function createPanel(handle, { onExperiment, onReset, onClose, onCollapse }) {
  const t = speaker(handle.lang);
  let view = null;
  let returnFocus = null;

  const title = el('h2', { class: 'lab-title', tabindex: -1, id: 'lab-title' });
  const motto = el('p', { class: 'lab-motto' });
  const resetButton = el(
    'button',
    { type: 'button', class: 'lab-tool lab-reset', 'data-lab-reset': true, onclick: onReset },
    icon('reset'),
  );
  const collapseButton = el(
    'button',
    {
      type: 'button',
      class: 'lab-tool lab-collapse',
      'data-lab-collapse': true,
      onclick: () => onCollapse(!view.collapsed),
    },
    icon('chevron'),
  );
  const closeButton = el(
    'button',
    { type: 'button', class: 'lab-tool', 'data-lab-close': true, onclick: onClose },
    icon('close'),
  );
  const counts = COUNTS.map((name) => ({
    name,
    label: el('dt'),
    value: el('dd', { 'data-count': name }, '0'),
  }));
  const countList = el(
    'dl',
    { class: 'lab-counts' },
    ...counts.map(({ name, label, value }) => el('div', { class: `lab-count lab-count-${name}` }, label, value)),
  );
  const verdict = el('p', { class: 'lab-verdict', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'true' });
  const why = el('p', { class: 'lab-why' });
  const experiments = EXPERIMENTS.map((experiment) => experimentButton(experiment, onExperiment));
  const headings = { run: el('h3', { class: 'lab-heading' }), arm: el('h3', { class: 'lab-heading' }) };
  const logHeading = el('h3', { class: 'lab-heading' });
  const log = el('ol', { class: 'lab-log' });
  const group = (kind) => [
    headings[kind],
    el(
      'ul',
      { class: `lab-experiments lab-${kind}s` },
      ...experiments.filter((entry) => entry.kind === kind).map((entry) => entry.item),
    ),
  ];
  const root = el(
    'section',
    { class: 'lab', 'aria-labelledby': 'lab-title', hidden: true, onkeydown: onKey },
    el(
      'div',
      { class: 'lab-top' },
      el('div', { class: 'lab-name' }, title, motto),
      el('div', { class: 'lab-tools' }, resetButton, collapseButton, closeButton),
    ),
    countList,
    el('div', { class: 'lab-result' }, verdict, why),
    el('div', { class: 'lab-body' }, ...group('run'), ...group('arm'), logHeading, log),
  );

  const wide = matchMedia(WIDE);
  const size = new ResizeObserver(measure);

  /** Tells the page how much of its bottom is covered. */
  function measure() {
    if (!root.isConnected) return;
    document.documentElement.style.setProperty(
      '--lab-height',
      `${wide.matches ? 0 : Math.ceil(root.getBoundingClientRect().height)}px`,
    );
  }

  function onKey(event) {
    if (event.key !== 'Escape') return;
    // this Escape is not for a sheet of the page
    event.preventDefault();
    event.stopPropagation();
    onClose();
  }

  function render(now) {
    view = now;
    root.lang = handle.lang();
    root.dataset.tone = now.tone;
    root.dataset.collapsed = String(now.collapsed);
    const numbers = figures(now.count);
    // an old number would be a wrong one
    if (now.tone === 'unasked') numbers.orders = numbers.tickets = null;
    for (const { name, value } of counts) say(value, numbers[name] ?? '–');
    renderVerdict(now, numbers);
    for (const entry of experiments) entry.render(now, t);
    renderLog(now.log);
    labels();
  }

  function renderVerdict(now, { taps, requests, orders, tickets }) {
    const { tone, count } = now;
    const judged = tone === 'good' || tone === 'bad';
    verdict.dataset.verdict = tone;
    if (judged) {
      const parts = t('figures', taps, requests, orders, tickets);
      parts[parts.length - 1] += tone === 'good' ? ' ✓' : ' ✗';
      const words = el('span', { class: 'lab-unseen' }, t(tone));
      // a live region speaks at every writing
      if (verdict.textContent !== `${parts.join(' ')} ${words.textContent}`) {
        fill(verdict, ...parts.flatMap((part) => [el('span', { class: 'lab-part' }, part), ' ']), words);
      }
    } else {
      say(verdict, t(tone === 'armed' ? 'armedNow' : tone));
    }
    const time = count.askedAt && timeOf(count.askedAt);
    if (judged) say(why, [...reasons(now), t('askedAt', time)].join(' · '));
    else say(why, t(`${tone}Why`));
  }

  function reasons({ tone, count }) {
    const said = Object.values(count.carts).flatMap(({ answer }) => {
      if (answer?.kind === 'asked') return [t('whyAsked', answer.number)];
      if (answer?.kind === 'no') return [t('whyNo', answer.code)];
      if (answer?.kind === 'placed' && count.known?.includes(answer.orderId)) return [t('whyKnown', answer.number)];
      return [];
    });
    const others = sorted(count).others.length;
    return [
      ...said,
      ...(tone === 'bad' ? [t('should', expected(count))] : []),
      ...(others > 0 ? [t('others', others)] : []),
    ];
  }

  function renderLog(entries) {
    fill(
      log,
      ...entries.map(({ at, name, values }) =>
        el(
          'li',
          {},
          el('time', { datetime: new Date(at).toISOString() }, timeOf(at)),
          ' ',
          el('span', { 'data-log': name }, sentence(name, values)),
        ),
      ),
      entries.length === 0 && el('li', { class: 'lab-empty' }, t('logEmpty')),
    );
  }

  function sentence(name, values) {
    if (name !== 'result') return t(name, ...values);
    const [taps, requests, keys, numbers, tickets] = values;
    return t('result', taps, requests, keys.length === 1 ? t('key', keys[0]) : t('keys', keys.length), numbers, tickets);
  }

  function labels() {
    say(title, t('title'));
    say(motto, t('motto'));
    for (const { name, label } of counts) say(label, t(name));
    countList.setAttribute('aria-label', t('counted'));
    say(headings.run, t('runs'));
    say(headings.arm, t('arms'));
    say(logHeading, t('log'));
    nameTool(resetButton, t('reset'));
    nameTool(collapseButton, t(view.collapsed ? 'expand' : 'collapse'));
    collapseButton.setAttribute('aria-expanded', String(!view.collapsed));
    nameTool(closeButton, t('close'));
  }

  handle.onLanguage(() => view && root.isConnected && render(view));

  return {
    render,
    attach() {
      returnFocus = document.activeElement;
      styled ??= loadStyle();
      styled.then(() => (root.hidden = false));
      document.body.append(root);
      document.documentElement.dataset.lab = 'open';
      size.observe(root);
      wide.addEventListener('change', measure);
      measure();
    },
    detach() {
      size.disconnect();
      wide.removeEventListener('change', measure);
      root.remove();
      delete document.documentElement.dataset.lab;
      document.documentElement.style.removeProperty('--lab-height');
      if (returnFocus?.isConnected) returnFocus.focus();
    },
    /** Brings the reader here, as soon as there is something to see. */
    focus() {
      styled.then(() => title.focus());
    },
  };
}

function loadStyle() {
  return new Promise((resolve) => {
    document.head.append(el('link', { rel: 'stylesheet', href: STYLESHEET, onload: resolve, onerror: resolve }));
  });
}

function nameTool(button, name) {
  button.setAttribute('aria-label', name);
  button.title = name;
}

function timeOf(instant) {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(instant);
}
