//! A page that is loaded again settles what the one before left: once, and without a second order.

use super::bench::{Bench, NOW_MS};
use super::model::dishes::{name, ramen};
use super::model::server::conflict;
use crate::cart::Cart;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Status};
use crate::handle::Paper;
use crate::line::Line;
use crate::machine::Phase;
use crate::policy::{MAX_POLLS, RESEND_MS, RETENTION_MS};
use alloc::rc::Rc;
use std::vec::Vec;

/// The page was loaded again so long after the first send.
fn reloaded_after(ms: i64) -> Bench {
    let mut bench = Bench::submitted();
    bench.now_ms += ms;
    bench.reload();
    bench
}

/// AC-147
#[test]
fn a_reload_in_the_middle_finds_the_order_and_empties_the_cart() {
    let mut bench = reloaded_after(300);
    assert_eq!(bench.phase(), Phase::Checking);
    assert!(bench.is_asking_status(), "the question comes first");
    bench.status(Status::Placed(Paper(1)));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: true
        })
    );
    assert!(bench.tab.core.cart().lines.is_empty());
    assert_eq!(bench.keys.len(), 1, "nothing was sent again");
}

/// AC-147
#[test]
fn what_never_arrived_is_sent_again_with_the_same_key_while_it_is_fresh() {
    let mut bench = reloaded_after(RESEND_MS);
    bench.status(Status::Unknown);
    assert!(bench.is_placing());
    assert_eq!(bench.keys[0], bench.keys[1]);
    bench.placed(1);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: false
        })
    );
}

#[test]
fn what_never_arrived_is_not_sent_later_until_the_guest_taps() {
    let mut bench = reloaded_after(RESEND_MS + 1);
    bench.status(Status::Unknown);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert!(bench.is_locked());
    assert_eq!(bench.keys.len(), 1);
    bench.submit("");
    assert_eq!(bench.keys[0], bench.keys[1]);
}

#[test]
fn a_tap_during_the_question_makes_it_the_guests_will() {
    let mut bench = reloaded_after(RESEND_MS + 1);
    let resumed = bench.tab.watched;
    bench.submit("");
    assert_eq!(bench.tab.watched, resumed);
    bench.status(Status::Unknown);
    assert!(bench.is_placing());
}

#[test]
fn a_first_request_that_is_still_at_work_is_joined_while_it_is_fresh() {
    let mut bench = reloaded_after(300);
    bench.status(Status::InProgress);
    bench.wait();
    assert!(bench.is_placing());
    let mut bench = reloaded_after(RESEND_MS + 1);
    bench.status(Status::InProgress);
    for _ in 0..MAX_POLLS {
        bench.wait();
        bench.history(Vec::new());
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
}

#[test]
fn no_answer_to_the_question_is_no_reason_to_wait_with_what_is_fresh() {
    let mut bench = reloaded_after(300);
    bench.lose();
    assert!(bench.is_placing());
    let mut bench = reloaded_after(RESEND_MS + 1);
    bench.lose();
    bench.wait();
    assert!(bench.is_reading_history(), "what is old is looked for instead");
}

#[test]
fn what_is_sent_again_and_lost_again_is_looked_for() {
    let mut bench = reloaded_after(0);
    bench.status(Status::Unknown);
    while bench.is_placing() {
        bench.lose();
        if !bench.is_asking_status() {
            bench.wait();
        }
    }
    bench.status(Status::Unknown);
    bench.wait();
    assert!(bench.is_reading_history());
}

#[test]
fn retries_of_a_resumed_order_end_with_its_freshness() {
    let mut bench = reloaded_after(RESEND_MS);
    bench.status(Status::Unknown);
    bench.jitter = u32::MAX;
    bench.lose();
    assert!(bench.is_asking_status());
}

#[test]
fn a_stored_no_is_told_by_its_code() {
    let mut bench = reloaded_after(300);
    bench.status(Status::Rejected(Code::SOLD_OUT));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Rejected {
            code: Code::SOLD_OUT,
            problem: None
        })
    );
    assert!(!bench.is_locked());
    assert_eq!(bench.tab.core.cart().lines.len(), 1);
}

#[test]
fn a_no_that_is_not_about_the_key_settles_nothing_after_a_reload() {
    let mut bench = reloaded_after(300);
    bench.status(Status::Unknown);
    bench.failed(Code::BAD_USER_INPUT, false);
    assert_eq!(bench.outcome(), None, "the attempt of the page before has no answer");
}

#[test]
fn a_key_older_than_its_retention_is_never_sent() {
    for standing in [crate::slot::Standing::Sent, crate::slot::Standing::Asked] {
        for tap in [false, true] {
            let mut bench = Bench::submitted();
            if standing == crate::slot::Standing::Asked {
                bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
            }
            let mut bench = Bench::with_storage_at(bench.storage, NOW_MS + RETENTION_MS + 1);
            match tap {
                true => bench.submit(""),
                false => bench.event(Event::Resume),
            }
            assert!(bench.is_asking_status());
            bench.status(Status::Unknown);
            assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::TooOld)));
            assert!(bench.keys.is_empty());
            assert!(!bench.is_locked());
            assert_eq!(
                bench.tab.core.cart().lines.len(),
                1,
                "the cart is still there, to be confirmed again"
            );
        }
    }
}

#[test]
fn a_key_as_old_as_its_retention_is_still_a_key() {
    let mut bench = reloaded_after(RETENTION_MS);
    bench.status(Status::Unknown);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    bench.submit("");
    assert!(bench.is_placing());
}

#[test]
fn an_old_key_that_placed_an_order_is_found() {
    let mut bench = reloaded_after(RETENTION_MS + 1);
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
fn a_clock_that_was_set_back_makes_nothing_fresh() {
    let mut bench = reloaded_after(-1_000);
    bench.status(Status::Unknown);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
}

#[test]
fn there_may_be_nothing_to_resume() {
    let mut bench = Bench::new();
    bench.event(Event::Resume);
    assert_eq!(bench.outcome(), Some(&Outcome::Nothing));
    assert_eq!(bench.phase(), Phase::Idle);
}

#[test]
fn whoever_resumes_twice_waits_for_the_same() {
    let mut bench = reloaded_after(300);
    let first = bench.tab.watched;
    bench.event(Event::Resume);
    assert_eq!(bench.tab.watched, first);
}

#[test]
fn no_new_id_is_issued_while_a_confirmation_is_unsettled() {
    let mut bench = Bench::submitted();
    let storage = bench.storage.clone();
    let other = Bench::with_storage(storage);
    assert_eq!(other.tab.request_id, None);
    bench.reload();
    bench.status(Status::Placed(Paper(1)));
    assert!(bench.tab.request_id.is_some());
}

#[test]
fn the_cart_of_an_unsettled_confirmation_is_shown_whatever_became_of_the_stored_one() {
    let mut bench = Bench::submitted();
    bench.storage.cart = None;
    bench.reload();
    assert_eq!(bench.tab.core.cart(), &*bench.slot().cart);
    bench.submit("");
    assert!(bench.outcome().is_none(), "it can be confirmed again");
}

#[test]
fn what_can_not_be_a_confirmation_is_none() {
    let broken = [
        Cart::default(),
        Cart {
            checkout_id: Some(name("cart")),
            lines: Vec::from([Line {
                quantity: u32::MAX,
                ..ramen()
            }]),
        },
    ];
    for cart in broken {
        let mut bench = Bench::submitted();
        if let Some(slot) = &mut bench.storage.slot {
            slot.cart = Rc::new(cart);
        }
        let bench = Bench::with_storage(bench.storage);
        assert!(!bench.is_locked(), "it would lock the cart for good");
    }
}

#[test]
fn a_page_that_died_between_two_writes_is_whole_when_it_is_loaded_again() {
    // the key is in the slot, and still in the tab
    let mut bench = Bench::submitted();
    bench.tab.request_id = Some(bench.keys[0]);
    bench.reload();
    assert_eq!(bench.tab.request_id, None);
    // the cart is gone, and the slot is still there
    bench.storage.cart = None;
    bench.reload();
    bench.status(Status::Placed(Paper(1)));
    assert!(bench.tab.request_id.is_some_and(|id| id != bench.keys[0]));
    assert_eq!(bench.storage.slot, None);
}
