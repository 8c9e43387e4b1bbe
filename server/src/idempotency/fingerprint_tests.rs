use super::*;
use masterorder_protocol::ids::{MenuItemId, ToppingId};
use masterorder_protocol::lines::LineTopping;
use masterorder_protocol::money::Currency;
use uuid::Uuid;

fn line(item: u128, quantity: u8, toppings: &[(u128, u8)], note: &str) -> Line {
    Line {
        index: 0,
        item: MenuItemId(Uuid::from_u128(item)),
        quantity,
        toppings: toppings
            .iter()
            .map(|(t, quantity)| LineTopping {
                topping: ToppingId(Uuid::from_u128(*t)),
                quantity: *quantity,
            })
            .collect(),
        note: Text::new(note, note),
    }
}

struct Sample {
    lines: Vec<Line>,
    note: Text,
    checkout: Option<CheckoutId>,
    expected: Option<Money>,
    session: u128,
    tenant: u128,
    kind: &'static str,
}

fn sample() -> Sample {
    Sample {
        lines: vec![line(10, 2, &[(20, 1), (21, 3)], "no onion"), line(11, 1, &[], "")],
        note: Text::new("よろしく", "よろしく"),
        checkout: Some(CheckoutId(Uuid::from_u128(3))),
        expected: Currency::parse("JPY").ok().map(|currency| Money {
            amount_minor: 2190,
            currency,
        }),
        session: 2,
        tenant: 1,
        kind: "guest",
    }
}

impl Sample {
    fn fingerprint(&self) -> Fingerprint {
        compute(
            VERSION,
            &Subject {
                tenant: TenantId(Uuid::from_u128(self.tenant)),
                table_session: TableSessionId(Uuid::from_u128(self.session)),
                principal_kind: self.kind,
                operation: "placeOrder",
                checkout: self.checkout,
                lines: &self.lines,
                note: &self.note,
                expected_total: self.expected,
            },
        )
        .unwrap_or(Fingerprint {
            version: -1,
            digest: [0; 32],
            field_digests: String::new(),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Golden vectors of version 1. Rows with these digests are in databases: never edit them, add a version instead.
#[test]
fn golden_vectors_of_version_1() {
    let full = sample().fingerprint();
    assert_eq!(full.version, 1);
    assert_eq!(
        hex(&full.digest),
        "04b81538764bbbcd179fd9a27c776bcd8d549139ba3a292968e4fd3d3d60b7ee"
    );
    let bare = Sample {
        lines: vec![line(10, 1, &[], "")],
        note: Text::default(),
        checkout: None,
        expected: None,
        ..sample()
    };
    assert_eq!(
        hex(&bare.fingerprint().digest),
        "5f9185e648a4808c0444044a37cb789380022873de56ea0d422010a4bcc3de1d"
    );
    assert_eq!(
        hex(&content_hash(TableSessionId(Uuid::from_u128(2)), &sample().lines)),
        "47a8a1de4fe11d56963cdf552f840dd527407088f2b23299b968b71cca47819e"
    );
    assert_eq!(
        hex(&notes_hash(&sample().lines, &sample().note)),
        "8988b1eeec80e7e07ed5c3566eb72b03bad2f67a9a814b0a6a9cc09a8a33314f"
    );
}

#[test]
fn an_unknown_version_is_not_guessed() {
    let sample = sample();
    let subject = Subject {
        tenant: TenantId(Uuid::from_u128(1)),
        table_session: TableSessionId(Uuid::from_u128(2)),
        principal_kind: "guest",
        operation: "placeOrder",
        checkout: None,
        lines: &sample.lines,
        note: &sample.note,
        expected_total: None,
    };
    assert_eq!(compute(VERSION + 1, &subject), None);
    assert_eq!(compute(NO_VERSION, &subject), None);
}

#[test]
fn each_field_changes_the_fingerprint_and_is_named() {
    type Change = fn(&mut Sample);
    let changes: [(&str, Change); 9] = [
        ("tenantId", |s| s.tenant = 9),
        ("tableSessionId", |s| s.session = 9),
        ("principal", |s| s.kind = "staff"),
        ("checkoutId", |s| s.checkout = None),
        ("lines", |s| s.lines[0].quantity = 3),
        ("lines", |s| s.lines[0].note = Text::new("onion", "onion")),
        ("lines", |s| s.lines[0].toppings[0].quantity = 2),
        ("note", |s| s.note = Text::default()),
        ("expectedTotal", |s| s.expected = None),
    ];
    let before = sample().fingerprint();
    for (field, change) in changes {
        let mut changed = sample();
        change(&mut changed);
        let after = changed.fingerprint();
        assert_ne!(before.digest, after.digest, "{field}");
        assert_eq!(differing_fields(&before.field_digests, &after.field_digests), [field]);
    }
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let mut turned = sample();
    turned.lines.reverse();
    assert_eq!(turned.fingerprint(), sample().fingerprint());
    let session = TableSessionId(Uuid::from_u128(2));
    assert_eq!(
        content_hash(session, &turned.lines),
        content_hash(session, &sample().lines)
    );
    assert_eq!(
        notes_hash(&turned.lines, &turned.note),
        notes_hash(&sample().lines, &sample().note)
    );
}

#[test]
fn the_content_hash_leaves_out_notes_and_nothing_else() {
    let session = TableSessionId(Uuid::from_u128(2));
    let split = [line(10, 1, &[], "a"), line(10, 1, &[], "b"), line(11, 1, &[], "")];
    let whole = [line(11, 1, &[], "c"), line(10, 2, &[], "")];
    let base = content_hash(session, &whole);
    assert_eq!(content_hash(session, &split), base);
    assert_ne!(content_hash(TableSessionId(Uuid::from_u128(3)), &whole), base);
    assert_ne!(
        content_hash(session, &[line(11, 1, &[], ""), line(10, 3, &[], "")]),
        base
    );
    assert_ne!(
        content_hash(session, &[line(11, 1, &[(1, 1)], ""), line(10, 2, &[], "")]),
        base
    );
    assert_ne!(
        content_hash(session, &[line(11, 1, &[(1, 1)], ""), line(10, 2, &[], "")]),
        content_hash(session, &[line(11, 1, &[(1, 2)], ""), line(10, 2, &[], "")]),
    );
}

#[test]
fn the_content_hash_adds_up_equal_lines_only() {
    let session = TableSessionId(Uuid::from_u128(2));
    let plain_and_topped = content_hash(session, &[line(10, 1, &[], ""), line(10, 1, &[(1, 1)], "")]);
    assert_ne!(plain_and_topped, content_hash(session, &[line(10, 2, &[], "")]));
    let two_items = content_hash(session, &[line(10, 1, &[], ""), line(11, 1, &[], "")]);
    assert_ne!(two_items, content_hash(session, &[line(10, 2, &[], "")]));
}

#[test]
fn the_notes_hash_sees_which_line_a_note_belongs_to() {
    let none = Text::default();
    let one = notes_hash(&[line(10, 1, &[], "cold"), line(11, 1, &[], "")], &none);
    let other = notes_hash(&[line(10, 1, &[], ""), line(11, 1, &[], "cold")], &none);
    assert_ne!(one, other);
    assert_ne!(notes_hash(&[], &Text::new("cold", "cold")), notes_hash(&[], &none));
}
