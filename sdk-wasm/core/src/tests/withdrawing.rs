//! Giving up turns "unknown" into a fact.

use super::bench::Bench;
use super::model::dishes::beer;
use super::model::server::conflict;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Placement, Status};
use crate::handle::Paper;
use crate::policy::MAX_TRIES;
use crate::slot::Standing;

/// The network is gone, and the SDK has given up for now.
fn unknown() -> Bench {
    let mut bench = Bench::submitted();
    bench.event(Event::Abort {
        submission: bench.tab.watched,
    });
    bench
}

#[test]
fn an_edit_after_an_unknown_answer_begins_with_giving_up() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    assert_eq!(bench.slot().standing, Standing::Withdrawing);
    assert!(bench.is_withdrawing());
    bench.rejected(Code::WITHDRAWN);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::WITHDRAWN,
            ..
        })
    ));
    bench.event(Event::Add(beer()));
    assert_eq!(bench.tab.core.cart().lines.len(), 2);
    bench.submit("");
    assert_ne!(bench.keys[0], bench.keys[1]);
}

#[test]
fn giving_up_too_late_finds_the_order() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.answer(Placement::Placed {
        order: Paper(1),
        replay: true,
    });
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: true
        })
    );
    assert!(bench.tab.core.cart().lines.is_empty());
}

#[test]
fn giving_up_interrupts_what_is_on_its_way_and_answers_everybody() {
    let mut bench = Bench::submitted();
    let submission = bench.tab.watched;
    bench.event(Event::Withdraw);
    assert_eq!(bench.tab.watched, submission);
    bench.event(Event::Withdraw);
    assert!(bench.is_withdrawing());
    bench.rejected(Code::WITHDRAWN);
    assert_eq!(bench.settled.len(), 1);
    assert!(bench.tab.open.is_empty());
}

#[test]
fn giving_up_in_a_pause_does_not_wait_for_its_end() {
    let mut bench = Bench::submitted();
    bench.lose();
    bench.event(Event::Withdraw);
    assert!(bench.is_withdrawing());
}

#[test]
fn giving_up_goes_on_until_the_server_has_heard_it() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    for n in 1..=MAX_TRIES {
        match n {
            1 => bench.lose(),
            2 => bench.failed(Code::UNAVAILABLE, true),
            3 => bench.answer(conflict(Code::IDEMPOTENCY_IN_PROGRESS, true, None)),
            _ => drop(bench.wait()),
        }
        if n < MAX_TRIES {
            bench.wait();
            assert!(bench.is_withdrawing());
        }
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.slot().standing, Standing::Withdrawing);
    bench.submit("");
    assert!(
        bench.is_withdrawing(),
        "whatever is tapped: first the given-up one is finished, and it is never sent again"
    );
    bench.rejected(Code::WITHDRAWN);
    assert_eq!(bench.keys.len(), 1);
    assert!(!bench.is_locked());
}

#[test]
fn a_page_that_is_loaded_again_finishes_giving_up() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.reload();
    assert!(bench.is_withdrawing());
    bench.rejected(Code::WITHDRAWN);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::WITHDRAWN,
            ..
        })
    ));
}

#[test]
fn another_stored_no_is_told_as_it_is() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.rejected(Code::SOLD_OUT);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::SOLD_OUT,
            ..
        })
    ));
}

#[test]
fn somebody_elses_key_is_an_error() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.answer(conflict(Code::IDEMPOTENCY_KEY_REUSED, false, None));
    assert!(matches!(bench.outcome(), Some(Outcome::Refused { .. })));
}

#[test]
fn credentials_that_do_not_hold_any_more_leave_it_unknown() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.failed(Code::UNAUTHENTICATED, false);
    assert_eq!(bench.settled.len(), 2);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.slot().standing, Standing::Withdrawing);
}

#[test]
fn an_order_that_the_shop_has_already_can_not_be_given_up() {
    let mut bench = unknown();
    bench.event(Event::Withdraw);
    bench.answer(Placement::Pending { poll_after_ms: 2_000 });
    assert!(matches!(bench.outcome(), Some(Outcome::Pending { .. })));
    assert_eq!(bench.slot().standing, Standing::Sent);
    bench.submit("");
    assert!(bench.is_placing());
}

#[test]
fn there_may_be_nothing_to_give_up() {
    let mut bench = Bench::new();
    bench.event(Event::Withdraw);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::NothingToWithdraw)));
}

#[test]
fn giving_up_before_the_lock_is_held_sends_nothing() {
    let mut bench = Bench::new();
    bench.event(Event::Add(beer()));
    bench.alone = false;
    bench.submit("");
    bench.event(Event::Withdraw);
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Aborted)));
    assert_eq!(bench.storage.slot, None);
}

#[test]
fn what_was_never_sent_is_given_up_without_asking_anybody() {
    let mut bench = unknown();
    if let Some(slot) = &mut bench.storage.slot {
        slot.sent_at_ms = None;
    }
    let storage = bench.storage.clone();
    let mut bench = Bench::with_storage(storage.clone());
    bench.event(Event::Withdraw);
    assert_eq!(bench.wire(), None);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::WITHDRAWN,
            ..
        })
    ));
    assert_eq!(bench.storage.slot, None);

    let mut bench = Bench::with_storage(storage.clone());
    bench.event(Event::Resume);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Nothing),
        "and nothing is sent for a guest who may have left"
    );
    assert!(!bench.is_locked());

    let mut bench = Bench::with_storage(storage);
    bench.submit("");
    assert!(bench.is_placing());
    assert_eq!(bench.slot().sent_at_ms, Some(bench.now_ms));
}

#[test]
fn the_status_of_a_given_up_key_settles_it_too() {
    let mut bench = unknown();
    bench.reload();
    bench.status(Status::Rejected(Code::WITHDRAWN));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::WITHDRAWN,
            ..
        })
    ));
}
