//! The words that core, storage and server share.

use super::model::chance::Chance;
use super::model::dishes::{beer, ramen, words};
use crate::code::{COUNT, Code, SPELLINGS};
use crate::handle::Id;
use crate::key;
use crate::line::{Line, Topping, are_same};
use alloc::rc::Rc;
use masterorder_protocol::codes;
use masterorder_protocol::request_id::RequestId;
use masterorder_protocol::text::Text;
use std::collections::HashSet;
use std::vec::Vec;

/// AC-145
#[test]
fn ten_thousand_keys_are_keys_and_no_two_are_equal() {
    let mut random = Chance::new(7);
    let mut seen = HashSet::new();
    for _ in 0..10_000 {
        let key = key::v4(random.bytes());
        assert!(RequestId::parse(&key).is_ok(), "{key}");
        assert!(key::is_v4(&key));
        assert_eq!(key, key.to_lowercase());
        assert!(seen.insert(key));
    }
}

#[test]
fn a_key_is_written_as_its_bytes_say() {
    let key = key::v4(0x550e_8400_e29b_01d4_2716_4466_5544_abcd_u128.to_be_bytes());
    assert_eq!(key, "550e8400-e29b-41d4-a716-44665544abcd");
}

#[test]
fn what_the_server_would_not_take_as_a_key_is_none() {
    for (text, is) in [
        ("550e8400-e29b-41d4-a716-446655440000", true),
        ("550E8400-E29B-41D4-A716-446655440000", true),
        ("", false),
        ("550e8400e29b41d4a716446655440000", false),
        ("550e8400-e29b-11d4-a716-446655440000", false),
        ("550e8400-e29b-41d4-c716-446655440000", false),
        ("550e8400-e29b-41d4-a716-44665544000g", false),
        ("550e8400-e29b-41d4-a716_446655440000", false),
    ] {
        assert_eq!(key::is_v4(text), is, "{text}");
        assert_eq!(RequestId::parse(text).is_ok(), is, "{text}");
    }
}

fn named(spelling: &str) -> Option<Code> {
    let at = SPELLINGS.split_whitespace().position(|s| s == spelling)?;
    u32::try_from(at + 1).ok().map(|n| Code(Id(n)))
}

#[test]
fn every_code_has_its_name() {
    assert_eq!(named("SOLD_OUT"), Some(Code::SOLD_OUT));
    assert_eq!(named("ORDERING_PAUSED"), Some(Code::ORDERING_PAUSED));
    assert_eq!(named("INTERNAL"), Some(Code::INTERNAL));
    let distinct: HashSet<_> = SPELLINGS.split_whitespace().collect();
    assert_eq!(distinct.len(), COUNT as usize);
}

#[test]
fn every_code_of_the_protocol_is_known_and_treated_as_the_protocol_says() {
    for code in codes::Code::ALL {
        let Some(ours) = named(code.as_str()) else {
            panic!("{code} is not known")
        };
        let again = ours.is_waited_out() || ours.is_trouble() || ours == Code::IDEMPOTENCY_IN_PROGRESS;
        assert_eq!(again, code.retryable(), "{code}");
    }
}

/// The server compares notes as `protocol::text` does, and so do the numbers that a shell gives them.
#[test]
fn a_note_is_compared_trimmed() {
    for (a, b, same) in [
        (" less salt\n", "less salt", true),
        ("\u{3000}", "", true),
        ("a", "A", false),
    ] {
        assert_eq!(words(a) == words(b), same, "{a}");
        assert_eq!(Text::new(a, a) == Text::new(b, b), same, "{a}");
    }
}

#[test]
fn two_carts_are_the_same_if_the_kitchen_would_cook_the_same() {
    let two = |line: Line| Line { quantity: 2, ..line };
    let noted = Line {
        note: words("no onion"),
        ..ramen()
    };
    let mut halved = ramen();
    halved.toppings = Rc::new([halved.toppings[0], halved.toppings[0]]);
    let mut doubled = ramen();
    doubled.toppings = Rc::new([Topping {
        quantity: 2,
        ..doubled.toppings[0]
    }]);
    for (a, b, same) in [
        (Vec::from([ramen(), beer()]), Vec::from([beer(), ramen()]), true),
        (Vec::from([ramen(), ramen()]), Vec::from([two(ramen())]), true),
        (Vec::from([halved]), Vec::from([doubled.clone()]), true),
        (Vec::from([ramen()]), Vec::from([doubled]), false),
        (Vec::from([ramen()]), Vec::from([two(ramen())]), false),
        (Vec::from([ramen()]), Vec::from([ramen(), beer()]), false),
        (Vec::from([ramen(), beer()]), Vec::from([ramen()]), false),
        (Vec::from([ramen()]), Vec::from([noted.clone()]), false),
        (
            Vec::from([noted]),
            Vec::from([Line {
                note: words(" no onion"),
                ..ramen()
            }]),
            true,
        ),
    ] {
        assert_eq!(are_same(&a, &b), same, "{a:?} {b:?}");
    }
}
