//! The order of the checks, and what each of them answers. Prices and stock, slices, and properties have files of their
//! own.

use super::*;
use crate::ordering::command::{RawMoney, RawOrder};
use crate::ordering::fixtures::*;
use masterorder_protocol::ids::MenuItemId;

#[path = "decide_properties_tests.rs"]
mod properties;
#[path = "decide_slice_tests.rs"]
mod slices;
#[path = "decide_stock_tests.rs"]
mod stock;

/// Decides a single command; if placed, it becomes order 100.
fn decide_one(command: &PlaceOrder, situation: Situation) -> Ruling {
    let rulings = decide(&[command], &[order_id(100)], situation);
    assert_eq!(rulings.len(), 1);
    rulings.into_iter().next().unwrap_or_else(|| panic!("no ruling"))
}

#[track_caller]
fn draft(ruling: Ruling) -> Draft {
    match ruling {
        Ruling::Place(draft) => draft,
        other => panic!("not placed: {other:?}"),
    }
}

fn input(path: &str, message: &str) -> Ruling {
    Ruling::Input(InputError::new(path, message))
}

fn asks_about(n: u128, age_ms: i64) -> Ruling {
    Ruling::Conflict(Conflict::PossibleDuplicate {
        earlier: order_id(n),
        age_ms,
    })
}

fn closed(mut situation: Situation) -> Situation {
    situation.parties.entry(TABLE).and_modify(|p| p.open = false);
    situation
}

fn after(earlier: Earlier) -> Situation {
    Situation {
        earlier: vec![earlier],
        ..situation()
    }
}

#[test]
fn an_order_that_passes_every_check_is_placed_with_its_table_lines_and_total() {
    let raw = expecting(order(&[line(RAMEN, 2, &[(EGG, 1)]), line(BEER, 1, &[])]), 2_540);
    let draft = draft(decide_one(&by_guest(in_cart(raw, CART)), situation()));
    assert_eq!(draft.order_id, order_id(100));
    assert_eq!(draft.table, "T1");
    assert_eq!(draft.total_minor, 2_540);
    let items: Vec<_> = draft.lines.iter().map(|l| (l.item_id, l.quantity)).collect();
    assert_eq!(items, [(RAMEN, 2), (BEER, 1)]);
}

/// Everything is wrong at once; each step puts one thing right, and the next check speaks.
#[test]
fn the_checks_run_in_the_order_of_the_contract() {
    let mut raw = in_cart(
        order(&[line(NOTHING, 1, &[]), line(TSUKEMEN, 1, &[]), line(BEER, 11, &[])]),
        CART,
    );
    raw.expected_total = Some(RawMoney {
        amount_minor: 1,
        currency: "USD".into(),
    });
    raw.confirm_duplicate_of = Some(order_id(66).to_string());
    let ruled = |raw: &RawOrder, situation: &Situation| decide_one(&by_guest(raw.clone()), situation.clone());

    // the cart was placed with another note; the same content was ordered just now; the party has paid
    let cart = placed(
        &by_guest(noting(in_cart(one_ramen(), CART), "first")),
        order_id(1),
        60_000,
    );
    let twin = Earlier {
        checkout: Some(OTHER_CART),
        ..placed(&by_guest(raw.clone()), order_id(2), 5_000)
    };
    let mut situation = closed(Situation {
        earlier: vec![cart, twin],
        ..situation()
    });
    situation
        .menu_mut()
        .items
        .entry(BEER)
        .and_modify(|i| i.available = false);

    let counter = situation.counters.entry(TENANT);
    counter.and_modify(|c| {
        c.shop.takes_orders = false;
        c.shop.policy.cooldown_ms = 10_000;
        c.shop.policy.burst_ms = 10_000;
    });
    let party = situation.parties.entry(TABLE);
    party.and_modify(|p| p.last_placed_at_ms = Some(NOW_MS - 1_000));

    let already = Ruling::Conflict(Conflict::CheckoutAlreadyPlaced(Some(order_id(1))));
    assert_eq!(ruled(&raw, &situation), already);

    situation.earlier.remove(0);
    assert_eq!(ruled(&raw, &situation), Ruling::Conflict(Conflict::OrderingPaused));

    situation
        .counters
        .entry(TENANT)
        .and_modify(|c| c.shop.takes_orders = true);
    assert_eq!(ruled(&raw, &situation), Ruling::Reject(Rejection::SessionClosed));

    situation.parties.entry(TABLE).and_modify(|p| p.open = true);
    let confirm = "must be an order of this table session, as POSSIBLE_DUPLICATE named it";
    assert_eq!(ruled(&raw, &situation), input("confirmDuplicateOf", confirm));

    raw.confirm_duplicate_of = None;
    assert_eq!(ruled(&raw, &situation), asks_about(2, 5_000));

    situation.earlier[0].content_hash = vec![0];
    let cooldown = Ruling::Conflict(Conflict::Cooldown { wait_ms: 5_000 });
    assert_eq!(ruled(&raw, &situation), cooldown);

    situation.earlier.clear();
    let burst = Ruling::Conflict(Conflict::Burst { wait_ms: 9_000 });
    assert_eq!(ruled(&raw, &situation), burst);

    situation
        .parties
        .entry(TABLE)
        .and_modify(|p| p.last_placed_at_ms = None);
    let currency = "must be JPY, the shop's currency";
    assert_eq!(ruled(&raw, &situation), input("expectedTotal.currency", currency));

    raw = expecting(raw, 1);
    let unknown = "is not on the menu of this shop";
    assert_eq!(ruled(&raw, &situation), input("lines[0].menuItemId", unknown));

    raw.lines[0] = line(RICE, 1, &[]);
    let firmness = "choose exactly 1 of \"Firmness\" (麺の硬さ), not 0";
    assert_eq!(ruled(&raw, &situation), input("lines[1].toppings", firmness));

    raw.lines[1] = line(TSUKEMEN, 1, &[(HARD, 1)]);
    let Ruling::Reject(Rejection::ItemUnavailable { items }) = ruled(&raw, &situation) else {
        panic!("is available");
    };
    assert_eq!(
        items.iter().map(|i| i.subject).collect::<Vec<_>>(),
        [Subject::Item(BEER)]
    );

    situation
        .menu_mut()
        .items
        .entry(BEER)
        .and_modify(|i| i.available = true);
    assert!(matches!(
        ruled(&raw, &situation),
        Ruling::Reject(Rejection::PriceChanged { .. })
    ));

    raw = expecting(raw, 300 + 950 + 11 * 600);
    assert!(matches!(
        ruled(&raw, &situation),
        Ruling::Reject(Rejection::SoldOut { .. })
    ));

    situation.stock.insert(BEER.0, 11);
    assert_eq!(draft(ruled(&raw, &situation)).total_minor, 7_850);
}

// --- the table session ---

#[test]
fn a_closed_table_session_rejects_whatever_is_ordered() {
    let twin = placed(&by_guest(one_ramen()), order_id(1), 5_000);
    for raw in [
        one_ramen(),
        order(&[line(NOTHING, 1, &[])]),
        expecting(one_ramen(), 1),
        order(&[line(BEER, 99, &[])]),
        confirming(one_ramen(), order_id(66)),
    ] {
        let ruling = decide_one(&by_guest(raw), closed(after(twin.clone())));
        assert_eq!(ruling, Ruling::Reject(Rejection::SessionClosed));
    }
    for principal in [staff(), integrator()] {
        let command = parsed(&at_table(one_ramen()), &principal);
        let ruling = decide_one(&command, closed(situation()));
        assert_eq!(ruling, Ruling::Reject(Rejection::SessionClosed));
    }
}

#[test]
fn a_retry_of_a_placed_cart_is_never_told_closed_sold_out_or_changed() {
    let command = by_guest(in_cart(expecting(one_ramen(), 850), CART));
    let mut situation = closed(after(placed(&command, order_id(1), 3_600_000)));
    situation.stock.insert(RAMEN.0, 0);
    situation.menu_mut().items.entry(RAMEN).and_modify(|i| {
        i.price_minor = 950;
        i.archived = true;
    });
    assert_eq!(
        decide_one(&command, situation),
        Ruling::Alias(order_id(1), ReplayReason::Checkout)
    );
}

#[test]
fn a_table_session_of_another_account_or_of_nobody_is_an_input_error() {
    let nobody = TableSessionId(Uuid::from_u128(0x99));
    for session in [FOREIGN_TABLE, nobody] {
        for principal in [staff(), integrator()] {
            let raw = RawOrder {
                table_session_id: Some(session.to_string()),
                ..one_ramen()
            };
            assert_eq!(
                decide_one(&parsed(&raw, &principal), situation()),
                input("tableSessionId", "is not a table session of this shop")
            );
        }
    }
}

#[test]
fn a_closed_table_session_of_another_account_is_not_called_closed() {
    let mut situation = situation();
    situation.parties.entry(FOREIGN_TABLE).and_modify(|p| p.open = false);
    let raw = RawOrder {
        table_session_id: Some(FOREIGN_TABLE.to_string()),
        ..one_ramen()
    };
    assert_eq!(
        decide_one(&parsed(&raw, &staff()), situation),
        input("tableSessionId", "is not a table session of this shop")
    );
}

#[test]
fn an_account_without_a_shop_has_no_tables() {
    let without_shop = Situation {
        counters: HashMap::new(),
        ..situation()
    };
    assert_eq!(
        decide_one(&by_guest(one_ramen()), without_shop),
        input("tableSessionId", "is not a table session of this shop")
    );
}

// --- duplicates ---

#[test]
fn the_window_of_the_shop_is_the_window() {
    let command = by_guest(one_ramen());
    let with_window = |content_window_ms| {
        let mut situation = after(placed(&command, order_id(1), 5_000));
        situation
            .counters
            .entry(TENANT)
            .and_modify(|c| c.shop.policy.content_window_ms = content_window_ms);
        decide_one(&command, situation)
    };
    let again = Ruling::Alias(order_id(1), ReplayReason::Payload);
    assert_eq!(with_window(5_001), again);
    assert_eq!(draft(with_window(5_000)).order_id, order_id(100));
    assert_eq!(draft(with_window(0)).order_id, order_id(100));
}

#[test]
fn the_window_speaks_before_the_catalogue() {
    for raw in [
        order(&[line(NOTHING, 1, &[])]),
        order(&[line(BEER, 99, &[])]),
        expecting(one_ramen(), 1),
    ] {
        let command = by_guest(raw);
        let ruling = decide_one(&command, after(placed(&command, order_id(1), 5_000)));
        assert_eq!(ruling, Ruling::Alias(order_id(1), ReplayReason::Payload));
    }
}

#[test]
fn a_confirmation_must_name_an_order_of_this_table_session() {
    let there = parsed(&one_ramen(), &guest_at(OTHER_TABLE, "guest-1"));
    let elsewhere = placed(&there, order_id(1), 5_000);
    let message = "must be an order of this table session, as POSSIBLE_DUPLICATE named it";
    for named in [order_id(1), order_id(66)] {
        let command = by_guest(confirming(one_ramen(), named));
        assert_eq!(
            decide_one(&command, after(elsewhere.clone())),
            input("confirmDuplicateOf", message)
        );
    }
    // also of those for whom the window is off
    let integrators = parsed(&at_table(confirming(one_ramen(), order_id(1))), &integrator());
    assert_eq!(
        decide_one(&integrators, after(elsewhere)),
        input("confirmDuplicateOf", message)
    );
}

#[test]
fn a_confirmed_duplicate_is_placed_as_an_order_of_its_own() {
    let first = placed(&by_guest(in_cart(one_ramen(), OTHER_CART)), order_id(1), 5_000);
    let asked = in_cart(one_ramen(), CART);
    assert_eq!(
        decide_one(&by_guest(asked.clone()), after(first.clone())),
        asks_about(1, 5_000)
    );
    let confirmed = by_guest(confirming(asked, order_id(1)));
    assert_eq!(draft(decide_one(&confirmed, after(first))).order_id, order_id(100));
}

#[test]
fn a_confirmation_of_a_cancelled_or_long_gone_order_of_the_own_table_is_accepted() {
    let mut first = placed(&by_guest(order(&[line(BEER, 1, &[])])), order_id(1), 3_600_000);
    first.standing = Standing::Cancelled;
    let command = by_guest(confirming(one_ramen(), order_id(1)));
    assert_eq!(draft(decide_one(&command, after(first))).order_id, order_id(100));
}
