//! Twins: the same key while its first request is still at work. On one node they wait in process for the one who leads, so
//! that a hundred taps hold one connection; across nodes they wait in the database, at the claim. Nobody waits longer than the
//! wait bound, and whoever is told to come back later loses nothing.

use futures_util::future::{join, join_all};
use harness::client::{Client, Reply, key, line, order};
use harness::{Backend, Database, Node, Setup, eventually, on_both_databases};
use masterorder_server::app::Settings;
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use std::time::Duration;

/// A node that has seen a short wait bound: a node learns a shop's policy with its first order.
async fn impatient_node(db: &Database, bound_ms: i64) -> anyhow::Result<Node> {
    db.set_policy(&format!("wait_bound_ms = {bound_ms}")).await?;
    let node = db.node().await?;
    node.guest(&db.fixture.tables[7])
        .place(order(&key(), json!([line(db.fixture.tea, 1)])))
        .await?
        .order_id()?;
    Ok(node)
}

fn assert_told_to_come_back(reply: &Reply, code: &str) {
    assert_eq!(reply.code(), code, "{}", reply.body);
    assert!(reply.is_retryable(), "{}", reply.body);
    assert!(reply.retry_after_ms().is_some_and(|ms| ms > 0), "{}", reply.body);
}

/// Waits that ended at their bound.
async fn timeouts(node: &Node, on: &str) -> anyhow::Result<f64> {
    let series = format!("masterorder_wait_timeouts_total{{on=\"{on}\"}}");
    node.anonymous().metric(&series).await
}

/// Sends a request, and others once it is at a step.
async fn place_then(
    node: &Node,
    leader: (&Client, Value),
    step: &str,
    twins: Vec<(&Client, Value)>,
) -> anyhow::Result<(Reply, Vec<Reply>)> {
    let others = async {
        node.reached(step).await?;
        join_all(twins.into_iter().map(|(phone, input)| phone.place(input)))
            .await
            .into_iter()
            .collect()
    };
    let (leader, twins): (_, anyhow::Result<Vec<Reply>>) = join(leader.0.place(leader.1), others).await;
    Ok((leader?, twins?))
}

on_both_databases! {
    async fn twins_get_the_order_of_the_one_who_leads(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        // two claims are armed: one is left if nobody but the leader made one
        node.arm("commit=sleep:1000; claim=sleep:1*2");
        let twins = vec![(&phone, input.clone()); 20];
        let (leader, twins) = place_then(&node, (&phone, input.clone()), "commit", twins).await?;
        let placed = leader.order_id()?;
        assert!(!leader.is_replay()?);
        for twin in &twins {
            assert_eq!(twin.order_id()?, placed);
            assert!(twin.is_replay()?);
        }
        assert!(node.app.faults.is_armed("claim"), "a twin claimed for itself");
        assert_eq!(db.orders(f.s1()).await?, 1);
        assert_eq!(db.stock(f.ramen).await?, 9);
    }

    async fn a_twin_waits_no_longer_than_the_wait_bound(db) {
        let f = &db.fixture;
        let node = impatient_node(db, 200).await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=sleep:1500");
        let twins = vec![(&phone, input.clone()); 3];
        let (leader, twins) = place_then(&node, (&phone, input.clone()), "commit", twins).await?;
        for twin in &twins {
            assert_told_to_come_back(twin, "IDEMPOTENCY_IN_PROGRESS");
        }
        assert_eq!(timeouts(&node, "twin").await?, 3.0);
        let placed = leader.order_id()?;
        assert!(!leader.is_replay()?);
        let retry = phone.place(input.clone()).await?;
        assert_eq!(retry.order_id()?, placed);
        assert!(retry.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_guest_waits_no_longer_than_the_answer_budget_and_the_placement_goes_on(db) {
        let f = &db.fixture;
        let settings = Settings { answer_budget: Duration::from_millis(200), ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let (phone, request) = (node.guest(f.s1()), key());
        let input = order(&request, json!([line(f.ramen, 1)]));
        node.arm("commit=sleep:1000");
        assert_told_to_come_back(&phone.place(input.clone()).await?, "IDEMPOTENCY_IN_PROGRESS");
        let status = phone.status(&request).await?;
        assert_eq!(status.body["data"]["placementStatus"]["state"], "IN_PROGRESS");
        eventually("the placement is finished", async || Ok(db.orders(f.s1()).await? == 1)).await?;
        let retry = phone.place(input).await?;
        retry.order_id()?;
        assert!(retry.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_twin_with_other_content_is_told_so_once_the_key_has_an_answer(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, request) = (node.guest(f.s1()), key());
        let (first, other) = (order(&request, json!([line(f.ramen, 1)])), order(&request, json!([line(f.beer, 1)])));
        node.arm("commit=sleep:500");
        let (leader, twins) = place_then(&node, (&phone, first), "commit", vec![(&phone, other)]).await?;
        leader.order_id()?;
        assert_eq!(twins[0].code(), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(twins[0].result()?["fields"], json!(["lines"]));
        assert!(!twins[0].is_retryable());
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    /// Whoever leads may panic or fail; its twins must neither hang nor share its misfortune, and one of them places the order.
    async fn when_the_leader_falls_one_of_its_twins_leads_on(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let mut falls = vec![("panic", "INTERNAL")];
        if db.backend == Backend::Postgres {
            // a statement timeout is not retried inside
            falls.push(("sqlstate:57014", "UNAVAILABLE"));
        }
        for ((fall, code), table) in falls.into_iter().zip(&f.tables) {
            let (phone, input) = (node.guest(table), order(&key(), json!([line(f.ramen, 1)])));
            node.arm(&format!("complete=sleep:500; commit={fall}"));
            let twins = vec![(&phone, input.clone()); 5];
            let (leader, twins) = place_then(&node, (&phone, input), "complete", twins).await?;
            assert_eq!(leader.code(), code);
            let mut first = 0;
            for twin in &twins {
                assert_eq!(twin.order_id()?, twins[0].order_id()?);
                first += i32::from(!twin.is_replay()?);
            }
            assert_eq!(first, 1, "exactly one twin placed it");
            assert_eq!(db.orders(table).await?, 1);
        }
    }

    /// A conflict holds for the request that met it. `confirmDuplicateOf` is left out of the fingerprint, and two devices of a
    /// table have equal fingerprints: neither may be given the other's "did you mean that?".
    async fn a_conflict_is_shared_between_equal_requests_of_one_device_only(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let lines = json!([line(f.ramen, 1)]);
        let (first, second) = (node.guest(f.s1()), node.guest(f.s1()));
        let earlier = first.place(order(&key(), lines.clone())).await?.order_id()?;

        // an equal request shares it
        let asked = order(&key(), lines.clone());
        node.arm("stock=sleep:500; claim=sleep:1*2");
        let twins = vec![(&second, asked.clone())];
        let (leader, twins) = place_then(&node, (&second, asked), "stock", twins).await?;
        assert_eq!((leader.code(), twins[0].code()), ("POSSIBLE_DUPLICATE".into(), "POSSIBLE_DUPLICATE".into()));
        assert_eq!(twins[0].result()?["order"]["id"], earlier);
        assert!(node.app.faults.is_armed("claim"), "the equal twin claimed for itself");
        node.app.faults.clear();

        // the device that placed the earlier order gets that order: for it this is a repetition
        let asked = order(&key(), lines.clone());
        node.arm("stock=sleep:500");
        let (leader, twins) = place_then(&node, (&second, asked.clone()), "stock", vec![(&first, asked)]).await?;
        assert_eq!(leader.code(), "POSSIBLE_DUPLICATE");
        assert_eq!(twins[0].order_id()?, earlier);
        assert_eq!(twins[0].result()?["replayReason"], "PAYLOAD");

        // who has confirmed is not asked
        let asked = order(&key(), lines);
        let mut confirmed = asked.clone();
        confirmed["confirmDuplicateOf"] = json!(earlier);
        node.arm("stock=sleep:500");
        let (leader, twins) = place_then(&node, (&second, asked), "stock", vec![(&second, confirmed)]).await?;
        assert_eq!(leader.code(), "POSSIBLE_DUPLICATE");
        assert_ne!(twins[0].order_id()?, earlier);
        assert!(!twins[0].is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 2);
    }
}

fn on_postgres(name: &str, body: impl AsyncFnOnce(&Database) -> anyhow::Result<()>) {
    harness::database::run(Backend::Postgres, name, body);
}

/// On PostgreSQL only: SQLite has no row locks.
#[test]
fn a_table_that_is_held_beyond_the_wait_bound_is_busy_and_the_key_stays_usable() {
    on_postgres("a_table_that_is_held", async |db| {
        let f = &db.fixture;
        let node = impatient_node(db, 200).await?;
        let phone = node.guest(f.s1());
        let input = order(&key(), json!([line(f.ramen, 1)]));
        let before = db.census().await?;
        let holder = db.sql.begin().await?;
        let lock = format!("SELECT 1 FROM table_sessions WHERE id = '{}' FOR UPDATE", f.s1().id);
        holder.execute_unprepared(&lock).await?;
        assert_told_to_come_back(&phone.place(input.clone()).await?, "SESSION_BUSY");
        assert_eq!(timeouts(&node, "table_session").await?, 1.0);
        assert_eq!(db.census().await?, before);
        // tables are independent
        node.guest(f.s2())
            .place(order(&key(), json!([line(f.ramen, 1)])))
            .await?
            .order_id()?;
        holder.rollback().await?;
        let placed = phone.place(input).await?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
        Ok(())
    });
}

/// On PostgreSQL only: twins across nodes.
#[test]
fn a_key_that_another_node_works_on_is_waited_for_up_to_the_wait_bound() {
    on_postgres("a_key_that_another_node_works_on", async |db| {
        let f = &db.fixture;
        let (other, node) = (db.node().await?, db.node().await?);
        let elsewhere = other.guest(f.s1());
        let here = elsewhere.at(node.address);
        let input = order(&key(), json!([line(f.beer, 1)]));
        other.arm("commit=sleep:300");
        let twins = vec![(&here, input.clone())];
        let (leader, twins) = place_then(&other, (&elsewhere, input), "commit", twins).await?;
        assert_eq!(
            (twins[0].order_id()?, twins[0].is_replay()?),
            (leader.order_id()?, true)
        );

        let impatient = impatient_node(db, 200).await?;
        let here = elsewhere.at(impatient.address);
        let input = order(&key(), json!([line(f.ramen, 1)]));
        other.arm("commit=sleep:1500");
        let twins = vec![(&here, input.clone())];
        let (leader, twins) = place_then(&other, (&elsewhere, input.clone()), "commit", twins).await?;
        assert_told_to_come_back(&twins[0], "IDEMPOTENCY_IN_PROGRESS");
        let retry = here.place(input).await?;
        assert_eq!((retry.order_id()?, retry.is_replay()?), (leader.order_id()?, true));
        assert_eq!(db.orders(f.s1()).await?, 2);
        Ok(())
    });
}

/// On PostgreSQL only: twins across nodes.
#[test]
fn when_the_owner_on_another_node_rolls_back_the_waiter_becomes_the_owner() {
    on_postgres("when_the_owner_on_another_node_rolls_back", async |db| {
        let f = &db.fixture;
        let (other, node) = (db.node().await?, db.node().await?);
        let elsewhere = other.guest(f.s1());
        let here = elsewhere.at(node.address);
        let input = order(&key(), json!([line(f.ramen, 1)]));
        other.arm("complete=sleep:500; commit=panic");
        let (fallen, twins) = place_then(&other, (&elsewhere, input.clone()), "complete", vec![(&here, input)]).await?;
        assert_eq!(fallen.code(), "INTERNAL");
        twins[0].order_id()?;
        assert!(!twins[0].is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
        Ok(())
    });
}

/// On PostgreSQL only, where there are connections to run out of: twins wait without one.
#[test]
fn a_crowd_of_twins_takes_no_connection_from_another_table() {
    on_postgres("a_crowd_of_twins", async |db| {
        let f = &db.fixture;
        let node = db
            .node_with(Setup {
                connections: 2,
                ..Setup::default()
            })
            .await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=sleep:1500");
        let place = || {
            let (phone, input) = (phone.clone(), input.clone());
            tokio::spawn(async move { phone.place(input).await })
        };
        let leader = place();
        node.reached("commit").await?;
        let twins: Vec<_> = std::iter::repeat_with(place).take(30).collect();
        node.guest(f.s2())
            .place(order(&key(), json!([line(f.tea, 1)])))
            .await?
            .order_id()?;
        assert!(!leader.is_finished(), "the other table waited for the twins");
        let placed = leader.await??.order_id()?;
        for twin in twins {
            assert_eq!(twin.await??.order_id()?, placed);
        }
        assert_eq!(db.all_orders().await?, 2);
        Ok(())
    });
}

fn on_sqlite(name: &str, body: impl AsyncFnOnce(&Database) -> anyhow::Result<()>) {
    harness::database::run(Backend::Sqlite, name, body);
}

/// On SQLite only, where all tables share one writer: the queue tells guests in time, and never in the database's words.
#[test]
fn a_writer_that_holds_sqlite_makes_other_tables_unavailable_not_broken() {
    on_sqlite("a_writer_that_holds_sqlite", async |db| {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        let others: Vec<_> = f.tables[1..]
            .iter()
            .map(|table| (node.guest(table), order(&key(), json!([line(f.tea, 1)]))))
            .collect();
        node.arm("commit=sleep:3500");
        let twins = others.iter().map(|(phone, input)| (phone, input.clone())).collect();
        let (leader, crowd) = place_then(&node, (&phone, input), "commit", twins).await?;
        leader.order_id()?;
        for told in &crowd {
            assert_told_to_come_back(told, "UNAVAILABLE");
            assert!(!told.body.to_string().contains("locked"), "{}", told.body);
        }
        for (phone, input) in others {
            let placed = phone.insist(input).await?;
            placed.order_id()?;
            assert!(!placed.is_replay()?);
        }
        assert_eq!(db.all_orders().await?, 8);
        Ok(())
    });
}

/// On SQLite only: another process holds the one write lock for a while.
#[test]
fn a_writer_of_another_process_is_waited_for() {
    on_sqlite("a_writer_of_another_process", async |db| {
        let f = &db.fixture;
        let node = db.node().await?;
        let holder = db.sql.begin().await?;
        holder.execute_unprepared("UPDATE shops SET name_en = name_en").await?;
        let phone = node.guest(f.s1());
        let placing = phone.place(order(&key(), json!([line(f.ramen, 1)])));
        let (placed, released) = join(placing, async {
            tokio::time::sleep(Duration::from_millis(700)).await;
            holder.rollback().await
        })
        .await;
        released?;
        placed?.order_id()?;
        assert_eq!(db.orders(f.s1()).await?, 1);
        Ok(())
    });
}
