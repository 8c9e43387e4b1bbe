// What the lab remembers in this tab, also over a reload.

import { tab } from '../shared/storage.js';
import { fresh } from './count.js';

/** The page opens the lab again when it finds this. */
const OPEN = 'lab';
const STATE = 'lab.state';
/** Enough to read, too little to scroll. *Units*: lines. */
const LONGEST_LOG = 14;

/**
 * @typedef {object} Memory
 * @property {string} table the table session that it belongs to
 * @property {import('./count.js').Count} count
 * @property {{ at: number, name: string, values: any[] }[]} log newest first; texts by name, because the language may change
 * @property {string | null} armed the experiment that waits for the next placement
 * @property {string | null} experiment the one that is counted
 * @property {Record<string, 'good' | 'bad'>} marks what came of the experiments
 * @property {number | null} reloading requests that had left when the lab reloaded the page
 * @property {string | null} reported the figures that the log has told
 * @property {number} turn how often the lab filled a cart
 * @property {number} placedAt when the last order of this page stood. *Units*: ms since the Unix epoch
 * @property {boolean} collapsed
 */

/** @returns {Memory} */
function empty(table) {
  return {
    table,
    count: fresh(),
    log: [],
    armed: null,
    experiment: null,
    marks: {},
    reloading: null,
    reported: null,
    turn: 0,
    placedAt: 0,
    collapsed: false,
  };
}

/** Finds what the lab remembers of this table, or begins anew. @returns {Memory} */
export function recall(table) {
  try {
    const found = JSON.parse(tab.get(STATE));
    return found?.table === table ? { ...empty(table), ...found } : empty(table);
  } catch {
    return empty(table);
  }
}

/** @param {Memory} memory */
export function keep(memory) {
  tab.set(STATE, JSON.stringify(memory));
}

/** Begins anew. Only the turn goes on, for an equal cart would be asked about, and the time of the last order. @param {Memory} memory */
export function clear(memory) {
  const { table, turn, placedAt, collapsed } = memory;
  Object.assign(memory, empty(table), { turn, placedAt, collapsed });
}

/** Adds a line to the log. @param {Memory} memory */
export function write(memory, name, values) {
  memory.log = [{ at: Date.now(), name, values }, ...memory.log].slice(0, LONGEST_LOG);
}

/** Answers whether the lab was open when the page went. */
export function wasOpen() {
  return tab.get(OPEN) === 'open';
}

/** @param {boolean} open */
export function keepOpen(open) {
  if (open) tab.set(OPEN, 'open');
  else tab.remove(OPEN);
}
