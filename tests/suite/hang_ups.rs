//! Guests who hang up in the middle. A web framework drops the handler of a connection that breaks; if the transaction lived
//! in it, the order would vanish at a random statement, and a dropped BEGIN would leave a pooled connection inside a
//! transaction, in which the next guest's acknowledged order is lost. So the transaction runs in a tracked task that no guest
//! can cancel: without it the orders below are not placed.

use futures_util::future::{join_all, try_join_all};
use harness::client::{key, line, line_with, order};
use harness::{Backend, Database, STEPS, Setup, eventually, on_both_databases};
use sea_orm::prelude::Uuid;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// A moment within 0 to 10 ms.
fn a_moment() -> Duration {
    Duration::from_millis(u64::from(Uuid::new_v4().as_bytes()[0] % 11))
}

/// No connection of the pool stays inside a transaction that nobody works on. The bound is below the ten seconds after which
/// PostgreSQL itself would break such a connection.
async fn no_connection_is_left_in_a_transaction(db: &Database) -> anyhow::Result<()> {
    if db.backend == Backend::Sqlite {
        return Ok(());
    }
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
               AND application_name = 'masterorder' AND state LIKE 'idle in transaction%'";
    let all_free = eventually("no connection is idle in a transaction", async || {
        Ok(db.int(sql, []).await? == 0)
    });
    tokio::time::timeout(Duration::from_secs(5), all_free).await?
}

on_both_databases! {
    /// AC-044, AC-189.
    async fn a_hundred_hang_ups_leave_no_half_order_and_no_poisoned_connection(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node_with(Setup { connections: 2, ..Setup::default() }).await?;
        let tables = db.more_tables(100).await?;
        let phones: Vec<_> =
            tables.iter().map(|table| (node.guest(table), order(&key(), json!([line(f.tea, 1)])))).collect();

        node.arm("commit=sleep:15*30");
        let hang_ups = phones.iter().map(|(phone, input)| phone.place_and_hang_up(input.clone(), a_moment()));
        try_join_all(hang_ups).await?;
        node.app.faults.clear();

        let good = tables.iter().map(|table| {
            let phone = node.guest(table);
            async move { phone.insist(order(&key(), json!([line(f.rice, 1)]))).await?.order_id() }
        });
        let acknowledged: BTreeSet<String> = try_join_all(good).await?.into_iter().collect();
        assert_eq!(acknowledged.len(), 100);
        no_connection_is_left_in_a_transaction(db).await?;
        let mut visible = BTreeSet::new();
        for row in db.query("SELECT id FROM orders", []).await? {
            visible.insert(row.try_get_by_index::<Uuid>(0)?.to_string());
        }
        assert!(visible.is_superset(&acknowledged), "an acknowledged order is not in the database");

        for retry in join_all(phones.iter().map(|(phone, input)| phone.insist(input.clone()))).await {
            retry?.order_id()?;
        }
        assert_eq!(db.all_orders().await?, 200);
        for (phone, _) in &phones {
            let again = phone.send("{ orders(first: 10) { nodes { id } } }", json!({})).await?;
            assert_eq!(again.body["data"]["orders"]["nodes"].as_array().map(Vec::len), Some(2), "{}", again.body);
        }
        node.stop().await?;
    }

    /// AC-044, AC-193.
    async fn a_guest_who_hangs_up_at_any_step_still_gets_the_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let steps = STEPS.iter().map(|step| (*step, format!("{step}=sleep:100")));
        let aside = [
            ("committed", "committed=sleep:100".to_owned()),
            ("replay", "commit=lose;replay=sleep:100".to_owned()),
        ];
        let steps: Vec<_> = steps.chain(aside).collect();
        db.set_stock(f.ramen, 100).await?;
        for ((step, fault), table) in steps.iter().zip(db.more_tables(steps.len()).await?) {
            let phone = node.guest(&table);
            let input = order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]));
            node.arm(fault);
            phone.place_and_hang_up_when(input.clone(), node.reached(step)).await?;
            eventually(&format!("the order is placed though its guest hung up at {step}"), async || {
                Ok(db.orders(&table).await? == 1)
            })
            .await?;
            let retry = phone.place(input).await?;
            retry.order_id()?;
            assert!(retry.is_replay()?, "{step}");
            assert_eq!(db.orders(&table).await?, 1, "{step}");
        }
        let placed = i64::try_from(steps.len())?;
        assert_eq!(db.stock(f.ramen).await?, 100 - placed);
        assert_eq!(db.stock(f.egg).await?, 100 - placed);
        for table in ["orders", "kitchen_tickets", "outbox_events"] {
            assert_eq!(db.rows(table).await?, placed, "{table}");
        }
    }

    async fn a_twin_gets_the_order_of_a_guest_who_hung_up(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let phone = node.guest(f.s1());
        let input = order(&key(), json!([line(f.ramen, 1)]));
        node.arm("commit=sleep:500");
        phone.place_and_hang_up_when(input.clone(), node.reached("commit")).await?;
        let twin = phone.place(input).await?;
        twin.order_id()?;
        assert!(twin.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_guest_who_hangs_up_while_waiting_disturbs_nobody(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=sleep:500");
        let (leader, waiter) = (phone.place(input.clone()), async {
            node.reached("commit").await?;
            phone.place_and_hang_up(input.clone(), Duration::from_millis(50)).await
        });
        let (leader, waiter) = futures_util::join!(leader, waiter);
        waiter?;
        leader?.order_id()?;
        assert_eq!(db.orders(f.s1()).await?, 1);
        assert!(phone.place(input.clone()).await?.is_replay()?);
    }

    /// A withdrawal whose guest hangs up is as final as an order.
    async fn a_guest_who_hangs_up_on_a_withdrawal_has_withdrawn(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, request) = (node.guest(f.s1()), key());
        node.arm("commit=sleep:300");
        let withdrawal = tokio::time::timeout(Duration::from_millis(100), phone.withdraw(&request));
        assert!(withdrawal.await.is_err(), "the withdrawal was to be held");
        eventually("the key is withdrawn", async || {
            Ok(phone.status(&request).await?.body["data"]["placementStatus"]["code"] == "WITHDRAWN")
        })
        .await?;
        assert_eq!(phone.place(order(&request, json!([line(f.ramen, 1)]))).await?.code(), "WITHDRAWN");
        assert_eq!(db.all_orders().await?, 0);
    }
}
