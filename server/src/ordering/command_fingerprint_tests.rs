//! Which spellings of a request are the same request.

use super::*;

/// The three hashes of an order: fingerprint, content, notes.
fn hashes(raw: &RawOrder) -> ([u8; 32], [u8; 32], [u8; 32]) {
    let command = parsed(raw, &guest());
    (command.fingerprint.digest, command.content_hash, command.notes_hash)
}

#[track_caller]
fn assert_same(one: &RawOrder, other: &RawOrder) {
    assert_eq!(hashes(one), hashes(other));
    assert_eq!(
        by_guest(one.clone()).fingerprint.field_digests,
        by_guest(other.clone()).fingerprint.field_digests
    );
}

#[track_caller]
fn assert_differs_in(one: &RawOrder, other: &RawOrder, field: &str) {
    let (one, other) = (by_guest(one.clone()).fingerprint, by_guest(other.clone()).fingerprint);
    assert_ne!(one.digest, other.digest);
    let fields = fingerprint::differing_fields(&one.field_digests, &other.field_digests);
    assert_eq!(fields, [field]);
}

#[test]
fn missing_empty_and_blank_are_the_same() {
    let missing = one_ramen();
    for blank in ["", " ", "\n\u{3000}"] {
        assert_same(&missing, &noting(one_ramen(), blank));
        let mut spelled = one_ramen();
        spelled.lines[0].note = Some(blank.into());
        spelled.lines[0].toppings = Vec::new();
        assert_same(&missing, &spelled);
    }
}

#[test]
fn an_item_added_twice_is_an_item_ordered_twice() {
    let twice = order(&[line(RAMEN, 1, &[(EGG, 1)]), line(RAMEN, 1, &[(EGG, 1)])]);
    let double = order(&[line(RAMEN, 2, &[(EGG, 1)])]);
    assert_same(&twice, &double);
    assert_eq!(by_guest(twice).lines, by_guest(double).lines);
}

#[test]
fn a_topping_added_twice_is_a_topping_ordered_twice() {
    assert_same(
        &order(&[line(RAMEN, 1, &[(EGG, 1), (NORI, 1), (EGG, 1)])]),
        &order(&[line(RAMEN, 1, &[(EGG, 2), (NORI, 1)])]),
    );
}

#[test]
fn the_order_of_lines_and_toppings_does_not_matter() {
    let [one, two, three] = [
        line(RAMEN, 2, &[(EGG, 1), (NORI, 3)]),
        line(BEER, 1, &[]),
        line(RAMEN, 1, &[]),
    ];
    let turned = line(RAMEN, 2, &[(NORI, 3), (EGG, 1)]);
    assert_same(
        &order(&[one, two.clone(), three.clone()]),
        &order(&[three, turned, two]),
    );
}

#[test]
fn the_lines_that_are_printed_keep_the_order_of_the_input() {
    let command = by_guest(order(&[
        line(RICE, 1, &[]),
        line(BEER, 1, &[]),
        line(RICE, 1, &[]),
        line(RAMEN, 1, &[]),
    ]));
    let lines: Vec<_> = command.lines.iter().map(|l| (l.index, l.item, l.quantity)).collect();
    assert_eq!(lines, [(0, RICE, 2), (1, BEER, 1), (3, RAMEN, 1)]);
}

#[test]
fn notes_are_compared_in_nfc_and_trimmed() {
    let composed = noting(one_ramen(), "がんばって");
    for note in [
        "か\u{3099}んは\u{3099}って",
        " がんばって\r\n",
        "\u{3000}か\u{3099}んばって",
    ] {
        assert_same(&composed, &noting(one_ramen(), note));
        let mut line_noted = [one_ramen(), one_ramen()];
        line_noted[0].lines[0].note = Some("がんばって".into());
        line_noted[1].lines[0].note = Some(note.into());
        assert_same(&line_noted[0], &line_noted[1]);
    }
    assert_differs_in(&composed, &noting(one_ramen(), "かんはって"), "note");
}

#[test]
fn compatibility_forms_and_case_are_other_words() {
    for (one, other) in [("ｶﾗ", "カラ"), ("Hot", "hot"), ("①", "1")] {
        assert_differs_in(&noting(one_ramen(), one), &noting(one_ramen(), other), "note");
    }
}

#[test]
fn confirming_a_duplicate_keeps_the_fingerprint() {
    let asked = in_cart(expecting(one_ramen(), 850), CART);
    let confirmed = confirming(asked.clone(), order_id(7));
    assert_same(&asked, &confirmed);
    assert_eq!(by_guest(confirmed).confirm_duplicate_of, Some(order_id(7)));
}

#[test]
fn the_key_and_the_attempt_are_not_in_the_fingerprint() {
    let other = RawOrder {
        request_id: Some(MINTED.into()),
        ..one_ramen()
    };
    assert_same(&one_ramen(), &other);
    let again = Minted {
        attempt: Uuid::from_u128(1),
        ..minted()
    };
    let retried = parse(&one_ramen(), &guest(), again).map(|c| c.fingerprint);
    assert_eq!(retried, Ok(by_guest(one_ramen()).fingerprint));
}

#[test]
fn naming_the_own_table_session_keeps_the_fingerprint() {
    assert_same(&one_ramen(), &at_table(one_ramen()));
}

#[test]
fn another_phone_at_the_same_table_sends_the_same_fingerprint() {
    let phone = |device| parsed(&one_ramen(), &guest_at(TABLE, device)).fingerprint;
    assert_eq!(phone("guest-1"), phone("guest-2"));
}

#[test]
fn whatever_makes_it_another_request_is_named() {
    let base = in_cart(expecting(one_ramen(), 850), CART);
    assert_differs_in(&base, &in_cart(base.clone(), OTHER_CART), "checkoutId");
    assert_differs_in(&base, &expecting(base.clone(), 950), "expectedTotal");
    assert_differs_in(&base, &noting(base.clone(), "no onion"), "note");
    let lines = |lines: &[RawLine]| RawOrder {
        lines: lines.to_vec(),
        ..base.clone()
    };
    assert_differs_in(&base, &lines(&[line(RAMEN, 2, &[])]), "lines");
    assert_differs_in(&base, &lines(&[line(RAMEN, 1, &[(EGG, 1)])]), "lines");
    assert_differs_in(&base, &lines(&[line(RICE, 1, &[])]), "lines");
    let dollars = RawOrder {
        expected_total: Some(RawMoney {
            amount_minor: 850,
            currency: "USD".into(),
        }),
        ..base.clone()
    };
    assert_differs_in(&base, &dollars, "expectedTotal");
}

#[test]
fn each_kind_of_principal_and_each_account_has_fingerprints_of_its_own() {
    let raw = at_table(one_ramen());
    let prints = [guest(), staff(), integrator()].map(|p| parsed(&raw, &p).fingerprint);
    let digests: std::collections::BTreeSet<_> = prints.iter().map(|p| p.digest).collect();
    assert_eq!(digests.len(), 3);
    let foreign = Principal {
        tenant: OTHER_TENANT,
        ..guest()
    };
    assert_ne!(parsed(&raw, &foreign).fingerprint.digest, prints[0].digest);
}

#[test]
fn a_fingerprint_can_be_compared_in_known_versions_only() {
    let command = by_guest(one_ramen());
    assert_eq!(
        command.fingerprint_in(fingerprint::VERSION),
        Some(command.fingerprint.clone())
    );
    assert_eq!(command.fingerprint_in(fingerprint::VERSION + 1), None);
    assert_eq!(command.fingerprint_in(fingerprint::NO_VERSION), None);
    // a row of another version is compared by recomputing, which must give what `parse` gave
    let mut upgraded = command.clone();
    upgraded.fingerprint.version = fingerprint::VERSION + 1;
    assert_eq!(upgraded.fingerprint_in(fingerprint::VERSION), Some(command.fingerprint));
}
