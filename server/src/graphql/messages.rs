//! What people read, in their language, keyed by code. Rendered at the last moment and never stored, so that a replay
//! speaks the language of whoever asks again.

use super::amount;
use crate::lang::{Lang, LocalText};
use crate::ordering::outcome::{Conflict, CurrentPrice, Rejection, Shortage};
use masterorder_protocol::codes::Code;
use masterorder_protocol::money::Money;

/// The sentence of a code by itself.
pub fn sentence(code: Code, lang: Lang) -> &'static str {
    let (ja, en) = match code {
        Code::SoldOut => ("売り切れの商品があります", "Something in your order is sold out."),
        Code::ItemUnavailable => (
            "ただいまご注文いただけない商品があります",
            "Something in your order is not available right now.",
        ),
        Code::PriceChanged => ("価格が変わりました", "A price has changed."),
        Code::SessionClosed => (
            "お会計が済んでいます。スタッフにお声がけください",
            "This table has already paid. Please speak to our staff.",
        ),
        Code::Withdrawn => ("このご注文は取り下げられました", "This order was withdrawn."),
        Code::IdempotencyKeyReused => (
            "ご注文をお受けできませんでした。もう一度カートからご注文ください",
            "We could not take this order. Please order again from your cart.",
        ),
        Code::CheckoutAlreadyPlaced => (
            "このカートのご注文はすでに承っています。追加は新しくご注文ください",
            "This cart has already been ordered. Please start a new order for anything else.",
        ),
        Code::PossibleDuplicate => (
            "同じご注文が入っています。もう一度注文しますか？",
            "The same order was placed just now. Order it again?",
        ),
        Code::IdempotencyInProgress => (
            "ご注文を確認しています。このままお待ちください",
            "Checking your order. Please wait.",
        ),
        Code::DuplicatePayload => (
            "同じご注文を確認しています。このままお待ちください",
            "Checking the same order of yours. Please wait.",
        ),
        Code::SessionOrderInProgress => (
            "同じテーブルのご注文が入ったばかりです。少しお待ちください",
            "Your table has ordered just now. Please wait a moment.",
        ),
        Code::CooldownActive => (
            "送信が早すぎます。少しお待ちください",
            "That was very quick. Please wait a moment.",
        ),
        Code::OrderingPaused => ("ラストオーダーは終了しました", "Last orders have been taken."),
        Code::SessionBusy => (
            "同じテーブルのご注文を処理しています。少しお待ちください",
            "Another order of your table is on its way. Please wait a moment.",
        ),
        Code::BadUserInput => ("ご注文の内容をご確認ください", "Please check your request."),
        Code::RateLimited => (
            "操作の回数が多すぎます。しばらくしてからもう一度お試しください",
            "Too many attempts. Please try again later.",
        ),
        Code::Unauthenticated => (
            "テーブルの確認ができませんでした。もう一度QRコードを読み取ってください",
            "We could not recognise your table. Please scan the QR code again.",
        ),
        Code::Forbidden => ("この操作は許可されていません", "You are not allowed to do this."),
        Code::NotFound => ("見つかりませんでした", "We could not find it."),
        Code::Unavailable => (
            "ただいま混み合っています。少し待ってからもう一度お試しください",
            "We are very busy right now. Please try again in a moment.",
        ),
        Code::Internal => (
            "エラーが発生しました。もう一度お試しください",
            "Something went wrong. Please try again.",
        ),
    };
    pick(lang, ja, en)
}

/// The message of a stored "no", with what a person needs to go on.
pub fn rejection(rejection: &Rejection, lang: Lang) -> String {
    let details = match rejection {
        Rejection::SoldOut { shortages } => join(shortages.iter().map(|s| sold_out(s, lang)), lang),
        Rejection::ItemUnavailable { items } => join(items.iter().map(|i| unavailable(&i.name, lang)), lang),
        Rejection::PriceChanged {
            expected,
            actual,
            lines,
        } => price_changed(*expected, *actual, lines, lang),
        Rejection::SessionClosed | Rejection::Withdrawn => String::new(),
    };
    if details.is_empty() {
        sentence(rejection.code(), lang).to_owned()
    } else {
        details
    }
}

/// The message of a "not now" or "not like this".
pub fn conflict(conflict: &Conflict, lang: Lang) -> String {
    match conflict {
        Conflict::PossibleDuplicate { age_ms, .. } => {
            let ago = ago(age_ms / 1_000, lang);
            match lang {
                Lang::Ja => format!("同じご注文が{ago}に入っています。もう一度注文しますか？"),
                Lang::En => format!("The same order was placed {ago}. Order it again?"),
            }
        }
        Conflict::KeyReused(_)
        | Conflict::CheckoutAlreadyPlaced(_)
        | Conflict::DuplicatePayload
        | Conflict::InProgress
        | Conflict::Burst { .. }
        | Conflict::Cooldown { .. }
        | Conflict::OrderingPaused
        | Conflict::SessionBusy => sentence(conflict.code(), lang).to_owned(),
    }
}

/// How long ago something was, in the largest unit that is over.
fn ago(seconds: i64, lang: Lang) -> String {
    // "0 seconds ago" would read like a mistake
    let seconds = seconds.max(1);
    let (n, ja, en) = match seconds {
        ..60 => (seconds, "秒", "second"),
        60..3_600 => (seconds / 60, "分", "minute"),
        _ => (seconds / 3_600, "時間", "hour"),
    };
    match lang {
        Lang::Ja => format!("{n}{ja}前"),
        Lang::En => format!("{n} {en}{} ago", if n == 1 { "" } else { "s" }),
    }
}

fn sold_out(shortage: &Shortage, lang: Lang) -> String {
    let (item, n) = (shortage.name.get(lang), shortage.left);
    match (lang, n) {
        (Lang::Ja, ..=0) => format!("{item}は売り切れました"),
        (Lang::Ja, _) => format!("{item}は残り{n}点です"),
        (Lang::En, ..=0) => format!("{item} is sold out."),
        (Lang::En, _) => format!("Only {n} of {item} left."),
    }
}

fn unavailable(name: &LocalText, lang: Lang) -> String {
    let item = name.get(lang);
    match lang {
        Lang::Ja => format!("{item}はただいまご注文いただけません"),
        Lang::En => format!("{item} is not available right now."),
    }
}

/// Names the item when there is only one piece of one: then its price is what the guest saw. Otherwise it is not known
/// which price was another, only the sum.
fn price_changed(expected: Money, actual: Money, lines: &[CurrentPrice], lang: Lang) -> String {
    let (old, new) = (amount::write(expected, lang), amount::write(actual, lang));
    match (lines, lang) {
        ([line], Lang::Ja) if line.unit_price_minor == line.line_total_minor => {
            format!("{}の価格が{old}から{new}に変わりました", line.name.ja)
        }
        ([line], Lang::En) if line.unit_price_minor == line.line_total_minor => {
            format!("The price of {} has changed from {old} to {new}.", line.name.en)
        }
        (_, Lang::Ja) => format!("合計金額が{old}から{new}に変わりました"),
        (_, Lang::En) => format!("The total has changed from {old} to {new}."),
    }
}

fn join(sentences: impl Iterator<Item = String>, lang: Lang) -> String {
    sentences.collect::<Vec<_>>().join(pick(lang, "。", " "))
}

fn pick(lang: Lang, ja: &'static str, en: &'static str) -> &'static str {
    match lang {
        Lang::Ja => ja,
        Lang::En => en,
    }
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
