//! Confirming: one request per confirmation, one key per request, written before it leaves.

use super::bench::{Bench, handle};
use super::model::dishes::{beer, ramen, words, yen};
use super::model::shell::Wire;
use crate::code::Code;
use crate::effect::{Blocked, Effect, Outcome};
use crate::event::Event;
use crate::handle::Paper;
use crate::machine::Phase;
use crate::slot::Standing;

#[test]
fn a_confirmed_cart_is_written_before_it_is_sent() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.alone = false;
    bench.submit("no onion");
    let stored = bench.tab.stored(&bench.storage);
    let token = bench.tab.lock.unwrap_or(0);
    let effects = handle(&mut bench.tab.core, Event::Locked { token, stored });
    let at = |wanted: fn(&Effect) -> bool| effects.iter().position(wanted);
    let written = at(|e| matches!(e, Effect::PersistSlot(_)));
    let sent = at(|e| matches!(e, Effect::SendPlace { .. }));
    assert!(written.is_some() && written < sent, "{effects:?}");
}

#[test]
fn the_request_carries_what_the_guest_saw() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.event(Event::Add(beer()));
    bench.event(Event::SetQuantity { index: 1, quantity: 3 });
    let checkout_id = bench.tab.core.cart().checkout_id;
    bench.submit("no onion");
    let Some(Wire::Place(slot)) = bench.wire() else {
        panic!("nothing is sent")
    };
    assert_eq!(slot.cart.checkout_id, checkout_id);
    assert_eq!(slot.cart.total(), Some(yen(850 + 120 + 3 * 600)));
    assert_eq!(slot.note, words("no onion"));
    assert_eq!(slot.cart.lines.len(), 2);
    assert_eq!(slot.confirm_duplicate_of, None);
    assert_eq!(slot.sent_at_ms, Some(bench.now_ms));
    assert_eq!(slot.standing, Standing::Sent);
}

/// AC-001, AC-163
#[test]
fn a_second_tap_joins_the_first() {
    let mut bench = Bench::submitted();
    let first = bench.tab.watched;
    for _ in 0..9 {
        bench.submit("");
        assert_eq!(bench.tab.watched, first);
    }
    bench.placed(1);
    assert_eq!(bench.keys.len(), 1, "ten taps, one request");
    assert_eq!(bench.settled.len(), 1);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: false
        })
    );
    assert_eq!(bench.phase(), Phase::Done);
}

#[test]
fn a_tap_joins_during_a_pause_and_while_the_order_is_being_looked_for() {
    let mut bench = Bench::submitted();
    let first = bench.tab.watched;
    for _ in 0..4 {
        bench.lose();
        bench.submit(" ");
        assert_eq!(bench.tab.watched, first);
        if !bench.is_asking_status() {
            bench.wait();
        }
    }
    assert!(bench.is_asking_status());
    bench.submit("");
    assert_eq!(bench.tab.watched, first);
}

#[test]
fn other_words_are_blocked_while_a_confirmation_is_unsettled() {
    let mut bench = Bench::submitted();
    let first = bench.tab.watched;
    bench.submit("no onion");
    assert_ne!(bench.tab.watched, first);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Unsettled)));
    assert_eq!(bench.phase(), Phase::Sending, "the first goes on");
    bench.placed(1);
    assert_eq!(bench.settled.len(), 2);
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn the_cart_can_not_be_edited_while_its_confirmation_is_unsettled() {
    let mut bench = Bench::submitted();
    let cart = bench.tab.core.cart().clone();
    assert!(bench.is_locked());
    bench.event(Event::Add(beer()));
    bench.event(Event::SetQuantity { index: 0, quantity: 5 });
    bench.event(Event::Clear);
    assert_eq!(bench.tab.core.cart(), &cart);
    assert!(!bench.tab.threw, "a locked cart is no mistake of the page");
}

#[test]
fn an_empty_cart_is_not_sent() {
    let mut bench = Bench::new();
    bench.submit("");
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::CartEmpty)));
    assert_eq!(bench.phase(), Phase::Idle);
    assert_eq!(bench.wire(), None);
}

/// AC-079
#[test]
fn a_note_is_counted_in_unicode_scalar_values() {
    for (note, fits) in [
        ("あ".repeat(500), true),
        ("👍".repeat(500), true),
        ("👍".repeat(501), false),
    ] {
        let mut bench = Bench::new();
        bench.event(Event::Add(ramen()));
        bench.submit(&note);
        assert_eq!(bench.is_placing(), fits);
        assert_eq!(bench.outcome().is_none(), fits);
    }
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.submit("a\0b");
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::InvalidInput)));
}

#[test]
fn edits_and_coming_back_to_the_view_keep_the_request_id_until_it_is_sent() {
    let mut bench = Bench::new();
    let issued = bench.tab.request_id;
    assert!(issued.is_some(), "issued when the cart is shown");
    bench.event(Event::Add(ramen()));
    bench.event(Event::Add(beer()));
    bench.event(Event::Shown { restored: true });
    bench.event(Event::SetQuantity { index: 0, quantity: 0 });
    bench.reload();
    assert_eq!(bench.tab.request_id, issued);
    bench.submit("");
    assert_eq!(bench.keys.first(), issued.as_ref());
    assert_eq!(bench.tab.request_id, None, "it is in the slot now");
}

/// AC-011
#[test]
fn a_placed_cart_is_gone_and_the_next_one_has_ids_of_its_own() {
    let mut bench = Bench::submitted();
    let cart = bench.slot().cart.checkout_id;
    bench.placed(1);
    assert!(bench.tab.core.cart().lines.is_empty());
    assert_eq!(bench.storage.cart, None);
    assert_eq!(bench.storage.slot, None);
    assert!(!bench.is_locked());
    bench.event(Event::Add(beer()));
    assert_eq!(bench.phase(), Phase::Idle, "an edit begins something new");
    bench.submit("");
    bench.placed(2);
    let [first, second] = &bench.keys[..] else {
        panic!("two requests")
    };
    assert_ne!(first, second);
    assert_ne!(bench.settled[1].slot.as_ref().map(|s| s.cart.checkout_id), Some(cart));
}

/// AC-011
#[test]
fn a_key_that_belongs_to_another_request_is_an_error_and_never_looked_for() {
    let mut bench = Bench::submitted();
    bench.lose();
    bench.wait();
    bench.answer(super::model::server::conflict(
        Code::IDEMPOTENCY_KEY_REUSED,
        false,
        None,
    ));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Refused {
            code: Code::IDEMPOTENCY_KEY_REUSED,
            ..
        })
    ));
    assert_eq!(bench.phase(), Phase::Failed);
    assert_eq!(bench.wire(), None);
    assert_ne!(bench.tab.request_id.as_ref(), bench.keys.first());
}

#[test]
fn every_final_no_brings_a_new_key_and_keeps_the_cart() {
    type Answer = fn(&mut Bench);
    let answers: [(&str, Answer); 4] = [
        ("sold out", |bench| bench.rejected(Code::SOLD_OUT)),
        ("price", |bench| bench.rejected(Code::PRICE_CHANGED)),
        ("closed", |bench| bench.rejected(Code::SESSION_CLOSED)),
        ("input", |bench| bench.failed(Code::BAD_USER_INPUT, false)),
    ];
    for (name, answer) in answers {
        let mut bench = Bench::submitted();
        let cart = bench.tab.core.cart().clone();
        answer(&mut bench);
        assert_eq!(bench.phase(), Phase::Failed, "{name}");
        assert_eq!(bench.tab.core.cart(), &cart, "{name}");
        assert_eq!(bench.storage.slot, None, "{name}");
        bench.submit("");
        assert_ne!(bench.keys[0], bench.keys[1], "{name}");
        assert_eq!(
            *bench.slot().cart,
            cart,
            "{name}: the same cart, and so the same checkoutId"
        );
    }
}

#[test]
fn a_cart_that_was_placed_with_other_lines_becomes_a_cart_of_its_own() {
    let mut bench = Bench::submitted();
    let placed = bench.slot().cart.checkout_id;
    bench.answer(super::model::server::conflict(
        Code::CHECKOUT_ALREADY_PLACED,
        false,
        Some(7),
    ));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Refused {
            code: Code::CHECKOUT_ALREADY_PLACED,
            ..
        })
    ));
    assert_eq!(bench.tab.core.cart().lines.len(), 1, "the rest is still there");
    assert_ne!(bench.tab.core.cart().checkout_id, placed);
    assert_eq!(bench.storage.cart.as_deref(), Some(bench.tab.core.cart()));
}

#[test]
fn the_same_words_in_another_spelling_are_the_same_confirmation() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.submit("no onion");
    let first = bench.tab.watched;
    bench.event(Event::Submit {
        note: Some(words("  no onion\n")),
    });
    assert_eq!(bench.tab.watched, first);
}
