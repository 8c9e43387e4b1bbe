//! Callers that stop waiting.

use super::bench::Bench;
use super::model::dishes::ramen;
use super::model::server::conflict;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::Event;

#[test]
fn giving_up_before_anything_was_sent_means_nothing_was_sent() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.alone = false;
    bench.submit("");
    let issued = bench.tab.request_id;
    bench.event(Event::Abort {
        submission: bench.tab.watched,
    });
    assert_eq!(bench.outcome(), Some(&Outcome::Blocked(Blocked::Aborted)));
    assert_eq!(bench.tab.lock, None);
    assert_eq!(bench.tab.request_id, issued);
    assert!(!bench.is_locked());
}

#[test]
fn giving_up_after_the_send_leaves_it_unknown() {
    let mut bench = Bench::submitted();
    bench.event(Event::Abort {
        submission: bench.tab.watched,
    });
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.wire(), None, "nobody listens any more");
    assert!(bench.is_locked());
    bench.submit("");
    assert_eq!(bench.keys[0], bench.keys[1]);
}

#[test]
fn an_old_signal_gives_up_nothing() {
    let mut bench = Bench::submitted();
    bench.event(Event::Abort {
        submission: bench.tab.watched + 1,
    });
    assert!(bench.is_placing());
    bench.event(Event::Close);
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown), "no promise is left hanging");
}

#[test]
fn a_late_answer_of_an_attempt_that_was_given_up_is_not_listened_to() {
    let mut bench = Bench::submitted();
    let Some((token, _)) = bench.tab.flight.clone() else {
        panic!("nothing is sent")
    };
    bench.wait();
    let placement = conflict(Code::ORDERING_PAUSED, false, None);
    bench.event(Event::Answered { token, placement });
    assert_eq!(bench.outcome(), None);
}
