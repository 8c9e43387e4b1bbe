//! How soon one order may follow another, and the switch that stops them all. Nothing of it is stored: the same key goes through
//! when the wait is over.
//!
//! Without the gates a thumb that trembles orders twice; with gates that count replays, a lost answer would be punished.

use anyhow::{Context, Result};
use harness::client::{K1, K2, key, line, order};
use harness::{Client, Reply, Setup, on_both_databases};
use serde_json::{Value, json};

fn waits(reply: &Reply, code: &str, status: i64, wait_ms: i64) -> Result<()> {
    let result = reply.result()?;
    let said = (
        result["code"].as_str(),
        result["status"].as_i64(),
        reply.retry_after_ms(),
    );
    anyhow::ensure!(
        said == (Some(code), Some(status), Some(wait_ms)),
        "{said:?} is not {code} {wait_ms}"
    );
    anyhow::ensure!(
        result["retryable"] == true && result["retryWithNewRequestId"] == false,
        "{result}"
    );
    Ok(())
}

/// Starts or stops the orders; answers whether that changed anything.
async fn set_ordering(staff: &Client, takes_orders: bool) -> Result<bool> {
    let query = "mutation($on: Boolean!) { setOrdering(takesOrders: $on) { changed shop { takesOrders } } }";
    let reply = staff.send(query, json!({ "on": takes_orders })).await?;
    let answer = &reply.body["data"]["setOrdering"];
    anyhow::ensure!(answer["shop"]["takesOrders"] == takes_orders, "{}", reply.body);
    answer["changed"].as_bool().context("no answer")
}

on_both_databases! {
    /// AC-008 and AC-009 with cooldown on: a second tap is the first order, and a second order waits.
    async fn a_device_waits_for_its_cooldown_and_then_orders_under_the_same_key(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        db.set_policy("cooldown_ms = 3000").await?;
        let guest = node.guest(f.s1());
        let ramen = || order(K1, json!([line(f.ramen, 1)]));
        let beer = || order(K2, json!([line(f.beer, 1)]));
        let first = guest.place(ramen()).await?.order_id()?;
        node.clock.advance(1_000);
        waits(&guest.place(beer()).await?, "COOLDOWN_ACTIVE", 429, 2_000)?;
        assert_eq!(db.claims(K2).await?, 0, "a conflict stores nothing");
        // a retry, and a second tap with a key of its own, are the first order and no new one
        assert_eq!(guest.place(ramen()).await?.order_id()?, first);
        let tap = guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?;
        assert_eq!((tap.order_id()?, tap.is_replay()?), (first, true));
        // another phone of the table does not wait, and does not prolong the wait either
        node.guest(f.s1()).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        node.clock.advance(1_999);
        waits(&guest.place(beer()).await?, "COOLDOWN_ACTIVE", 429, 1)?;
        node.clock.advance(1);
        assert!(!guest.place(beer()).await?.is_replay()?);
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?, db.stock(f.beer).await?), (3, 9, 9));
        // AC-009: past the window the same beer again is one more
        node.clock.advance(31_000);
        assert!(!guest.place(order(&key(), json!([line(f.beer, 1)]))).await?.is_replay()?);
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.beer).await?), (4, 8));
    }

    async fn a_cancelled_order_still_counts_for_the_cooldown(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        db.set_policy("cooldown_ms = 3000").await?;
        let guest = node.guest(f.s1());
        let first = guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        guest.cancel(&first).await?;
        waits(&guest.place(order(&key(), json!([line(f.beer, 1)]))).await?, "COOLDOWN_ACTIVE", 429, 3_000)?;
    }

    async fn a_table_waits_for_its_burst_but_staff_and_integrators_do_not(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        db.set_policy("burst_ms = 1000").await?;
        node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let other = node.guest(f.s1());
        waits(&other.place(order(K2, json!([line(f.beer, 1)]))).await?, "SESSION_ORDER_IN_PROGRESS", 409, 1_000)?;
        node.guest(f.s2()).place(order(&key(), json!([line(f.beer, 1)]))).await?.order_id()?;
        for (secret, quantity) in [(&f.staff_key, 1), (&f.integrator_key, 2)] {
            let mut input = order(&key(), json!([line(f.tea, quantity)]));
            input["tableSessionId"] = json!(f.s1().id);
            node.key(secret).place(input).await?.order_id()?;
        }
        node.clock.advance(1_000);
        other.place(order(K2, json!([line(f.beer, 1)]))).await?.order_id()?;
        assert_eq!(db.orders(f.s1()).await?, 4);
    }

    async fn a_rejection_starts_no_cooldown(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        db.set_policy("cooldown_ms = 3000").await?;
        let guest = node.guest(f.s1());
        assert_eq!(guest.place(order(&key(), json!([line(f.ramen, 11)]))).await?.code(), "SOLD_OUT");
        guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
    }

    async fn stopped_orders_are_told_so_and_what_stands_is_still_answered(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let first = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert!(set_ordering(&staff, false).await?);
        assert!(!set_ordering(&staff, false).await?, "a second tap changes nothing");

        let mut input = order(K2, json!([line(f.beer, 1)]));
        let stopped = guest.with("accept-language", "ja").place(input.clone()).await?;
        let result = stopped.result()?;
        assert_eq!((stopped.code().as_str(), &result["status"], &result["retryable"]), ("ORDERING_PAUSED", &json!(409), &json!(false)));
        assert_eq!(result["message"], "ラストオーダーは終了しました");
        assert_eq!(result["retryAfterMs"], Value::Null);
        assert_eq!(db.claims(K2).await?, 0);
        assert_eq!(guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?, first);
        // nobody is an exception, and another shop is not meant
        input["tableSessionId"] = json!(f.s1().id);
        for secret in [&f.staff_key, &f.integrator_key] {
            input["requestId"] = json!(key());
            assert_eq!(node.key(secret).place(input.clone()).await?.code(), "ORDERING_PAUSED");
        }
        node.guest(&f.other_table).place(order(&key(), json!([line(f.other_soup, 1)]))).await?.order_id()?;

        assert!(set_ordering(&staff, true).await?);
        guest.place(order(K2, json!([line(f.beer, 1)]))).await?.order_id()?;
        let trail = "SELECT count(*) FROM audit_entries WHERE action = 'setOrdering' AND result = ?";
        assert_eq!(db.int(trail, ["STOPPED".into()]).await?, 1);
        assert_eq!(db.int(trail, ["STARTED".into()]).await?, 1);
        for outsider in [guest, node.key(&f.integrator_key), node.anonymous()] {
            let reply = outsider.send("mutation { setOrdering(takesOrders: false) { changed } }", json!({})).await?;
            assert!(["FORBIDDEN", "UNAUTHENTICATED"].contains(&reply.code().as_str()), "{}", reply.body);
        }
        assert_eq!(db.int("SELECT count(*) FROM shops WHERE takes_orders", []).await?, 2);
    }

    async fn a_policy_is_changed_value_by_value_and_holds_from_the_next_order_on(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let staff = node.key(&f.staff_key);
        let query = "mutation($input: OrderingPolicyInput!) { setOrderingPolicy(input: $input) { shop { orderingPolicy {
            contentWindowMs cooldownMs burstMs waitBoundMs retentionMs leaseMs } } } }";
        let guest = node.guest(f.s1());
        guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let set = staff.send(query, json!({ "input": { "cooldownMs": 2000 } })).await?;
        let policy = set.body["data"]["setOrderingPolicy"]["shop"]["orderingPolicy"].clone();
        assert_eq!((&policy["cooldownMs"], &policy["contentWindowMs"]), (&json!(2000), &json!(30_000)));
        waits(&guest.place(order(K2, json!([line(f.beer, 1)]))).await?, "COOLDOWN_ACTIVE", 429, 2_000)?;

        let all = json!({ "contentWindowMs": 1, "cooldownMs": 2, "burstMs": 3, "waitBoundMs": 4, "retentionMs": 600_005, "leaseMs": 1006 });
        let set = staff.send(query, json!({ "input": all })).await?;
        assert_eq!(set.body["data"]["setOrderingPolicy"]["shop"]["orderingPolicy"], all);
        for (field, value, bounds) in [
            ("contentWindowMs", 3_600_001_i64, "0 to 3600000 ms"),
            ("cooldownMs", -1, "0 to 600000 ms"),
            ("burstMs", 600_001, "0 to 600000 ms"),
            ("waitBoundMs", 0, "1 to 4000 ms"),
            ("retentionMs", 599_999, "600000 to 2073600000 ms"),
            ("leaseMs", 999, "1000 to 3600000 ms"),
        ] {
            let mut input = json!({ "burstMs": 9 });
            input[field] = json!(value);
            let refused = staff.send(query, json!({ "input": input })).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT");
            let error = refused.error();
            assert!(error.contains(&format!("input.{field}")) && error.contains(bounds), "{error}");
        }
        assert_eq!(db.int("SELECT burst_ms FROM shops WHERE tenant_id = ?", [f.tenant.into()]).await?, 3, "all or nothing");
        let refused = guest.send(query, json!({ "input": { "cooldownMs": 0 } })).await?;
        assert_eq!(refused.code(), "FORBIDDEN");
    }
}
