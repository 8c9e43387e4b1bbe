//! A model of placing an order, and every way in which it can go.
//!
//! A few requests, two keys, two carts, two tables, a crash, a lost answer, a timeout, a purge; and *all* interleavings of their
//! statements, on a model of what PostgreSQL and SQLite do with them (`database`). What the statements lead to is decided by
//! the product's own code (`product`). Pure: no database, no clock, no threads. See docs/adr/0009-model-check.md.
//!
//! Reading order: `client` (who asks for what) → `database` → `process`, `transaction` (the protocol, statement by statement) →
//! `world` (what can happen) → `properties` (what must be true) → `explore`. `scenes` and `fault` are what is played, and
//! `statements` holds the model against the product's source.

mod client;
mod database;
mod product;
mod fault;
mod process;
mod transaction;
mod world;
mod properties;
mod explore;
mod scenes;
mod statements;

use database::Engine;
use explore::Explored;
use fault::Fault;
use std::time::Instant;

/// Explores a scene as the product is, and expects that it can come to all of these answers.
fn keeps_every_promise(name: &'static str, told: &[&str]) {
    for engine in [Engine::Postgres, Engine::Sqlite] {
        let explored = explored(name, engine, &[]);
        for word in told {
            // with one writer nobody waits for a key or a table
            let waits = engine == Engine::Sqlite && ["IDEMPOTENCY_IN_PROGRESS", "SESSION_BUSY"].contains(word);
            assert!(
                waits || explored.told.contains(word),
                "{name}, {engine:?}: nobody is told {word}"
            );
        }
    }
}

/// Explores, and expects every promise to be kept.
fn explored(name: &'static str, engine: Engine, faults: &'static [Fault]) -> Explored {
    let start = Instant::now();
    let explored = explore::explore(&scenes::scene(name, engine, faults)).unwrap_or_else(|broken| panic!("{broken}"));
    println!(
        "{name}, {engine:?}, {faults:?}: {} states, {} moves, all asked again from {} states, {} ms; told: {}",
        explored.states,
        explored.moves,
        explored.quiet,
        start.elapsed().as_millis(),
        explored.told.iter().copied().collect::<Vec<_>>().join(" ")
    );
    explored
}

/// Explores a scene with a fault, and expects to be told so.
fn catches(faults: &'static [Fault], name: &'static str, broken_promise: &str) {
    match explore::explore(&scenes::scene(name, Engine::Postgres, faults)) {
        Ok(explored) => panic!("{faults:?} was not caught in {explored:?} of {name:?}"),
        Err(told) => {
            println!("{faults:?}: {told}");
            assert!(told.contains(broken_promise), "caught for another reason");
        }
    }
}

macro_rules! promises_are_kept {
    ($($test:ident: $name:literal, $told:expr;)+) => {$(
        #[test]
        fn $test() {
            keeps_every_promise($name, &$told);
        }
    )+};
}

promises_are_kept! {
    twins_of_one_key_become_one_order:
        "twins", ["PLACED", "REPLAYED", "IDEMPOTENCY_IN_PROGRESS"];
    two_keys_of_one_cart_become_one_order:
        "two keys, one cart", ["PLACED", "REPLAYED", "SESSION_BUSY"];
    two_keys_of_one_phone_without_a_cart_become_one_order:
        "two keys, no cart", ["PLACED", "REPLAYED", "SESSION_BUSY"];
    another_phone_is_asked_and_its_key_still_places:
        "another phone", ["PLACED", "POSSIBLE_DUPLICATE"];
    a_cart_at_two_tables_becomes_one_order:
        "two tables, one cart", ["PLACED", "CHECKOUT_ALREADY_PLACED"];
    other_content_under_a_key_leaves_it_alone:
        "a key used twice", ["PLACED", "REPLAYED", "IDEMPOTENCY_KEY_REUSED"];
    a_withdrawn_key_never_places:
        "withdrawing", ["PLACED", "REPLAYED", "WITHDRAWN", "IDEMPOTENCY_KEY_REUSED"];
    what_is_purged_is_not_forgotten:
        "purging", ["PLACED", "REPLAYED"];
    a_withdrawal_after_the_purge_finds_the_order:
        "withdrawing late", ["PLACED", "REPLAYED", "WITHDRAWN"];
    a_paid_table_takes_no_more_and_replays:
        "paying", ["PLACED", "REPLAYED", "SESSION_CLOSED"];
    a_cancelled_order_is_no_duplicate:
        "cancelling", ["PLACED", "REPLAYED"];
    an_old_order_is_cancelled_while_its_key_is_purged:
        "cancelling late", ["PLACED", "REPLAYED", "WITHDRAWN"];
    the_last_portion_is_sold_once:
        "the last portion", ["PLACED", "SOLD_OUT"];
    all_of_it_at_once:
        "everything", ["PLACED", "REPLAYED", "WITHDRAWN", "SESSION_CLOSED"];
}

macro_rules! faults_are_caught {
    ($($test:ident: $faults:expr, $name:literal, $broken_promise:literal;)+) => {$(
        #[test]
        fn $test() {
            catches(&$faults, $name, $broken_promise);
        }
    )+};
}

faults_are_caught! {
    a_look_up_merged_into_the_lock_is_caught:
        [Fault::MergedLookup], "two keys, no cart", "ordered twice";
    a_table_that_is_not_locked_is_caught:
        [Fault::NoTableLock], "two keys, no cart", "ordered twice";
    a_claim_merged_with_its_read_is_caught:
        [Fault::MergedClaim, Fault::OneClaimRound], "twins, calm", "internal error";
    a_claim_in_a_transaction_of_its_own_is_caught:
        [Fault::TwoTransactions], "twins", "is claimed, and nobody is at work";
    releasing_the_claim_of_another_is_caught:
        [Fault::ReleasesForeignClaims], "a key used twice", "it was told Placed";
    purging_unfinished_claims_is_caught:
        [Fault::TwoTransactions, Fault::PurgesUnfinished], "purging, calm", "internal error";
    withdrawing_blindly_is_caught:
        [Fault::WithdrawsBlindly], "withdrawing late", "is withdrawn, and placed";
    forgetting_what_a_withdrawal_found_is_caught:
        [Fault::ForgetsFoundOrders], "withdrawing late", "it was told Placed";
    a_missing_index_on_checkouts_is_caught:
        [Fault::NoCheckoutIndex], "two tables, one cart", "a cart has two orders";
    swapped_locks_are_caught:
        [Fault::SwappedLocks], "cancelling", "a deadlock";
    an_answer_before_the_commit_is_caught:
        [Fault::AnswersBeforeCommit], "twins", "is not there";
}

/// The claim rounds heal it: the merged statement finds nothing, and the next one sees what was waited for.
#[test]
fn a_claim_merged_with_its_read_costs_a_round_and_breaks_nothing() {
    explored("twins", Engine::Postgres, &[Fault::MergedClaim]);
}

/// While claims are never committed without their outcome, nobody else ever sees an unfinished one.
#[test]
fn the_purge_meets_no_unfinished_claim_while_there_is_one_transaction() {
    let as_it_is = explored("withdrawing late", Engine::Postgres, &[]);
    assert_eq!(
        explored("withdrawing late", Engine::Postgres, &[Fault::PurgesUnfinished]),
        as_it_is
    );
}

/// Without crashes two transactions are enough, so it is the purge that is caught above.
#[test]
fn two_transactions_do_in_good_weather() {
    explored("purging, calm", Engine::Postgres, &[Fault::TwoTransactions]);
}
