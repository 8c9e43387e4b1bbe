// What the staff page says, in both languages.

import { lang } from '../shared/lang.js';

const TEXTS = {
  kitchen: { ja: '厨房', en: 'Kitchen' },
  title: { ja: '厨房 · MasterOrder', en: 'Kitchen · MasterOrder' },
  open: { ja: (n) => `${n}件`, en: (n) => `${n} open` },
  allStations: { ja: 'すべて', en: 'All' },
  stations: { ja: '持ち場', en: 'Stations' },
  soundOn: { ja: '音あり', en: 'Sound on' },
  soundOff: { ja: '音なし', en: 'Sound off' },
  start: { ja: 'タップして開始', en: 'Tap to start' },
  startWhy: { ja: '新しい注文を音でお知らせし、画面を消えないようにします', en: 'A chime for every new order, and the screen stays on' },
  connecting: { ja: '接続しています…', en: 'Connecting…' },
  offline: { ja: (time) => `${time} から接続が切れています`, en: (time) => `No connection since ${time}` },
  offlineWhy: {
    ja: '自動で再接続しています。注文は失われません',
    en: 'Reconnecting by itself. No order is lost',
  },
  retry: { ja: '今すぐ再接続', en: 'Try now' },
  back: { ja: '接続が戻りました', en: 'Connected again' },
  empty: { ja: '注文を待っています', en: 'Waiting for orders' },
  emptyStation: { ja: 'この持ち場の注文はありません', en: 'Nothing for this station' },
  finished: { ja: '完了', en: 'Done' },
  finishedWhy: { ja: '直近10分', en: 'last 10 minutes' },
  nothingFinished: { ja: 'まだありません', en: 'Nothing yet' },
  recall: { ja: '戻す', en: 'Recall' },
  table: { ja: (label) => `${label}`, en: (label) => `${label}` },
  tableName: { ja: (label) => `テーブル ${label}`, en: (label) => `Table ${label}` },
  minutes: { ja: (n) => `${n}分`, en: (n) => `${n}m` },
  note: { ja: 'ご要望', en: 'Note' },
  elsewhere: { ja: (n) => `他の持ち場 ${n}品`, en: (n) => `${n} more at other stations` },
  RECEIVED: { ja: '新規', en: 'New' },
  COOKING: { ja: '調理中', en: 'Cooking' },
  READY: { ja: 'できあがり', en: 'Ready' },
  SERVED: { ja: '提供済み', en: 'Served' },
  CANCELLED: { ja: '取消', en: 'Cancelled' },
  toCOOKING: { ja: '調理開始', en: 'Start cooking' },
  toREADY: { ja: 'できあがり', en: 'Ready' },
  toSERVED: { ja: '提供済みにする', en: 'Served' },
  seen: { ja: '確認しました', en: 'Seen' },
  stop: { ja: '作らないでください', en: 'Do not make it' },
  moved: { ja: (number, state) => `${number} → ${state}`, en: (number, state) => `${number} → ${state}` },
  undo: { ja: '元に戻す', en: 'Undo' },
  movedElsewhere: {
    ja: (number) => `${number} は他の端末で更新されています`,
    en: (number) => `${number} was moved on another screen`,
  },
  notMoved: {
    ja: (number) => `${number} を更新できたか確認できません。もう一度押しても大丈夫です`,
    en: (number) => `No answer for ${number}. It is safe to tap again`,
  },
  newOrder: {
    ja: (number, table) => `新しい注文 ${number}、テーブル ${table}`,
    en: (number, table) => `New order ${number}, table ${table}`,
  },
  cancelledOrder: {
    ja: (number, table) => `注文 ${number}、テーブル ${table} は取り消されました`,
    en: (number, table) => `Order ${number}, table ${table} was cancelled`,
  },
  order: {
    ja: (number, table, state) => `注文 ${number}、テーブル ${table}、${state}`,
    en: (number, table, state) => `Order ${number}, table ${table}, ${state}`,
  },
  actOn: { ja: (action, number) => `${number} ${action}`, en: (action, number) => `${action}, order ${number}` },
  signIn: { ja: 'スタッフ用画面', en: 'Staff' },
  keyLabel: { ja: 'スタッフキー', en: 'Staff key' },
  keyHint: {
    ja: '「mo_live_」または「mo_test_」で始まります。このタブを閉じるまで保存されます',
    en: 'Begins with mo_live_ or mo_test_. Kept until this tab is closed',
  },
  enter: { ja: '開く', en: 'Open' },
  leave: { ja: 'キーを外す', en: 'Sign out' },
  keyShape: {
    ja: 'スタッフキーの形式ではありません',
    en: 'That does not look like a staff key',
  },
  UNAUTHENTICATED: {
    ja: 'このキーは使えません。管理者に新しいキーを依頼してください',
    en: 'This key is not valid. Ask for a new one',
  },
  FORBIDDEN: {
    ja: '厨房を見るにはスタッフキーが必要です',
    en: 'The kitchen needs a staff key',
  },
  language: { ja: '言語', en: 'Language' },
};

/** Stations of the demo menu; any other is shown by its own name. */
const STATIONS = {
  fry: { ja: '揚げ場', en: 'Fryer' },
  grill: { ja: '焼き場', en: 'Grill' },
  noodle: { ja: '麺場', en: 'Noodles' },
  cold: { ja: '冷菜', en: 'Cold' },
  bar: { ja: 'ドリンク', en: 'Bar' },
  dessert: { ja: '甘味', en: 'Dessert' },
};

/** Says something in the reader's language. */
export function t(name, ...values) {
  const text = TEXTS[name][lang()];
  return typeof text === 'function' ? text(...values) : text;
}

/** Names a station. */
export function stationName(station) {
  return STATIONS[station]?.[lang()] ?? station;
}

/** Picks the reader's text of a thing whose texts were asked for as `ja` and `en`. */
export function local(texts) {
  return texts[lang()];
}
