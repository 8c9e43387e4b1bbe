//! Who may ask for a pause, and how long it may be.

use super::bench::Bench;
use crate::code::Code;
use crate::effect::Outcome;
use crate::event::{Event, Failure};
use crate::handle::Paper;
use crate::machine::Phase;
use crate::policy::{MAX_POLLS, MAX_RETRY_AFTER_MS, MAX_TRIES, RESEND_MS, is_repeated};
use crate::slot::Standing;

/// A day, and the end of the numbers: what a date far away becomes.
const TOO_LONG: [u32; 3] = [MAX_RETRY_AFTER_MS + 1, 86_400_000, u32::MAX];

/// What is on its way is answered by a proxy, with its `Retry-After`.
fn proxy(bench: &mut Bench, retry_after_ms: u32) {
    let (token, _) = bench.tab.flight.clone().unwrap_or_else(|| panic!("nothing is sent"));
    bench.event(Event::Lost {
        token,
        retry_after_ms: Some(retry_after_ms),
    });
}

/// Nothing is placed by itself any more; the guest's next tap sends the same key.
fn assert_left_to_the_guest(bench: &mut Bench) {
    let key = bench.slot().request_id;
    let since_ms = bench.now_ms;
    while bench.outcome().is_none() {
        match bench.wire() {
            Some(_) => bench.lose(),
            None => drop(bench.wait()),
        }
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert_eq!(bench.phase(), Phase::Checking);
    assert!(bench.now_ms - since_ms < 10_000, "the guest is told soon");
    assert_eq!(bench.tab.timer, None);
    assert_eq!(bench.slot().request_id, key);
}

#[test]
fn a_pause_that_is_too_long_for_a_guest_is_not_waited_out() {
    for ms in TOO_LONG {
        let mut bench = Bench::submitted();
        proxy(&mut bench, ms);
        assert!(bench.is_asking_status(), "to ask is to send nothing");
        assert_left_to_the_guest(&mut bench);
        assert_eq!(bench.keys.len(), 1);
        bench.submit("");
        assert_eq!(bench.keys[0], bench.keys[1]);
    }
}

#[test]
fn a_server_in_trouble_is_no_exception() {
    for ms in TOO_LONG {
        let mut bench = Bench::submitted();
        let (token, _) = bench.tab.flight.clone().unwrap_or_else(|| panic!("nothing is sent"));
        let failure = Failure {
            code: Code::UNAVAILABLE,
            retryable: true,
            retry_after_ms: Some(ms),
            problem: Paper(0),
        };
        bench.event(Event::Failed { token, failure });
        assert!(bench.is_asking_status());
        assert_left_to_the_guest(&mut bench);
    }
}

#[test]
fn giving_up_does_not_wait_that_long_either_and_is_finished_at_the_next_tap() {
    for ms in TOO_LONG {
        let mut bench = Bench::submitted();
        bench.event(Event::Withdraw);
        proxy(&mut bench, ms);
        assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
        assert_eq!(bench.slot().standing, Standing::Withdrawing);
        bench.submit("");
        assert!(bench.is_withdrawing());
    }
}

#[test]
fn what_is_asked_for_is_waited_out_up_to_the_bound() {
    let mut bench = Bench::submitted();
    proxy(&mut bench, MAX_RETRY_AFTER_MS);
    assert_eq!(bench.wait(), i64::from(MAX_RETRY_AFTER_MS));
    assert!(bench.is_placing());
    bench.event(Event::Withdraw);
    proxy(&mut bench, MAX_RETRY_AFTER_MS);
    assert_eq!(bench.wait(), i64::from(MAX_RETRY_AFTER_MS));
    assert!(bench.is_withdrawing());
}

/// However patient everybody else is: the last attempt is the last one, and a confirmation does not last longer than it does.
#[test]
fn a_bound_on_each_pause_is_a_bound_on_all_of_them() {
    for n in 0..=u8::MAX {
        for (retry_after_ms, fits) in [
            (None, true),
            (Some(0), true),
            (Some(MAX_RETRY_AFTER_MS), true),
            (Some(MAX_RETRY_AFTER_MS + 1), false),
            (Some(u32::MAX), false),
        ] {
            assert_eq!(
                is_repeated(n, retry_after_ms),
                fits && n < MAX_TRIES,
                "{n} {retry_after_ms:?}"
            );
        }
    }
    assert!(i64::from(MAX_RETRY_AFTER_MS) < RESEND_MS);
    let mut bench = Bench::submitted();
    let began_ms = bench.now_ms;
    while bench.is_placing() {
        proxy(&mut bench, MAX_RETRY_AFTER_MS);
        if bench.wire().is_none() {
            bench.wait();
        }
    }
    assert!(bench.now_ms - began_ms <= RESEND_MS);
    assert_eq!(bench.keys.len(), usize::from(MAX_TRIES));
    for _ in 0..=MAX_POLLS {
        proxy(&mut bench, MAX_RETRY_AFTER_MS);
        if bench.outcome().is_none() {
            bench.wait();
        }
    }
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
}
