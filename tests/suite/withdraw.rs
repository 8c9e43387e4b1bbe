//! Giving a key up: `withdrawPlacement` turns "unknown" into a fact.
//!
//! The race: a guest gives up an order whose answer never came, while that very order is on its way. Both claim the same key.
//! Whoever gets it decides, and the other one tells the same story; without the claim the guest is told "withdrawn" and gets
//! the bill of an order, or orders again what the kitchen is making already.

use anyhow::Result;
use harness::client::{K1, K2, key, line, order};
use harness::{Database, Node, Reply, Setup, on_both_databases};
use masterorder_server::idempotency::retention;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;
use uuid::Uuid;

on_both_databases! {
    async fn a_withdrawn_key_places_nothing_whatever_comes_under_it(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let withdrawn = guest.withdraw(K1).await?;
        assert_eq!(said(&withdrawn), "WITHDRAWN");
        let result = result(&withdrawn);
        assert_eq!((&result["__typename"], &result["status"]), (&json!("OrderRejected"), &json!(409)));
        assert_eq!((&result["retryable"], &result["retryWithNewRequestId"]), (&json!(false), &json!(true)));
        let before = db.census().await?;
        // again, from any device of the table, in any spelling
        for (client, key) in [(&guest, K1.to_owned()), (&node.guest(f.s1()), K1.to_uppercase())] {
            assert_eq!(said(&client.withdraw(&key).await?), "WITHDRAWN");
        }
        let mut with_cart = order(K1, json!([line(f.beer, 3)]));
        with_cart["checkoutId"] = json!(Uuid::new_v4());
        with_cart["note"] = json!("急ぎで");
        for input in [order(K1, json!([line(f.ramen, 1)])), with_cart, order(K1, json!([line(Uuid::new_v4(), 1)]))] {
            for client in [&guest, &node.guest(f.s1())] {
                let late = client.place(input.clone()).await?;
                assert_eq!(late.code(), "WITHDRAWN", "{input}");
                assert_eq!(late.result()?["__typename"], "OrderRejected");
                assert_eq!((&late.payload()?["allowed"], &late.payload()?["orderId"]), (&json!(false), &Value::Null));
            }
        }
        // of others of the tenant it is just taken
        let mut for_s1 = order(K1, json!([line(f.ramen, 1)]));
        for_s1["tableSessionId"] = json!(f.s1().id);
        let own = order(K1, json!([line(f.ramen, 1)]));
        for (foreign, input) in [(node.guest(f.s2()), own), (node.key(&f.staff_key), for_s1.clone()),
            (node.key(&f.integrator_key), for_s1)] {
            let reply = foreign.place(input).await?;
            assert_eq!((reply.code().as_str(), &reply.result()?["fields"]), ("IDEMPOTENCY_KEY_REUSED", &json!([])));
            assert_eq!(said(&foreign.withdraw(K1).await?), "IDEMPOTENCY_KEY_REUSED");
        }
        assert_eq!(db.census().await?, before);
        assert_eq!((db.all_orders().await?, db.claims(K1).await?), (0, 1));
        let trail = "SELECT count(*) FROM audit_entries WHERE action = 'withdrawPlacement' AND result = 'WITHDRAWN'";
        assert_eq!(db.int(trail, []).await?, 1);
        // the guest goes on under a new key
        guest.place(order(K2, json!([line(f.ramen, 1)]))).await?.order_id()?;
    }

    async fn a_key_with_an_answer_keeps_it(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let (alias, rejected) = (key(), key());
        let id = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        guest.place(order(&alias, json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert_eq!(guest.place(order(&rejected, json!([line(f.ramen, 99)]))).await?.code(), "SOLD_OUT");
        let before = db.census().await?;
        let other_phone = node.guest(f.s1());
        let (staff, integrator, foreign) = (node.key(&f.staff_key), node.key(&f.integrator_key), node.guest(f.s2()));
        for key in [K1, &alias] {
            for client in [&guest, &other_phone, &staff, &integrator] {
                assert_eq!(said(&client.withdraw(key).await?), format!("PLACED {id}"));
            }
            assert_eq!(said(&foreign.withdraw(key).await?), "IDEMPOTENCY_KEY_REUSED");
        }
        for client in [&guest, &other_phone] {
            assert_eq!(said(&client.withdraw(&rejected).await?), "SOLD_OUT");
        }
        // a "no" is nobody else's business
        for client in [&staff, &integrator, &foreign] {
            assert_eq!(said(&client.withdraw(&rejected).await?), "IDEMPOTENCY_KEY_REUSED");
        }
        assert_eq!(db.census().await?, before);
        guest.cancel(&id).await?;
        assert_eq!(said(&guest.withdraw(K1).await?), format!("PLACED {id}"));
        let replay = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (id, true));
    }

    async fn a_key_is_withdrawn_by_whoever_would_have_placed(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (staff, integrator) = (node.key(&f.staff_key), node.key(&f.integrator_key));
        let ask = |key: &str| json!({ "requestId": key, "tableSessionId": f.s1().id, "lines": [line(f.ramen, 1)] });
        for (own, other) in [(&staff, &integrator), (&integrator, &staff)] {
            let key = key();
            assert_eq!(said(&own.withdraw(&key).await?), "WITHDRAWN");
            assert_eq!(own.place(ask(&key)).await?.code(), "WITHDRAWN");
            for foreign in [other, &node.guest(f.s1())] {
                assert_eq!(said(&foreign.withdraw(&key).await?), "IDEMPOTENCY_KEY_REUSED");
            }
            assert_eq!(other.place(ask(&key)).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        }
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (0, 10));
    }

    async fn what_is_no_key_is_not_withdrawn(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        for odd in ["", "x", &K1[1..], &K1.replace('-', ""), "6fa459ea-ee8a-11d2-90b5-0000c04fd430",
            &Uuid::now_v7().to_string()] {
            let refused = node.guest(f.s1()).withdraw(odd).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{odd}");
            assert!(refused.error().starts_with("requestId: "), "{}", refused.error());
        }
        assert_eq!(node.anonymous().withdraw(K1).await?.code(), "UNAUTHENTICATED");
        assert_eq!(db.rows("idempotency_requests").await?, 0);
    }

    /// The guest says no to "the same again?".
    async fn a_declined_duplicate_is_withdrawn(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let first = node.guest(f.s1()).place(order(K1, json!([line(f.beer, 1)]))).await?.order_id()?;
        let guest = node.guest(f.s1());
        let mut again = order(K2, json!([line(f.beer, 1)]));
        assert_eq!(guest.place(again.clone()).await?.code(), "POSSIBLE_DUPLICATE");
        assert_eq!(said(&guest.withdraw(K2).await?), "WITHDRAWN");
        again["confirmDuplicateOf"] = json!(first);
        assert_eq!(guest.place(again).await?.code(), "WITHDRAWN");
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.beer).await?), (1, 9));
    }

    /// The table may have paid by then: giving up still works.
    async fn a_closed_table_withdraws_too(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        db.close(f.s1(), node.clock.now_ms()).await?;
        assert_eq!(said(&guest.withdraw(K1).await?), "WITHDRAWN");
        assert_eq!(guest.place(order(K1, json!([line(f.beer, 1)]))).await?.code(), "WITHDRAWN");
        assert_eq!(db.all_orders().await?, 0);
    }

    async fn an_order_outlives_its_claim_and_is_found_all_the_same(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let id = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        for purged in [false, true] {
            outlive(db, &node, purged).await?;
            let before = db.census().await?;
            assert_eq!(said(&node.guest(f.s2()).withdraw(K1).await?), "IDEMPOTENCY_KEY_REUSED");
            assert_eq!(db.census().await?, before, "a stranger leaves nothing behind");
            for client in [&guest, &node.guest(f.s1()), &node.key(&f.staff_key), &node.key(&f.integrator_key)] {
                assert_eq!(said(&client.withdraw(K1).await?), format!("PLACED {id}"));
                assert_eq!(db.claims(K1).await?, 1);
            }
        }
        assert_eq!((db.all_orders().await?, db.rows("kitchen_tickets").await?), (1, 1));
    }

    /// A copy of the order is still on its way when the guest is told that it stands. Without what the withdrawal stores, the
    /// key is free again after retention, and the copy is cooked.
    async fn an_order_that_a_withdrawal_found_is_not_placed_again(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let (guest, staff, stranger) = (node.guest(f.s1()), node.key(&f.staff_key), node.guest(f.s2()));
        let input = order(K1, json!([line(f.ramen, 1)]));
        let id = guest.place(input.clone()).await?.order_id()?;
        for purged in [false, true] {
            for withdrawing in [&guest, &staff] {
                outlive(db, &node, purged).await?;
                assert_eq!(said(&withdrawing.withdraw(K1).await?), format!("PLACED {id}"));
                // its fingerprint is gone: whatever its table sends under the key is that order
                for copy in [input.clone(), order(K1, json!([line(f.beer, 2)]))] {
                    let again = guest.place(copy).await?;
                    assert_eq!((again.order_id()?, again.is_replay()?), (id.clone(), true), "{}", again.body);
                }
                assert_eq!(stranger.place(input.clone()).await?.code(), "IDEMPOTENCY_KEY_REUSED");
                let status = guest.status(K1).await?.body["data"]["placementStatus"].clone();
                assert_eq!(status, json!({ "state": "PLACED", "code": null, "order": { "id": id } }));
            }
        }
        assert_eq!((db.all_orders().await?, db.rows("kitchen_tickets").await?, db.stock(f.ramen).await?), (1, 1, 9));
        // and that answer is kept no longer than any other
        outlive(db, &node, true).await?;
        assert!(!guest.place(input).await?.is_replay()?);
    }

    /// The second look finds what the first one stored, under the caller of the order.
    async fn an_order_found_by_a_commit_without_answer_is_told(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let id = node.guest(f.s1()).place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        outlive(db, &node, true).await?;
        node.arm("commit=lose");
        assert_eq!(said(&node.key(&f.staff_key).withdraw(K1).await?), format!("PLACED {id}"));
        assert_eq!((db.all_orders().await?, db.claims(K1).await?), (1, 1));
    }

    /// The database committed and could not say so: the second look finds the own attempt.
    async fn a_withdrawal_whose_commit_got_no_answer_holds(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        node.arm("commit=lose");
        assert_eq!(said(&guest.withdraw(K1).await?), "WITHDRAWN");
        assert_eq!(guest.place(order(K1, json!([line(f.beer, 1)]))).await?.code(), "WITHDRAWN");
        assert_eq!((db.all_orders().await?, db.claims(K1).await?, db.rows("audit_entries").await?), (0, 1, 1));
    }

    /// Whoever claims first decides; the other one waits and tells the same.
    async fn the_second_waits_for_the_first_and_says_the_same(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let nodes = [db.node().await?, db.node().await?];
        let guest = nodes[0].guest(f.s1());
        let elsewhere = guest.at(nodes[1].address);
        for withdrawing in [&guest, &elsewhere] {
            let key = key();
            nodes[0].arm("complete=sleep:400");
            let (phone, input) = (guest.clone(), order(&key, json!([line(f.tea, 1)])));
            let placing = tokio::spawn(async move { phone.place(input).await });
            nodes[0].reached("complete").await?;
            let withdrawn = withdrawing.withdraw(&key).await?;
            assert_eq!(said(&withdrawn), format!("PLACED {}", placing.await??.order_id()?));
        }
        for placing in [&guest, &elsewhere] {
            let key = key();
            nodes[0].arm("withdraw_claim=sleep:400");
            let (phone, own) = (guest.clone(), key.clone());
            let withdrawing = tokio::spawn(async move { phone.withdraw(&own).await });
            nodes[0].reached("withdraw_claim").await?;
            assert_eq!(placing.place(order(&key, json!([line(f.tea, 1)]))).await?.code(), "WITHDRAWN");
            assert_eq!(said(&withdrawing.await??), "WITHDRAWN");
        }
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    /// Thirty rounds, at one node and at two, with the two requests a little apart in every way.
    async fn a_key_is_placed_or_withdrawn_and_never_both(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let nodes = [db.node().await?, db.node().await?];
        let guest = nodes[0].guest(f.s1());
        let mut placed = 0;
        for round in 0..30_u64 {
            let key = key();
            let other = guest.at(nodes[(round % 2) as usize].address);
            let apart = Duration::from_millis(round % 5);
            let (place_late, withdraw_late) = if round % 3 == 0 { (apart, Duration::ZERO) } else { (Duration::ZERO, apart) };
            let placing = async {
                sleep(place_late).await;
                guest.place(order(&key, json!([line(f.tea, 1)]))).await
            };
            let withdrawing = async {
                sleep(withdraw_late).await;
                other.withdraw(&key).await
            };
            let (placing, withdrawing) = tokio::join!(placing, withdrawing);
            let (placing, withdrawing) = (placing?, withdrawing?);
            let counted = "SELECT count(*) FROM orders WHERE request_id = ?";
            let orders = db.int(counted, [Uuid::parse_str(&key)?.into()]).await?;
            let story = (placing.code(), said(&withdrawing), orders);
            if orders == 1 {
                assert_eq!(story, ("PLACED".into(), format!("PLACED {}", placing.order_id()?), 1), "round {round}");
                placed += 1;
            } else {
                assert_eq!(story, ("WITHDRAWN".into(), "WITHDRAWN".into(), 0), "round {round}");
            }
            assert_eq!(db.claims(&key).await?, 1, "round {round}");
        }
        assert_eq!((db.all_orders().await?, db.rows("kitchen_tickets").await?), (placed, placed));
    }
}

/// Moves a node past the retention of everything that stands, and purges it or not.
async fn outlive(db: &Database, node: &Node, purged: bool) -> Result<()> {
    node.clock
        .advance(db.int("SELECT max(retention_ms) FROM shops", []).await?);
    if purged {
        assert_eq!(retention::purge(&node.app).await?, 1);
    }
    Ok(())
}

fn result(reply: &Reply) -> &Value {
    &reply.body["data"]["withdrawPlacement"]
}

/// `PLACED` with the order's id, or the code.
fn said(reply: &Reply) -> String {
    let result = result(reply);
    match (result["__typename"].as_str(), result["code"].as_str()) {
        (Some("OrderPlaced"), _) => format!("PLACED {}", result["receipt"]["orderId"].as_str().unwrap_or("?")),
        (_, Some(code)) => code.to_owned(),
        _ => reply.code(),
    }
}
