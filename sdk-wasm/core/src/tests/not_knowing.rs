//! No answer is no failure: the same key again, then the key's fate, then the history.

use super::bench::{Bench, NEWER};
use super::model::dishes::name;
use super::model::server::{conflict, order_id};
use crate::code::Code;
use crate::effect::Outcome;
use crate::event::{Event, Listed, Status};
use crate::handle::{Id, Paper};
use crate::machine::Phase;
use crate::policy::{ATTEMPT_TIMEOUT_MS, MAX_POLLS, MAX_TRIES};
use std::vec::Vec;

const REPLAY: Outcome = Outcome::Placed {
    order: Paper(1),
    replay: true,
};

fn listed(order: u32, request_id: Id) -> Listed {
    Listed {
        order_id: order_id(order),
        request_id,
        pending: false,
        order: Paper(order),
        lines: Vec::from([super::model::dishes::ramen()]),
    }
}

/// The last attempt has no answer either, and the SDK asks.
fn all_lost() -> Bench {
    let mut bench = Bench::submitted();
    for _ in 1..MAX_TRIES {
        bench.lose();
        bench.wait();
    }
    bench.lose();
    assert!(bench.is_asking_status());
    bench
}

/// AC-003, AC-137
#[test]
fn a_lost_answer_is_asked_for_again_with_the_same_key() {
    let mut bench = Bench::submitted();
    bench.lose();
    assert_eq!(bench.phase(), Phase::Checking, "never a failure");
    assert_eq!(bench.outcome(), None);
    bench.wait();
    assert_eq!(bench.keys[0], bench.keys[1]);
    bench.answer(crate::event::Placement::Placed {
        order: Paper(1),
        replay: true,
    });
    assert_eq!(bench.outcome(), Some(&REPLAY));
}

/// AC-019
#[test]
fn a_server_in_trouble_is_asked_again_with_the_same_key() {
    let mut bench = Bench::submitted();
    for _ in 0..2 {
        bench.failed(Code::UNAVAILABLE, true);
        assert_eq!(bench.phase(), Phase::Checking);
        bench.wait();
    }
    bench.placed(1);
    assert_eq!(bench.keys.len(), 3);
    assert!(bench.keys.iter().all(|key| *key == bench.keys[0]));
    assert_eq!(bench.settled.len(), 1);
}

/// AC-139
#[test]
fn a_fetch_that_never_ends_is_ended_by_our_own_timer() {
    let mut bench = Bench::submitted();
    assert_eq!(bench.wait(), i64::from(ATTEMPT_TIMEOUT_MS));
    assert_eq!(bench.wire(), None, "the first attempt is given up");
    bench.wait();
    assert!(bench.is_placing());
    assert_eq!(bench.keys[0], bench.keys[1]);
}

#[test]
fn every_pause_has_full_jitter_under_a_growing_bound() {
    for (jitter, pauses) in [(0, [0, 0, 0]), (u32::MAX, [500, 1_000, 2_000])] {
        let mut bench = Bench::submitted();
        bench.jitter = jitter;
        for pause in pauses {
            bench.lose();
            assert_eq!(bench.wait(), pause);
        }
    }
}

#[test]
fn a_server_that_names_a_time_is_not_asked_before_it() {
    let mut bench = Bench::submitted();
    let (token, _) = bench.tab.flight.clone().unwrap_or_else(|| panic!("nothing is sent"));
    bench.event(Event::Lost {
        token,
        retry_after_ms: Some(7_000),
    });
    assert!(bench.wait() >= 7_000);
}

#[test]
fn after_the_last_attempt_the_fate_of_the_key_decides() {
    let mut bench = all_lost();
    bench.status(Status::Placed(Paper(1)));
    assert_eq!(bench.outcome(), Some(&REPLAY));
    let mut bench = all_lost();
    bench.status(Status::Rejected(Code::SOLD_OUT));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Rejected {
            code: Code::SOLD_OUT,
            problem: None
        })
    );
}

#[test]
fn the_history_is_read_five_times_and_the_key_is_looked_for() {
    for found_at in 1..=MAX_POLLS {
        let mut bench = all_lost();
        bench.status(Status::Unknown);
        for poll in 1..=found_at {
            assert_eq!(bench.wait(), 400 * i64::from(poll));
            assert!(bench.is_reading_history());
            let key = match poll == found_at {
                true => bench.keys[0],
                false => name("somebody else's"),
            };
            bench.history(Vec::from([listed(1, key)]));
        }
        assert_eq!(bench.outcome(), Some(&REPLAY), "poll {found_at}");
    }
}

/// AC-213
#[test]
fn an_equal_order_under_another_key_is_another_order() {
    let mut bench = all_lost();
    let key = bench.keys[0];
    bench.status(Status::Unknown);
    for _ in 0..MAX_POLLS {
        bench.wait();
        bench.history(Vec::from([listed(1, name("an hour ago"))]));
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.phase(), Phase::Checking);
    assert!(bench.is_locked());
    bench.submit("");
    assert_eq!(bench.keys.last(), Some(&key), "the same key on the next try");
    bench.placed(2);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(2),
            replay: false
        })
    );
}

/// AC-215
#[test]
fn a_first_request_that_takes_longer_than_everything_stays_unknown_and_keeps_its_key() {
    let mut bench = Bench::submitted();
    for n in 1..=MAX_TRIES {
        bench.answer(conflict(Code::IDEMPOTENCY_IN_PROGRESS, true, None));
        if n < MAX_TRIES {
            bench.wait();
        }
    }
    assert!(bench.is_asking_status());
    bench.status(Status::InProgress);
    for _ in 0..MAX_POLLS {
        bench.wait();
        bench.history(Vec::new());
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.phase(), Phase::Checking);
    let key = bench.keys[0];
    bench.reload();
    assert!(bench.is_asking_status());
    bench.status(Status::Placed(Paper(1)));
    assert_eq!(bench.outcome(), Some(&REPLAY));
    assert_eq!(bench.settled.last().and_then(|s| s.key), Some(key));
}

#[test]
fn questions_that_are_lost_too_leave_it_unknown_and_end() {
    let mut bench = all_lost();
    bench.lose();
    for _ in 0..MAX_POLLS {
        bench.wait();
        bench.lose();
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.tab.timer, None);
    assert_eq!(bench.tab.lock, None);
}

#[test]
fn an_order_that_the_shop_has_not_confirmed_is_found_as_pending() {
    let mut bench = all_lost();
    bench.status(Status::InProgress);
    bench.wait();
    let key = bench.keys[0];
    let found = Listed {
        pending: true,
        ..listed(1, key)
    };
    bench.history(Vec::from([found]));
    assert_eq!(bench.outcome(), Some(&Outcome::Pending { request_id: key }));
    assert_eq!(bench.phase(), Phase::Waiting);
    assert!(bench.is_locked());
}

#[test]
fn after_a_lost_answer_a_no_that_is_not_about_the_key_settles_nothing() {
    for code in [
        Code::BAD_USER_INPUT,
        Code::UNAUTHENTICATED,
        Code::FORBIDDEN,
        Code::NOT_FOUND,
        Code::RATE_LIMITED,
    ] {
        let mut bench = Bench::submitted();
        bench.lose();
        bench.wait();
        for _ in 0..100 {
            if bench.outcome().is_some() {
                break;
            }
            match bench.wire() {
                Some(_) => bench.failed(code, false),
                None => drop(bench.wait()),
            }
        }
        assert_eq!(bench.outcome(), Some(&Outcome::Unknown), "{code:?}");
        assert!(bench.is_locked());
        assert!(bench.keys.iter().all(|key| *key == bench.keys[0]));
    }
}

#[test]
fn what_was_said_is_told_if_nothing_was_lost() {
    for code in [
        Code::BAD_USER_INPUT,
        Code::UNAUTHENTICATED,
        Code::FORBIDDEN,
        Code::NOT_FOUND,
        NEWER,
    ] {
        let mut bench = Bench::submitted();
        bench.failed(code, false);
        assert_eq!(
            bench.outcome(),
            Some(&Outcome::Refused {
                code,
                problem: Paper(0)
            }),
            "{code:?}"
        );
    }
}

#[test]
fn pause_grows_to_a_bound_and_never_overflows() {
    use crate::policy::{BACKOFF_MS, MAX_BACKOFF_MS, pause_ms};
    assert_eq!(pause_ms(1, None, 0), 0);
    assert_eq!(pause_ms(200, None, u32::MAX), MAX_BACKOFF_MS);
    assert_eq!(pause_ms(200, Some(u32::MAX), u32::MAX), u32::MAX);
    assert_eq!(pause_ms(1, Some(300), u32::MAX / 2), 300 + 250);
    assert_eq!(pause_ms(1, None, u32::MAX), BACKOFF_MS);
}
