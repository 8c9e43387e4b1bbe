//! A PostgreSQL that says nothing any more: a pulled cable, a frozen host, a firewall that forgot its connections. Nobody is told,
//! and TCP waits for a quarter of an hour. Without a bound of its own a placement waits as long, its key is answered
//! IDEMPOTENCY_IN_PROGRESS as long, and pools of dead connections outlive the silence.

use futures_util::future::{join_all, try_join_all};
use harness::client::{key, line, order};
use harness::{Backend, Setup, Wire, database, eventually};
use serde_json::json;
use std::time::{Duration, Instant};

/// The bound is 9 s, and this machine may be busy.
const IN_TIME: Duration = Duration::from_secs(14);
/// What waits for a connection waits for 2 s.
const SOON: Duration = Duration::from_secs(6);

#[test]
fn a_database_that_goes_silent_holds_no_key_and_no_connection_for_long() {
    database::run(Backend::Postgres, "a_database_that_goes_silent", async |db| {
        let f = &db.fixture;
        let (wire, url) = Wire::to_database(&db.url).await?;
        let node = db
            .node_with(Setup {
                url: Some(url),
                // as many as are caught: none is left over to hide that those are lost
                connections: 3,
                ..Setup::default()
            })
            .await?;
        // warm connections, which will be dead ones
        let warm = f.tables.iter().map(|table| async {
            let input = order(&key(), json!([line(f.rice, 1)]));
            node.guest(table).place(input).await?.order_id()
        });
        let warm = try_join_all(warm).await?.len() as i64;

        // one is caught before its first statement, one between two, one before its COMMIT
        let steps = ["claim", "read", "commit"];
        let caught: Vec<_> = steps
            .iter()
            .zip(&f.tables)
            .map(|(_, table)| (node.guest(table), order(&key(), json!([line(f.tea, 1)]))))
            .collect();
        let mut waiting = Vec::new();
        for (step, (phone, input)) in steps.iter().zip(caught.clone()) {
            node.arm(&format!("{step}=sleep:1000"));
            waiting.push(tokio::spawn(async move { phone.place(input).await }));
            node.reached(step).await?;
        }
        wire.silence();
        let silent_since = Instant::now();

        for told in join_all(waiting).await {
            let told = told??;
            assert!(told.is_retryable(), "{}", told.body);
            assert!(silent_since.elapsed() < SOON, "told after {:?}", silent_since.elapsed());
        }
        let menu = "{ menu { sections { items { id } } } }";
        let reading = node.guest(f.s1()).send(menu, json!({})).await?;
        assert_eq!(reading.code(), "UNAVAILABLE", "{}", reading.body);
        eventually("no placement is at work", async || {
            Ok(node.app.metrics.placements.in_flight() == 0)
        })
        .await?;
        assert!(
            silent_since.elapsed() < IN_TIME,
            "given up after {:?}",
            silent_since.elapsed()
        );

        // still silent, but known to be: nobody waits for an answer that does not come
        let asked = Instant::now();
        for (phone, input) in &caught {
            let told = phone.place(input.clone()).await?;
            assert_eq!(told.code(), "UNAVAILABLE", "{}", told.body);
        }
        assert!(asked.elapsed() < 3 * SOON, "told after {:?}", asked.elapsed());

        wire.mend();
        let mended = Instant::now();
        // on fresh connections, all at once and at the first try
        let others = (0..8).map(|_| async {
            let read = node.guest(&f.tables[3]).send(menu, json!({})).await?;
            anyhow::ensure!(read.body["data"]["menu"].is_object(), "{}", read.body);
            Ok(())
        });
        try_join_all(others).await?;
        let mut input = order(&key(), json!([line(f.beer, 1)]));
        input["checkoutId"] = key().into();
        node.guest(&f.tables[3]).place(input).await?.order_id()?;
        assert!(mended.elapsed() < SOON, "served after {:?}", mended.elapsed());
        // with the same keys; the locks of the silent ones are held until PostgreSQL misses their node
        for (phone, input) in &caught {
            phone.insist(input.clone()).await?.order_id()?;
        }
        assert!(mended.elapsed() < 2 * IN_TIME, "placed after {:?}", mended.elapsed());
        assert_eq!(db.all_orders().await?, warm + 3 + 1);
        // the two that were there before are waited for by nobody, and PostgreSQL keeps them
        let wire_connections = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = 'masterorder wake-ups'";
        eventually("the node hears wake-ups again", async || {
            Ok(db.int(wire_connections, []).await? == 4)
        })
        .await?;
        Ok(())
    });
}
