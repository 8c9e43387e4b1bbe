//! Between the tap and the lock anything may change: what the guest meant is done, or nothing.

use super::bench::Bench;
use super::model::dishes::{beer, name, ramen};
use super::model::server::conflict;
use super::model::shell::Wire;
use crate::cart::Cart;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Status};
use crate::handle::{Id, Paper};
use crate::line::Note;
use crate::machine::Phase;
use crate::policy::{MAX_POLLS, RESEND_MS, RETENTION_MS};
use crate::slot::{Slot, Standing};
use alloc::rc::Rc;
use std::vec::Vec;

/// A tap that waits for the lock.
fn waiting() -> Bench {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.alone = false;
    bench.submit("");
    bench
}

/// An unsettled confirmation that waits for the lock to be resumed, confirmed or withdrawn.
fn unsettled(wish: Event) -> Bench {
    let mut bench = Bench::submitted();
    bench.event(Event::Close);
    bench.alone = false;
    bench.event(wish);
    bench
}

fn give_lock(bench: &mut Bench) {
    bench.give_lock(bench.tab.lock.unwrap_or(0));
}

/// What another tab confirmed.
fn of_another_tab(cart: Cart) -> Slot {
    Slot {
        request_id: name("another key"),
        cart: Rc::new(cart),
        note: Note::default(),
        confirm_duplicate_of: None,
        sent_at_ms: Some(super::bench::NOW_MS),
        standing: Standing::Sent,
    }
}

fn other_cart() -> Cart {
    Cart {
        checkout_id: Some(name("another cart")),
        lines: Vec::from([beer()]),
    }
}

fn tell(bench: &mut Bench) {
    let stored = bench.tab.stored(&bench.storage);
    bench.event(Event::StorageChanged(stored));
}

#[test]
fn taps_join_before_the_lock_and_other_words_are_blocked() {
    let mut bench = waiting();
    let first = bench.tab.watched;
    bench.submit("");
    assert_eq!(bench.tab.watched, first);
    bench.submit("no onion");
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Unsettled)));
}

#[test]
fn a_lock_that_was_not_asked_for_any_more_is_given_back() {
    let mut bench = waiting();
    let old = bench.tab.lock.unwrap_or(0);
    bench.event(Event::Close);
    bench.give_lock(old);
    assert_eq!(bench.wire(), None);
    bench.submit("");
    let asked = bench.tab.lock;
    bench.give_lock(old);
    assert_eq!(bench.wire(), None, "that was another one");
    assert_eq!(bench.tab.lock, asked);
    give_lock(&mut bench);
    assert!(bench.is_placing());
}

#[test]
fn another_tabs_confirmation_of_something_else_is_not_sent_by_this_tap() {
    let mut bench = waiting();
    bench.storage.slot = Some(of_another_tab(other_cart()));
    give_lock(&mut bench);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Unsettled)));
    assert_eq!(bench.wire(), None);
    assert_eq!(*bench.tab.core.cart(), other_cart(), "and now it is shown");
}

#[test]
fn another_tabs_confirmation_of_the_same_is_this_one() {
    let mut bench = waiting();
    let cart = bench.tab.core.cart().clone();
    bench.storage.slot = Some(of_another_tab(cart));
    give_lock(&mut bench);
    assert_eq!(bench.keys, [name("another key")]);
}

#[test]
fn another_tab_that_was_faster_with_the_same_has_the_answer() {
    let mut bench = waiting();
    let cart = bench.tab.core.cart().clone();
    bench.storage.slot = Some(of_another_tab(cart));
    tell(&mut bench);
    bench.storage.slot = None;
    bench.storage.cart = None;
    tell(&mut bench);
    give_lock(&mut bench);
    assert_eq!(bench.wire(), Some(&Wire::Status(name("another key"))));
    bench.status(Status::Placed(Paper(1)));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: true
        })
    );
}

#[test]
fn another_tab_that_was_faster_with_something_else_has_changed_the_cart() {
    let mut bench = waiting();
    bench.storage.slot = Some(of_another_tab(other_cart()));
    tell(&mut bench);
    bench.storage.slot = None;
    tell(&mut bench);
    give_lock(&mut bench);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::CartChanged)));
    assert_eq!(
        bench.tab.core.state().outcome,
        None,
        "that was about the call, not about an order"
    );
    assert!(bench.keys.is_empty());
}

#[test]
fn what_another_tab_settled_and_nobody_can_tell_is_unknown_and_locks_nothing() {
    let mut bench = unsettled(Event::Resume);
    bench.storage.slot = None;
    bench.storage.cart = None;
    give_lock(&mut bench);
    bench.lose();
    for _ in 0..MAX_POLLS {
        bench.wait();
        bench.lose();
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.phase(), Phase::Checking);
    assert!(!bench.is_locked());
}

#[test]
fn whoever_resumes_resumes_what_is_there() {
    let mut bench = unsettled(Event::Resume);
    // the other tab has settled the one and confirmed the next
    bench.storage.slot = Some(of_another_tab(other_cart()));
    bench.storage.unsettled = None;
    give_lock(&mut bench);
    assert_eq!(bench.wire(), Some(&Wire::Status(name("another key"))));
    bench.status(Status::Unknown);
    assert!(bench.is_placing());
}

#[test]
fn nobody_gives_up_what_was_not_shown() {
    let mut bench = unsettled(Event::Withdraw);
    bench.storage.slot = Some(of_another_tab(other_cart()));
    give_lock(&mut bench);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Unsettled)));
    assert_eq!(bench.slot().standing, Standing::Sent);
}

#[test]
fn a_tap_that_is_given_up_before_the_lock_leaves_what_was_sent_before_unknown() {
    let mut bench = unsettled(Event::Resume);
    bench.event(Event::Close);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
}

#[test]
fn a_tap_that_waited_too_long_for_the_lock_is_asked_for_again() {
    for (late_ms, sent) in [(RESEND_MS, true), (RESEND_MS + 1, false)] {
        let mut bench = waiting();
        let issued = bench.tab.request_id;
        bench.now_ms += late_ms;
        give_lock(&mut bench);
        assert_eq!(bench.is_placing(), sent);
        if !sent {
            assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::TooOld)));
            assert_eq!(bench.storage.slot, None);
            assert_eq!(bench.tab.core.request_id, issued);
        }
    }
}

#[test]
fn a_yes_to_a_question_older_than_its_key_sends_nothing() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    let question = bench.tab.watched;
    bench.now_ms += RETENTION_MS + 1;
    bench.event(Event::Confirm { question });
    assert!(bench.is_asking_status());
    bench.status(Status::Unknown);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::TooOld)));
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn a_second_wish_to_give_up_sends_nothing_again() {
    let mut bench = Bench::submitted();
    bench.event(Event::Withdraw);
    let flight = bench.tab.flight.clone();
    bench.event(Event::Withdraw);
    assert_eq!(bench.tab.flight, flight);
    bench.lose();
    let timer = bench.tab.timer;
    bench.event(Event::Withdraw);
    assert_eq!(bench.tab.timer, timer, "it waits for its next attempt");
    assert_eq!(bench.tab.request_id, None::<Id>);
}
