// What the guest reads, by code: the texts of the entry `./messages`, which are those of the client too. A function gets what the
// text is about: what came with the "no", the lines that the guest confirmed, and the seconds since the earlier order.

/** One sentence for each. */
const each = (list, sentence) => (list ?? []).map(sentence).join("\n");

/** One sentence about all of them, if there are any. */
const together = (list, comma, sentence) => (list?.length > 0 ? sentence(list.map(({ name }) => name).join(comma)) : "");

/** From which age on it is told in which unit. *Units*: seconds. */
const AGES = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** Writes how long ago something was as people of a language do, in the largest unit that is over. */
export const ago = (lang, seconds) => {
  // "0 seconds ago" would read like a mistake
  const age = Math.max(1, seconds);
  const [size, unit] = AGES.find(([from]) => age >= from);
  const text = new Intl.RelativeTimeFormat(lang).format(-Math.floor(age / size), unit);
  return lang === "ja" ? text.replace(/\s/, "") : text;
};

/** Writes an amount as people of a language do. */
export const money = (lang, { amountMinor, currency }) => {
  if (currency === "JPY" && lang === "ja") return `${amountMinor}円`;
  const format = new Intl.NumberFormat(lang, { style: "currency", currency });
  return format.format(amountMinor / 10 ** format.resolvedOptions().maximumFractionDigits);
};

/** One piece with its toppings, as the guest saw it. */
const seen = (line) => ({
  currency: line.price.currency,
  amountMinor: (line.toppings ?? []).reduce((sum, one) => sum + one.price.amountMinor * (one.quantity ?? 1), line.price.amountMinor),
});

/** The lines whose price is another than what the guest saw: `[name, old, new]`. */
const repriced = (lang, problem, lines) =>
  (problem.lines ?? []).flatMap((now) => {
    const old = lines[now.line] && seen(lines[now.line]);
    if (!old || old.amountMinor === now.unitPrice.amountMinor) return [];
    return [[now.name, money(lang, old), money(lang, now.unitPrice)]];
  });

export const ja = {
  IDEMPOTENCY_IN_PROGRESS: "ご注文を確認しています。このままお待ちください",
  COOLDOWN_ACTIVE: "送信が早すぎます。少しお待ちください",
  POSSIBLE_DUPLICATE: ({ seconds }) => `同じご注文が${ago("ja", seconds)}に入っています。もう一度注文しますか？`,
  UNKNOWN: "通信が不安定です。ご注文が届いたか確認中です。もう一度押しても二重にはなりません",
  SOLD_OUT: ({ problem }) => each(problem.shortages, ({ name, left }) => (left > 0 ? `${name}は残り${left}点です` : `${name}は売り切れました`)),
  ITEM_UNAVAILABLE: ({ problem }) => together(problem.items, "、", (names) => `${names}はただいまご注文いただけません`),
  PRICE_CHANGED: ({ problem, lines }) =>
    repriced("ja", problem, lines).map(([item, old, now]) => `${item}の価格が${old}から${now}に変わりました`).join("\n") ||
    "価格が変わりました。合計をご確認ください",
  SESSION_CLOSED: "お会計が済んでいます。スタッフにお声がけください",
  ORDERING_PAUSED: "ラストオーダーは終了しました",
  WITHDRAWN: "ご注文を取りやめました",
  POS_REJECTED: "ご注文をお受けできませんでした。スタッフにお声がけください",
  POS_UNAVAILABLE: "ご注文をお受けできませんでした。スタッフにお声がけください",
  IDEMPOTENCY_KEY_REUSED: "ご注文を送信できませんでした。もう一度お試しください",
  CHECKOUT_ALREADY_PLACED: "このカートのご注文はすでに承っています",
  UNAUTHENTICATED: "テーブルを確認できません。QRコードをもう一度読み取ってください",
  BAD_USER_INPUT: "この内容ではご注文いただけません",
  CART_EMPTY: "カートに商品がありません",
  CART_CHANGED: "カートの内容が変わりました。ご確認のうえ、もう一度ご注文ください",
  ORDER_UNSETTLED: "前のご注文を確認しています。このままお待ちください",
  OTHER_TAB: "別の画面でご注文を確認しています。このままお待ちください",
  CONFIRMATION_TOO_OLD: "時間が経ちました。内容をご確認のうえ、もう一度ご注文ください",
  NO_QUESTION: "ご確認はすでに済んでいます",
  NOTHING_TO_WITHDRAW: "取りやめるご注文はありません",
  ABORTED: "ご注文は送信されていません",
  NO_WEBASSEMBLY: "このブラウザではご注文いただけません。スタッフにお声がけください",
  OTHER: "ご注文をお受けできませんでした。スタッフにお声がけください",
};

export const en = {
  IDEMPOTENCY_IN_PROGRESS: "Checking your order. Please wait.",
  COOLDOWN_ACTIVE: "That was very quick. Please wait a moment.",
  POSSIBLE_DUPLICATE: ({ seconds }) => `The same order came in ${ago("en", seconds)}. Order it again?`,
  UNKNOWN: "The connection is unstable. We are checking whether your order arrived. Pressing again will not order twice.",
  SOLD_OUT: ({ problem }) => each(problem.shortages, ({ name, left }) => (left > 0 ? `Only ${left} left of ${name}.` : `${name} is sold out.`)),
  ITEM_UNAVAILABLE: ({ problem }) => together(problem.items, ", ", (names) => `Not available right now: ${names}.`),
  PRICE_CHANGED: ({ problem, lines }) =>
    repriced("en", problem, lines).map(([item, old, now]) => `The price of ${item} changed from ${old} to ${now}.`).join("\n") ||
    "A price has changed. Please check the total.",
  SESSION_CLOSED: "This table has been paid. Please ask our staff.",
  ORDERING_PAUSED: "Last orders have been taken.",
  WITHDRAWN: "The order was withdrawn.",
  POS_REJECTED: "We could not take this order. Please ask our staff.",
  POS_UNAVAILABLE: "We could not take this order. Please ask our staff.",
  IDEMPOTENCY_KEY_REUSED: "The order could not be sent. Please try again.",
  CHECKOUT_ALREADY_PLACED: "This cart has been ordered already.",
  UNAUTHENTICATED: "We could not find your table. Please scan the QR code again.",
  BAD_USER_INPUT: "This can not be ordered as it is.",
  CART_EMPTY: "Your cart is empty.",
  CART_CHANGED: "Your cart has changed. Please check it and order again.",
  ORDER_UNSETTLED: "We are still checking your last order. Please wait.",
  OTHER_TAB: "Your order is being checked in another window. Please wait.",
  CONFIRMATION_TOO_OLD: "Some time has passed. Please check your order and confirm it again.",
  NO_QUESTION: "This has been answered already.",
  NOTHING_TO_WITHDRAW: "There is no order to withdraw.",
  ABORTED: "Nothing was ordered.",
  NO_WEBASSEMBLY: "This browser can not order. Please ask our staff.",
  OTHER: "We could not take this order. Please ask our staff.",
};

export const texts = { ja, en };

/** One text of an app's, or of ours. Whatever an app's function does, the order goes on. */
function said(text, about) {
  if (typeof text !== "function") return text;
  try {
    return text(about);
  } catch (error) {
    console.error("MasterOrder: a text could not be made", error);
    return "";
  }
}

/** The text for a code; the server's own words for what is not known here. */
export function message(words, code, { problem = {}, lines = [], seconds = 0 } = {}) {
  const about = { code, problem, lines, seconds };
  return said(words[code], about) || problem.message || said(words.OTHER, about) || code;
}
