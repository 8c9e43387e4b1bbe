//! Known "not placed yet": waited out with the same key, unseen, without asking what became of it.

use super::bench::{Bench, NEWER};
use super::model::server::conflict;
use crate::code::Code;
use crate::effect::Outcome;
use crate::event::{Event, Failure, Placement, Status};
use crate::handle::Paper;
use crate::machine::Phase;
use crate::policy::{
    ATTEMPT_TIMEOUT_MS, LOCK_TIMEOUT_MS, MAX_BACKOFF_MS, MAX_TRIES, MAX_WAITS, RESEND_MS, RETENTION_MS,
};

const CODES: [Code; 4] = [
    Code::COOLDOWN_ACTIVE,
    Code::SESSION_BUSY,
    Code::SESSION_ORDER_IN_PROGRESS,
    Code::DUPLICATE_PAYLOAD,
];

/// Wait bound 2 s < answer budget 5 s < attempt timeout < what a guest waits for.
#[test]
fn the_numbers_fit_together() {
    assert_eq!(ATTEMPT_TIMEOUT_MS, 10_000);
    assert_eq!(RETENTION_MS, 72 * 60 * 60 * 1_000);
    assert!(i64::from(ATTEMPT_TIMEOUT_MS + MAX_BACKOFF_MS) * i64::from(MAX_TRIES) <= RESEND_MS);
    assert_eq!(
        LOCK_TIMEOUT_MS.max(ATTEMPT_TIMEOUT_MS + MAX_BACKOFF_MS),
        LOCK_TIMEOUT_MS
    );
}

#[test]
fn a_busy_table_is_waited_out_with_the_same_key() {
    for code in CODES {
        let mut bench = Bench::submitted();
        bench.answer(conflict(code, true, None));
        assert_eq!(bench.phase(), Phase::Waiting, "{code:?}");
        bench.wait();
        assert!(bench.is_placing(), "no question in between");
        bench.placed(1);
        assert_eq!(
            bench.outcome(),
            Some(&Outcome::Placed {
                order: Paper(1),
                replay: false
            })
        );
        assert_eq!(bench.keys[0], bench.keys[1]);
    }
}

#[test]
fn a_cooldown_is_not_asked_about_before_it_is_over() {
    let mut bench = Bench::submitted();
    bench.answer(Placement::Conflict {
        code: Code::COOLDOWN_ACTIVE,
        retryable: true,
        retry_after_ms: Some(2_400),
        earlier: None,
        problem: Paper(0),
    });
    assert!(bench.wait() >= 2_400);
}

#[test]
fn waiting_ends_without_a_question_and_without_a_failure() {
    let mut bench = Bench::submitted();
    for _ in 0..MAX_WAITS {
        bench.answer(conflict(Code::SESSION_BUSY, true, None));
        bench.wait();
        assert!(bench.is_placing());
    }
    bench.answer(conflict(Code::SESSION_BUSY, true, None));
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
    assert!(bench.is_locked());
    bench.submit("");
    assert!(bench.keys.iter().all(|key| *key == bench.keys[0]));
}

#[test]
fn a_wait_that_would_outlast_the_confirmation_is_not_begun() {
    let mut bench = Bench::submitted();
    bench.answer(Placement::Conflict {
        code: Code::DUPLICATE_PAYLOAD,
        retryable: true,
        retry_after_ms: u32::try_from(RESEND_MS + 1).ok(),
        earlier: None,
        problem: Paper(0),
    });
    assert_eq!(bench.outcome(), Some(&Outcome::Unknown));
}

#[test]
fn a_crowd_that_is_held_back_waits_as_it_is_told() {
    let mut bench = Bench::submitted();
    let (token, _) = bench.tab.flight.clone().unwrap_or_else(|| panic!("nothing is sent"));
    let failure = Failure {
        code: Code::RATE_LIMITED,
        retryable: true,
        retry_after_ms: Some(5_000),
        problem: Paper(0),
    };
    bench.event(Event::Failed { token, failure });
    assert!(bench.wait() >= 5_000);
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
fn what_a_newer_server_calls_retryable_is_tried_again_and_what_it_does_not_is_told() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(NEWER, true, None));
    bench.wait();
    assert!(bench.is_placing());
    bench.answer(conflict(NEWER, false, None));
    assert!(matches!(bench.outcome(), Some(Outcome::Refused { code: NEWER, .. })));
}

#[test]
fn an_order_that_the_shop_has_to_confirm_is_waited_for_with_the_same_key() {
    let pending = || Placement::Pending { poll_after_ms: 2_000 };
    let mut bench = Bench::submitted();
    bench.answer(pending());
    assert_eq!(bench.phase(), Phase::Waiting);
    assert!(bench.wait() >= 2_000);
    bench.placed(1);
    assert_eq!(
        bench.outcome(),
        Some(&Outcome::Placed {
            order: Paper(1),
            replay: false
        })
    );

    let mut bench = Bench::submitted();
    bench.answer(pending());
    bench.wait();
    bench.rejected(Code::POS_REJECTED);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::POS_REJECTED,
            ..
        })
    ));

    let mut bench = Bench::submitted();
    while bench.outcome().is_none() {
        bench.answer(pending());
        if bench.outcome().is_none() {
            bench.wait();
        }
    }
    let request_id = bench.keys[0];
    assert_eq!(bench.outcome(), Some(&Outcome::Pending { request_id }));
    assert!(bench.is_locked());
    bench.submit("");
    assert_eq!(bench.keys.last(), bench.keys.first());
}

#[test]
fn what_the_shop_has_is_waited_for_whatever_is_lost_meanwhile() {
    let mut bench = Bench::submitted();
    bench.answer(Placement::Pending { poll_after_ms: 2_000 });
    bench.wait();
    bench.lose();
    assert_eq!(bench.phase(), Phase::Waiting, "in the pause");
    bench.wait();
    assert_eq!(bench.phase(), Phase::Waiting, "in the next attempt");
}

#[test]
fn what_the_shop_has_is_settled_by_nothing_but_its_own_fate() {
    for code in [Code::UNAUTHENTICATED, Code::BAD_USER_INPUT] {
        let mut bench = Bench::submitted();
        bench.answer(Placement::Pending { poll_after_ms: 2_000 });
        bench.wait();
        assert_eq!(bench.phase(), Phase::Waiting);
        bench.failed(code, false);
        assert_eq!(bench.outcome(), None, "it may become an order all the same");
        bench.status(Status::InProgress);
        while bench.outcome().is_none() {
            bench.wait();
            bench.lose();
        }
        let request_id = bench.keys[0];
        assert_eq!(
            bench.outcome(),
            Some(&Outcome::Pending { request_id }),
            "not unknown: the shop has it"
        );
    }
    let mut bench = Bench::submitted();
    bench.answer(Placement::Pending { poll_after_ms: 2_000 });
    bench.wait();
    bench.answer(conflict(Code::ORDERING_PAUSED, false, None));
    assert!(bench.is_withdrawing(), "a no that is stored nowhere is made true first");
}
