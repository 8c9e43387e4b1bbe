use super::*;
use crate::ordering::outcome::{Named, Subject};
use masterorder_protocol::ids::{MenuItemId, OrderId};
use masterorder_protocol::money::Currency;
use std::collections::HashSet;
use uuid::Uuid;

fn name() -> LocalText {
    LocalText {
        ja: "醤油ラーメン".into(),
        en: "Shoyu ramen".into(),
    }
}

fn money(amount_minor: i64, currency: &str) -> Money {
    match Currency::parse(currency) {
        Ok(currency) => Money { amount_minor, currency },
        Err(error) => panic!("{error}"),
    }
}

fn shortage(left: i64) -> Shortage {
    Shortage {
        subject: Subject::Item(MenuItemId(Uuid::nil())),
        name: name(),
        requested: 3,
        left,
    }
}

fn changed(old: i64, new: i64, lines: &[(i64, i64)]) -> Rejection {
    Rejection::PriceChanged {
        expected: money(old, "JPY"),
        actual: money(new, "JPY"),
        lines: lines
            .iter()
            .map(|(unit_price_minor, line_total_minor)| CurrentPrice {
                line: 0,
                item: MenuItemId(Uuid::nil()),
                name: name(),
                unit_price_minor: *unit_price_minor,
                line_total_minor: *line_total_minor,
            })
            .collect(),
    }
}

/// One of every kind.
fn rejections() -> Vec<Rejection> {
    vec![
        Rejection::SoldOut {
            shortages: vec![shortage(2)],
        },
        Rejection::ItemUnavailable {
            items: vec![Named {
                subject: Subject::Item(MenuItemId(Uuid::nil())),
                name: name(),
            }],
        },
        changed(850, 900, &[(900, 900)]),
        Rejection::SessionClosed,
        Rejection::Withdrawn,
    ]
}

/// One of every kind.
fn conflicts() -> Vec<Conflict> {
    vec![
        Conflict::KeyReused(vec!["note".into()]),
        Conflict::CheckoutAlreadyPlaced(None),
        Conflict::PossibleDuplicate {
            earlier: OrderId(Uuid::nil()),
            age_ms: 12_345,
        },
        Conflict::DuplicatePayload,
        Conflict::InProgress,
        Conflict::Burst { wait_ms: 1_000 },
        Conflict::Cooldown { wait_ms: 3_000 },
        Conflict::OrderingPaused,
        Conflict::SessionBusy,
    ]
}

#[test]
fn every_code_has_a_sentence_of_its_own_in_both_languages() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        let (ja, en) = (sentence(*code, Lang::Ja), sentence(*code, Lang::En));
        assert!(!ja.is_ascii() && en.is_ascii(), "{code}");
        assert!(seen.insert(ja) && seen.insert(en), "{code}");
        assert!(en.ends_with(['.', '?']), "{code}");
        assert!(!format!("{ja}{en}").contains(['{', '}']), "{code}");
    }
}

#[test]
fn every_no_has_a_message_in_both_languages() {
    let messages = |lang| {
        let rejections = rejections().into_iter().map(move |r| rejection(&r, lang));
        rejections.chain(conflicts().into_iter().map(move |c| conflict(&c, lang)))
    };
    assert!(messages(Lang::Ja).all(|m| !m.is_ascii() && !m.contains('{')));
    assert!(messages(Lang::En).all(|m| m.is_ascii() || m.contains('¥')));
}

#[test]
fn the_words_of_the_contract_are_filled_in() {
    let ja: Vec<_> = rejections().iter().map(|r| rejection(r, Lang::Ja)).collect();
    assert_eq!(ja[0], "醤油ラーメンは残り2点です");
    assert_eq!(ja[2], "醤油ラーメンの価格が850円から900円に変わりました");
    assert_eq!(ja[3], "お会計が済んでいます。スタッフにお声がけください");
    let ja: Vec<_> = conflicts().iter().map(|c| conflict(c, Lang::Ja)).collect();
    assert_eq!(ja[2], "同じご注文が12秒前に入っています。もう一度注文しますか？");
    assert_eq!(ja[4], "ご注文を確認しています。このままお待ちください");
    let en: Vec<_> = conflicts().iter().map(|c| conflict(c, Lang::En)).collect();
    assert_eq!(en[2], "The same order was placed 12 seconds ago. Order it again?");
    assert_eq!(en[4], "Checking your order. Please wait.");
}

#[test]
fn an_age_is_told_in_the_largest_unit_that_is_over() {
    let told = |seconds| (ago(seconds, Lang::Ja), ago(seconds, Lang::En));
    for (seconds, ja, en) in [
        (0, "1秒前", "1 second ago"),
        (59, "59秒前", "59 seconds ago"),
        (60, "1分前", "1 minute ago"),
        (3_599, "59分前", "59 minutes ago"),
        (7_200, "2時間前", "2 hours ago"),
    ] {
        assert_eq!(told(seconds), (ja.to_owned(), en.to_owned()));
    }
}

#[test]
fn several_shortages_are_told_one_after_the_other() {
    let short = Rejection::SoldOut {
        shortages: vec![shortage(2), shortage(0)],
    };
    assert_eq!(
        rejection(&short, Lang::Ja),
        "醤油ラーメンは残り2点です。醤油ラーメンは売り切れました"
    );
    assert_eq!(
        rejection(&short, Lang::En),
        "Only 2 of Shoyu ramen left. Shoyu ramen is sold out."
    );
}

#[test]
fn a_price_is_named_only_where_it_is_known() {
    let en = |lines: &[(i64, i64)]| rejection(&changed(1_700, 1_800, lines), Lang::En);
    assert_eq!(
        en(&[(1_800, 1_800)]),
        "The price of Shoyu ramen has changed from ¥1,700 to ¥1,800."
    );
    assert_eq!(en(&[(900, 1_800)]), "The total has changed from ¥1,700 to ¥1,800.");
    assert_eq!(
        en(&[(900, 900), (900, 900)]),
        "The total has changed from ¥1,700 to ¥1,800."
    );
}

#[test]
fn a_duplicate_is_at_least_a_second_old() {
    let young = Conflict::PossibleDuplicate {
        earlier: OrderId(Uuid::nil()),
        age_ms: 3,
    };
    assert_eq!(
        conflict(&young, Lang::En),
        "The same order was placed 1 second ago. Order it again?"
    );
}
