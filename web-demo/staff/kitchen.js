// The kitchen's screen: the board, kept up to date by the feed, and what a cook does with it.

import { arrange, el } from '../shared/dom.js';
import { NoAnswer, ask } from '../shared/graphql.js';
import { lang, onLanguage } from '../shared/lang.js';
import { watch } from '../shared/live.js';
import { device } from '../shared/storage.js';
import { Board } from './board.js';
import { columns, height } from './columns.js';
import { connectionBar } from './connection.js';
import { head } from './head.js';
import { credentials } from './key.js';
import * as sound from './sound.js';
import { local, t } from './texts.js';
import { draw, finishedRow, grow } from './ticket.js';
import { toasts } from './toasts.js';

const FEED = `subscription Kitchen { kitchen { snapshot removed tickets {
  id state version createdAt updatedAt
  receipt { number table tableSessionId note lines {
    station quantity note ja: name(lang: JA) en: name(lang: EN)
    toppings { quantity ja: name(lang: JA) en: name(lang: EN) }
  } }
} } }`;

const SHOP = `query Shop { shop { ja: name(lang: JA) en: name(lang: EN) } menu { sections { items { station } } } }`;

const ADVANCE = `mutation Advance($id: ID!, $from: TicketState!, $to: TicketState!) {
  advanceTicket(ticketId: $id, from: $from, to: $to) { changed ticket { id state version updatedAt } }
}`;

/** Ages are written in minutes. */
const TICK_MS = 5_000;
/** A second tap so soon after the first one's answer is the same tap: the button has become another one under the finger. */
const DOUBLE_TAP_MS = 700;
/** Sentences kept for screen readers. */
const SAID = 60;

/**
 * Makes the kitchen's screen.
 *
 * @param {object} o
 * @param {string} o.key the staff key
 * @param {(problem: string | null) => void} o.onLeave
 */
export function kitchen({ key, onLeave }) {
  const board = new Board();
  const headers = credentials(key);
  const cards = new Map();
  const groups = new Map();
  const busy = new Set();
  const movedAt = new Map();
  let shop = null;
  let station = device.get('station') || null;
  let begun = false;
  let closed = false;

  const messages = toasts();
  const bar = connectionBar({ onRetry: () => feed.retry() });
  const top = head({
    onStation(chosen) {
      station = chosen;
      device.set('station', chosen ?? '');
      show();
    },
    onStart() {
      sound.start();
      top.show(headState());
    },
    onSound() {
      if (sound.isOn()) sound.stop();
      else sound.start();
      top.show(headState());
    },
  });
  const tables = columns(() => show());
  const empty = el('p', { class: 'empty' });
  const main = el('main', { class: 'board', tabindex: '-1' }, tables.element, empty);
  const finishedHead = el('summary', { class: 'finished-head' });
  const finishedList = el('ul', { class: 'finished-list' });
  const leaveButton = el('button', { class: 'leave quiet', onclick: () => onLeave(null) });
  const wide = matchMedia('(min-width: 60rem)');
  const finished = el('details', { class: 'finished', open: wide.matches }, finishedHead, finishedList, leaveButton);
  const floor = el('div', { class: 'floor' }, main, el('aside', {}, finished));
  const element = el('div', { class: 'kitchen' }, top.element, bar.element, floor, messages.element);

  const feed = watch({
    credentials: () => headers,
    query: FEED,
    onNews: take,
    onConnection(connection) {
      bar.show(connection);
      element.dataset.connection = connection.live ? 'live' : 'lost';
      // names may have changed while we were away
      if (connection.live) askShop();
    },
    onUnwelcome: isStillWelcome,
  });

  function take(news) {
    const { raised, cancelled } = board.take(news);
    begun = true;
    for (const { receipt } of raised) say(t('newOrder', receipt.number, receipt.table));
    for (const { receipt } of cancelled) say(t('cancelledOrder', receipt.number, receipt.table));
    if (raised.some((ticket) => isHere(ticket)) || cancelled.length > 0) sound.chime();
    show();
  }

  /** The ticket has something for the chosen station. */
  function isHere(ticket) {
    return !station || ticket.receipt.lines.some((line) => line.station === station);
  }

  async function askShop() {
    try {
      shop = await ask(headers, SHOP);
      show();
    } catch {
      // the board does without
    }
  }

  /** The socket was refused: by the key, or by a server in trouble? Only an answer over HTTP tells. */
  async function isStillWelcome(code) {
    if (code === 'FORBIDDEN') {
      onLeave(code);
      return false;
    }
    try {
      await ask(headers, '{ shop { id } }');
    } catch (error) {
      if (error.code !== 'UNAUTHENTICATED') return true;
      onLeave(error.code);
      return false;
    }
    return true;
  }

  /** Moves a ticket one step on, at a tap on its card. */
  function advance(id, to) {
    if (performance.now() - (movedAt.get(id) ?? -Infinity) >= DOUBLE_TAP_MS) move(id, to, { offersUndo: true });
  }

  /** Moves a ticket if it still is where it is shown. */
  async function move(id, to, { offersUndo }) {
    const shown = board.find(id);
    if (!shown || busy.has(id)) return;
    const { state: from, receipt } = shown;
    busy.add(id);
    show();
    try {
      const { advanceTicket } = await ask(headers, ADVANCE, { id, from, to });
      board.answer(advanceTicket.ticket);
      if (!advanceTicket.changed && advanceTicket.ticket.state !== to) {
        messages.show(t('movedElsewhere', receipt.number));
      } else if (offersUndo) {
        const undo = { label: t('undo'), act: () => move(id, from, { offersUndo: false }) };
        messages.show(t('moved', receipt.number, t(to)), undo);
      }
    } catch (error) {
      if (error.code === 'UNAUTHENTICATED') return onLeave(error.code);
      messages.show(error instanceof NoAnswer ? t('notMoved', receipt.number) : error.message);
    } finally {
      busy.delete(id);
      movedAt.set(id, performance.now());
      if (!closed) show();
    }
  }

  function show() {
    showTables();
    showFinished();
    top.show(headState());
  }

  function headState() {
    const open = board.tables().flatMap((table) => table.tickets);
    const stations = new Set(shop?.menu.sections.flatMap((section) => section.items.map((item) => item.station)));
    for (const ticket of open) for (const line of ticket.receipt.lines) stations.add(line.station);
    if (station) stations.add(station);
    return {
      name: shop ? local(shop.shop) : '',
      stations: [...stations].map((name) => ({ name, open: open.filter((ticket) => has(ticket, name)).length })),
      station,
      open: open.length,
      sound: sound.isOn(),
    };
  }

  function showTables() {
    const held = document.activeElement?.closest('.ticket');
    const shownTables = board.tables(isHere);
    const shownIds = new Set(shownTables.flatMap((table) => table.tickets.map((ticket) => ticket.id)));
    const shownKeys = new Set(shownTables.map((table) => table.key));
    const gone = [...cards.keys()].filter((id) => !shownIds.has(id));
    const follower = gone.includes(held?.dataset.ticket) ? after(held) : null;
    for (const id of gone) cards.delete(id);
    for (const groupKey of [...groups.keys()]) if (!shownKeys.has(groupKey)) groups.delete(groupKey);
    tables.show(shownTables.map(group));
    empty.hidden = shownTables.length > 0;
    empty.textContent = begun ? t(station ? 'emptyStation' : 'empty') : t('connecting');
    // who works with the keyboard goes on at the same card, wherever it stands now, or at the next
    const stays = held?.isConnected ? held : follower;
    if (stays && !stays.contains(document.activeElement)) {
      (stays.querySelector('.advance') ?? main).focus({ preventScroll: true });
    }
  }

  function after(card) {
    const all = [...tables.element.querySelectorAll('.ticket')];
    const at = all.indexOf(card);
    return all[at + 1] ?? all[at - 1] ?? main.firstElementChild;
  }

  function group({ key: groupKey, label, tickets }) {
    if (!groups.has(groupKey)) {
      const name = el('h2', { class: 'table-name' });
      const list = el('div', { class: 'tickets' });
      groups.set(groupKey, { element: el('section', { class: 'table' }, name, list), name, list });
    }
    const { element: section, name, list } = groups.get(groupKey);
    section.setAttribute('aria-label', t('tableName', label));
    if (name.textContent !== label) name.textContent = label;
    arrange(list, tickets.map(card));
    return { element: section, height: tickets.reduce((sum, ticket) => sum + height(ticket), 60) };
  }

  function card(ticket) {
    const { id, version } = ticket;
    if (!cards.has(id)) cards.set(id, el('article', { class: 'ticket', 'data-ticket': id }));
    const element = cards.get(id);
    const drawn = [version, lang(), station, busy.has(id)].join();
    if (element.drawn !== drawn) {
      element.drawn = drawn;
      draw(element, ticket, {
        station,
        busy: busy.has(id),
        onMove: (to) => advance(id, to),
        onSeen() {
          board.acknowledge(id);
          show();
        },
      });
    }
    return element;
  }

  function showFinished() {
    const rows = board.finished();
    const drawn = [lang(), ...rows.map(({ id, version }) => `${id} ${version} ${busy.has(id)}`)].join();
    if (finishedList.drawn === drawn) return;
    finishedList.drawn = drawn;
    finishedHead.replaceChildren(
      el('span', {}, t('finished')),
      el('span', { class: 'finished-count' }, rows.length),
      el('span', { class: 'finished-why' }, t('finishedWhy')),
    );
    const row = (ticket) =>
      finishedRow(ticket, { busy: busy.has(ticket.id), onRecall: (to) => move(ticket.id, to, { offersUndo: false }) });
    finishedList.replaceChildren(
      ...(rows.length > 0 ? rows.map(row) : [el('li', { class: 'nothing' }, t('nothingFinished'))]),
    );
    leaveButton.textContent = t('leave');
  }

  function tick() {
    for (const [id, element] of cards) {
      const ticket = board.find(id);
      if (ticket) grow(element, ticket);
    }
  }

  function undoByKeyboard(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && messages.runLatest()) event.preventDefault();
  }

  const relabel = () => {
    if (closed) return;
    bar.relabel();
    show();
  };
  const fold = () => {
    finished.open = wide.matches;
  };
  const ticking = setInterval(tick, TICK_MS);
  addEventListener('keydown', undoByKeyboard);
  wide.addEventListener('change', fold);
  onLanguage(relabel);
  show();

  return {
    element,
    /** Ends it for good. */
    close() {
      closed = true;
      feed.stop();
      clearInterval(ticking);
      removeEventListener('keydown', undoByKeyboard);
      wide.removeEventListener('change', fold);
    },
  };
}

function has(ticket, station) {
  return ticket.receipt.lines.some((line) => line.station === station);
}

/** Says a sentence to those who listen to the page. */
function say(sentence) {
  const log = document.getElementById('said');
  log.append(el('p', {}, sentence));
  while (log.children.length > SAID) log.firstElementChild.remove();
}
