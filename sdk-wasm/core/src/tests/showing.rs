//! What the guest sees: the phase, and the outcome as long as it matters.

use super::bench::Bench;
use super::model::dishes::{name, ramen};
use super::model::server::{conflict, order_id};
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Status};
use crate::handle::Paper;
use crate::machine::Phase;
use crate::slot::{Slot, Standing};
use alloc::rc::Rc;

#[test]
fn a_first_confirmation_is_sending_from_the_tap_on() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.alone = false;
    bench.submit("");
    assert_eq!(bench.phase(), Phase::Sending, "while it waits for the lock");
    bench.give_lock(bench.tab.lock.unwrap_or(0));
    assert_eq!(bench.phase(), Phase::Sending);
}

#[test]
fn whatever_was_lost_is_checking_until_it_is_known() {
    let mut bench = Bench::submitted();
    bench.lose();
    assert_eq!(bench.phase(), Phase::Checking, "in the pause");
    bench.wait();
    assert_eq!(bench.phase(), Phase::Checking, "in the next attempt");
    bench.answer(conflict(Code::COOLDOWN_ACTIVE, true, None));
    assert_eq!(bench.phase(), Phase::Checking, "a wait is no news about what was lost");
    bench.event(Event::Close);
    assert_eq!(bench.phase(), Phase::Checking, "and when nobody waits");
    bench.alone = false;
    bench.submit("");
    assert_eq!(bench.phase(), Phase::Checking, "and at the next tap");
    bench.give_lock(bench.tab.lock.unwrap_or(0));
    assert_eq!(bench.phase(), Phase::Checking);
}

#[test]
fn a_resumed_order_is_checking_also_while_it_is_sent_again() {
    let mut bench = Bench::submitted();
    bench.reload();
    assert_eq!(bench.phase(), Phase::Checking);
    bench.status(Status::Unknown);
    assert!(bench.is_placing());
    assert_eq!(bench.phase(), Phase::Checking);
}

#[test]
fn a_confirmed_duplicate_is_sending_like_a_first_one() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    let question = bench.tab.watched;
    bench.event(Event::Confirm { question });
    assert_eq!(bench.phase(), Phase::Sending);
    bench.answer(conflict(Code::SESSION_BUSY, true, None));
    assert_eq!(bench.phase(), Phase::Waiting);
    bench.wait();
    bench.lose();
    assert_eq!(bench.phase(), Phase::Checking);
}

#[test]
fn giving_up_is_checking() {
    let mut bench = Bench::submitted();
    bench.event(Event::Withdraw);
    assert_eq!(bench.phase(), Phase::Checking);
}

#[test]
fn the_outcome_is_hidden_while_the_next_one_is_on_its_way() {
    let mut bench = Bench::submitted();
    bench.rejected(Code::SOLD_OUT);
    let told = Outcome::Rejected {
        code: Code::SOLD_OUT,
        problem: Some(Paper(0)),
    };
    assert_eq!(bench.tab.core.state().outcome, Some(told));
    bench.submit("");
    assert_eq!(bench.tab.core.state().outcome, None);
    bench.event(Event::Close);
    assert_eq!(bench.tab.core.state().outcome, Some(Outcome::Unknown));
}

#[test]
fn a_page_that_finds_something_unsettled_is_checking() {
    let bench = Bench::with_storage(Bench::submitted().storage);
    assert_eq!(bench.phase(), Phase::Checking);
    assert_eq!(bench.tab.core.state().outcome, None);
}

#[test]
fn what_storage_says_again_changes_nothing() {
    let again = |bench: &mut Bench| {
        let stored = bench.tab.stored(&bench.storage);
        bench.event(Event::StorageChanged(stored));
    };
    let mut bench = Bench::submitted();
    bench.rejected(Code::SOLD_OUT);
    again(&mut bench);
    assert_eq!(bench.phase(), Phase::Failed);
    bench.submit("");
    bench.event(Event::Close);
    again(&mut bench);
    assert_eq!(bench.tab.core.state().outcome, Some(Outcome::Unknown));
    bench.submit("");
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    again(&mut bench);
    let question = bench.tab.watched;
    bench.event(Event::Confirm { question });
    assert!(bench.is_placing(), "the question is still open");
}

#[test]
fn what_another_tab_changed_is_shown_instead_of_the_last_outcome() {
    let mut bench = Bench::submitted();
    bench.rejected(Code::SOLD_OUT);
    let mut cart = bench.tab.core.cart().clone();
    assert_eq!(cart.add(ramen()), Ok(()));
    bench.storage.cart = Some(Rc::new(cart.clone()));
    let stored = bench.tab.stored(&bench.storage);
    bench.event(Event::StorageChanged(stored));
    assert_eq!(bench.phase(), Phase::Idle);
    assert_eq!(bench.tab.core.cart(), &cart);
}

#[test]
fn a_question_that_another_tab_answered_or_put_anew_is_not_open_any_more() {
    let changes: [fn(&mut Slot); 3] = [
        |slot| slot.standing = Standing::Sent,
        |slot| slot.confirm_duplicate_of = Some(order_id(5)),
        |slot| slot.request_id = name("another key"),
    ];
    for change in changes {
        let mut bench = Bench::submitted();
        bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
        let question = bench.tab.watched;
        bench.storage.slot.iter_mut().for_each(change);
        let stored = bench.tab.stored(&bench.storage);
        bench.event(Event::StorageChanged(stored));
        bench.event(Event::Confirm { question });
        assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::NoQuestion)));
        assert_eq!(bench.tab.core.state().outcome, None);
    }
}

#[test]
fn a_blocked_call_does_not_change_what_is_shown() {
    let mut bench = Bench::submitted();
    bench.placed(1);
    bench.submit("");
    assert!(matches!(bench.outcome(), Some(Outcome::Blocked(_))));
    assert_eq!(bench.phase(), Phase::Done);
}
