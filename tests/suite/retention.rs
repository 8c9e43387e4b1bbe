//! Retention: an expired outcome is dead at once, purged or not; purging is small batches that nobody waits for; and what must
//! never happen twice does not hang on it.
//!
//! Without the check of `expires_at` a key that nobody purged yet blocks a guest's new order; without the permanent checkoutId a
//! cart that lay in a pocket for days is cooked twice.

use anyhow::Result;
use futures_util::future::{join_all, try_join_all};
use harness::client::{K1, K2, key, line, order};
use harness::{Backend, Database, Node, Setup, eventually, on_both_databases};
use masterorder_server::app::Settings;
use masterorder_server::idempotency::retention;
use sea_orm::ConnectionTrait;
use serde_json::json;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Moves a node past the retention of everything that was ordered.
async fn outlive(db: &Database, node: &Node) -> Result<()> {
    node.clock
        .advance(db.int("SELECT max(retention_ms) FROM shops", []).await?);
    Ok(())
}

/// A lunch of three days ago, made of an order that was placed today.
async fn add_expired(db: &Database, keys: u64) -> Result<()> {
    let copy = "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller,
        fingerprint_version, fingerprint, field_digests, outcome, outcome_kind, attempt_token, created_at_ms,
        finished_at_ms, expires_at_ms)
        SELECT tenant_id, operation, ?, attempt_id, caller, fingerprint_version, fingerprint, field_digests,
        outcome, 'REJECTED', attempt_token, 1, 2, 3 FROM idempotency_requests WHERE outcome_kind = 'PLACED' LIMIT 1";
    for _ in 0..keys {
        db.execute(copy, [Uuid::new_v4().into()]).await?;
    }
    Ok(())
}

on_both_databases! {
    /// AC-211.
    async fn an_expired_key_is_a_new_operation_purged_or_not(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        for (purged, pieces) in [(false, 2), (true, 3)] {
            let first = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
            assert!(!first.is_replay()?);
            outlive(db, &node).await?;
            if purged {
                assert!(retention::purge(&node.app).await? > 0);
                assert_eq!(db.claims(K1).await?, 0);
            }
            let other = guest.place(order(K1, json!([line(f.beer, pieces)]))).await?;
            assert_eq!((other.code().as_str(), other.is_replay()?), ("PLACED", false), "{}", other.body);
            // and it is kept like any other
            assert!(guest.place(order(K1, json!([line(f.beer, pieces)]))).await?.is_replay()?);
            assert_eq!(guest.place(order(K1, json!([line(f.tea, 1)]))).await?.code(), "IDEMPOTENCY_KEY_REUSED");
            outlive(db, &node).await?;
        }
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?, db.stock(f.beer).await?), (4, 8, 5));
    }

    async fn a_cart_is_placed_once_however_long_it_is_kept(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let mut input = order(K1, json!([line(f.ramen, 1)]));
        input["checkoutId"] = json!(Uuid::new_v4());
        let first = guest.place(input.clone()).await?.order_id()?;
        outlive(db, &node).await?;
        for purged in [false, true] {
            if purged {
                outlive(db, &node).await?;
                assert!(retention::purge(&node.app).await? > 0);
                let status = guest.status(K1).await?.body["data"]["placementStatus"].clone();
                assert_eq!(status, json!({ "state": "EXPIRED", "code": null, "order": { "id": first } }));
            }
            for request in [K1, K2] {
                input["requestId"] = json!(request);
                let again = guest.place(input.clone()).await?;
                assert_eq!((again.order_id()?, again.is_replay()?), (first.clone(), true), "{request}");
            }
        }
        let mut other = input.clone();
        other["requestId"] = json!(key());
        other["lines"] = json!([line(f.beer, 1)]);
        assert_eq!(guest.place(other).await?.code(), "CHECKOUT_ALREADY_PLACED");
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (1, 9));
    }

    async fn a_withdrawn_key_stays_withdrawn_until_its_time_is_over(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        guest.withdraw(K1).await?;
        let retention_ms = db.int("SELECT max(retention_ms) FROM shops", []).await?;
        node.clock.advance(retention_ms - 1);
        assert_eq!(retention::purge(&node.app).await?, 0, "not a millisecond early");
        assert_eq!(guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.code(), "WITHDRAWN");
        node.clock.advance(1);
        assert_eq!(retention::purge(&node.app).await?, 1);
        assert_eq!(guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.code(), "PLACED");
    }

    /// Several batches, two nodes that purge at once, and guests who order meanwhile.
    async fn purging_takes_every_expired_key_once_and_stands_in_nobodys_way(db) {
        let f = &db.fixture;
        let (node, other) = (db.node().await?, db.node().await?);
        let guest = node.guest(f.s1());
        guest.place(order(K1, json!([line(f.tea, 1)]))).await?.order_id()?;
        let expired = 1_300;
        add_expired(db, expired).await?;
        let tables = db.more_tables(20).await?;
        let guests = join_all(tables.iter().map(|table| {
            let guest = other.guest(table);
            async move { guest.place(order(&key(), json!([line(f.tea, 1)]))).await }
        }));
        let purging = try_join_all([retention::purge(&node.app), retention::purge(&other.app)]);
        let (placed, purged) = tokio::join!(guests, purging);
        for reply in placed {
            reply?.order_id()?;
        }
        assert_eq!(purged?.iter().sum::<u64>(), expired);
        assert_eq!(db.rows("idempotency_requests").await?, 21);
        assert!(guest.place(order(K1, json!([line(f.tea, 1)]))).await?.is_replay()?);
    }

    async fn a_node_purges_from_time_to_time_by_itself(db) {
        let f = &db.fixture;
        let settings = Settings { purge_every: Duration::from_millis(50), ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::manual_clock() }).await?;
        for (rounds, key) in [(1.0, K1), (2.0, K2)] {
            node.guest(f.s1()).withdraw(key).await?;
            outlive(db, &node).await?;
            eventually("it is purged", async || {
                Ok(node.anonymous().metric("masterorder_purged_keys_total").await? == rounds)
            })
            .await?;
            assert_eq!(db.claims(key).await?, 0);
        }
    }

    /// A claim at work has no outcome yet, and its time does not run out.
    async fn a_key_at_work_is_never_purged(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        node.arm("write_orders=sleep:700");
        let guest = node.guest(f.s1());
        let tea = f.tea;
        let placing = tokio::spawn(async move { guest.place(order(K1, json!([line(tea, 1)]))).await });
        node.reached("write_orders").await?;
        assert_eq!(retention::purge(&node.app).await?, 0);
        assert_eq!(placing.await??.code(), "PLACED");
        let left = "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller,
            fingerprint_version, fingerprint, field_digests, attempt_token, created_at_ms, expires_at_ms)
            SELECT tenant_id, operation, ?, attempt_id, caller, fingerprint_version, fingerprint, field_digests, 1, 1, 2
            FROM idempotency_requests LIMIT 1";
        let pending = Uuid::new_v4();
        db.execute(left, [pending.into()]).await?;
        assert_eq!(retention::purge(&node.app).await?, 0, "unfinished");
        db.execute("DELETE FROM idempotency_requests WHERE idempotency_key = ?", [pending.into()]).await?;
    }
}

/// A slow disk makes batches long, and the pauses between them longer; a node that stops does not wait for one. On PostgreSQL only,
/// where a batch can be made to take long.
#[test]
fn purging_leaves_nine_tenths_of_the_time_to_others() {
    harness::database::run(Backend::Postgres, "purging_leaves_nine_tenths", async |db| {
        let node = db.node().await?;
        let tea = order(K1, json!([line(db.fixture.tea, 1)]));
        node.guest(db.fixture.s1()).place(tea).await?.order_id()?;
        let batches_take = async |seconds: &str| {
            let slow = format!(
                "CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
                 AS $$ BEGIN PERFORM pg_sleep({seconds}); RETURN NULL; END $$;
                 CREATE OR REPLACE TRIGGER slow AFTER DELETE ON idempotency_requests EXECUTE FUNCTION slow()"
            );
            db.sql.execute_unprepared(&slow).await
        };

        batches_take("0.1").await?;
        add_expired(db, 500).await?;
        let since = Instant::now();
        assert_eq!(retention::purge(&node.app).await?, 500);
        assert!(since.elapsed() >= Duration::from_secs(2), "{:?}", since.elapsed());

        batches_take("3").await?;
        add_expired(db, 500).await?;
        let (since, app) = (Instant::now(), node.app.clone());
        let purging = tokio::spawn(async move { retention::purge(&app).await });
        eventually("a batch is at work", async || {
            let asleep =
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
            Ok(db.int(asleep, []).await? == 1)
        })
        .await?;
        node.stop().await?;
        assert_eq!(purging.await??, 200);
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "it waited {:?}",
            since.elapsed()
        );
        Ok(())
    });
}
