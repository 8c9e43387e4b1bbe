//! Every code of the contract has its outcome.

use super::bench::{Bench, NEWER};
use super::model::server::conflict;
use crate::code::{Code, SPELLINGS};
use crate::effect::Outcome;
use crate::event::Event;
use crate::handle::{Id, Paper};
use crate::machine::Phase;

/// What a first attempt that gets this answer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Rejected,
    Refused,
    Waits,
    Asks,
    Checks,
}

/// The table of the contract, in its order.
const CONTRACT: [(Code, Then); 23] = [
    (Code::SOLD_OUT, Then::Rejected),
    (Code::ITEM_UNAVAILABLE, Then::Rejected),
    (Code::PRICE_CHANGED, Then::Rejected),
    (Code::SESSION_CLOSED, Then::Rejected),
    (Code::WITHDRAWN, Then::Rejected),
    (Code::POS_REJECTED, Then::Rejected),
    (Code::POS_UNAVAILABLE, Then::Rejected),
    (Code::IDEMPOTENCY_KEY_REUSED, Then::Refused),
    (Code::CHECKOUT_ALREADY_PLACED, Then::Refused),
    (Code::POSSIBLE_DUPLICATE, Then::Asks),
    (Code::IDEMPOTENCY_IN_PROGRESS, Then::Checks),
    (Code::DUPLICATE_PAYLOAD, Then::Waits),
    (Code::SESSION_ORDER_IN_PROGRESS, Then::Waits),
    (Code::SESSION_BUSY, Then::Waits),
    (Code::COOLDOWN_ACTIVE, Then::Waits),
    (Code::ORDERING_PAUSED, Then::Refused),
    (Code::RATE_LIMITED, Then::Waits),
    (Code::BAD_USER_INPUT, Then::Refused),
    (Code::UNAUTHENTICATED, Then::Refused),
    (Code::FORBIDDEN, Then::Refused),
    (Code::NOT_FOUND, Then::Refused),
    (Code::UNAVAILABLE, Then::Checks),
    (Code::INTERNAL, Then::Checks),
];

fn is_stored(then: Then) -> bool {
    then == Then::Rejected
}

/// Lets the server say it, in the way in which it says this code.
fn say(bench: &mut Bench, code: Code, then: Then) {
    let top_level = [
        Code::RATE_LIMITED,
        Code::BAD_USER_INPUT,
        Code::UNAUTHENTICATED,
        Code::FORBIDDEN,
        Code::NOT_FOUND,
        Code::UNAVAILABLE,
        Code::INTERNAL,
    ];
    let retryable = matches!(then, Then::Waits | Then::Checks);
    if is_stored(then) {
        bench.rejected(code);
    } else if top_level.contains(&code) {
        bench.failed(code, retryable);
    } else {
        let earlier = matches!(code, Code::POSSIBLE_DUPLICATE | Code::CHECKOUT_ALREADY_PLACED).then_some(3);
        bench.answer(conflict(code, retryable, earlier));
    }
}

#[test]
fn the_table_has_every_code() {
    let numbers = (1..).map(|n| Code(Id(n))).take(SPELLINGS.split_whitespace().count());
    assert!(CONTRACT.iter().map(|(code, _)| *code).eq(numbers));
}

#[test]
fn every_code_has_its_outcome() {
    for (code, then) in CONTRACT {
        let mut bench = Bench::submitted();
        say(&mut bench, code, then);
        let seen = match (bench.outcome(), bench.phase()) {
            (
                Some(Outcome::Rejected {
                    code: told,
                    problem: Some(Paper(0)),
                }),
                Phase::Failed,
            ) if *told == code => Then::Rejected,
            (Some(Outcome::Refused { code: told, .. }), Phase::Failed) if *told == code => Then::Refused,
            (Some(Outcome::PossibleDuplicate { earlier: Paper(3), .. }), Phase::Waiting) => Then::Asks,
            (None, Phase::Waiting) => Then::Waits,
            (None, Phase::Checking) => Then::Checks,
            other => panic!("{code:?}: {other:?}"),
        };
        assert_eq!(seen, then, "{code:?}");
    }
}

#[test]
fn a_pause_of_the_shop_is_told_as_it_is() {
    let mut bench = Bench::submitted();
    bench.answer(conflict(Code::ORDERING_PAUSED, false, None));
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Refused {
            code: Code::ORDERING_PAUSED,
            ..
        })
    ));
    assert!(!bench.is_locked());
}

#[test]
fn a_pause_of_the_shop_after_a_lost_attempt_is_made_true_before_it_is_told() {
    let mut bench = Bench::submitted();
    bench.lose();
    bench.wait();
    bench.answer(conflict(Code::ORDERING_PAUSED, false, None));
    assert_eq!(
        bench.outcome(),
        None,
        "the lost attempt may still arrive when the shop takes orders again"
    );
    assert!(bench.is_withdrawing());
    bench.rejected(Code::WITHDRAWN);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Refused {
            code: Code::ORDERING_PAUSED,
            ..
        })
    ));

    let mut bench = Bench::submitted();
    bench.lose();
    bench.wait();
    bench.answer(conflict(Code::ORDERING_PAUSED, false, None));
    bench.placed(1);
    assert!(
        matches!(bench.outcome(), Some(Outcome::Placed { order: Paper(1), .. })),
        "it had arrived"
    );
}

/// AC-073, AC-209
#[test]
fn a_stored_no_is_shown_and_not_tried_again() {
    for code in [Code::PRICE_CHANGED, Code::SESSION_CLOSED, Code::SOLD_OUT] {
        let mut bench = Bench::submitted();
        bench.rejected(code);
        assert_eq!(bench.tab.timer, None);
        assert_eq!(bench.wire(), None);
        assert_eq!(bench.keys.len(), 1);
    }
}

#[test]
fn a_stored_no_that_is_found_instead_of_a_withdrawal_is_told_as_it_is() {
    let mut bench = Bench::submitted();
    bench.lose();
    bench.wait();
    bench.answer(conflict(Code::ORDERING_PAUSED, false, None));
    bench.rejected(Code::SOLD_OUT);
    assert!(matches!(
        bench.outcome(),
        Some(Outcome::Rejected {
            code: Code::SOLD_OUT,
            ..
        })
    ));
}

/// The code and the answer's own word: either is enough to try again.
#[test]
fn what_may_be_tried_again_is_tried_again() {
    for (code, retryable, again) in [
        (Code::RATE_LIMITED, false, true),
        (NEWER, true, true),
        (NEWER, false, false),
    ] {
        let mut bench = Bench::submitted();
        bench.failed(code, retryable);
        assert_eq!(bench.outcome().is_none(), again, "{code:?}");
        let mut bench = Bench::submitted();
        bench.event(Event::Withdraw);
        bench.failed(code, retryable);
        assert_eq!(bench.outcome().is_none(), again, "giving up, {code:?}");
    }
    for (code, retryable, again) in [
        (Code::SESSION_BUSY, false, true),
        (Code::IDEMPOTENCY_IN_PROGRESS, false, true),
        (NEWER, true, true),
        (NEWER, false, false),
    ] {
        let mut bench = Bench::submitted();
        bench.answer(conflict(code, retryable, None));
        assert_eq!(bench.outcome().is_none(), again, "{code:?}");
        let mut bench = Bench::submitted();
        bench.event(Event::Withdraw);
        bench.answer(conflict(code, retryable, None));
        assert_eq!(bench.outcome().is_none(), again, "giving up, {code:?}");
    }
}
