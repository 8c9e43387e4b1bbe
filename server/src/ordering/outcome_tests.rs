use super::*;
use crate::ordering::receipt::{ReceiptLine, ReceiptTopping};
use masterorder_protocol::ids::TableSessionId;
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use uuid::Uuid;

fn text(ja: &str, en: &str) -> LocalText {
    LocalText {
        ja: ja.into(),
        en: en.into(),
    }
}

fn currency() -> Currency {
    Currency::parse("JPY").unwrap_or_else(|e| panic!("{e}"))
}

fn receipt() -> Receipt {
    Receipt {
        order_id: OrderId(Uuid::from_u128(1)),
        request_id: RequestId::parse("550e8400-e29b-41d4-a716-446655440000").unwrap_or_else(|e| panic!("{e}")),
        number: 4711,
        table_session_id: TableSessionId(Uuid::from_u128(2)),
        table: "T1".into(),
        placed_at_ms: 1_795_000_000_000,
        currency: currency(),
        total_minor: 970,
        note: "よろしく".into(),
        lines: vec![ReceiptLine {
            item_id: MenuItemId(Uuid::from_u128(3)),
            sku: "ramen".into(),
            name: text("ラーメン", "Ramen"),
            station: "noodle".into(),
            quantity: 1,
            unit_price_minor: 970,
            line_total_minor: 970,
            tax_rate_bp: 1000,
            note: String::new(),
            taken: 1,
            toppings: vec![ReceiptTopping {
                topping_id: ToppingId(Uuid::from_u128(4)),
                name: text("味玉", "Egg"),
                quantity: 1,
                unit_price_minor: 120,
                taken: 1,
            }],
        }],
    }
}

/// Rows with these texts are in databases, and must be read for as long as they are kept: never edit them; a new field gets a
/// default.
#[test]
fn stored_outcomes_stay_readable() {
    let receipt_json = r#"{"orderId":"00000000-0000-0000-0000-000000000001","requestId":"550e8400-e29b-41d4-a716-446655440000","number":4711,"tableSessionId":"00000000-0000-0000-0000-000000000002","table":"T1","placedAtMs":1795000000000,"currency":"JPY","totalMinor":970,"note":"よろしく","lines":[{"itemId":"00000000-0000-0000-0000-000000000003","sku":"ramen","name":{"ja":"ラーメン","en":"Ramen"},"station":"noodle","quantity":1,"unitPriceMinor":970,"lineTotalMinor":970,"taxRateBp":1000,"note":"","taken":1,"toppings":[{"toppingId":"00000000-0000-0000-0000-000000000004","name":{"ja":"味玉","en":"Egg"},"quantity":1,"unitPriceMinor":120,"taken":1}]}]}"#;
    let named = Named {
        subject: Subject::Topping(ToppingId(Uuid::from_u128(4))),
        name: text("味玉", "Egg"),
    };
    let money = |amount_minor| Money {
        amount_minor,
        currency: currency(),
    };
    let rejections = [
        (
            Rejection::SoldOut {
                shortages: vec![Shortage {
                    subject: Subject::Item(MenuItemId(Uuid::from_u128(3))),
                    name: text("ラーメン", "Ramen"),
                    requested: 3,
                    left: 1,
                }],
            },
            r#"{"code":"SOLD_OUT","shortages":[{"subject":{"kind":"ITEM","id":"00000000-0000-0000-0000-000000000003"},"name":{"ja":"ラーメン","en":"Ramen"},"requested":3,"left":1}]}"#,
        ),
        (
            Rejection::ItemUnavailable { items: vec![named] },
            r#"{"code":"ITEM_UNAVAILABLE","items":[{"subject":{"kind":"TOPPING","id":"00000000-0000-0000-0000-000000000004"},"name":{"ja":"味玉","en":"Egg"}}]}"#,
        ),
        (
            Rejection::PriceChanged {
                expected: money(850),
                actual: money(950),
                lines: vec![CurrentPrice {
                    line: 0,
                    item: MenuItemId(Uuid::from_u128(3)),
                    name: text("ラーメン", "Ramen"),
                    unit_price_minor: 950,
                    line_total_minor: 950,
                }],
            },
            r#"{"code":"PRICE_CHANGED","expected":{"amountMinor":850,"currency":"JPY"},"actual":{"amountMinor":950,"currency":"JPY"},"lines":[{"line":0,"item":"00000000-0000-0000-0000-000000000003","name":{"ja":"ラーメン","en":"Ramen"},"unitPriceMinor":950,"lineTotalMinor":950}]}"#,
        ),
        (Rejection::SessionClosed, r#"{"code":"SESSION_CLOSED"}"#),
        (Rejection::Withdrawn, r#"{"code":"WITHDRAWN"}"#),
    ];
    let mut stored = vec![
        (
            Outcome::Placed { receipt: receipt() },
            format!(r#"{{"kind":"placed","receipt":{receipt_json}}}"#),
        ),
        (
            Outcome::Alias {
                receipt: receipt(),
                reason: ReplayReason::Payload,
            },
            format!(r#"{{"kind":"alias","receipt":{receipt_json},"reason":"PAYLOAD"}}"#),
        ),
    ];
    stored.extend(rejections.map(|(rejection, json)| {
        (
            Outcome::Rejected { rejection },
            format!(r#"{{"kind":"rejected","rejection":{json}}}"#),
        )
    }));
    for (outcome, json) in stored {
        assert_eq!(serde_json::to_string(&outcome).ok().as_ref(), Some(&json));
        assert_eq!(serde_json::from_str::<Outcome>(&json).ok(), Some(outcome));
    }
}

#[test]
fn an_alias_keeps_its_reason_in_the_first_answer_and_is_a_replay_by_key_afterwards() {
    let alias = Outcome::Alias {
        receipt: receipt(),
        reason: ReplayReason::Checkout,
    };
    let replay = |verdict| match verdict {
        Verdict::Placed { replay, .. } => replay,
        _ => None,
    };
    assert_eq!(replay(alias.clone().first(None)), Some(ReplayReason::Checkout));
    assert_eq!(replay(alias.replayed()), Some(ReplayReason::Key));
    let placed = Outcome::Placed { receipt: receipt() };
    assert_eq!(replay(placed.clone().first(None)), None);
    assert_eq!(replay(placed.replayed()), Some(ReplayReason::Key));
}

#[test]
fn a_conflict_that_waiting_helps_says_how_long() {
    let conflicts = [
        Conflict::KeyReused(Vec::new()),
        Conflict::CheckoutAlreadyPlaced(None),
        Conflict::PossibleDuplicate {
            earlier: OrderId(Uuid::from_u128(1)),
            age_ms: 1,
        },
        Conflict::DuplicatePayload,
        Conflict::InProgress,
        Conflict::Burst { wait_ms: 1 },
        Conflict::Cooldown { wait_ms: 1 },
        Conflict::OrderingPaused,
        Conflict::SessionBusy,
    ];
    for conflict in conflicts {
        assert_eq!(
            conflict.code().retryable(),
            conflict.retry_after_ms().is_some(),
            "{conflict:?}"
        );
    }
}

#[test]
fn the_ledger_and_the_audit_know_every_outcome_by_its_word() {
    let placed = Outcome::Placed { receipt: receipt() };
    let alias = |reason| Outcome::Alias {
        receipt: receipt(),
        reason,
    };
    let rejected = Outcome::Rejected {
        rejection: Rejection::SessionClosed,
    };
    let order = Some(OrderId(Uuid::from_u128(1)));
    for (outcome, kind, order, first) in [
        (placed.clone(), "PLACED", order, "PLACED"),
        (alias(ReplayReason::Payload), "ALIAS", order, "REPLAYED_PAYLOAD"),
        (alias(ReplayReason::Checkout), "ALIAS", order, "REPLAYED_CHECKOUT"),
        (rejected, "REJECTED", None, "SESSION_CLOSED"),
    ] {
        assert_eq!((outcome.kind(), outcome.order()), (kind, order));
        assert_eq!(outcome.first(None).word(), first);
    }
    assert_eq!(placed.replayed().word(), "REPLAYED_KEY");
    assert_eq!(Verdict::Conflict(Conflict::SessionBusy).word(), "SESSION_BUSY");
}
