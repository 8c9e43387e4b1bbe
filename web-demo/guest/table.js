// The page at a table: menu, cart, orders, and what holds them together.

import { el, fill } from '../shared/dom.js';
import { lang, onLanguage, timeOfDay } from '../shared/lang.js';
import { banner } from './banner.js';
import { cartBar } from './cart_bar.js';
import { cartSheet } from './cart_sheet.js';
import { openDish, put } from './dish_sheet.js';
import { dishes } from './dishes.js';
import { earlier } from './earlier.js';
import { head } from './head.js';
import { history, isUnderway } from './history.js';
import { historySheet } from './history_sheet.js';
import { networkLab } from './lab.js';
import { Menu } from './menu.js';
import { ordering } from './ordering.js';
import { outcomes } from './outcomes.js';
import { reading } from './reading.js';
import { closeSheets } from './sheet.js';
import { local, t } from './texts.js';
import { toasts } from './toasts.js';
import { waitingStrip, wouldWait } from './waiting.js';

/**
 * Makes the page.
 *
 * @param {object} o
 * @param {{ sessionId: string, pin: string }} o.credentials
 * @param {{ createClient: Function, waitForNetwork: Function } | null} o.sdk `null` where it could not be loaded
 * @param {(why: 'paid' | 'unknownTable') => void} o.onLeave
 */
export function tablePage({ credentials, sdk, onLeave }) {
  const menu = new Menu();
  let canOrder = true;
  let closed = false;
  let wasOffline = false;

  const shop = reading({ credentials, menu, onChange: show, onLeave: leave });
  const messages = toasts();
  const { cart, ready, resume, close: endOrdering } = ordering({
    sdk,
    credentials,
    onOutcome(outcome, how) {
      before.hear(outcome, how);
      present(outcome, how);
    },
    onUnavailable() {
      canOrder = false;
      show();
    },
  });
  const inCart = cartSheet({ cart, menu, isOffline: () => shop.isOffline() });
  const orders = history({
    credentials,
    onChange: showOrders,
    onLive: (live) => shop.wonder(live),
    onReady: (order) => messages.show(t('ready', order.number), 'good'),
    async onUnwelcome() {
      // by this table, or by a server in trouble? Only an answer over HTTP tells
      await shop.refresh();
      return !closed;
    },
  });
  const ordered = historySheet({ orders, isOffline: () => shop.isOffline(), onSay: (text) => messages.show(text) });
  const { present } = outcomes({
    cart,
    menu,
    cartSheet: inCart,
    onSay: (text) => messages.show(text),
    onRefresh: () => shop.refresh(),
    onHistory: () => ordered.open(),
  });
  const before = earlier({ cart, onCart: () => inCart.open(), onHistory: () => ordered.open() });
  const held = waitingStrip({ cart, onCart: () => inCart.open() });
  const lab = networkLab({
    credentials,
    cart,
    menu,
    cartSheet: inCart,
    ready: Promise.all([shop.first, ready]),
    onMissing: () => messages.show(t('labMissing')),
  });

  const top = head({ onHistory: () => ordered.open() });
  const list = dishes({
    onOpen: (item) => openDish({ item, cart, canOrder, onAdded: added }),
    onAdd: addOne,
  });
  const hints = el('div', { class: 'hints' });
  const waiting = el('main', { class: 'waiting', tabindex: '-1' });
  const foot = el('footer', { class: 'foot' });
  const bar = cartBar({ cart, onOpen: () => inCart.open() });
  const cutOff = banner('offline');
  const skip = el('a', { class: 'skip', href: '#menu', onclick: skipToMenu });
  const sticky = el('div', { class: 'top' }, top.element, cutOff.element, held.element, before.element, list.nav);
  const page = el('div', {}, skip, sticky, hints, waiting, list.main, foot, bar.element);

  function show() {
    if (closed) return;
    const place = shop.place();
    const name = place ? local(place.shop) : '';
    const known = place !== null;
    document.title = name ? t('title', name) : t('appName');
    skip.textContent = t('skip');
    showHead();
    showCutOff();
    held.show();
    before.show();
    showHints();
    showWaiting(known);
    showFoot();
    list.nav.hidden = !known;
    list.main.hidden = !known;
    if (known) list.show(menu, cart, canOrder);
    bar.show();
    inCart.show();
    ordered.show();
  }

  function showHead() {
    const place = shop.place();
    const underway = orders.orders().filter(isUnderway).length;
    top.show({ shop: place ? local(place.shop) : '', table: place?.tableSession?.table ?? '', underway });
  }

  /** Nothing is lost while the shop can not be reached. What waits says so itself. */
  function showCutOff() {
    const isOffline = shop.isOffline();
    if (wasOffline && !isOffline) {
      say(t('backOnline'));
      list.freshen();
    }
    wasOffline = isOffline;
    const { locked, persistent, waiting } = cart.state();
    if (!isOffline || waiting) return cutOff.show(null);
    const free = wouldWait() ? 'offlineOrder' : 'offlineCart';
    const what = t(locked ? 'offlineSettling' : persistent ? free : 'offlineStay');
    const keptAt = shop.keptAt();
    const menuIsOld = keptAt && !locked ? t('offlineMenu', timeOfDay(keptAt)) : '';
    cutOff.show({ tone: 'notice', says: [t('offlineNow'), what, menuIsOld].join(lang() === 'ja' ? '' : ' ').trim() });
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

  function showWaiting(known) {
    waiting.hidden = known;
    const drawn = [lang(), known, shop.failed()].join();
    if (waiting.drawn === drawn) return;
    waiting.drawn = drawn;
    if (shop.failed()) {
      fill(
        waiting,
        el(
          'div',
          { class: 'empty-state', role: 'status' },
          el('img', { class: 'empty-picture', src: '/assets/menu/placeholder-plate.svg', alt: '' }),
          el('p', { class: 'empty-title' }, t('noMenu')),
          el('p', { class: 'empty-what' }, t('noMenuWhy')),
          el('button', { class: 'secondary', type: 'button', onclick: () => shop.refresh() }, t('again')),
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

  function leave(why) {
    if (!closed) onLeave(why);
  }

  /** Back from the browser's back-forward cache. */
  function returned({ persisted }) {
    if (persisted) show();
  }

  function skipToMenu(event) {
    event.preventDefault();
    list.main.focus();
  }

  function addOne(item) {
    if (cart.state().locked) return messages.show(t(cart.state().waiting ? 'addWaiting' : 'addLocked'));
    if (!put(cart, { menuItemId: item.id, price: item.price, quantity: 1 })) return messages.show(t('addNot'));
    return added(item);
  }

  function added(item) {
    say(t('added', local(item)));
  }

  /** For those who listen. */
  function say(text) {
    document.getElementById('said').textContent = text;
  }

  cart.subscribe(() => {
    inCart.hush();
    show();
  });
  onLanguage(show);
  addEventListener('pageshow', returned);
  document.body.append(messages.element);
  show();
  lab.reopened.finally(resume);

  return {
    element: page,
    close() {
      closed = true;
      closeSheets();
      lab.close();
      messages.element.remove();
      removeEventListener('pageshow', returned);
      shop.close();
      orders.close();
      list.close();
      endOrdering();
    },
  };
}
