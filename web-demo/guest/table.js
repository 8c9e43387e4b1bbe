// The page at a table: menu, cart, orders, and what holds them together.

import { el, fill } from '../shared/dom.js';
import { lang, onLanguage } from '../shared/lang.js';
import { cartBar } from './cart_bar.js';
import { cartSheet } from './cart_sheet.js';
import { headers } from './credentials.js';
import { openDish, put } from './dish_sheet.js';
import { dishes } from './dishes.js';
import { head } from './head.js';
import { history, isUnderway } from './history.js';
import { historySheet } from './history_sheet.js';
import { networkLab } from './lab.js';
import { Menu, askMenu } from './menu.js';
import { ordering } from './ordering.js';
import { outcomes } from './outcomes.js';
import { closeSheets } from './sheet.js';
import { local, t } from './texts.js';
import { toasts } from './toasts.js';

/** What is left changes while people read. */
const REFRESH_MS = 3 * 60_000;
/** Coming back to the page twice in a moment is coming back once. */
const FRESH_MS = 10_000;
/** Between attempts to get the menu at all. */
const RETRY_MS = 4_000;

/**
 * Makes the page.
 *
 * @param {object} o
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {Function | null} o.createClient of the SDK; `null` where it could not be loaded
 * @param {(why: 'paid' | 'unknownTable') => void} o.onLeave
 */
export function tablePage({ credentials, createClient, onLeave }) {
  const menu = new Menu();
  let place = null;
  let known = false;
  let failed = false;
  let canOrder = true;
  let closed = false;
  let askedAt = -Infinity;
  let retryTimer;
  const firstMenu = deferred();

  const messages = toasts();
  const { cart, ready, resume, close: endOrdering } = ordering({
    createClient,
    credentials,
    onOutcome: (outcome, how) => present(outcome, how),
    onUnavailable() {
      canOrder = false;
      show();
    },
  });
  const inCart = cartSheet({ cart, menu });
  const orders = history({
    credentials,
    onChange: showOrders,
    onReady: (order) => messages.show(t('ready', order.number), 'good'),
    async onUnwelcome() {
      // by this table, or by a server in trouble? Only an answer over HTTP tells
      await refresh();
      return !closed;
    },
  });
  const ordered = historySheet({ orders, onSay: (text) => messages.show(text) });
  const { present } = outcomes({
    cart,
    menu,
    cartSheet: inCart,
    onSay: (text) => messages.show(text),
    onRefresh: () => refresh(),
    onHistory: () => ordered.open(),
  });
  const lab = networkLab({
    credentials,
    cart,
    menu,
    cartSheet: inCart,
    ready: Promise.all([firstMenu.promise, ready]),
    onMissing: () => messages.show(t('labMissing')),
  });
  lab.reopened.finally(resume);

  const top = head({ onHistory: () => ordered.open() });
  const list = dishes({
    onOpen: (item) => openDish({ item, cart, canOrder, onAdded: added }),
    onAdd: addOne,
  });
  const hints = el('div', { class: 'hints' });
  const waiting = el('div', { class: 'waiting' });
  const foot = el('footer', { class: 'foot' });
  const bar = cartBar({ cart, onOpen: () => inCart.open() });
  const sticky = el('div', { class: 'top' }, top.element, list.nav);
  const page = el('div', {}, sticky, hints, waiting, list.main, foot, bar.element);

  function show() {
    if (closed) return;
    const name = place ? local(place.shop) : '';
    document.title = name ? t('title', name) : t('appName');
    showHead();
    showHints();
    showWaiting();
    showFoot();
    list.nav.hidden = !known;
    list.main.hidden = !known;
    if (known) list.show(menu, cart, canOrder);
    bar.show();
    inCart.show();
    ordered.show();
  }

  function showHead() {
    const underway = orders.orders().filter(isUnderway).length;
    top.show({ shop: place ? local(place.shop) : '', table: place?.tableSession?.table ?? '', underway });
  }

  function showHints() {
    const wanted = [canOrder ? null : 'noOrders', canOrder && !cart.state().persistent ? 'notKept' : null].filter(Boolean);
    const drawn = [lang(), ...wanted].join();
    if (hints.drawn === drawn) return;
    hints.drawn = drawn;
    fill(hints, ...wanted.map((name) => el('div', { class: 'hint', 'data-hint': name }, ...hintText(name))));
  }

  function hintText(name) {
    if (name === 'notKept') return [t('notKept')];
    return [el('strong', {}, t('noOrders')), ' ', t('noOrdersWhy')];
  }

  function showWaiting() {
    waiting.hidden = known;
    const drawn = [lang(), known, failed].join();
    if (waiting.drawn === drawn) return;
    waiting.drawn = drawn;
    if (failed) {
      fill(
        waiting,
        el(
          'div',
          { class: 'empty-state', role: 'status' },
          el('img', { class: 'empty-picture', src: '/assets/menu/placeholder-plate.svg', alt: '' }),
          el('p', { class: 'empty-title' }, t('noMenu')),
          el('p', { class: 'empty-what' }, t('noMenuWhy')),
          el('button', { class: 'secondary', type: 'button', onclick: () => refresh() }, t('again')),
        ),
      );
    } else {
      const skeletons = Array.from({ length: 5 }, () => el('div', { class: 'skeleton' }));
      fill(waiting, el('p', { class: 'unseen', role: 'status' }, t('loading')), ...skeletons);
    }
  }

  function showFoot() {
    if (foot.drawn === lang()) return;
    foot.drawn = lang();
    const toLab = el('button', { class: 'lab-open', type: 'button', 'data-lab': '', onclick: lab.open }, t('lab'));
    fill(foot, el('p', {}, t('taxIncluded')), el('p', {}, t('allergyHint')), toLab);
  }

  function showOrders() {
    if (closed) return;
    showHead();
    ordered.show();
  }

  /** Reads menu and table; answers whether that went well. Whoever sits at a table that is closed leaves here. */
  async function refresh() {
    askedAt = performance.now();
    clearTimeout(retryTimer);
    try {
      const answer = await askMenu(headers(credentials));
      if (closed) return false;
      place = answer;
      if (answer.tableSession?.open === false) return leave('paid');
      menu.take(answer.menu);
      known = true;
      failed = false;
      firstMenu.done();
      show();
      return true;
    } catch (error) {
      if (closed) return false;
      if (error.code === 'UNAUTHENTICATED') return leave('unknownTable');
      failed = true;
      if (!known) retryTimer = setTimeout(refresh, RETRY_MS);
      show();
      return false;
    }
  }

  function leave(why) {
    if (!closed) onLeave(why);
    return false;
  }

  function looked() {
    if (document.visibilityState === 'visible' && performance.now() - askedAt > FRESH_MS) refresh();
  }

  /** Back from the browser's back-forward cache. */
  function returned({ persisted }) {
    if (!persisted) return;
    refresh();
    show();
  }

  function addOne(item) {
    if (cart.state().locked) return messages.show(t('addLocked'));
    if (!put(cart, { menuItemId: item.id, price: item.price, quantity: 1 })) return messages.show(t('addNot'));
    return added(item);
  }

  function added(item) {
    document.getElementById('said').textContent = t('added', local(item));
  }

  cart.subscribe(() => {
    inCart.hush();
    show();
  });
  onLanguage(show);
  const refreshing = setInterval(looked, REFRESH_MS);
  document.addEventListener('visibilitychange', looked);
  addEventListener('focus', looked);
  addEventListener('pageshow', returned);
  document.body.append(messages.element);
  show();
  refresh();

  return {
    element: page,
    close() {
      closed = true;
      closeSheets();
      lab.close();
      messages.element.remove();
      clearTimeout(retryTimer);
      clearInterval(refreshing);
      document.removeEventListener('visibilitychange', looked);
      removeEventListener('focus', looked);
      removeEventListener('pageshow', returned);
      orders.close();
      list.close();
      endOrdering();
    },
  };
}

function deferred() {
  let done;
  const promise = new Promise((resolve) => (done = resolve));
  return { promise, done };
}
