//! What a guest hears who asks by key: `placementStatus`.
//!
//! "Nothing is committed yet", "at work", "placed", "refused for good" and "so long ago that only the order is left" lead to
//! different next steps; a wrong one makes the client place twice or give up an order that stands. Whoever has no part in a
//! key learns nothing of it: for them every key is unknown.

use anyhow::{Result, ensure};
use harness::client::{Client, K1, K2, key, line, order};
use harness::database::{Backend, run};
use harness::{Setup, eventually, on_both_databases};
use masterorder_server::idempotency::retention;
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use uuid::Uuid;

on_both_databases! {
    async fn a_key_that_never_came_is_unknown(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        for client in [node.guest(f.s1()), node.key(&f.staff_key), node.key(&f.integrator_key)] {
            is(&client, K1, UNKNOWN).await?;
        }
        for odd in ["", "nonsense", &K1[1..], &format!("{{{K1}}}"), "6fa459ea-ee8a-11d2-90b5-0000c04fd430"] {
            let refused = node.guest(f.s1()).status(odd).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{odd}");
            assert!(refused.error().starts_with("requestId: "), "{}", refused.error());
        }
        assert_eq!(node.anonymous().status(K1).await?.code(), "UNAUTHENTICATED");
        assert_eq!(db.rows("idempotency_requests").await?, 0);
    }

    async fn a_placed_key_tells_its_order_to_who_may_read_it(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let id = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        // a replay by content is a key of the same order
        assert_eq!(guest.place(order(K2, json!([line(f.ramen, 1)]))).await?.order_id()?, id);
        let placed = Expected { state: "PLACED", order: Some(&id), code: None };
        let other_phone = node.guest(f.s1());
        for client in [&guest, &other_phone, &node.key(&f.staff_key), &node.key(&f.integrator_key)] {
            is(client, K1, placed).await?;
            is(client, &K1.to_uppercase(), placed).await?;
            is(client, K2, placed).await?;
        }
        for foreign in [node.guest(f.s2()), node.guest(&f.other_table), node.key(&f.other_staff_key)] {
            is(&foreign, K1, UNKNOWN).await?;
            is(&foreign, K2, UNKNOWN).await?;
        }
        guest.cancel(&id).await?;
        is(&guest, K1, placed).await?;
        db.close(f.s1(), node.clock.now_ms()).await?;
        is(&guest, K1, placed).await?;
    }

    async fn a_rejected_key_tells_its_code_to_its_own_caller_only(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let staff = node.key(&f.staff_key);
        let ramen = json!([line(f.ramen, 11)]);
        assert_eq!(guest.place(order(K1, ramen.clone())).await?.code(), "SOLD_OUT");
        guest.withdraw(K2).await?;
        let of_staff = key();
        let mut input = order(&of_staff, ramen);
        input["tableSessionId"] = json!(f.s1().id);
        assert_eq!(staff.place(input).await?.code(), "SOLD_OUT");

        let rejected = |code| Expected { state: "REJECTED", order: None, code: Some(code) };
        let other_phone = node.guest(f.s1());
        for client in [&guest, &other_phone] {
            is(client, K1, rejected("SOLD_OUT")).await?;
            is(client, K2, rejected("WITHDRAWN")).await?;
            is(client, &of_staff, UNKNOWN).await?;
        }
        is(&staff, &of_staff, rejected("SOLD_OUT")).await?;
        let foreign = [&staff, &node.key(&f.integrator_key), &node.guest(f.s2()), &node.key(&f.other_staff_key)];
        for client in foreign {
            is(client, K1, UNKNOWN).await?;
            is(client, K2, UNKNOWN).await?;
        }
        is(&node.key(&f.integrator_key), &of_staff, UNKNOWN).await?;
        assert_eq!(db.all_orders().await?, 0);
    }

    /// Two waiters serve one table. The order is for both to see; what one of them was refused is not.
    async fn an_answer_is_replayed_to_another_key_of_the_shop_only_if_it_is_an_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (one, other) = (node.key(&f.staff_key), node.key(&db.another_staff_key().await?));
        let ask = |key: &str, n: i64| json!({ "requestId": key, "tableSessionId": f.s1().id, "lines": [line(f.ramen, n)] });
        let id = one.place(ask(K1, 1)).await?.order_id()?;
        assert_eq!(one.place(ask(K2, 11)).await?.code(), "SOLD_OUT");
        let before = db.census().await?;
        let replay = other.place(ask(K1, 1)).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (id.clone(), true));
        is(&other, K1, Expected { state: "PLACED", order: Some(&id), code: None }).await?;
        for (key, n) in [(K1, 2), (K2, 11), (K2, 1)] {
            let reused = other.place(ask(key, n)).await?;
            assert_eq!((reused.code().as_str(), &reused.result()?["fields"]), ("IDEMPOTENCY_KEY_REUSED", &json!([])));
        }
        is(&other, K2, UNKNOWN).await?;
        assert_eq!(db.census().await?, before);
    }

    /// What was never stored is unknown, and the client resends it.
    async fn a_conflict_and_a_bad_request_leave_the_key_unknown_and_usable(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let cart = Uuid::new_v4();
        let mut first = order(&key(), json!([line(f.ramen, 1)]));
        first["checkoutId"] = json!(cart);
        guest.place(first).await?.order_id()?;
        let mut other_cart = order(K1, json!([line(f.beer, 1)]));
        other_cart["checkoutId"] = json!(cart);
        let same_again = order(K1, json!([line(f.ramen, 1)]));
        for (client, input, code) in [
            (&guest, other_cart, "CHECKOUT_ALREADY_PLACED"),
            (&node.guest(f.s1()), same_again, "POSSIBLE_DUPLICATE"),
            (&guest, order(K1, json!([line(Uuid::new_v4(), 1)])), "BAD_USER_INPUT"),
        ] {
            assert_eq!(client.place(input).await?.code(), code);
            assert_eq!(db.claims(K1).await?, 0, "{code}");
            is(&guest, K1, UNKNOWN).await?;
        }
        let placed = guest.place(order(K1, json!([line(f.beer, 1)]))).await?;
        assert_eq!((placed.code().as_str(), placed.is_replay()?), ("PLACED", false));
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    async fn a_key_whose_retention_is_over_still_knows_its_order(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let retention_ms = db.int("SELECT min(retention_ms) FROM shops", []).await?;
        let (alias, rejected) = (key(), key());
        let id = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        guest.place(order(&alias, json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert_eq!(guest.place(order(&rejected, json!([line(f.ramen, 11)]))).await?.code(), "SOLD_OUT");
        guest.withdraw(K2).await?;

        node.clock.advance(retention_ms - 1);
        is(&guest, K1, Expected { state: "PLACED", order: Some(&id), code: None }).await?;
        is(&guest, K2, Expected { state: "REJECTED", order: None, code: Some("WITHDRAWN") }).await?;
        node.clock.advance(1);
        let expired = Expected { state: "EXPIRED", order: Some(&id), code: None };
        for purged in [false, true] {
            if purged {
                assert_eq!(retention::purge(&node.app).await?, 4);
            }
            for client in [&guest, &node.guest(f.s1()), &node.key(&f.staff_key)] {
                is(client, K1, expired).await?;
            }
            for foreign in [node.guest(f.s2()), node.guest(&f.other_table), node.key(&f.other_staff_key)] {
                is(&foreign, K1, UNKNOWN).await?;
            }
            for gone in [&alias, &rejected, K2] {
                is(&guest, gone, UNKNOWN).await?;
            }
        }
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_key_at_work_is_in_progress_until_it_is_placed(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        node.arm("complete=sleep:1500");
        let (phone, input) = (guest.clone(), order(K1, json!([line(f.ramen, 1)])));
        let placing = tokio::spawn(async move { phone.place(input).await });
        let at_work = Expected { state: "IN_PROGRESS", order: None, code: None };
        eventually("the placement is at work", async || Ok(is(&guest, K1, at_work).await.is_ok())).await?;
        ensure!(!placing.is_finished(), "the placement was to be held");
        is(&node.guest(f.s1()), K1, at_work).await?;
        for foreign in [node.guest(f.s2()), node.key(&f.staff_key), node.guest(&f.other_table)] {
            is(&foreign, K1, UNKNOWN).await?;
        }
        assert_eq!(db.all_orders().await?, 0);
        let id = placing.await??.order_id()?;
        is(&guest, K1, Expected { state: "PLACED", order: Some(&id), code: None }).await?;
        assert_eq!(db.all_orders().await?, 1);
    }

    /// Its owner need not be in this process.
    async fn a_claim_without_outcome_is_at_work_and_only_its_caller_hears_of_it(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        guest.place(order(K1, json!([line(f.tea, 1)]))).await?.order_id()?;
        let left = "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller,
            fingerprint_version, fingerprint, field_digests, attempt_token, created_at_ms, expires_at_ms)
            SELECT tenant_id, operation, ?, attempt_id, caller, fingerprint_version, fingerprint, field_digests, 1, 1, 2
            FROM idempotency_requests";
        let pending = Uuid::parse_str(K2)?;
        db.execute(left, [pending.into()]).await?;
        let withdrawn = async |client: &Client| -> Result<Value> {
            Ok(client.withdraw(K2).await?.body["data"]["withdrawPlacement"]["code"].clone())
        };
        for client in [&guest, &node.guest(f.s1())] {
            is(client, K2, Expected { state: "IN_PROGRESS", order: None, code: None }).await?;
            assert_eq!(withdrawn(client).await?, "IDEMPOTENCY_IN_PROGRESS");
        }
        for foreign in [node.guest(f.s2()), node.key(&f.staff_key)] {
            is(&foreign, K2, UNKNOWN).await?;
            assert_eq!(withdrawn(&foreign).await?, "IDEMPOTENCY_KEY_REUSED");
        }
        db.execute("DELETE FROM idempotency_requests WHERE idempotency_key = ?", [pending.into()]).await?;
    }
}

/// On PostgreSQL only: on SQLite nobody waits for a row, and there is no lock to hold.
#[test]
fn a_wait_that_ran_out_leaves_the_key_unknown_and_usable() {
    run(
        Backend::Postgres,
        "a_wait_that_ran_out_leaves_the_key_unknown_and_usable",
        async |db| {
            let f = &db.fixture;
            db.set_policy("wait_bound_ms = 200").await?;
            let node = db.node().await?;
            let guest = node.guest(f.s1());
            guest.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
            let held_claim = format!(
                "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller,
                fingerprint_version, fingerprint, field_digests, attempt_token, created_at_ms, expires_at_ms)
             VALUES ('{}', 'placeOrder', '{K1}', '{}', 'session:another', 1, '', '', 1, 0, 9007199254740991)",
                f.tenant,
                Uuid::now_v7()
            );
            let held_table = format!("SELECT id FROM table_sessions WHERE id = '{}' FOR UPDATE", f.s1().id);
            for (held, code) in [(held_claim, "IDEMPOTENCY_IN_PROGRESS"), (held_table, "SESSION_BUSY")] {
                let other = db.sql.begin().await?;
                other.execute_unprepared(&held).await?;
                let reply = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
                assert_eq!(reply.code(), code);
                assert!(
                    reply.is_retryable() && reply.retry_after_ms() > Some(0),
                    "{}",
                    reply.body
                );
                other.rollback().await?;
                assert_eq!(db.claims(K1).await?, 0, "{code}");
                is(&guest, K1, UNKNOWN).await?;
            }
            let placed = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
            assert_eq!((placed.code().as_str(), placed.is_replay()?), ("PLACED", false));
            assert_eq!(db.orders(f.s1()).await?, 2);
            Ok(())
        },
    );
}

#[derive(Debug, Clone, Copy)]
struct Expected<'e> {
    state: &'e str,
    order: Option<&'e str>,
    code: Option<&'e str>,
}

const UNKNOWN: Expected<'static> = Expected {
    state: "UNKNOWN",
    order: None,
    code: None,
};

/// The answer says this, and nothing else.
async fn is(client: &Client, key: &str, expected: Expected<'_>) -> Result<()> {
    let reply = client.status(key).await?;
    let order = expected.order.map_or(Value::Null, |id| json!({ "id": id }));
    let answer =
        json!({ "data": { "placementStatus": { "state": expected.state, "code": expected.code, "order": order } } });
    ensure!(
        reply.body == answer,
        "{expected:?} of {key} was expected: {}",
        reply.body
    );
    Ok(())
}
