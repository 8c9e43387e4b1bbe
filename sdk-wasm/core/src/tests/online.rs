//! The browser says that the network is back: whoever waits because nobody answered goes on, and nobody else.

use super::bench::Bench;
use super::model::server::conflict;
use crate::code::Code;
use crate::event::{Event, Status};
use crate::policy::{MAX_POLLS, MAX_TRIES, ONLINE_MS, POLL_MS};
use std::vec::Vec;

/// The pause after a lost attempt is as long as it can be.
fn paused() -> Bench {
    let mut bench = Bench::submitted();
    bench.jitter = u32::MAX;
    bench.lose();
    bench
}

#[test]
fn a_paused_attempt_goes_on_in_a_moment() {
    for (jitter, ms) in [(0, 0), (u32::MAX, i64::from(ONLINE_MS))] {
        let mut bench = paused();
        bench.jitter = jitter;
        bench.event(Event::Online);
        assert_eq!(bench.wire(), None, "everybody in the room hears it at the same moment");
        assert_eq!(bench.wait(), ms);
        assert!(bench.is_placing());
        assert_eq!(bench.keys[0], bench.keys[1]);
    }
}

#[test]
fn giving_up_and_looking_into_the_history_go_on_too() {
    let mut bench = Bench::submitted();
    bench.event(Event::Withdraw);
    bench.jitter = u32::MAX;
    bench.lose();
    bench.jitter = 0;
    bench.event(Event::Online);
    assert_eq!(bench.wait(), 0);
    assert!(bench.is_withdrawing());

    let mut bench = Bench::submitted();
    for _ in 1..MAX_TRIES {
        bench.lose();
        bench.wait();
    }
    bench.lose();
    bench.status(Status::Unknown);
    for _ in 1..MAX_POLLS {
        bench.event(Event::Online);
        assert_eq!(bench.wait(), 0);
        assert!(bench.is_reading_history());
        bench.history(Vec::new());
    }
    assert_eq!(bench.wait(), i64::from(POLL_MS) * i64::from(MAX_POLLS));
}

#[test]
fn a_pause_that_the_server_asked_for_is_kept() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::COOLDOWN_ACTIVE, true, None));
    let timer = bench.tab.timer;
    bench.event(Event::Online);
    assert_eq!(bench.tab.timer, timer);

    let mut bench = Bench::submitted();
    let (token, _) = bench.tab.flight.clone().unwrap_or_else(|| panic!("nothing is sent"));
    let retry_after_ms = Some(5_000);
    bench.event(Event::Lost { token, retry_after_ms });
    bench.event(Event::Online);
    assert_eq!(bench.wait(), 5_000);
    assert!(bench.is_placing());
}

#[test]
fn a_network_that_comes_and_goes_puts_nothing_off() {
    let mut bench = paused();
    let end_ms = bench.now_ms + 500;
    for _ in 0..3 {
        bench.event(Event::Online);
        bench.now_ms += i64::from(ONLINE_MS) - 1;
    }
    bench.now_ms = end_ms;
    bench.event(Event::Shown { restored: false });
    assert!(bench.is_placing());
}

#[test]
fn what_is_on_its_way_is_left_alone() {
    let mut bench = Bench::submitted();
    let (flight, timer) = (bench.tab.flight.clone(), bench.tab.timer);
    bench.event(Event::Online);
    assert_eq!((bench.tab.flight, bench.tab.timer), (flight, timer));

    let mut bench = Bench::new();
    bench.event(Event::Online);
    assert_eq!(bench.tab.timer, None);
}
