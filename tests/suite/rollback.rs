//! A transaction that ends early leaves nothing: no row, no taken stock, no burnt key. What the weather does (deadlocks,
//! serialization failures, broken connections) is run again inside and not shown to the guest; what can not be mended is
//! answered without details, and the same key places the order afterwards. A claim that was committed by itself, or an answer
//! cached before the COMMIT, would fail every test here.

use harness::client::{key, line, line_with, order};
use harness::{Backend, Database, Reply, STEPS, Setup, on_both_databases};
use masterorder_server::app::Settings;
use serde_json::{Value, json};
use std::time::Duration;

/// An order that writes to every table.
fn full_order(db: &Database) -> Value {
    let f = &db.fixture;
    let lines = json!([line_with(f.ramen, 1, &[f.egg, f.nori]), line(f.beer, 1)]);
    let mut order = order(&key(), lines);
    order["checkoutId"] = json!(key());
    order
}

/// Enough for one of each order of a test.
async fn stock_up(db: &Database) -> anyhow::Result<()> {
    for subject in [db.fixture.ramen, db.fixture.beer] {
        db.set_stock(subject, 1_000).await?;
    }
    Ok(())
}

/// Everything that a rolled back placement may not have touched, in a form to be compared.
async fn ground(db: &Database) -> anyhow::Result<(Vec<(String, i64)>, i64)> {
    let marked = "SELECT count(*) FROM table_sessions WHERE last_placed_at_ms IS NOT NULL";
    Ok((db.census().await?.into_iter().collect(), db.int(marked, []).await?))
}

fn assert_without_details(reply: &Reply) {
    let text = reply.body.to_string().to_lowercase();
    for word in [
        "panic",
        "inject",
        "sql",
        "lock",
        "transaction",
        "database",
        "claim",
        "write_",
        "::",
    ] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

on_both_databases! {
    /// AC-035.
    async fn a_panic_at_any_step_leaves_nothing_and_the_key_places_the_order_afterwards(db) {
        stock_up(db).await?;
        let node = db.node().await?;
        for (step, table) in STEPS.into_iter().zip(db.more_tables(STEPS.len()).await?) {
            let (phone, input) = (node.guest(&table), full_order(db));
            let before = ground(db).await?;
            node.arm(&format!("{step}=panic"));
            let fallen = phone.place(input.clone()).await?;
            assert_eq!(fallen.code(), "INTERNAL", "{step}");
            assert!(fallen.is_retryable(), "{step}");
            assert_without_details(&fallen);
            assert_eq!(ground(db).await?, before, "{step}");
            let placed = phone.place(input.clone()).await?;
            let id = placed.order_id()?;
            assert!(!placed.is_replay()?, "{step}");
            assert_eq!(phone.place(input).await?.order_id()?, id, "{step}");
            assert_eq!(db.orders(&table).await?, 1, "{step}");
        }
    }

    async fn bad_weather_at_any_step_is_not_shown_to_the_guest(db) {
        stock_up(db).await?;
        let node = db.node().await?;
        let faults = STEPS.into_iter().flat_map(|step| ["busy", "vanish"].map(|fault| (step, fault)));
        for ((step, fault), table) in faults.zip(db.more_tables(STEPS.len() * 2).await?) {
            let (phone, input) = (node.guest(&table), full_order(db));
            node.arm(&format!("{step}={fault}"));
            let placed = phone.place(input).await?;
            placed.order_id()?;
            assert!(!placed.is_replay()?, "{step}={fault}");
            assert!(!node.app.faults.is_armed(step), "{step}={fault} was not met");
            assert_eq!(db.orders(&table).await?, 1, "{step}={fault}");
        }
        let orders = i64::try_from(STEPS.len() * 2)?;
        assert_eq!(db.stock(db.fixture.ramen).await?, 1_000 - orders);
        assert_eq!(db.stock(db.fixture.nori).await?, 100 - orders);
    }

    /// AC-185: what PostgreSQL reports is real; on SQLite each stands for the one error of that kind, busy.
    async fn a_database_error_is_retried_inside_or_says_what_to_wait_for(db) {
        stock_up(db).await?;
        let node = db.node().await?;
        let steps = ["claim", "lock", "stock", "write_orders", "complete", "commit"];
        let errors = ["40001", "40P01", "55P03", "08006"];
        let mut tables = db.more_tables(steps.len() * errors.len()).await?;
        for (step, error) in steps.iter().flat_map(|s| errors.map(|e| (*s, e))) {
            let table = tables.pop().expect("a table per fault");
            let (phone, input) = (node.guest(&table), full_order(db));
            let before = ground(db).await?;
            node.arm(&format!("{step}=sqlstate:{error}"));
            let answer = phone.place(input.clone()).await?;
            let waited_for = match (db.backend, step, error) {
                (Backend::Postgres, "claim", "55P03") => Some("IDEMPOTENCY_IN_PROGRESS"),
                (Backend::Postgres, "lock", "55P03") => Some("SESSION_BUSY"),
                _ => None,
            };
            let placed = match waited_for {
                None => answer,
                Some(code) => {
                    assert_eq!(answer.code(), code, "{error} at {step}");
                    assert!(answer.is_retryable() && answer.retry_after_ms().is_some(), "{error} at {step}");
                    assert_eq!(ground(db).await?, before, "{error} at {step}");
                    phone.place(input).await?
                }
            };
            placed.order_id()?;
            assert!(!placed.is_replay()?, "{error} at {step}");
            assert!(!node.app.faults.is_armed(step), "{error} at {step} was not met");
            assert_eq!(db.orders(&table).await?, 1, "{error} at {step}");
        }
    }

    /// AC-185, past the limit.
    async fn a_database_error_without_end_is_unavailable_and_the_key_is_not_burnt(db) {
        let settings = Settings { answer_budget: Duration::from_secs(1), ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let steps = ["claim", "write_orders", "complete", "commit"];
        for ((step, error), table) in steps.iter().zip(["40001", "40P01", "55P03", "08006"]).zip(&db.fixture.tables) {
            // a lock timeout at the claim has an answer of its own, above
            let (phone, input) = (node.guest(table), full_order(db));
            let before = ground(db).await?;
            node.arm(&format!("{step}=sqlstate:{error}*1000000"));
            let given_up = phone.place(input.clone()).await?;
            assert_eq!(given_up.code(), "UNAVAILABLE", "{error} at {step}: {}", given_up.body);
            assert!(given_up.is_retryable() && given_up.retry_after_ms().is_some_and(|ms| ms > 0), "{error} at {step}");
            assert_without_details(&given_up);
            assert_eq!(ground(db).await?, before, "{error} at {step}");
            node.app.faults.clear();
            let placed = phone.place(input).await?;
            placed.order_id()?;
            assert!(!placed.is_replay()?, "{error} at {step}");
            assert_eq!(db.orders(table).await?, 1, "{error} at {step}");
        }
    }

    /// A "no" that could not be stored is not said: the retry might be told "yes".
    async fn a_rejection_that_could_not_be_stored_is_not_given(db) {
        let f = &db.fixture;
        db.set_stock(f.ramen, 1).await?;
        let node = db.node().await?;
        let tables = db.more_tables(4).await?;
        for (step, table) in ["claim", "stock", "complete", "commit"].into_iter().zip(&tables) {
            let (phone, input) = (node.guest(table), order(&key(), json!([line(f.ramen, 2)])));
            let before = ground(db).await?;
            node.arm(&format!("{step}=panic"));
            assert_eq!(phone.place(input.clone()).await?.code(), "INTERNAL", "{step}");
            assert_eq!(ground(db).await?, before, "{step}");
            let rejected = phone.place(input.clone()).await?;
            assert_eq!((rejected.code(), rejected.is_replay()?), ("SOLD_OUT".into(), false), "{step}");
            let replayed = phone.place(input).await?;
            assert_eq!((replayed.code(), replayed.is_replay()?), ("SOLD_OUT".into(), true), "{step}");
        }
        assert_eq!(db.all_orders().await?, 0);
        assert_eq!(db.stock(f.ramen).await?, 1);
    }

    /// An alias is stored under the new key, or not at all.
    async fn a_replay_by_cart_that_falls_leaves_nothing_under_the_new_key(db) {
        let node = db.node().await?;
        for (step, table) in ["claim", "checkout", "complete", "commit"].into_iter().zip(&db.fixture.tables) {
            let (phone, first) = (node.guest(table), full_order(db));
            let placed = phone.place(first.clone()).await?.order_id()?;
            let mut again = first.clone();
            again["requestId"] = json!(key());
            let before = ground(db).await?;
            node.arm(&format!("{step}=panic"));
            assert_eq!(phone.place(again.clone()).await?.code(), "INTERNAL", "{step}");
            assert_eq!(ground(db).await?, before, "{step}");
            let alias = phone.place(again).await?;
            assert_eq!(alias.order_id()?, placed, "{step}");
            assert_eq!(alias.result()?["replayReason"], "CHECKOUT", "{step}");
            assert_eq!(db.orders(table).await?, 1, "{step}");
        }
    }

    /// Giving up, too: what passes is run again inside, what stays is told in time, and what does not pass is told at once.
    async fn a_withdrawal_that_falls_leaves_nothing_and_the_key_is_not_burnt(db) {
        let settings = Settings { answer_budget: Duration::from_secs(1), ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let (phone, key) = (node.guest(db.fixture.s1()), key());
        let before = ground(db).await?;
        for faults in lasting(db, "withdraw_claim") {
            node.arm(&faults);
            let given_up = phone.withdraw(&key).await?;
            assert_eq!(given_up.code(), "UNAVAILABLE", "{faults}: {}", given_up.body);
            assert!(given_up.is_retryable() && node.app.faults.is_armed("withdraw_claim"), "{faults}");
            assert_without_details(&given_up);
            assert_eq!(ground(db).await?, before, "{faults}");
            node.app.faults.clear();
        }
        node.arm("withdraw_claim=busy*3");
        assert_eq!(phone.withdraw(&key).await?.body["data"]["withdrawPlacement"]["code"], "WITHDRAWN");
        assert!(!node.app.faults.is_armed("withdraw_claim"));
        assert_eq!(db.claims(&key).await?, 1);
    }

    async fn a_cancellation_that_falls_leaves_the_order_as_it_is(db) {
        let node = db.node().await?;
        let phone = node.guest(db.fixture.s1());
        let order = phone.place(full_order(db)).await?.order_id()?;
        let before = ground(db).await?;
        for faults in lasting(db, "cancel") {
            node.arm(&faults);
            let given_up = phone.cancel(&order).await?;
            assert_eq!(given_up.code(), "UNAVAILABLE", "{faults}: {}", given_up.body);
            assert!(given_up.is_retryable() && node.app.faults.is_armed("cancel"), "{faults}");
            assert_without_details(&given_up);
            assert_eq!(ground(db).await?, before, "{faults}");
            node.app.faults.clear();
        }
        node.arm("cancel=busy*3");
        let cancelled = phone.cancel(&order).await?.body["data"]["cancelOrder"].clone();
        assert_eq!(cancelled, json!({ "changed": true, "order": { "id": order, "status": "CANCELLED" } }));
        assert!(!node.app.faults.is_armed("cancel"));
        assert_eq!(db.stock(db.fixture.ramen).await?, 10);
    }
}

/// Faults at a step that more than one run meets: one that passes, and, where the database has one, one that does not.
fn lasting(db: &Database, step: &str) -> Vec<String> {
    let mut faults = vec![format!("{step}=busy*1000000")];
    if db.backend == Backend::Postgres {
        faults.push(format!("{step}=sqlstate:57014*2"));
    }
    faults
}
