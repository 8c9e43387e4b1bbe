//! "The same was ordered a moment ago. Again?" The guest answers, nobody else.

use super::bench::Bench;
use super::model::dishes::name;
use super::model::server::{conflict, order_id};
use super::model::shell::Wire;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Listed, Status};
use crate::handle::{Id, Paper};
use crate::machine::Phase;
use crate::slot::Standing;
use std::vec::Vec;

/// The shop has asked about order 3.
fn asked() -> Bench {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    bench
}

fn question(bench: &Bench) -> u32 {
    match bench.outcome() {
        Some(Outcome::PossibleDuplicate {
            question,
            earlier: Paper(3),
        }) => *question,
        other => panic!("not asked about order 3: {other:?}"),
    }
}

fn listed(order: u32, key: Id) -> Listed {
    Listed {
        order_id: order_id(order),
        request_id: key,
        pending: false,
        order: Paper(order),
        lines: Vec::new(),
    }
}

#[test]
fn the_question_is_written_down_with_the_order_that_it_is_about() {
    let bench = asked();
    assert_eq!(bench.slot().standing, Standing::Asked);
    assert_eq!(bench.slot().confirm_duplicate_of, Some(order_id(3)));
    assert_eq!(bench.phase(), Phase::Waiting);
    assert!(bench.is_locked());
    assert_eq!(bench.tab.timer, None);
}

#[test]
fn a_confirmed_duplicate_is_sent_with_the_same_key() {
    let mut bench = asked();
    bench.event(Event::Confirm {
        question: question(&bench),
    });
    let Some(Wire::Place(slot)) = bench.wire() else {
        panic!("nothing is sent")
    };
    assert_eq!(slot.confirm_duplicate_of, Some(order_id(3)));
    assert_eq!(bench.slot().standing, Standing::Sent);
    assert_eq!(bench.keys[0], bench.keys[1]);
    bench.placed(4);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(4),
            replay: false
        })
    );
}

#[test]
fn a_second_yes_joins_the_first() {
    let mut bench = asked();
    let question = question(&bench);
    bench.event(Event::Confirm { question });
    let first = bench.tab.watched;
    bench.event(Event::Confirm { question });
    assert_eq!(bench.tab.watched, first);
    assert_eq!(bench.keys.len(), 2);
}

#[test]
fn a_newer_equal_order_is_asked_about_again() {
    let mut bench = asked();
    let first = question(&bench);
    bench.event(Event::Confirm { question: first });
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, Some(5)));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::PossibleDuplicate { earlier: Paper(5), .. })
    ));
    bench.event(Event::Confirm { question: first });
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Blocked(Blocked::NoQuestion)),
        "that was another question"
    );
    assert_eq!(bench.wire(), None);
}

#[test]
fn a_declined_duplicate_is_written_down_before_it_is_withdrawn() {
    let mut bench = asked();
    let key = bench.keys[0];
    bench.event(Event::Decline {
        question: question(&bench),
    });
    assert_eq!(bench.slot().standing, Standing::Withdrawing);
    assert_eq!(bench.wire(), Some(&Wire::Withdraw(key)));
    bench.rejected(Code::WITHDRAWN);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::WITHDRAWN,
            ..
        })
    ));
    assert!(!bench.is_locked());
    assert_eq!(
        bench.tab.core.cart().lines.len(),
        1,
        "the guest may want something else with it"
    );
    assert_ne!(bench.tab.request_id, Some(key));
}

#[test]
fn an_attempt_that_arrived_late_is_found_when_the_question_is_declined() {
    let mut bench = asked();
    bench.event(Event::Decline {
        question: question(&bench),
    });
    bench.placed(4);
    assert!(matches!(bench.outcome(), Some(Outcome::Placed { order: Paper(4), .. })));
}

#[test]
fn no_is_stronger_than_a_yes_that_is_on_its_way() {
    let mut bench = asked();
    let question = question(&bench);
    bench.event(Event::Confirm { question });
    bench.event(Event::Decline { question });
    assert!(bench.is_withdrawing());
    bench.rejected(Code::WITHDRAWN);
    assert_eq!(bench.settled.len(), 2);
}

#[test]
fn a_tap_on_an_open_question_asks_again_and_sends_nothing() {
    let mut bench = asked();
    let first = question(&bench);
    bench.submit("");
    assert_eq!(question(&bench), first);
    bench.event(Event::Resume);
    assert_eq!(question(&bench), first);
    assert_eq!(bench.wire(), None);
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn a_page_that_is_loaded_again_asks_again_and_never_sends() {
    let mut bench = asked();
    bench.reload();
    assert!(bench.is_asking_status());
    bench.status(Status::Unknown);
    assert!(bench.is_reading_history());
    bench.history(Vec::from([listed(4, name("newer")), listed(3, name("earlier"))]));
    let again = question(&bench);
    assert_eq!(bench.keys.len(), 1);
    bench.event(Event::Confirm { question: again });
    assert!(bench.is_placing());
    assert_eq!(bench.keys[0], bench.keys[1]);
}

#[test]
fn a_tap_after_a_reload_is_no_answer_to_the_question() {
    let mut bench = asked();
    bench.reload();
    bench.submit("");
    bench.status(Status::InProgress);
    bench.wait();
    bench.history(Vec::from([listed(3, name("earlier"))]));
    question(&bench);
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn a_late_attempt_is_found_while_the_question_is_put_again() {
    let mut bench = asked();
    let key = bench.keys[0];
    bench.reload();
    bench.status(Status::Unknown);
    bench.history(Vec::from([listed(4, key), listed(3, name("earlier"))]));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(4),
            replay: true
        })
    );
}

#[test]
fn a_question_whose_order_can_not_be_found_stays_open() {
    let mut bench = asked();
    bench.reload();
    bench.status(Status::Unknown);
    bench.lose();
    while bench
        .outcome()
        .is_none_or(|o| matches!(o, Outcome::PossibleDuplicate { .. }))
    {
        bench.wait();
        bench.history(Vec::new());
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.slot().standing, Standing::Asked);
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn a_question_about_nothing_is_a_no() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::POSSIBLE_DUPLICATE, false, None));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Refused {
            code: Code::POSSIBLE_DUPLICATE,
            ..
        })
    ));
}

#[test]
fn an_answer_to_a_question_that_was_never_put_does_nothing() {
    let mut bench = Bench::submitted();
    let submission = bench.tab.watched;
    bench.event(Event::Confirm { question: submission });
    bench.event(Event::Decline { question: submission });
    assert_eq!(bench.settled.len(), 2);
    assert!(
        bench
            .settled
            .iter()
            .all(|s| s.outcome == Outcome::Blocked(Blocked::NoQuestion))
    );
    assert!(bench.is_placing());
}
