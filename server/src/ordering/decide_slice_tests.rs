//! A slice: earlier members count as placed for later ones, and members that are not placed count for nothing.

use super::*;
use masterorder_protocol::ids::CheckoutId;

/// Decides commands as one slice; command `i` becomes order `100 + i` if placed.
fn decide_all(commands: &[PlaceOrder], situation: Situation) -> Vec<Ruling> {
    let ids: Vec<OrderId> = (100..).take(commands.len()).map(order_id).collect();
    decide(&commands.iter().collect::<Vec<_>>(), &ids, situation)
}

fn beers(quantity: i64, table: TableSessionId, cart: CheckoutId) -> PlaceOrder {
    parsed(
        &in_cart(order(&[line(BEER, quantity, &[])]), cart),
        &guest_at(table, "guest-1"),
    )
}

fn is_placed(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::Place(_))
}

#[test]
fn members_of_a_slice_share_the_stock() {
    let rulings = decide_all(&[beers(6, TABLE, CART), beers(6, OTHER_TABLE, OTHER_CART)], situation());
    assert!(is_placed(&rulings[0]));
    let Ruling::Reject(Rejection::SoldOut { shortages }) = &rulings[1] else {
        panic!("oversold: {rulings:?}");
    };
    assert_eq!((shortages[0].requested, shortages[0].left), (6, 4));
}

#[test]
fn members_of_a_slice_meet_the_gates_of_those_before_them() {
    let mut gated = situation();
    gated.counters.entry(TENANT).and_modify(|c| {
        c.shop.policy.cooldown_ms = 3_000;
        c.shop.policy.burst_ms = 1_000;
    });
    let of = |device| {
        parsed(
            &in_cart(order(&[line(RICE, 1, &[])]), OTHER_CART),
            &guest_at(TABLE, device),
        )
    };
    let other_phone = PlaceOrder {
        checkout: None,
        ..of("guest-2")
    };
    let rulings = decide_all(&[beers(1, TABLE, CART), of("guest-1"), other_phone], gated);
    assert!(is_placed(&rulings[0]));
    assert_eq!(rulings[1], Ruling::Conflict(Conflict::Cooldown { wait_ms: 3_000 }));
    assert_eq!(rulings[2], Ruling::Conflict(Conflict::Burst { wait_ms: 1_000 }));
}

#[test]
fn a_member_that_is_not_placed_takes_nothing() {
    let unplaced = [
        beers(11, TABLE, CART),
        by_guest(expecting(order(&[line(BEER, 6, &[])]), 1)),
        by_guest(order(&[line(BEER, 6, &[]), line(NOTHING, 1, &[])])),
    ];
    for command in unplaced {
        let rulings = decide_all(&[command, beers(10, OTHER_TABLE, OTHER_CART)], situation());
        assert!(!is_placed(&rulings[0]));
        assert!(is_placed(&rulings[1]));
    }
}

#[test]
fn each_member_keeps_the_id_of_its_position() {
    let rulings = decide_all(
        &[
            beers(11, TABLE, CART),
            beers(2, TABLE, CART),
            beers(3, OTHER_TABLE, OTHER_CART),
        ],
        situation(),
    );
    let ids: Vec<_> = rulings
        .into_iter()
        .filter_map(|r| match r {
            Ruling::Place(draft) => Some(draft.order_id),
            _ => None,
        })
        .collect();
    assert_eq!(ids, [order_id(101), order_id(102)]);
}

#[test]
fn a_cart_twice_in_one_slice_is_one_order() {
    let rulings = decide_all(
        &[beers(6, TABLE, CART), beers(6, TABLE, CART), beers(5, TABLE, CART)],
        situation(),
    );
    assert!(is_placed(&rulings[0]));
    assert_eq!(rulings[1], Ruling::Alias(order_id(100), ReplayReason::Checkout));
    assert_eq!(
        rulings[2],
        Ruling::Conflict(Conflict::CheckoutAlreadyPlaced(Some(order_id(100))))
    );
}

#[test]
fn equal_content_twice_in_one_slice_is_found_by_the_window() {
    let no_cart = by_guest(one_ramen());
    let other_phone = parsed(&one_ramen(), &guest_at(TABLE, "guest-2"));
    let rulings = decide_all(&[no_cart.clone(), no_cart, other_phone], situation());
    assert!(is_placed(&rulings[0]));
    assert_eq!(rulings[1], Ruling::Alias(order_id(100), ReplayReason::Payload));
    assert_eq!(rulings[2], asks_about(100, 0));
}

#[test]
fn members_of_different_accounts_do_not_meet() {
    let mut situation = situation();
    let mut counter = situation.counters[&TENANT].clone();
    counter.shop.tenant = OTHER_TENANT;
    situation.counters.insert(OTHER_TENANT, counter);
    let foreign = crate::principal::Principal {
        tenant: OTHER_TENANT,
        ..guest_at(FOREIGN_TABLE, "guest-1")
    };
    let rice = in_cart(order(&[line(RICE, 1, &[])]), CART);
    let rulings = decide_all(&[by_guest(rice.clone()), parsed(&rice, &foreign)], situation);
    assert!(rulings.iter().all(is_placed), "{rulings:?}");
}

#[test]
fn an_empty_slice_decides_nothing() {
    assert_eq!(decide_all(&[], situation()), []);
}
