// One experiment: what it is called, what it is in real life, and where it stands.

import { el, fill } from '../shared/dom.js';
import { say } from './dom.js';

/**
 * Makes the button of an experiment. One that runs has a pill to press, one that arms is a switch.
 *
 * @param {{ id: string, kind: 'run' | 'arm' }} experiment
 * @param {(id: string) => void} onExperiment
 */
export function experimentButton({ id, kind }, onExperiment) {
  const name = el('span');
  const mark = el('span', { class: 'lab-experiment-mark' });
  const armedLabel = el('b', { class: 'lab-armed' });
  const life = el('span');
  const pill = el('span', { class: kind === 'run' ? 'lab-pill' : 'lab-switch', 'aria-hidden': 'true' });
  const button = el(
    'button',
    { type: 'button', class: 'lab-experiment', 'data-experiment': id, 'data-kind': kind, onclick: () => onExperiment(id) },
    el('span', { class: 'lab-experiment-title' }, name, mark),
    el('span', { class: 'lab-experiment-life' }, armedLabel, life),
    pill,
  );

  /** @param {import('./memory.js').Memory & { running: string | null }} view */
  function render({ armed, running, marks }, t) {
    const isArmed = armed === id;
    const isRunning = running === id;
    say(name, t(id));
    say(life, t(`life-${id}`));
    say(armedLabel, isArmed ? `${t('on')} ` : '');
    if (kind === 'arm') button.setAttribute('aria-pressed', String(isArmed));
    else say(pill, isRunning ? '…' : t('run'));
    button.dataset.armed = String(isArmed);
    button.dataset.running = String(isRunning);
    // not `disabled`: the focus would be lost
    button.setAttribute('aria-disabled', String(running !== null));
    const result = marks[id];
    button.dataset.result = result ?? '';
    fill(
      mark,
      result && el('span', { 'aria-hidden': 'true' }, result === 'good' ? '✓' : '✗'),
      result && el('span', { class: 'lab-unseen' }, ` ${t(result)}`),
    );
  }

  return { kind, item: el('li', {}, button), render };
}
