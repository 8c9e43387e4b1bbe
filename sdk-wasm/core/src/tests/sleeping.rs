//! Pages that are put to sleep: frozen timers, the back/forward cache.

use super::bench::Bench;
use super::model::dishes::ramen;
use crate::effect::Outcome;
use crate::event::{Event, Status};
use crate::handle::Paper;
use crate::machine::Phase;
use crate::policy::{ATTEMPT_TIMEOUT_MS, LOCK_TIMEOUT_MS, MAX_POLLS, RESEND_MS};
use std::vec::Vec;

/// AC-151
#[test]
fn coming_back_from_the_next_page_finds_a_cart_that_can_be_used() {
    let mut bench = Bench::submitted();
    let key = bench.keys[0];
    bench.placed(1);
    assert_eq!(bench.phase(), Phase::Done);
    bench.event(Event::Shown { restored: true });
    assert_eq!(bench.phase(), Phase::Idle);
    assert!(!bench.is_locked());
    assert_ne!(bench.tab.request_id, Some(key));
    bench.event(Event::Add(ramen()));
    bench.submit("");
    assert_ne!(bench.keys[0], bench.keys[1]);
}

#[test]
fn a_tab_that_was_only_hidden_still_shows_what_happened() {
    let mut bench = Bench::submitted();
    bench.placed(1);
    bench.event(Event::Shown { restored: false });
    assert_eq!(bench.phase(), Phase::Done);
}

#[test]
fn an_unknown_order_is_not_forgotten_by_coming_back() {
    let mut bench = Bench::submitted();
    bench.event(Event::Close);
    bench.event(Event::Shown { restored: true });
    assert_eq!(bench.phase(), Phase::Checking);
    assert!(bench.is_locked());
}

#[test]
fn a_timer_that_was_frozen_is_caught_up_by_the_wall_clock() {
    let mut bench = Bench::submitted();
    bench.now_ms += i64::from(ATTEMPT_TIMEOUT_MS) - 1;
    bench.event(Event::Shown { restored: false });
    assert!(bench.is_placing(), "not yet");
    bench.now_ms += 1;
    bench.event(Event::Shown { restored: false });
    assert_eq!(bench.wire(), None);
    bench.event(Event::Shown { restored: true });
    assert!(bench.is_placing(), "a pause is caught up too");
    assert_eq!(bench.keys[0], bench.keys[1]);
}

#[test]
fn a_page_that_slept_longer_than_the_confirmation_lasts_asks_before_it_sends() {
    let mut bench = Bench::submitted();
    bench.lose();
    bench.now_ms += RESEND_MS + 1;
    bench.event(Event::Shown { restored: true });
    assert!(bench.is_asking_status());
    assert_eq!(bench.keys.len(), 1);
}

#[test]
fn a_timer_of_an_earlier_step_does_nothing() {
    let mut bench = Bench::submitted();
    let (old, _) = bench.tab.timer.unwrap_or_else(|| panic!("no timer is set"));
    bench.lose();
    let timer = bench.tab.timer;
    bench.event(Event::TimerFired { id: old });
    assert_eq!(bench.tab.timer, timer);
    assert_eq!(bench.wire(), None);
}

#[test]
fn a_lock_that_never_comes_is_not_waited_for_for_ever() {
    let mut bench = Bench::new();
    bench.event(Event::Add(ramen()));
    bench.alone = false;
    bench.submit("");
    assert_eq!(bench.wait(), i64::from(LOCK_TIMEOUT_MS));
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Blocked(crate::effect::Blocked::OtherTab))
    );
    assert_eq!(bench.tab.lock, None);
}

#[test]
fn who_waits_for_a_tab_that_sleeps_asks_and_sends_nothing() {
    for known in [true, false] {
        let mut bench = Bench::submitted();
        bench.event(Event::Close);
        bench.alone = false;
        bench.submit("");
        bench.wait();
        assert!(bench.is_asking_status());
        if known {
            bench.status(Status::Placed(Paper(1)));
            assert!(matches!(bench.outcome(), Some(Outcome::Placed { .. })));
            assert_eq!(bench.storage.slot, None);
        } else {
            bench.status(Status::Unknown);
            for _ in 0..MAX_POLLS {
                bench.wait();
                bench.history(Vec::new());
            }
            assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
        }
        assert_eq!(bench.keys.len(), 1);
        assert_eq!(bench.tab.lock, None);
    }
}

/// AC-143
#[test]
fn without_storage_everything_works_until_the_page_is_gone() {
    let mut bench = Bench::new();
    bench.event(Event::StorageFailed);
    assert!(!bench.tab.core.state().persistent);
    bench.event(Event::Add(ramen()));
    bench.submit("");
    bench.submit("");
    bench.placed(1);
    assert_eq!(bench.keys.len(), 1);
    assert_eq!(bench.settled.len(), 1);
}
