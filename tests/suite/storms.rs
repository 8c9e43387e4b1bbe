//! Many guests at once. Stock is exact and never below zero, nobody is refused while there is enough, and neither a deadlock
//! nor SQLite's lock reaches a guest. Without the sorted row locks two carts with crossed items deadlock; without the locked
//! read of stock two guests get the last beer; without our own queue SQLite says "database is locked".

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};
use harness::client::{Client, key, line, line_with, order};
use harness::{Backend, Database, Node, Reply, eventually, on_both_databases};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// All nodes of a storm: two where a database can be shared.
async fn nodes(db: &Database) -> anyhow::Result<Vec<Node>> {
    let mut nodes = vec![db.node().await?];
    if db.backend == Backend::Postgres {
        nodes.push(db.node().await?);
    }
    Ok(nodes)
}

/// Sends all requests at once, each guest as persistent as the SDK: the queue in front of a database that is busy with other
/// tests may send some away, which is no error.
async fn storm(requests: impl IntoIterator<Item = (Client, Value)>) -> anyhow::Result<Vec<Reply>> {
    let sent = requests
        .into_iter()
        .map(|(phone, input)| async move { phone.insist(input).await });
    try_join_all(sent).await
}

/// Answers by code.
fn tally(replies: &[Reply]) -> BTreeMap<String, i64> {
    let mut tally = BTreeMap::new();
    for reply in replies {
        *tally.entry(reply.code()).or_default() += 1;
    }
    tally
}

on_both_databases! {
    /// AC-054.
    async fn four_beers_for_120_parties_are_sold_four_times(db) {
        let f = &db.fixture;
        db.set_stock(f.beer, 4).await?;
        let nodes = nodes(db).await?;
        let tables = db.more_tables(120).await?;
        let parties = tables.iter().enumerate().map(|(i, table)| {
            (nodes[i % nodes.len()].guest(table), order(&key(), json!([line(f.beer, 1)])))
        });
        let replies = storm(parties).await?;
        assert_eq!(tally(&replies), BTreeMap::from([("PLACED".into(), 4), ("SOLD_OUT".into(), 116)]));
        assert_eq!((db.all_orders().await?, db.stock(f.beer).await?), (4, 0));
        assert_eq!(db.rows("kitchen_tickets").await?, 4);
    }

    async fn ten_ramen_for_fifty_guests_are_sold_ten_times(db) {
        let f = &db.fixture;
        let nodes = nodes(db).await?;
        let tables = db.more_tables(50).await?;
        let guests = tables.iter().enumerate().map(|(i, table)| {
            (nodes[i % nodes.len()].guest(table), order(&key(), json!([line(f.ramen, 1)])))
        });
        let replies = storm(guests).await?;
        assert_eq!(tally(&replies), BTreeMap::from([("PLACED".into(), 10), ("SOLD_OUT".into(), 40)]));
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (10, 0));
    }

    /// AC-183: 200 pairs of crossed carts over twenty tables, their toppings crossed as well.
    async fn crossed_carts_never_deadlock(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        for subject in [f.ramen, f.beer, f.egg, f.chashu, f.nori] {
            db.set_stock(subject, 1_000).await?;
        }
        let nodes = nodes(db).await?;
        let tables = db.more_tables(20).await?;
        let carts = [
            json!([line_with(f.ramen, 1, &[f.egg, f.chashu, f.nori]), line(f.beer, 1)]),
            json!([line(f.beer, 1), line_with(f.ramen, 1, &[f.nori, f.chashu, f.egg])]),
        ];
        let requests = (0..400).map(|i| {
            let phone = nodes[i / 2 % nodes.len()].guest(&tables[i % tables.len()]);
            (phone, order(&key(), carts[i % 2].clone()))
        });
        let replies: Vec<Reply> = stream::iter(requests)
            .map(|(phone, input)| async move { phone.insist(input).await })
            .buffer_unordered(24)
            .try_collect()
            .await?;
        assert_eq!(tally(&replies), BTreeMap::from([("PLACED".into(), 400)]));
        assert_eq!(db.all_orders().await?, 400);
        for subject in [f.ramen, f.beer, f.egg, f.chashu, f.nori] {
            assert_eq!(db.stock(subject).await?, 600);
        }
        for node in nodes {
            node.stop().await?;
        }
        if db.backend == Backend::Postgres {
            // a session reports its count at its end: wait until all have
            let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                            AND application_name = 'masterorder'";
            eventually("the nodes have gone", async || Ok(db.int(sessions, []).await? == 0)).await?;
            let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
            assert_eq!(db.int(deadlocks, []).await?, 0, "rows were not locked in one order");
        }
    }

    /// AC-179, half of it on SQLite, which it is about: 50 workers with 10 orders each (2 on PostgreSQL), while every order is
    /// sent twice, so that the audit trail, which writes by itself, has something to write all the time.
    async fn workers_in_different_sessions_are_never_told_of_a_lock(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node().await?;
        let tables = db.more_tables(50).await?;
        let each = if db.backend == Backend::Sqlite { 10 } else { 2 };
        let workers = tables.iter().map(|table| {
            let phone = node.guest(table);
            async move {
                for _ in 0..each {
                    let input = order(&key(), json!([line(f.tea, 1)]));
                    let placed = phone.insist(input.clone()).await?;
                    placed.order_id()?;
                    let replayed = phone.insist(input).await?;
                    anyhow::ensure!(replayed.order_id()? == placed.order_id()?);
                }
                Ok(())
            }
        });
        try_join_all(workers).await?;
        assert_eq!(db.all_orders().await?, 50 * each);
        assert_eq!(node.app.audit.dropped(), 0);
        node.stop().await?;
        let replays = "SELECT count(*) FROM audit_entries WHERE result LIKE 'REPLAYED%'";
        assert!(db.int(replays, []).await? >= 50 * each, "audit entries were lost");
    }

    /// AC-060: two lines of one order share a stock row, which is locked once and charged for both.
    async fn two_lines_that_share_a_topping_take_it_twice(db) {
        let f = &db.fixture;
        db.set_stock(f.egg, 10).await?;
        let node = db.node().await?;
        let lines = json!([line_with(f.ramen, 1, &[f.egg]), line_with(f.rice, 1, &[f.egg])]);
        node.guest(f.s1()).place(order(&key(), lines.clone())).await?.order_id()?;
        assert_eq!(db.stock(f.egg).await?, 8);
        // and both count when there is not enough for both
        db.set_stock(f.egg, 1).await?;
        let rejected = node.guest(f.s2()).place(order(&key(), lines)).await?;
        assert_eq!(rejected.code(), "SOLD_OUT");
        assert_eq!(rejected.result()?["shortages"][0]["requested"], 2);
        assert_eq!(db.stock(f.egg).await?, 1);
    }
}
