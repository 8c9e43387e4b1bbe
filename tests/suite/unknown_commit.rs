//! A COMMIT whose answer is lost: the order may stand or not. The key is claimed again in a new transaction, and an outcome
//! that this very attempt wrote is answered as the first answer. Sending the COMMIT or the order again blindly makes two
//! orders; reporting a failure makes the guest order again; calling it a replay tells the guest of an order that nobody saw.

use futures_util::future::{join, try_join_all};
use harness::client::{key, line, order};
use harness::{Database, Setup, on_both_databases};
use masterorder_server::app::Settings;
use serde_json::json;
use std::time::Duration;

/// Outcomes by kind.
async fn outcomes(db: &Database, kind: &str) -> anyhow::Result<i64> {
    db.int(
        "SELECT count(*) FROM idempotency_requests WHERE outcome_kind = ?",
        [kind.into()],
    )
    .await
}

on_both_databases! {
    async fn an_order_whose_commit_got_no_answer_is_answered_as_first(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        // lost before it was sent, lost after it was done, lost with its connection
        let ways =
            ["commit=vanish", "commit=lose", "committed=vanish", "commit=sqlstate:08006", "commit=vanish*2; commit=lose"];
        for (way, table) in ways.into_iter().zip(&f.tables) {
            let (phone, input) = (node.guest(table), order(&key(), json!([line(f.ramen, 1)])));
            node.arm(way);
            let placed = phone.place(input.clone()).await?;
            let id = placed.order_id()?;
            assert!(!placed.is_replay()?, "{way}");
            assert_eq!(placed.result()?["replayReason"], json!(null), "{way}");
            let retry = phone.place(input).await?;
            assert_eq!((retry.order_id()?, retry.is_replay()?), (id, true), "{way}");
            assert_eq!(db.orders(table).await?, 1, "{way}");
        }
        assert!(!node.app.faults.is_armed("commit"));
        assert_eq!(db.stock(f.ramen).await?, 5);
    }

    async fn two_commits_that_are_lost_one_after_the_other_are_two_orders(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        node.arm("commit=lose*2");
        for item in [f.ramen, f.beer] {
            let placed = node.guest(f.s1()).place(order(&key(), json!([line(item, 1)]))).await?;
            placed.order_id()?;
            assert!(!placed.is_replay()?);
        }
        assert!(!node.app.faults.is_armed("commit"), "a lost COMMIT was not met");
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    /// The look after a lost COMMIT meets bad weather itself, and goes on looking.
    async fn a_lost_commit_is_looked_for_until_it_is_found(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("complete=sleep:300; commit=lose; replay=busy*2");
        let (placed, armed) = join(phone.place(input), async {
            node.reached("complete").await?;
            node.arm("claim=busy*2");
            anyhow::Ok(())
        })
        .await;
        armed?;
        let placed = placed?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert!(!["claim", "replay", "commit"].iter().any(|step| node.app.faults.is_armed(step)));
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    /// When it can not be found in time the guest is told to come back, never that it failed for good.
    async fn a_lost_commit_that_is_not_found_in_time_is_found_by_the_retry(db) {
        let f = &db.fixture;
        let settings = Settings { answer_budget: Duration::from_secs(1), ..Settings::default() };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("commit=lose; replay=busy*1000000");
        let told = phone.place(input.clone()).await?;
        assert_eq!(told.code(), "UNAVAILABLE", "{}", told.body);
        assert!(told.is_retryable());
        node.app.faults.clear();
        let retry = phone.place(input).await?;
        retry.order_id()?;
        assert!(retry.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
        assert_eq!(db.stock(f.ramen).await?, 9);
    }

    async fn a_twin_of_a_lost_commit_gets_the_same_order(db) {
        let f = &db.fixture;
        let (node, other) = (db.node().await?, db.node().await?);
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("complete=sleep:300; commit=lose");
        let (leader, twins) = join(phone.place(input.clone()), async {
            node.reached("complete").await?;
            let twins = [phone.clone(), phone.at(other.address)].map(|twin| {
                let input = input.clone();
                async move { twin.place(input).await }
            });
            try_join_all(twins).await
        })
        .await;
        let (leader, twins) = (leader?, twins?);
        let placed = leader.order_id()?;
        assert!(!leader.is_replay()?);
        for twin in twins {
            assert_eq!((twin.order_id()?, twin.is_replay()?), (placed.clone(), true));
        }
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_rejection_whose_commit_got_no_answer_is_answered_as_first(db) {
        let f = &db.fixture;
        db.set_stock(f.ramen, 1).await?;
        let node = db.node().await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 2)])));
        node.arm("commit=lose");
        let rejected = phone.place(input.clone()).await?;
        assert_eq!((rejected.code(), rejected.is_replay()?), ("SOLD_OUT".into(), false));
        // the same "no" stays, even when there is enough again
        db.set_stock(f.ramen, 10).await?;
        let replayed = phone.place(input).await?;
        assert_eq!((replayed.code(), replayed.is_replay()?), ("SOLD_OUT".into(), true));
        assert_eq!(outcomes(db, "REJECTED").await?, 1);
        assert_eq!(db.all_orders().await?, 0);
    }

    async fn an_alias_whose_commit_got_no_answer_names_the_first_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (phone, lines) = (node.guest(f.s1()), json!([line(f.ramen, 1)]));
        let placed = phone.place(order(&key(), lines.clone())).await?.order_id()?;
        node.arm("commit=lose");
        let again = order(&key(), lines);
        let alias = phone.place(again.clone()).await?;
        assert_eq!((alias.order_id()?, alias.is_replay()?), (placed.clone(), true));
        assert_eq!(alias.result()?["replayReason"], "PAYLOAD");
        assert_eq!(phone.place(again).await?.order_id()?, placed);
        assert_eq!((outcomes(db, "ALIAS").await?, db.all_orders().await?), (1, 1));
    }

    async fn a_withdrawal_whose_commit_got_no_answer_has_withdrawn(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        for way in ["commit=lose", "committed=vanish", "commit=vanish"] {
            let (phone, request) = (node.guest(f.s1()), key());
            node.arm(way);
            for _ in 0..2 {
                let body = phone.withdraw(&request).await?.body;
                assert_eq!(body["data"]["withdrawPlacement"]["code"], "WITHDRAWN", "{way}: {body}");
            }
            let refused = phone.place(order(&request, json!([line(f.ramen, 1)]))).await?;
            assert_eq!((refused.code(), refused.is_replay()?), ("WITHDRAWN".into(), true), "{way}");
        }
        assert_eq!((outcomes(db, "REJECTED").await?, db.all_orders().await?), (3, 0));
    }
}
