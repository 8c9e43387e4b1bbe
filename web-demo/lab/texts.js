// What the lab says, in both languages. Plain words: the reader has never heard of idempotency.

const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/** Why an order can not be placed; whatever is not here goes by its code. */
const NO = {
  SOLD_OUT: { ja: '売り切れです', en: 'sold out' },
  ITEM_UNAVAILABLE: { ja: 'ご用意できない商品です', en: 'not available' },
  PRICE_CHANGED: { ja: '価格が変わりました', en: 'the price has changed' },
  SESSION_CLOSED: { ja: 'お会計が済んでいます', en: 'the bill is paid' },
  WITHDRAWN: { ja: '取りやめになりました', en: 'it was withdrawn' },
  SESSION_BUSY: { ja: '混み合っています', en: 'the table is busy, try again' },
};
const noJa = (code) => NO[code]?.ja ?? code;
const noEn = (code) => NO[code]?.en ?? code;

export const TEXTS = {
  title: { ja: 'ネットワークラボ', en: 'Network lab' },
  motto: { ja: '壊しても、伝票は1枚', en: 'Break it, count the tickets' },
  reset: { ja: 'リセット', en: 'Reset' },
  collapse: { ja: '小さくする', en: 'Make small' },
  expand: { ja: '大きくする', en: 'Make large' },
  close: { ja: '閉じる', en: 'Close' },

  taps: { ja: 'タップ', en: 'taps' },
  requests: { ja: '送信', en: 'requests' },
  orders: { ja: '注文', en: 'orders' },
  tickets: { ja: '伝票', en: 'tickets' },
  counted: { ja: '件数', en: 'Counts' },

  /** In parts, between which a line may break. */
  figures: {
    ja: (taps, requests, orders, tickets) => [
      `タップ${taps}回`,
      `→ 送信${requests}回`,
      `→ 注文${orders}件`,
      `→ 伝票${tickets}枚`,
    ],
    en: (taps, requests, orders, tickets) => [
      plural(taps, 'tap', 'taps'),
      `→ ${plural(requests, 'request', 'requests')}`,
      `→ ${plural(orders, 'order', 'orders')}`,
      `→ ${plural(tickets, 'ticket', 'tickets')}`,
    ],
  },
  good: { ja: '約束どおり', en: 'as promised' },
  bad: { ja: '約束と違います', en: 'not as promised' },
  idle: { ja: '実験を選んでください', en: 'Pick an experiment' },
  idleWhy: {
    ja: '注文と伝票は、画面ではなくサーバーに数えさせます',
    en: 'Orders and tickets are counted by the server, not by this page',
  },
  armedNow: { ja: 'では、「注文する」を押してください', en: 'Now place the order yourself' },
  armedWhy: {
    ja: '次の返事だけに一度起こります。何度押してもかまいません',
    en: 'It happens once, to the next answer. Tap as often as you like',
  },
  running: { ja: '確認しています…', en: 'On its way…' },
  runningWhy: { ja: '終わったらサーバーに確認します', en: 'When it is over, the server is asked' },
  unasked: { ja: 'サーバーに確認できません', en: 'The server can not be asked' },
  unaskedWhy: { ja: '自動でもう一度確認します', en: 'Trying again by itself' },
  askedAt: {
    ja: (time) => `注文と伝票：${time} サーバーに確認済み`,
    en: (time) => `Orders and tickets: asked the server at ${time}`,
  },
  should: { ja: (n) => `注文は${n}件のはずです`, en: (n) => `There should be ${plural(n, 'order', 'orders')}` },
  others: {
    ja: (n) => `ほかに同じテーブルの別の端末から${n}件`,
    en: (n) => `${plural(n, 'more order', 'more orders')} from other devices at this table`,
  },
  whyKnown: {
    ja: (number) => `同じ内容は注文${number}として受付済みです`,
    en: (number) => `The same was order ${number} already`,
  },
  whyAsked: {
    ja: (number) => `注文${number ?? ''}と同じ内容なので、サーバーが先に確認しました`,
    en: (number) => `The server asked first: it is the same as order ${number ?? ''}`,
  },
  whyNo: { ja: (code) => `サーバーの返答：${noJa(code)}`, en: (code) => `The server said no: ${noEn(code)}` },

  runs: { ja: '押すだけで試す', en: 'One press does it all' },
  arms: { ja: '次の返事を壊して、自分で注文する', en: 'Break the next answer, then place the order' },
  run: { ja: '実行', en: 'Run' },
  on: { ja: '準備済み', en: 'Armed' },

  'ten-taps': { ja: '10回連打', en: 'Ten taps' },
  'life-ten-taps': { ja: '反応が遅いと、指は何度も押します', en: 'The phone is slow, the thumb is not' },
  reload: { ja: '送信中に再読み込み', en: 'Reload mid-flight' },
  'life-reload': { ja: '待ちきれず、ページを読み込み直します', en: 'Out of patience: reload the page' },
  'new-keys': { ja: '毎回ちがうキーで', en: 'A new key per tap' },
  'life-new-keys': { ja: 'SDKなしのアプリは、押すたび別の注文', en: 'An app without the SDK, ten orders' },
  'lose-answer': { ja: '失くす', en: 'Lose it' },
  'life-lose-answer': {
    ja: 'トンネル：注文は届き、返事は届かない',
    en: 'A tunnel: the order got out, the answer did not get in',
  },
  'gateway-502': { ja: '502にする', en: 'Send a 502' },
  'life-gateway-502': {
    ja: '注文は通り、混んだゲートウェイがエラーを返す',
    en: 'The order is in, and a busy gateway shows its error page',
  },
  'late-answer': { ja: '3秒遅らせる', en: 'Hold it 3 s' },
  'life-late-answer': { ja: '満席の夜、店のWi-Fiが混んでいる', en: 'Friday night, all on the same Wi-Fi' },
  'cut-answer': { ja: '途中で切る', en: 'Cut it off' },
  'life-cut-answer': { ja: '受信の途中で電波が切れる', en: 'The signal drops while it is coming in' },

  log: { ja: 'ログ', en: 'Log' },
  logEmpty: { ja: 'まだ何も起きていません', en: 'Nothing has happened yet' },
  sent: { ja: (n, key) => `送信${n}回目（キー ${key}…）`, en: (n, key) => `Request ${n} left (key ${key}…)` },
  sentAgain: { ja: (n, key) => `送信${n}回目、同じキー ${key}…`, en: (n, key) => `Request ${n} left, same key ${key}…` },
  placed: { ja: (number) => `サーバー：注文${number}を受け付けました`, en: (number) => `Server: order ${number} is placed` },
  replayed: {
    ja: (number) => `サーバー：注文${number}は受付済みです。新しい注文は作っていません`,
    en: (number) => `Server: that is order ${number}, nothing new was made`,
  },
  asked: {
    ja: (number, seconds) =>
      `サーバー：${seconds}秒前の注文${number ?? ''}と同じです。本当にもう一度ですか？（まだ何も作っていません）`,
    en: (number, seconds) =>
      `Server: the same as order ${number ?? ''}, ${seconds} s ago. Really again? (Nothing was made yet)`,
  },
  no: { ja: (code) => `サーバー：${noJa(code)}`, en: (code) => `Server: no, ${noEn(code)}` },
  unanswered: {
    ja: () => '返事がありません。届いたかどうかは分かりません',
    en: () => 'No answer: nobody knows whether it arrived',
  },
  silent: { ja: () => 'サーバーの返事に結果がありません', en: () => 'The server answered without a result' },
  armed: { ja: (id) => `準備：次の返事を「${TEXTS[id].ja}」`, en: (id) => `Armed for the next answer: “${TEXTS[id].en}”` },
  slow: {
    ja: () => '10回のタップが送信中に届くよう、返事を0.6秒止めています',
    en: () => 'The answer takes 0.6 s, so that all ten taps land while the order is on its way',
  },
  disarmed: { ja: () => '準備を取り消しました', en: () => 'Disarmed' },
  'did-lose-answer': { ja: () => '返事は途中で失われました', en: () => 'The answer was lost on the way' },
  'did-gateway-502': {
    ja: () => '返事の代わりに502のエラー画面が届きました',
    en: () => 'A 502 error page came instead of the answer',
  },
  'did-late-answer': { ja: () => '返事が3秒止められています', en: () => 'The answer is held for 3 s' },
  'did-cut-answer': { ja: () => '返事は半分だけ届きました', en: () => 'Only half of the answer came through' },
  reloading: {
    ja: () => '返事を受け取る前に、ページを読み込み直しました',
    en: () => 'The page was reloaded before it saw the answer',
  },
  resumed: {
    ja: (number) => `再読み込み後：注文${number}が届いていたことを確認。送り直していません`,
    en: (number) => `After the reload: the page found order ${number} and sent nothing again`,
  },
  resent: {
    ja: (number) => `再読み込み後：同じキーで送り直し、注文${number}を確認しました`,
    en: (number) => `After the reload: the page sent it again, same key, and found order ${number}`,
  },
  resumedOther: { ja: (kind) => `再読み込み後の結果：${kind}`, en: (kind) => `After the reload: ${kind}` },
  naive: {
    ja: (made, same, other, number) =>
      `10個のキーで同時に10件：新規${made}件、${same}件は「${number === null ? '同じ注文' : `注文${number}`}と同じ」${other ? `、結果なし${other}件` : ''}`,
    en: (made, same, other, number) =>
      `10 orders at once, 10 keys: ${made} made, ${same} told “that is order ${number ?? 'known'}”${other ? `, ${other} without a result` : ''}`,
  },
  result: {
    ja: (taps, requests, keys, numbers, tickets) =>
      `タップ${taps}回 → 送信${requests}回（${keys}）→ ${numbers.length ? `注文${numbers.join('、')}` : '新しい注文なし'}、伝票${tickets}枚`,
    en: (taps, requests, keys, numbers, tickets) =>
      `${plural(taps, 'tap', 'taps')} → ${plural(requests, 'request', 'requests')} (${keys}) → ${
        numbers.length ? `${numbers.length === 1 ? 'order' : 'orders'} ${numbers.join(', ')}` : 'no new order'
      }, ${plural(tickets, 'ticket', 'tickets')}`,
  },
  key: { ja: (key) => `キー ${key}…`, en: (key) => `key ${key}…` },
  keys: { ja: (n) => `キー${n}個`, en: (n) => `${n} keys` },
  unsettled: {
    ja: () => '前の注文がまだ終わっていません。先に画面で済ませてください',
    en: () => 'An earlier order is not settled: finish it on the page first',
  },
  notPrepared: { ja: () => 'カートを用意できませんでした', en: () => 'The cart could not be filled' },
  nothingSent: { ja: () => '何も送信されませんでした', en: () => 'Nothing was sent' },
  unreachable: { ja: () => 'サーバーに届きません', en: () => 'The server can not be reached' },
};

/**
 * Makes the function that says a text in the reader's language.
 *
 * @param {() => 'ja' | 'en'} lang
 */
export function speaker(lang) {
  return (name, ...values) => {
    const text = TEXTS[name][lang()];
    return typeof text === 'function' ? text(...values) : text;
  };
}
