//! Pools. A setting that reaches only the first connection of a pool shows up as a rare "database is locked" or a lost power
//! cut; a pool that makes a burst wait without a bound shows up as a kitchen that stands still.

use futures_util::future::join_all;
use futures_util::{StreamExt, TryStreamExt, stream};
use harness::client::{key, line, order};
use harness::{Backend, Setup, database};
use masterorder_server::app::Settings;
use masterorder_server::store::dialect::Target;
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, Statement, TransactionTrait, TryGetable};
use serde_json::json;
use std::time::Duration;

/// Connections of the reader pools below.
const READERS: usize = 4;

/// Opens every connection that a pool can have.
async fn all_of(pool: &DatabaseConnection, size: usize) -> anyhow::Result<Vec<DatabaseTransaction>> {
    let mut held = Vec::new();
    for _ in 0..size {
        held.push(pool.begin().await?);
    }
    Ok(held)
}

async fn setting<T: TryGetable>(connection: &DatabaseTransaction, sql: &str) -> anyhow::Result<T> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await?;
    Ok(row
        .ok_or_else(|| anyhow::anyhow!("no row: {sql}"))?
        .try_get_by_index(0)?)
}

async fn assert_sqlite_settings(connection: &DatabaseTransaction) -> anyhow::Result<()> {
    assert_eq!(setting::<String>(connection, "PRAGMA journal_mode").await?, "wal");
    assert!(setting::<i64>(connection, "PRAGMA busy_timeout").await? >= 5_000);
    assert_eq!(setting::<i64>(connection, "PRAGMA foreign_keys").await?, 1);
    assert_eq!(
        setting::<i64>(connection, "PRAGMA synchronous").await?,
        2,
        "FULL: an acknowledged order survives a power cut"
    );
    Ok(())
}

/// AC-181, on SQLite as it says.
#[test]
fn every_sqlite_connection_has_its_settings_a_replaced_one_too() {
    database::run(Backend::Sqlite, "every_sqlite_connection", async |db| {
        let pools = Target::parse(&db.url)
            .map_err(anyhow::Error::msg)?
            .open(READERS as u32)
            .await?;
        for (pool, size) in [(&pools.writer, 1), (&pools.reader, READERS)] {
            for connection in all_of(pool, size).await? {
                assert_sqlite_settings(&connection).await?;
            }
            for _ in 0..size {
                pool.get_sqlite_connection_pool().acquire().await?.close().await?;
            }
            for connection in all_of(pool, size).await? {
                assert_sqlite_settings(&connection).await?;
            }
        }
        // it keeps what a slice writes, and leaves the log to the task beside it up to 64 MiB
        let connections = all_of(&pools.writer, 1).await?;
        assert_eq!(setting::<i64>(&connections[0], "PRAGMA cache_size").await?, -16_384);
        assert_eq!(
            setting::<i64>(&connections[0], "PRAGMA wal_autocheckpoint").await?,
            16_000
        );
        drop(connections);
        // two writers at once are what the queue exists to prevent
        let _writer = pools.writer.begin().await?;
        assert!(
            pools.writer.begin().await.is_err(),
            "the writer pool has a second connection"
        );
        Ok(())
    });
}

/// The same for the bounds that keep a hanging node from holding its locks, on PostgreSQL where they exist.
#[test]
fn every_postgres_connection_has_its_bounds() {
    database::run(Backend::Postgres, "every_postgres_connection", async |db| {
        let pools = Target::parse(&db.url).map_err(anyhow::Error::msg)?.open(5).await?;
        for (pool, size) in [(&pools.writer, 5), (&pools.reader, 3)] {
            for connection in all_of(pool, size).await? {
                assert_eq!(setting::<String>(&connection, "SHOW statement_timeout").await?, "8s");
                assert_eq!(
                    setting::<String>(&connection, "SHOW idle_in_transaction_session_timeout").await?,
                    "10s"
                );
                assert_eq!(
                    setting::<String>(&connection, "SHOW application_name").await?,
                    "masterorder"
                );
                assert_eq!(
                    setting::<String>(&connection, "SHOW transaction_isolation").await?,
                    "read committed"
                );
            }
            pool.clone().close().await?;
        }
        Ok(())
    });
}

/// AC-191, with 300 orders instead of 500. On PostgreSQL only: SQLite has one writer, and its queue a test of its own.
#[test]
fn a_burst_beyond_the_pool_is_sent_away_in_time_and_leaves_no_trace() {
    database::run(Backend::Postgres, "a_burst_beyond_the_pool", async |db| {
        let f = &db.fixture;
        // placements that share transactions come through a burst like this one
        let settings = Settings {
            group_commit: false,
            ..Setup::default().settings
        };
        let node = db
            .node_with(Setup {
                connections: 5,
                settings,
                ..Setup::default()
            })
            .await?;
        let tables = db.more_tables(300).await?;
        let guests: Vec<_> = tables
            .iter()
            .map(|table| (node.guest(table), order(&key(), json!([line(f.tea, 1)]))))
            .collect();
        node.arm("commit=sleep:200*1000000");
        let burst = async {
            // generous: the bound is 2 s for a connection, and each guest has several requests for one
            let answers = guests.iter().map(|(phone, input)| phone.place(input.clone()));
            tokio::time::timeout(Duration::from_secs(30), join_all(answers)).await
        };
        let health = async {
            for _ in 0..10 {
                let answer = node
                    .anonymous()
                    .request(reqwest::Method::GET, "/healthz")
                    .send()
                    .await?;
                assert_eq!(answer.status(), 200);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            anyhow::Ok(())
        };
        let (answers, health) = futures_util::join!(burst, health);
        health?;
        let (mut placed, mut refused) = (0, Vec::new());
        for (answer, guest) in answers?.into_iter().zip(&guests) {
            let answer = answer?;
            if answer.code() == "PLACED" {
                placed += 1;
                continue;
            }
            assert_eq!(answer.code(), "UNAVAILABLE", "{}", answer.body);
            assert!(
                answer.is_retryable() && answer.retry_after_ms().is_some_and(|ms| ms > 0),
                "{}",
                answer.body
            );
            assert!(answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
            refused.push(guest);
        }
        assert!(placed > 0, "nobody was served");
        assert!(refused.len() > 100, "no burst: {placed} were served");
        assert_eq!(db.all_orders().await?, placed);
        assert_eq!(
            db.rows("idempotency_requests").await?,
            placed,
            "a refused key was burnt"
        );

        node.app.faults.clear();
        let again: Vec<_> = stream::iter(refused.iter().take(50))
            .map(|(phone, input)| phone.place(input.clone()))
            .buffer_unordered(5)
            .try_collect()
            .await?;
        for answer in &again {
            answer.order_id()?;
            assert!(!answer.is_replay()?);
        }
        assert_eq!(db.all_orders().await?, placed + 50);
        Ok(())
    });
}
