//! Who must send what, and how an id, an amount or a quantity may look. Notes and the fingerprint have files of their own.

use super::*;
use crate::ordering::fixtures::*;

#[path = "command_fingerprint_tests.rs"]
mod fingerprint_tests;
#[path = "command_notes_tests.rs"]
mod notes_tests;

/// Path and message of what must be refused.
fn refused(raw: &RawOrder, principal: &Principal) -> (String, String) {
    match parse(raw, principal, minted()) {
        Err(error) => (error.path, error.message),
        Ok(_) => panic!("accepted"),
    }
}

/// The path alone.
fn refused_at(raw: &RawOrder) -> String {
    refused(raw, &guest()).0
}

const NOT_AN_ID: &str = "must be a UUID like 0190a5d2-7c3e-7b1a-8f00-3c9a1e5c8f10";

// --- requestId and the content window ---

#[test]
fn a_guest_must_send_a_request_id_and_the_window_applies() {
    let command = by_guest(one_ramen());
    assert_eq!(command.request.to_string(), REQUEST);
    assert!(command.window_applies);
    assert_eq!(command.attempt, minted().attempt);
    let without = RawOrder {
        request_id: None,
        ..one_ramen()
    };
    assert_eq!(
        refused(&without, &guest()),
        (
            "requestId".into(),
            "is required: a UUID v4, made once per cart view and kept over retries".into()
        )
    );
}

#[test]
fn an_integrator_must_send_a_request_id_and_the_window_is_off() {
    let command = parsed(&at_table(one_ramen()), &integrator());
    assert_eq!(command.request.to_string(), REQUEST);
    assert!(!command.window_applies);
    let without = RawOrder {
        request_id: None,
        ..at_table(one_ramen())
    };
    assert_eq!(refused(&without, &integrator()).0, "requestId");
}

#[test]
fn staff_with_a_request_id_keep_it_and_the_window_is_off() {
    let command = parsed(&at_table(one_ramen()), &staff());
    assert_eq!(command.request.to_string(), REQUEST);
    assert!(!command.window_applies);
}

#[test]
fn staff_without_a_request_id_get_a_minted_one_and_the_window_applies() {
    let raw = RawOrder {
        request_id: None,
        ..at_table(one_ramen())
    };
    let command = parsed(&raw, &staff());
    assert_eq!(command.request.to_string(), MINTED);
    assert!(command.window_applies);
}

#[test]
fn a_bad_request_id_is_never_replaced_by_a_minted_one() {
    let raw = RawOrder {
        request_id: Some(String::new()),
        ..at_table(one_ramen())
    };
    assert_eq!(refused(&raw, &staff()).0, "requestId");
}

#[test]
fn only_version_4_is_a_request_id() {
    for (id, message) in [
        (
            "01890a5d-ac96-774b-bcce-b302099a8057",
            "must be a UUID of version 4, not of version 7",
        ),
        (
            "6fa459ea-ee8a-11d2-90b5-0000c04fd430",
            "must be a UUID of version 4, not of version 1",
        ),
        (
            "00000000-0000-0000-0000-000000000000",
            "must be a UUID of version 4, not of version 0",
        ),
        (
            "550e8400e29b41d4a716446655440000",
            "must be a UUID v4 like 550e8400-e29b-41d4-a716-446655440000",
        ),
        ("", "must be a UUID v4 like 550e8400-e29b-41d4-a716-446655440000"),
        (
            " 550e8400-e29b-41d4-a716-446655440000",
            "must be a UUID v4 like 550e8400-e29b-41d4-a716-446655440000",
        ),
    ] {
        let raw = RawOrder {
            request_id: Some(id.into()),
            ..one_ramen()
        };
        assert_eq!(refused(&raw, &guest()), ("requestId".into(), message.into()), "{id:?}");
    }
}

// --- tableSessionId ---

#[test]
fn a_guest_orders_for_the_own_table_session_named_or_not() {
    assert_eq!(by_guest(one_ramen()).table_session, TABLE);
    assert_eq!(by_guest(at_table(one_ramen())).table_session, TABLE);
    let shouted = RawOrder {
        table_session_id: Some(TABLE.to_string().to_uppercase()),
        ..one_ramen()
    };
    assert_eq!(by_guest(shouted).table_session, TABLE);
}

#[test]
fn a_guest_can_not_name_another_table_session() {
    let raw = RawOrder {
        table_session_id: Some(OTHER_TABLE.to_string()),
        ..one_ramen()
    };
    assert_eq!(
        refused(&raw, &guest()),
        (
            "tableSessionId".into(),
            "must be left out, or be the table session of the X-Session-Id header".into()
        )
    );
}

#[test]
fn staff_and_integrators_must_name_the_table_session() {
    for principal in [staff(), integrator()] {
        assert_eq!(
            refused(&one_ramen(), &principal),
            ("tableSessionId".into(), "is required of staff and integrators".into())
        );
        let raw = RawOrder {
            table_session_id: Some(OTHER_TABLE.to_string()),
            ..one_ramen()
        };
        assert_eq!(parsed(&raw, &principal).table_session, OTHER_TABLE);
    }
}

// --- ids ---

#[test]
fn every_bad_id_is_refused_at_its_path() {
    type Spoil = fn(&mut RawOrder, &str);
    let places: [(&str, Spoil); 5] = [
        ("tableSessionId", |r, id| r.table_session_id = Some(id.into())),
        ("checkoutId", |r, id| r.checkout_id = Some(id.into())),
        ("confirmDuplicateOf", |r, id| r.confirm_duplicate_of = Some(id.into())),
        ("lines[1].menuItemId", |r, id| r.lines[1].menu_item_id = id.into()),
        ("lines[1].toppings[2].toppingId", |r, id| {
            r.lines[1].toppings[2].topping_id = id.into();
        }),
    ];
    for id in [
        "",
        "1",
        "0190a5d27c3e7b1a8f003c9a1e5c8f10",
        "{0190a5d2-7c3e-7b1a-8f00-3c9a1e5c8f10}",
        "0190a5d2-7c3e-7b1a-8f00-3c9a1e5c8f1g",
        "ああああああああああああ",
    ] {
        for (path, spoil) in places {
            let mut raw = order(&[line(BEER, 1, &[]), line(RAMEN, 1, &[(EGG, 1), (NORI, 1), (CORN, 1)])]);
            spoil(&mut raw, id);
            assert_eq!(refused(&raw, &guest()), (path.into(), NOT_AN_ID.into()), "{id:?}");
        }
    }
}

#[test]
fn ids_in_upper_case_are_the_same_ids() {
    let lower = confirming(in_cart(order(&[line(RAMEN, 1, &[(EGG, 1)])]), CART), order_id(0xab));
    let mut upper = lower.clone();
    for id in [
        &mut upper.request_id,
        &mut upper.checkout_id,
        &mut upper.confirm_duplicate_of,
    ] {
        *id = id.as_ref().map(|id| id.to_uppercase());
    }
    upper.lines[0].menu_item_id = upper.lines[0].menu_item_id.to_uppercase();
    upper.lines[0].toppings[0].topping_id = upper.lines[0].toppings[0].topping_id.to_uppercase();
    assert_ne!(format!("{lower:?}"), format!("{upper:?}"));
    assert_eq!(by_guest(lower), by_guest(upper));
}

// --- quantities and counts ---

#[test]
fn quantities_stay_in_their_range() {
    for quantity in [i64::MIN, -1, 0, 100, i64::MAX] {
        let raw = order(&[line(BEER, 1, &[]), line(RAMEN, quantity, &[])]);
        assert_eq!(
            refused(&raw, &guest()),
            ("lines[1].quantity".into(), format!("must be 1 to 99, not {quantity}"))
        );
    }
    for quantity in [-1, 0, 10] {
        let raw = order(&[line(RAMEN, 1, &[(EGG, 1), (NORI, quantity)])]);
        assert_eq!(
            refused(&raw, &guest()),
            (
                "lines[0].toppings[1].quantity".into(),
                format!("must be 1 to 9, not {quantity}")
            )
        );
    }
    assert_eq!(by_guest(order(&[line(RAMEN, 99, &[(EGG, 9)])])).lines[0].quantity, 99);
}

#[test]
fn merged_lines_stay_in_the_range_too() {
    let raw = order(&[line(RAMEN, 60, &[]), line(RAMEN, 40, &[])]);
    assert_eq!(
        refused(&raw, &guest()),
        (
            "lines[1].quantity".into(),
            "must be 1 to 99, not 100 together with the equal lines before it".into()
        )
    );
}

#[test]
fn an_order_has_1_to_100_lines_of_at_most_20_toppings() {
    assert_eq!(
        refused(&order(&[]), &guest()),
        ("lines".into(), "must hold 1 to 100 lines, not 0".into())
    );
    // unequal notes keep the lines apart
    let many = |n: usize| -> Vec<RawLine> {
        (0..n)
            .map(|i| RawLine {
                note: Some(i.to_string()),
                ..line(RAMEN, 1, &[])
            })
            .collect()
    };
    assert_eq!(by_guest(order(&many(100))).lines.len(), 100);
    assert_eq!(refused_at(&order(&many(101))), "lines");
    assert_eq!(
        refused_at(&order(&[line(RAMEN, 1, &[(EGG, 1); 21])])),
        "lines[0].toppings"
    );
}

// --- expectedTotal ---

#[test]
fn an_expected_total_is_0_to_the_largest_amount_on_the_wire() {
    for amount in [0, 1, MAX_AMOUNT_MINOR] {
        assert_eq!(
            by_guest(expecting(one_ramen(), amount)).expected_total,
            Some(yen(amount))
        );
    }
    for amount in [i64::MIN, -1, MAX_AMOUNT_MINOR + 1, i64::MAX] {
        assert_eq!(
            refused(&expecting(one_ramen(), amount), &guest()),
            (
                "expectedTotal.amountMinor".into(),
                format!("must be 0 to 9007199254740991, not {amount}")
            )
        );
    }
    assert_eq!(by_guest(one_ramen()).expected_total, None);
}

#[test]
fn an_expected_total_names_a_currency() {
    for currency in ["", "jpy", "JP", "YENS", "円"] {
        let raw = RawOrder {
            expected_total: Some(RawMoney {
                amount_minor: 850,
                currency: currency.into(),
            }),
            ..one_ramen()
        };
        assert_eq!(
            refused(&raw, &guest()),
            (
                "expectedTotal.currency".into(),
                "must be an ISO 4217 code of three capital letters like JPY".into()
            ),
            "{currency:?}"
        );
    }
}

#[test]
fn an_error_reads_as_path_and_message() {
    assert_eq!(
        InputError::new("lines", "must be there").to_string(),
        "lines: must be there"
    );
}
