// What the guest's page says, in both languages.

import { lang } from '../shared/lang.js';

const TEXTS = {
  title: { ja: (shop) => `${shop}｜テーブルオーダー`, en: (shop) => `${shop} · Order at your table` },
  appName: { ja: 'テーブルオーダー', en: 'Order at your table' },
  table: { ja: (label) => `テーブル ${label}`, en: (label) => `Table ${label}` },
  language: { ja: '言語', en: 'Language' },
  history: { ja: '注文履歴', en: 'Your orders' },
  historyShort: { ja: '履歴', en: 'Orders' },
  underway: { ja: (n) => `、進行中 ${n}件`, en: (n) => `, ${n} in progress` },
  menu: { ja: 'メニュー', en: 'Menu' },
  sections: { ja: 'メニューの分類', en: 'Sections of the menu' },
  lab: { ja: 'ネットワークラボ', en: 'Network lab' },
  taxIncluded: { ja: '価格はすべて税込です', en: 'All prices include tax' },
  allergyHint: {
    ja: 'アレルギーについて詳しくはスタッフにお尋ねください',
    en: 'Please ask our staff about allergies',
  },
  loading: { ja: 'メニューを読み込んでいます…', en: 'Loading the menu…' },
  noMenu: { ja: 'メニューを読み込めませんでした', en: 'The menu could not be loaded' },
  noMenuWhy: {
    ja: '電波の良い場所で、もう一度お試しください。自動でも再試行しています。',
    en: 'Please check your connection. We keep trying by ourselves, too.',
  },
  again: { ja: 'もう一度読み込む', en: 'Try again' },
  skip: { ja: 'メニューへ移動', en: 'Skip to the menu' },
  emptyMenu: { ja: 'ただいまご注文いただける商品がありません', en: 'Nothing can be ordered right now' },

  welcome: { ja: 'いらっしゃいませ', en: 'Welcome' },
  welcomeWhat: {
    ja: 'テーブルのQRコードを、スマートフォンのカメラで読み取ってください。',
    en: 'Please scan the QR code at your table with your phone’s camera.',
  },
  welcomeHint: {
    ja: 'QRコードが見当たらないときは、スタッフにお声がけください。',
    en: 'If you can not find it, our staff will be happy to help.',
  },
  unknownTable: { ja: 'テーブルを確認できませんでした', en: 'We could not find your table' },
  unknownTableWhat: {
    ja: 'お手数ですが、テーブルのQRコードをもう一度読み取ってください。',
    en: 'Please scan the QR code at your table once more.',
  },
  unknownTableHint: {
    ja: 'それでも開かないときは、スタッフにお声がけください。',
    en: 'If it still does not open, please ask our staff.',
  },
  paid: { ja: 'お会計が済んでいます', en: 'This table has been paid' },
  paidWhat: { ja: 'ご来店ありがとうございました。またのお越しをお待ちしております。', en: 'Thank you for coming. We hope to see you again soon.' },
  paidHint: {
    ja: '追加のご注文は、スタッフにお声がけください。',
    en: 'If you would like to order something else, please ask our staff.',
  },

  noOrders: { ja: 'この端末ではご注文いただけません', en: 'This browser can not place orders' },
  noOrdersWhy: {
    ja: 'メニューと注文履歴はご覧いただけます。ご注文はスタッフにお申し付けください。',
    en: 'You can read the menu and follow your orders. Please give your order to our staff.',
  },
  notKept: {
    ja: 'このブラウザはデータを保存できません。ご注文中はページを閉じないでください。',
    en: 'This browser can not save anything. Please keep this page open while you order.',
  },

  offlineNow: { ja: '接続が切れています。', en: 'No connection.' },
  offlineCart: {
    ja: 'カートはこの端末に残っています。つながってから注文できます。',
    en: 'Your cart is kept on this device; order once you are back online.',
  },
  offlineStay: {
    ja: 'このページを閉じなければカートは残ります。つながってから注文できます。',
    en: 'Your cart is kept while this page stays open; order once you are back online.',
  },
  offlineOrder: {
    ja: '今のうちに「注文する」を押せます。つながり次第、自動で送信します。',
    en: 'You can order now: it will be sent by itself once you are back online.',
  },
  offlineSettling: {
    ja: 'つながり次第、ご注文の確認を続けます。二重にはなりません。',
    en: 'Once you are back online we go on checking your order. It will not be placed twice.',
  },
  offlineMenu: { ja: (time) => `メニューは${time}時点のものです。`, en: (time) => `This is the menu as of ${time}.` },
  backOnline: { ja: '接続が戻りました', en: 'You are back online' },

  waitingUntil: {
    ja: (time) => `接続を待っています。つながり次第、ご注文を自動で送信します（${time}まで）`,
    en: (time) => `Waiting for the network. Your order will be sent by itself until ${time}`,
  },
  waitingExpired: {
    ja: '時間が経ったため、ご注文はまだ送信していません。このまま注文しますか？',
    en: 'Your order was not sent in time. Still want it?',
  },
  waitingStop: { ja: 'やめる', en: 'Cancel' },
  waitingNow: { ja: '接続を待っています…', en: 'Waiting for the network…' },

  earlierDoing: {
    ja: (pieces, total) => `先ほどのご注文（${pieces}・${total}）が届いたか確認しています`,
    en: (pieces, total) => `Checking whether your last order arrived (${pieces}, ${total})`,
  },
  earlierPlaced: {
    ja: (number) => `先ほどのご注文 ${number} は届いています`,
    en: (number) => `Your last order, ${number}, has arrived`,
  },
  earlierPending: {
    ja: '先ほどのご注文は届いています。お店の確認を待っています',
    en: 'Your last order has arrived. The restaurant is confirming it',
  },
  earlierUnknown: {
    ja: '先ほどのご注文が届いたか、まだ確認できていません',
    en: 'We do not know yet whether your last order arrived',
  },
  earlierNot: {
    ja: '先ほどのご注文は入っていません。カートはそのままです',
    en: 'Your last order was not placed. Your cart is as it was',
  },

  soldOut: { ja: '売り切れ', en: 'Sold out' },
  off: { ja: '休止中', en: 'Not today' },
  left: { ja: (n) => `あと${n}点`, en: (n) => `${n} left` },
  allergens: { ja: 'アレルゲン', en: 'Allergens' },
  noAllergens: { ja: '特定原材料等の表示はありません', en: 'None listed' },
  quickAdd: { ja: (name) => `${name}をカートに入れる`, en: (name) => `Add ${name} to your cart` },
  choose: { ja: (name) => `${name}を選ぶ`, en: (name) => `Choose ${name}` },
  inCart: { ja: (n) => `カートに${n}点`, en: (n) => `${n} in your cart` },
  added: { ja: (name) => `${name}をカートに入れました`, en: (name) => `${name} is in your cart` },

  chooseOne: { ja: '1つ選んでください', en: 'Choose one' },
  chooseExactly: { ja: (n) => `${n}つ選んでください`, en: (n) => `Choose ${n}` },
  chooseBetween: { ja: (min, max) => `${min}〜${max}つ選んでください`, en: (min, max) => `Choose ${min} to ${max}` },
  upTo: { ja: (n) => `${n}つまで`, en: (n) => `Up to ${n}` },
  missing: {
    ja: (group) => `「${group}」を選んでください`,
    en: (group) => `Please choose: ${group}`,
  },
  noteDish: { ja: 'ご要望', en: 'Note' },
  noteDishHint: { ja: '例）わさび抜き', en: 'For example: no wasabi' },
  noteCount: { ja: (n, max) => `${n} / ${max}文字`, en: (n, max) => `${n} / ${max}` },
  noteTooLong: { ja: (max) => `${max}文字以内でお願いします`, en: (max) => `At most ${max} characters, please` },
  quantity: { ja: '数量', en: 'Quantity' },
  fewer: { ja: (what) => `${what}を減らす`, en: (what) => `Fewer: ${what}` },
  more: { ja: (what) => `${what}を増やす`, en: (what) => `More: ${what}` },
  add: { ja: '追加する', en: 'Add' },
  addNot: { ja: 'この内容ではカートに入れられません', en: 'This does not fit into the cart' },
  addLocked: {
    ja: 'ご注文を確認しているあいだは、カートを変更できません',
    en: 'The cart can not be changed while your order is being checked',
  },
  addWaiting: {
    ja: 'ご注文が送信されるまで、カートを変更できません',
    en: 'The cart can not be changed while your order waits to be sent',
  },
  close: { ja: '閉じる', en: 'Close' },
  back: { ja: '戻る', en: 'Back' },

  cart: { ja: 'カート', en: 'Your cart' },
  openCart: { ja: 'カートを見る', en: 'View cart' },
  pieces: { ja: (n) => `${n}点`, en: (n) => (n === 1 ? '1 item' : `${n} items`) },
  cartEmpty: { ja: 'カートは空です', en: 'Your cart is empty' },
  cartEmptyWhat: { ja: 'メニューからお好きなものをお選びください', en: 'Pick something you like from the menu' },
  toMenu: { ja: 'メニューに戻る', en: 'Back to the menu' },
  noteOrder: { ja: 'キッチンへのご要望', en: 'A note for the kitchen' },
  noteOrderHint: { ja: '例）取り皿を4枚お願いします', en: 'For example: four small plates, please' },
  addNote: { ja: 'ご要望を書く', en: 'Add a note' },
  total: { ja: '合計', en: 'Total' },
  confirm: { ja: '注文する', en: 'Place the order' },
  confirmAgain: { ja: 'もう一度確認する', en: 'Check again' },
  sending: { ja: '送信しています…', en: 'Sending…' },
  waiting: { ja: 'お待ちください…', en: 'One moment…' },
  checking: { ja: '確認しています…', en: 'Checking…' },
  calm: { ja: 'ご注文を確認しています。このままお待ちください', en: 'Checking your order. Please wait.' },
  asked: { ja: '同じご注文があります。ご確認をお願いします', en: 'The same order is there already. Please answer the question.' },
  barUnknown: { ja: 'ご注文が届いたか確認中です。タップして確認', en: 'Did your order arrive? Tap to check' },
  barWaiting: { ja: '接続を待っています。タップして確認', en: 'Your order waits. Tap to see' },
  answer: { ja: '確認する', en: 'Answer' },
  beforeConfirm: { ja: '「注文する」を押すと、すぐにキッチンへ届きます', en: 'Your order goes straight to the kitchen' },
  confirmLater: {
    ja: '接続が切れています。カートは残りますので、つながってから「注文する」を押してください',
    en: 'No connection. Your cart is kept: place your order once you are back online',
  },
  confirmWaits: {
    ja: '接続が切れています。「注文する」を押すと、つながり次第、自動で送信します',
    en: 'No connection. Place the order now, and it will be sent by itself once you are back online',
  },
  lockedWaiting: { ja: '送信されるまで変更できません', en: 'No changes until it is sent' },
  lockedWhy: { ja: '確認が済むまで変更できません', en: 'No changes until this is settled' },
  giveUp: { ja: 'やめる', en: 'Stop this order' },
  remove: { ja: '削除', en: 'Remove' },
  removeLine: { ja: (name) => `${name}を削除`, en: (name) => `Remove ${name}` },
  goneDish: { ja: 'メニューにない商品', en: 'A dish that is off the menu' },
  goneTopping: { ja: 'メニューにないトッピング', en: 'An extra that is off the menu' },
  times: { ja: (n) => `×${n}`, en: (n) => `×${n}` },

  placedKitchen: { ja: 'キッチンに届きました', en: 'It is in the kitchen' },
  placedThanks: { ja: 'ご注文ありがとうございます', en: 'Thank you for your order' },
  placedFound: { ja: 'ご注文は届いています', en: 'Your order has arrived' },
  orderNumber: { ja: '注文番号', en: 'Order number' },
  orderMore: { ja: '追加で注文する', en: 'Order more' },
  pendingTitle: { ja: 'お店の確認を待っています', en: 'Waiting for the restaurant' },
  pendingWhy: {
    ja: 'ご注文はお店に届きました。確認が済むまで、このままお待ちください',
    en: 'The restaurant has your order and will confirm it in a moment',
  },
  duplicateTitle: { ja: '同じご注文があります', en: 'The same order again?' },
  duplicateEarlier: { ja: '先ほどのご注文', en: 'The earlier order' },
  duplicateYes: { ja: '注文する', en: 'Order again' },
  duplicateNo: { ja: 'やめる', en: 'No, once is enough' },
  declined: {
    ja: '今回は注文しませんでした。カートの内容はそのままです',
    en: 'Not ordered a second time. Your cart is as it was.',
  },
  withdrawn: { ja: 'ご注文を取りやめました。カートを変更できます', en: 'The order was withdrawn. You can change your cart.' },

  problemSoldOut: { ja: '数が足りません', en: 'Not enough left' },
  problemAllGone: { ja: '売り切れました', en: 'Sold out' },
  problemGone: { ja: 'ご用意できない商品があります', en: 'Something is not available' },
  problemPrice: { ja: '価格が変わりました', en: 'A price has changed' },
  problemPaused: { ja: 'ご注文の受付を終了しました', en: 'Orders are closed' },
  problemBusy: { ja: '混み合っています', en: 'Very busy right now' },
  problemPlaced: { ja: 'すでに承っています', en: 'Already ordered' },
  problemAny: { ja: 'ご注文をお受けできませんでした', en: 'We could not take this order' },
  notOrdered: { ja: 'このご注文は入っていません', en: 'Nothing was ordered' },
  oldTotal: { ja: '変更前', en: 'Before' },
  newTotal: { ja: '変更後', en: 'Now' },
  reduce: { ja: '残りの数に減らす', en: 'Take what is left' },
  removeShort: { ja: 'カートから外す', en: 'Take it out' },
  takePrices: { ja: '新しい価格で確認する', en: 'Review the new prices' },
  pricesTaken: {
    ja: '新しい価格にしました。合計をご確認のうえ「注文する」を押してください',
    en: 'These are the new prices. Please check the total, then place your order',
  },
  mended: {
    ja: 'カートを直しました。ご確認のうえ「注文する」を押してください',
    en: 'Your cart has been adjusted. Please check it, then place your order',
  },
  toCart: { ja: 'カートに戻る', en: 'Back to the cart' },
  pricesNotRead: {
    ja: '新しい価格を読み込めませんでした。もう一度お試しください',
    en: 'The new prices could not be loaded. Please try again',
  },

  noHistory: { ja: 'まだご注文はありません', en: 'No orders yet' },
  noHistoryWhat: { ja: 'ご注文いただいた料理の様子を、ここでお知らせします', en: 'You can follow your dishes here once you have ordered' },
  tableTotal: { ja: 'テーブルの合計', en: 'Table total' },
  tableTotalWhat: { ja: '全員のご注文（税込）', en: 'All orders at this table, tax included' },
  offline: {
    ja: (time) => `接続が切れています。${time}時点の状況です`,
    en: (time) => `No connection. This is how it was at ${time}`,
  },
  offlineHistory: {
    ja: '接続が切れています。つながったら注文履歴を表示します',
    en: 'No connection. Your orders will be shown once you are back online',
  },
  offlineYet: { ja: '接続しています…', en: 'Connecting…' },
  PENDING: { ja: '確認待ち', en: 'Being confirmed' },
  RECEIVED: { ja: '受付済み', en: 'Received' },
  COOKING: { ja: '調理中', en: 'Cooking' },
  READY: { ja: 'できあがり', en: 'Ready' },
  SERVED: { ja: '提供済み', en: 'Served' },
  CANCELLED: { ja: '取消', en: 'Cancelled' },
  ready: {
    ja: (number) => `注文 ${number} ができあがりました。まもなくお持ちします`,
    en: (number) => `Order ${number} is ready and on its way to you`,
  },
  cancelOrder: { ja: 'この注文を取り消す', en: 'Cancel this order' },
  cancelSure: { ja: (number) => `注文 ${number} を取り消しますか？`, en: (number) => `Cancel order ${number}?` },
  cancelWhy: {
    ja: '調理が始まるまで取り消せます。取り消すと元に戻せません。',
    en: 'This is possible until the kitchen starts, and can not be undone.',
  },
  cancelYes: { ja: '取り消す', en: 'Cancel the order' },
  cancelNo: { ja: '取り消さない', en: 'Keep it' },
  cancelling: { ja: '取り消しています…', en: 'Cancelling…' },
  cancelled: { ja: (number) => `注文 ${number} を取り消しました`, en: (number) => `Order ${number} is cancelled` },
  cancelTooLate: {
    ja: '調理が始まっているため取り消せません。スタッフにお声がけください',
    en: 'The kitchen has already started. Please ask our staff',
  },
  cancelNoAnswer: {
    ja: '取り消せたか確認できません。もう一度押しても大丈夫です',
    en: 'No answer yet. It is safe to press again',
  },
  cancelNot: { ja: '取り消せませんでした。スタッフにお声がけください', en: 'This could not be cancelled. Please ask our staff' },
  labMissing: { ja: 'ネットワークラボを開けませんでした', en: 'The network lab could not be opened' },
};

/** Says something in the reader's language. */
export function t(name, ...values) {
  const text = TEXTS[name][lang()];
  return typeof text === 'function' ? text(...values) : text;
}

/** Picks the reader's name of a thing whose names were asked for as `ja` and `en`. */
export function local(names) {
  return names[lang()];
}
