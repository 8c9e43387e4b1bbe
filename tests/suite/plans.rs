//! How the statements look their rows up. A plan that PostgreSQL made while the tables were empty is kept until they are analysed:
//! without the connection's settings a new shop's first lunch reads every table whole, for every order, and without an analysis
//! before PostgreSQL's own it reads indexes whole.

use anyhow::Result;
use harness::client::{key, line, line_with, order};
use harness::database::run;
use harness::socket::{KITCHEN, Socket, TABLE};
use harness::{Backend, Database, Node, Process, Table, eventually};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

/// How often tables that grow were read whole. *Shape*: table and times, where they are.
async fn read_whole(db: &Database) -> Result<Vec<(String, i64)>> {
    let rows = db
        .query(
            "SELECT relname::text, seq_scan FROM pg_stat_user_tables WHERE seq_scan > 0 AND relname IN
               ('orders', 'order_lines', 'order_line_toppings', 'kitchen_tickets', 'idempotency_requests', 'table_sessions',
                'stock_levels', 'seated_devices', 'outbox_events', 'audit_entries') ORDER BY 1",
            [],
        )
        .await?;
    rows.iter()
        .map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?)))
        .collect()
}

#[test]
fn no_table_is_read_whole_although_postgresql_knows_nothing_of_them() {
    run(
        Backend::Postgres,
        "no_table_is_read_whole_although_postgresql_knows_nothing_of_them",
        async |db| {
            let (node, f) = (db.node().await?, &db.fixture);
            let before = read_whole(db).await?;
            let mut kitchen = Socket::watch(node.address, &node.key(&f.staff_key).credentials, KITCHEN).await?;
            kitchen.news("kitchen").await?;
            for table in &f.tables {
                let guest = node.guest(table);
                let mut screen = Socket::watch(node.address, &guest.credentials, TABLE).await?;
                screen.news("tableSessionOrders").await?;
                let mut input = order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]));
                input["checkoutId"] = json!(key());
                let id = guest.place(input.clone()).await?.order_id()?;
                // found again, by key and in the history
                assert_eq!(guest.place(input).await?.order_id()?, id);
                guest.send("{ orders(first: 5) { nodes { id } } }", json!({})).await?;
            }
            // what a connection counted is told a moment later
            eventually("the orders were counted", async || {
                let counted = "SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'orders'";
                Ok(db.int(counted, []).await? >= f.tables.len() as i64)
            })
            .await?;
            sleep(Duration::from_secs(2)).await;
            assert_eq!(read_whole(db).await?, before);
            node.stop().await
        },
    );
}

/// How often the indexes were looked into that find one row, or a shop's, and how many entries that read. *Shape*: index, looks,
/// entries.
async fn index_reads(db: &Database) -> Result<Vec<(String, i64, i64)>> {
    let rows = db
        .query(
            "SELECT indexrelname::text, idx_scan, idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname IN
               ('orders_pkey', 'orders_checkout_key', 'orders_number_key', 'orders_request_idx', 'orders_tenant_idx',
                'idempotency_requests_pkey', 'table_sessions_pkey', 'stock_levels_pkey') ORDER BY 1",
            [],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok((
                row.try_get_by_index(0)?,
                row.try_get_by_index(1)?,
                row.try_get_by_index(2)?,
            ))
        })
        .collect()
}

#[test]
fn indexes_are_not_read_whole_once_tables_that_were_empty_have_grown() {
    run(
        Backend::Postgres,
        "indexes_are_not_read_whole_once_tables_that_were_empty_have_grown",
        async |db| {
            // PostgreSQL is sure that there is nothing, and will not look again by itself
            for table in ["orders", "idempotency_requests"] {
                db.execute(&format!("VACUUM (ANALYZE) {table}"), []).await?;
                db.execute(&format!("ALTER TABLE {table} SET (autovacuum_enabled = false)"), [])
                    .await?;
            }
            let tables = db.more_tables(140).await?;
            let (first, then) = tables.split_at(120);
            let node = db.node().await?;
            place(db, &node, first).await?;
            eventually("the tables were counted", async || {
                let uncounted = "SELECT count(*) FROM pg_class WHERE reltuples <= 0 AND relname IN ('orders', 'idempotency_requests')
                                 AND relnamespace = current_schema()::regnamespace";
                Ok(db.int(uncounted, []).await? == 0)
            })
            .await?;
            // from a small sample: PostgreSQL's own would keep up to a hundred and one bounds of so many keys
            let bounds = "SELECT max(array_length(histogram_bounds::text::text[], 1))::bigint FROM pg_stats
                          WHERE schemaname = current_schema() AND tablename = 'idempotency_requests'";
            assert_eq!(db.int(bounds, []).await?, 11);
            // a connection tells what it counted at the latest when it is closed
            node.stop().await?;
            sleep(Duration::from_secs(1)).await;
            let before = index_reads(db).await?;
            let node = db.node().await?;
            place(db, &node, then).await?;
            node.stop().await?;
            let looked = async |index: &str| -> Result<i64> {
                let looks = |reads: &[(String, i64, i64)]| reads.iter().find(|r| r.0 == index).map_or(0, |r| r.1);
                Ok(looks(&index_reads(db).await?) - looks(&before))
            };
            eventually("the looks were counted", async || {
                Ok(looked("idempotency_requests_pkey").await? >= 20 && looked("orders_checkout_key").await? >= 20)
            })
            .await?;
            for ((index, looks, read), (_, looks_before, read_before)) in
                index_reads(db).await?.into_iter().zip(&before)
            {
                let (looks, read) = (looks - looks_before, read - read_before);
                assert!(read <= 3 * looks, "{index}: {read} entries read in {looks} looks");
            }
            Ok(())
        },
    );
}

/// Two nodes look at the same time, and PostgreSQL has its own rounds: a table that somebody else is counting is left to them without
/// a warning.
#[test]
fn a_table_that_is_being_counted_already_is_nothing_to_warn_of() {
    run(Backend::Postgres, "a_table_that_is_being_counted_already", async |db| {
        let counting = db.sql.begin().await?;
        counting
            .execute_unprepared("LOCK TABLE orders IN SHARE UPDATE EXCLUSIVE MODE")
            .await?;
        let mut process = Process::start(db, &[("MASTERORDER_LOG", "info,sqlx=debug")]).await?;
        for table in db.more_tables(120).await? {
            let cart = order(&key(), json!([line(db.fixture.tea, 1)]));
            process.guest(&table).place(cart).await?.order_id()?;
        }
        process.says("ANALYZE (SKIP_LOCKED) orders").await?;
        let log = process.kill_and_read_log().await?;
        let warnings: Vec<_> = log.iter().filter(|l| l.contains("WARN")).collect();
        assert!(warnings.is_empty(), "{warnings:#?}");
        counting.rollback().await?;
        Ok(())
    });
}

async fn place(db: &Database, node: &Node, tables: &[Table]) -> Result<()> {
    for table in tables {
        let mut input = order(&key(), json!([line(db.fixture.tea, 1)]));
        input["checkoutId"] = json!(key());
        node.guest(table).place(input).await?.order_id()?;
    }
    Ok(())
}
