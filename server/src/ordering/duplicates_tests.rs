//! The checkout rule and the content window, row by row of the contract's table.

use super::*;
use crate::ordering::command::RawOrder;
use crate::ordering::fixtures::*;

const WINDOW_MS: i64 = 30_000;
const FIRST: u128 = 1;

fn window(command: &PlaceOrder, earlier: &[Earlier]) -> Option<Duplicate> {
    by_content(command, earlier, WINDOW_MS, NOW_MS)
}

fn asks_about(n: u128, age_ms: i64) -> Option<Duplicate> {
    Some(Duplicate::Conflict(Conflict::PossibleDuplicate {
        earlier: order_id(n),
        age_ms,
    }))
}

fn is_again(n: u128, reason: ReplayReason) -> Option<Duplicate> {
    Some(Duplicate::Alias(order_id(n), reason))
}

fn already_placed(n: Option<u128>) -> Option<Duplicate> {
    Some(Duplicate::Conflict(Conflict::CheckoutAlreadyPlaced(n.map(order_id))))
}

/// The order `FIRST` of five seconds ago, with the same content as `one_ramen`.
fn five_seconds_ago() -> Earlier {
    placed(&by_guest(one_ramen()), order_id(FIRST), 5_000)
}

// --- the checkout rule ---

#[test]
fn a_cart_that_was_placed_is_that_order() {
    let command = by_guest(in_cart(one_ramen(), CART));
    let order = placed(&command, order_id(FIRST), 90 * 86_400_000);
    assert_eq!(by_checkout(&command, &[order]), is_again(FIRST, ReplayReason::Checkout));
}

#[test]
fn another_spelling_or_another_expected_total_is_still_that_cart() {
    let lines = [line(RAMEN, 2, &[(EGG, 1)]), line(BEER, 1, &[])];
    let first = by_guest(noting(in_cart(expecting(order(&lines), 2_540), CART), "が"));
    let [ramen, beer] = lines;
    let half = line(RAMEN, 1, &[(EGG, 1)]);
    for lines in [vec![beer.clone(), ramen], vec![half.clone(), beer, half]] {
        let again = by_guest(noting(in_cart(order(&lines), CART), "か\u{3099} "));
        let order = placed(&first, order_id(FIRST), 5_000);
        assert_eq!(by_checkout(&again, &[order]), is_again(FIRST, ReplayReason::Checkout));
    }
}

#[test]
fn other_lines_or_notes_in_a_placed_cart_are_refused_with_its_order() {
    let order = placed(&by_guest(in_cart(one_ramen(), CART)), order_id(FIRST), 5_000);
    let mut line_noted = one_ramen();
    line_noted.lines[0].note = Some("no onion".into());
    for raw in [
        order_of(2),
        noting(one_ramen(), "no onion"),
        line_noted,
        order_with_egg(),
    ] {
        let command = by_guest(in_cart(raw, CART));
        assert_eq!(
            by_checkout(&command, std::slice::from_ref(&order)),
            already_placed(Some(FIRST))
        );
    }
}

fn order_of(quantity: i64) -> RawOrder {
    order(&[line(RAMEN, quantity, &[])])
}

fn order_with_egg() -> RawOrder {
    order(&[line(RAMEN, 1, &[(EGG, 1)])])
}

#[test]
fn a_cart_placed_at_another_table_is_refused_and_its_order_kept_from_guests() {
    let there = parsed(&in_cart(one_ramen(), CART), &guest_at(OTHER_TABLE, "guest-1"));
    let order = [placed(&there, order_id(FIRST), 5_000)];
    let guests = by_guest(in_cart(one_ramen(), CART));
    assert_eq!(by_checkout(&guests, &order), already_placed(None));
    for principal in [staff(), integrator()] {
        let theirs = parsed(&in_cart(at_table(one_ramen()), CART), &principal);
        assert_eq!(by_checkout(&theirs, &order), already_placed(Some(FIRST)));
    }
}

/// The hash of the content names the table session, but nothing rests on that alone.
#[test]
fn equal_hashes_of_another_table_session_are_not_the_same_cart() {
    let command = by_guest(in_cart(one_ramen(), CART));
    let there = Earlier {
        table_session: OTHER_TABLE,
        ..placed(&command, order_id(FIRST), 5_000)
    };
    assert_eq!(by_checkout(&command, &[there]), already_placed(None));
}

#[test]
fn a_cart_counts_as_placed_whatever_became_of_the_order_and_whoever_sends_it() {
    let first = by_guest(in_cart(one_ramen(), CART));
    for standing in [Standing::Pending, Standing::Placed, Standing::Cancelled] {
        let order = [Earlier {
            standing,
            ..placed(&first, order_id(FIRST), 5_000)
        }];
        assert_eq!(by_checkout(&first, &order), is_again(FIRST, ReplayReason::Checkout));
        let other_phone = parsed(&in_cart(one_ramen(), CART), &guest_at(TABLE, "guest-2"));
        assert_eq!(
            by_checkout(&other_phone, &order),
            is_again(FIRST, ReplayReason::Checkout)
        );
        let changed = by_guest(in_cart(order_of(2), CART));
        assert_eq!(by_checkout(&changed, &order), already_placed(Some(FIRST)));
    }
}

#[test]
fn the_checkout_rule_never_crosses_accounts() {
    let command = by_guest(in_cart(one_ramen(), CART));
    let foreign = Earlier {
        tenant: OTHER_TENANT,
        ..placed(&command, order_id(FIRST), 5_000)
    };
    assert_eq!(by_checkout(&command, std::slice::from_ref(&foreign)), None);
    // nor does the other account's order hide the own one
    let own = placed(&command, order_id(2), 5_000);
    assert_eq!(
        by_checkout(&command, &[foreign, own]),
        is_again(2, ReplayReason::Checkout)
    );
}

#[test]
fn without_a_cart_or_with_another_one_the_checkout_rule_says_nothing() {
    let in_first_cart = [placed(&by_guest(in_cart(one_ramen(), CART)), order_id(FIRST), 5_000)];
    assert_eq!(by_checkout(&by_guest(one_ramen()), &in_first_cart), None);
    assert_eq!(
        by_checkout(&by_guest(in_cart(one_ramen(), OTHER_CART)), &in_first_cart),
        None
    );
    // two absent carts are not one cart
    assert_eq!(by_checkout(&by_guest(one_ramen()), &[five_seconds_ago()]), None);
    assert_eq!(
        by_checkout(&by_guest(in_cart(one_ramen(), CART)), &[five_seconds_ago()]),
        None
    );
}

#[test]
fn confirming_a_duplicate_does_not_open_a_placed_cart_again() {
    let command = by_guest(confirming(in_cart(one_ramen(), CART), order_id(FIRST)));
    let order = placed(&command, order_id(FIRST), 5_000);
    assert_eq!(by_checkout(&command, &[order]), is_again(FIRST, ReplayReason::Checkout));
}

// --- the content window: the table of the contract ---

#[test]
fn every_row_of_the_content_window_table_holds() {
    use Standing::{Pending, Placed};
    let (same, other) = ("guest-1", "guest-2");
    let asks = || asks_about(FIRST, 5_000);
    let again = || is_again(FIRST, ReplayReason::Payload);
    let pending = || Some(Duplicate::Conflict(Conflict::DuplicatePayload));
    let absent = [(None, None), (Some(CART), None), (None, Some(CART))];
    let both = [(Some(CART), Some(OTHER_CART))];
    type Carts<'a> = &'a [(Option<CheckoutId>, Option<CheckoutId>)];
    // carts (earlier, now), device, standing, note now (the earlier order says "hot"), answer
    let rows: [(Carts<'_>, &str, Standing, &str, Option<Duplicate>); 16] = [
        (&both, same, Placed, "hot", asks()),
        (&both, same, Placed, "mild", asks()),
        (&both, same, Pending, "hot", asks()),
        (&both, same, Pending, "mild", asks()),
        (&both, other, Placed, "hot", asks()),
        (&both, other, Placed, "mild", asks()),
        (&both, other, Pending, "hot", asks()),
        (&both, other, Pending, "mild", asks()),
        (&absent, same, Placed, "hot", again()),
        (&absent, same, Placed, "mild", asks()),
        (&absent, same, Pending, "hot", pending()),
        (&absent, same, Pending, "mild", pending()),
        (&absent, other, Placed, "hot", asks()),
        (&absent, other, Placed, "mild", asks()),
        (&absent, other, Pending, "hot", asks()),
        (&absent, other, Pending, "mild", asks()),
    ];
    for (carts, device, standing, note, answer) in rows {
        for (then, now) in carts {
            let earlier = [Earlier {
                checkout: *then,
                standing,
                ..placed(&by_guest(noting(one_ramen(), "hot")), order_id(FIRST), 5_000)
            }];
            let mut command = parsed(&noting(one_ramen(), note), &guest_at(TABLE, device));
            command.checkout = *now;
            assert_eq!(
                window(&command, &earlier),
                answer,
                "{then:?} {now:?} {device} {standing:?} {note}"
            );
        }
    }
}

#[test]
fn a_note_of_a_line_counts_like_the_note_of_the_order() {
    let mut raw = one_ramen();
    raw.lines[0].note = Some("no onion".into());
    assert_eq!(window(&by_guest(raw), &[five_seconds_ago()]), asks_about(FIRST, 5_000));
}

#[test]
fn a_cancelled_order_is_no_duplicate_and_does_not_hide_an_older_one() {
    let cancelled = Earlier {
        standing: Standing::Cancelled,
        ..placed(&by_guest(one_ramen()), order_id(2), 1_000)
    };
    let command = by_guest(one_ramen());
    assert_eq!(window(&command, std::slice::from_ref(&cancelled)), None);
    assert_eq!(
        window(&command, &[cancelled, five_seconds_ago()]),
        is_again(FIRST, ReplayReason::Payload)
    );
}

#[test]
fn exactly_at_the_edge_is_outside_the_window() {
    let command = by_guest(one_ramen());
    let aged = |age_ms| [placed(&command, order_id(FIRST), age_ms)];
    assert_eq!(window(&command, &aged(WINDOW_MS + 1)), None);
    assert_eq!(window(&command, &aged(WINDOW_MS)), None);
    assert_eq!(
        window(&command, &aged(WINDOW_MS - 1)),
        is_again(FIRST, ReplayReason::Payload)
    );
    assert_eq!(window(&command, &aged(0)), is_again(FIRST, ReplayReason::Payload));
}

#[test]
fn the_age_is_counted_to_the_millisecond_and_never_negative() {
    let other_phone = parsed(&one_ramen(), &guest_at(TABLE, "guest-2"));
    let aged = |age_ms| [placed(&by_guest(one_ramen()), order_id(FIRST), age_ms)];
    assert_eq!(window(&other_phone, &aged(29_999)), asks_about(FIRST, 29_999));
    assert_eq!(window(&other_phone, &aged(0)), asks_about(FIRST, 0));
    // another node's clock is ahead
    assert_eq!(window(&other_phone, &aged(-200)), asks_about(FIRST, 0));
}

#[test]
fn a_window_of_0_is_off_even_when_another_clock_is_ahead() {
    let command = by_guest(one_ramen());
    for age_ms in [1, 0, -1, -200] {
        let earlier = [placed(&command, order_id(FIRST), age_ms)];
        assert_eq!(by_content(&command, &earlier, 0, NOW_MS), None, "{age_ms}");
    }
}

#[test]
fn another_table_session_or_other_content_is_no_duplicate() {
    let there = parsed(&one_ramen(), &guest_at(OTHER_TABLE, "guest-1"));
    assert_eq!(
        window(&by_guest(one_ramen()), &[placed(&there, order_id(FIRST), 5_000)]),
        None
    );
    let same_hash = Earlier {
        table_session: OTHER_TABLE,
        ..five_seconds_ago()
    };
    assert_eq!(window(&by_guest(one_ramen()), &[same_hash]), None);
    for raw in [order_of(2), order_with_egg(), order(&[line(RICE, 1, &[])])] {
        assert_eq!(window(&by_guest(raw), &[five_seconds_ago()]), None);
    }
    assert_eq!(window(&by_guest(one_ramen()), &[]), None);
}

#[test]
fn the_newest_of_several_equal_orders_is_the_one_in_question() {
    let command = by_guest(one_ramen());
    let other_phone = parsed(&one_ramen(), &guest_at(TABLE, "guest-2"));
    let own = placed(&command, order_id(FIRST), 5_000);
    let theirs = placed(&other_phone, order_id(2), 1_000);
    for earlier in [[own.clone(), theirs.clone()], [theirs, own]] {
        assert_eq!(window(&command, &earlier), asks_about(2, 1_000));
        assert_eq!(window(&other_phone, &earlier), is_again(2, ReplayReason::Payload));
    }
    // of two in one millisecond the younger id
    let twins = [3, 2].map(|n| placed(&command, order_id(n), 1_000));
    assert_eq!(window(&command, &twins), is_again(3, ReplayReason::Payload));
}

// --- who is exempt ---

#[test]
fn integrators_are_exempt_from_the_window() {
    let command = parsed(&at_table(one_ramen()), &integrator());
    let earlier = [placed(&command, order_id(FIRST), 5_000)];
    assert_eq!(window(&command, &earlier), None);
}

#[test]
fn staff_are_exempt_when_they_give_a_request_id_only() {
    let keyed = parsed(&at_table(one_ramen()), &staff());
    let earlier = [placed(&keyed, order_id(FIRST), 500)];
    assert_eq!(window(&keyed, &earlier), None);
    let double_click = RawOrder {
        request_id: None,
        ..at_table(one_ramen())
    };
    let unkeyed = parsed(&double_click, &staff());
    assert_eq!(window(&unkeyed, &earlier), is_again(FIRST, ReplayReason::Payload));
}

// --- confirmDuplicateOf ---

#[test]
fn a_confirmation_silences_that_order_and_every_older_one() {
    let earlier: Vec<Earlier> = [(1, 9_000), (2, 6_000), (3, 3_000)]
        .map(|(n, age_ms)| placed(&by_guest(one_ramen()), order_id(n), age_ms))
        .to_vec();
    let confirmed = |n| by_guest(confirming(one_ramen(), order_id(n)));
    assert_eq!(window(&confirmed(3), &earlier), None);
    assert_eq!(window(&confirmed(3), &earlier[..2]), is_again(2, ReplayReason::Payload));
    // whoever confirmed an older one is asked about the newer one, on the same phone too
    assert_eq!(window(&confirmed(2), &earlier), asks_about(3, 3_000));
    assert_eq!(window(&confirmed(1), &earlier), asks_about(3, 3_000));
    assert_eq!(window(&confirmed(2), &earlier[..2]), None);
}

#[test]
fn a_newer_equal_order_asks_again_whatever_its_row_in_the_table() {
    let old = placed(&by_guest(one_ramen()), order_id(FIRST), 9_000);
    for standing in [Standing::Placed, Standing::Pending] {
        for device in ["guest-1", "guest-2"] {
            for checkout in [None, Some(OTHER_CART)] {
                let newer = Earlier {
                    standing,
                    device: device.into(),
                    checkout,
                    ..placed(&by_guest(one_ramen()), order_id(2), 1_000)
                };
                let command = by_guest(confirming(in_cart(one_ramen(), CART), order_id(FIRST)));
                let earlier = [old.clone(), newer];
                assert_eq!(window(&command, &earlier), asks_about(2, 1_000));
            }
        }
    }
}

#[test]
fn a_confirmation_silences_a_twin_of_the_same_millisecond_by_id() {
    let twins = [1, 2].map(|n| placed(&by_guest(one_ramen()), order_id(n), 1_000));
    let confirmed = |n| by_guest(confirming(one_ramen(), order_id(n)));
    assert_eq!(window(&confirmed(2), &twins), None);
    assert_eq!(window(&confirmed(1), &twins), asks_about(2, 1_000));
}

#[test]
fn confirming_an_order_that_has_left_the_window_or_was_cancelled_does_no_harm() {
    let old = placed(&by_guest(one_ramen()), order_id(FIRST), WINDOW_MS + 1);
    let cancelled = Earlier {
        standing: Standing::Cancelled,
        ..five_seconds_ago()
    };
    let command = by_guest(confirming(one_ramen(), order_id(FIRST)));
    assert_eq!(window(&command, &[old]), None);
    assert_eq!(window(&command, &[cancelled]), None);
}
