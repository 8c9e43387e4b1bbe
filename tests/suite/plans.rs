//! How the statements look their rows up. A plan that PostgreSQL made while the tables were empty is kept until they are analysed,
//! minutes later: without the connection's settings a new shop's first lunch reads every table whole, for every order.

use anyhow::Result;
use harness::client::{key, line_with, order};
use harness::database::run;
use harness::socket::{KITCHEN, Socket, TABLE};
use harness::{Backend, Database, eventually};
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
