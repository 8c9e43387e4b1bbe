//! A leader that stands still for ten seconds with its transaction open: a hanging disk, a stopped container. Its twins and its
//! table are told to come back within their bound, and the rest of the restaurant does not notice, or on SQLite is told in time.

use futures_util::future::{join_all, try_join_all};
use harness::client::{key, line, order};
use harness::{Backend, eventually, on_both_databases};
use serde_json::json;
use std::time::{Duration, Instant};

/// The bounds are 2 s, and this machine may be busy.
const IN_TIME: Duration = Duration::from_secs(5);

on_both_databases! {
    async fn a_leader_that_is_paused_for_a_second_leads_fifty_twins_to_its_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=sleep:1000");
        let replies = try_join_all((0..51).map(|_| phone.place(input.clone()))).await?;
        let placed = replies[0].order_id()?;
        let mut first = 0;
        for reply in &replies {
            assert_eq!(reply.order_id()?, placed);
            first += i32::from(!reply.is_replay()?);
        }
        assert_eq!((first, db.orders(f.s1()).await?, db.stock(f.ramen).await?), (1, 1, 9));
    }

    async fn a_leader_that_is_paused_for_ten_seconds_keeps_nobody_waiting_for_long(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=sleep:10000");
        let leader = tokio::spawn({
            let (phone, input) = (phone.clone(), input.clone());
            async move { phone.place(input).await }
        });
        node.reached("commit").await?;

        let asked = Instant::now();
        let twins = (0..50).map(|_| phone.place(input.clone()));
        let others = f.tables[1..].iter().map(|table| {
            let (phone, input) = (node.guest(table), order(&key(), json!([line(f.tea, 1)])));
            async move { phone.place(input).await }
        });
        let connections = async {
            if db.backend == Backend::Sqlite {
                return Ok(());
            }
            let working = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND application_name = 'masterorder' AND state <> 'idle'";
            // the other tables come and go; what is left is the leader, and not its fifty twins
            eventually("one connection works", async || Ok(db.int(working, []).await? == 1)).await?;
            anyhow::ensure!(asked.elapsed() < IN_TIME, "not in time");
            Ok(())
        };
        let (twins, others, connections) = futures_util::join!(join_all(twins), join_all(others), connections);
        connections?;
        assert!(asked.elapsed() < IN_TIME, "answered after {:?}", asked.elapsed());
        for twin in twins {
            let twin = twin?;
            assert_eq!(twin.code(), "IDEMPOTENCY_IN_PROGRESS", "{}", twin.body);
            assert!(twin.is_retryable() && twin.retry_after_ms().is_some_and(|ms| ms > 0), "{}", twin.body);
        }
        for other in others {
            let other = other?;
            match db.backend {
                Backend::Postgres => assert!(!other.is_replay()?, "{}", other.body),
                // one writer for all tables
                Backend::Sqlite => {
                    assert_eq!(other.code(), "UNAVAILABLE", "{}", other.body);
                    assert!(other.is_retryable(), "{}", other.body);
                }
            }
        }
        assert!(leader.await??.is_retryable(), "the leader's guest was kept waiting");

        phone.insist(input).await?.order_id()?;
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (1, 9));
    }
}
