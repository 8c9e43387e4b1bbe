//! The REST door places as the GraphQL door does: one order per key, whichever door each of its requests came through.
//!
//! Were the door part of what a key is scoped to, a gateway that retries at the other one would order twice.

use anyhow::Result;
use futures_util::future::join_all;
use harness::client::{K1, K2, key, line, line_with, order};
use harness::{Client, Description, Reply, eventually, on_both_databases};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn lines(lines: Value) -> Value {
    json!({ "lines": lines })
}

/// An answer without what may differ between a first answer and its replays.
fn business(reply: &Reply) -> (u16, BTreeMap<String, String>, Value) {
    let headers = reply.headers.iter();
    let headers = headers
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .filter(|(name, _)| !["date", "content-length", "x-masterorder-idempotent-replay"].contains(&name.as_str()));
    let mut body = reply.body.clone();
    if let Some(body) = body.as_object_mut() {
        body.remove("idempotentReplay");
        body.remove("replayReason");
    }
    (reply.status, headers.collect(), body)
}

fn is_first(reply: &Reply) -> Result<String> {
    anyhow::ensure!(
        reply.status == 201
            && !reply.has_replay_header()
            && reply.body["idempotentReplay"] == false
            && reply.body["replayReason"].is_null(),
        "no first answer ({}): {}",
        reply.status,
        reply.body
    );
    Ok(reply.body["orderId"].as_str().unwrap_or_default().to_owned())
}

fn is_replay(reply: &Reply, reason: &str) -> Result<String> {
    anyhow::ensure!(
        reply.status == 201
            && reply.has_replay_header()
            && reply.body["idempotentReplay"] == true
            && reply.body["replayReason"] == reason,
        "no replay ({}): {}",
        reply.status,
        reply.body
    );
    Ok(reply.body["orderId"].as_str().unwrap_or_default().to_owned())
}

on_both_databases! {
    /// AC-040: status, media type and business headers are those of the first answer; only the marker changes.
    async fn a_replay_is_the_first_answer_but_for_its_marker(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = json!({
            "checkoutId": K2, "note": "急ぎで",
            "lines": [line_with(f.ramen, 1, &[f.egg]), line(f.beer, 2), line_with(f.ramen, 1, &[f.egg])],
            "expectedTotal": { "amountMinor": 3_140, "currency": "JPY" },
        });
        let first = described.post(&guest, K1, body.clone()).await?;
        let id = is_first(&first)?;
        assert_eq!(first.header("content-type"), "application/json; charset=utf-8");
        assert_eq!(first.header("location"), format!("/v1/placements/{K1}"));
        assert_eq!((&first.body["requestId"], &first.body["order"]["id"]), (&json!(K1), &json!(id)));
        let placed = &first.body["order"];
        assert_eq!((&placed["total"], &placed["note"]), (&json!({ "amountMinor": 3_140, "currency": "JPY" }), &json!("急ぎで")));
        assert_eq!((&placed["lines"][0]["quantity"], &placed["lines"][0]["name"]), (&json!(2), &json!("ramen")));
        assert_eq!(placed["lines"][0]["toppings"][0]["unitPrice"]["amountMinor"], 120);

        db.change_menu("UPDATE menu_items SET price_minor = 999 WHERE id = ?", [f.ramen.into()]).await?;
        db.set_stock(f.beer, 0).await?;
        let replay = described.post(&guest, K1, body.clone()).await?;
        assert_eq!(is_replay(&replay, "KEY")?, id);
        assert_eq!(business(&replay), business(&first));
        // names are the reader's, whoever asked first
        let in_japanese = described.post(&guest.with("accept-language", "ja"), K1, body.clone()).await?;
        assert_eq!(in_japanese.body["order"]["lines"][0]["name"], "ラーメン");

        // a rejection is replayed with its status and its headers, too
        let sold_out = described.post(&guest, &key(), lines(json!([line(f.beer, 1)]))).await?;
        assert_eq!((sold_out.status, sold_out.has_replay_header()), (409, false));
        let request = sold_out.body["instance"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
        db.set_stock(f.beer, 10).await?;
        let again = described.post(&guest, &request, lines(json!([line(f.beer, 1)]))).await?;
        assert!(again.has_replay_header());
        assert_eq!(business(&again), business(&sold_out));

        // the cart under another key
        let mut cart = body;
        cart["expectedTotal"] = Value::Null;
        assert_eq!(is_replay(&described.post(&guest, &key(), cart).await?, "CHECKOUT")?, id);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    /// AC-017.
    async fn quoted_and_bare_keys_are_one_key_at_both_doors(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = || lines(json!([line(f.ramen, 1)]));
        let id = is_first(&described.post(&guest, &format!("\"{K1}\""), body()).await?)?;
        for spelled in [K1.to_owned(), K1.to_uppercase(), format!("\"{}\"", K1.to_uppercase()), format!(" {K1} ")] {
            assert_eq!(is_replay(&described.post(&guest, &spelled, body()).await?, "KEY")?, id, "{spelled}");
        }
        // GraphQL: the argument decides; a header with another key is refused, one with the same is not
        let input = order(K1, json!([line(f.ramen, 1)]));
        for header in [K1.to_owned(), format!("\"{K1}\""), "\"8e03978e-40d5-43e8-bc93-6894a57f9324x\"".into()] {
            let reply = guest.with("idempotency-key", &header).place(input.clone()).await?;
            assert_eq!((reply.order_id()?, reply.is_replay()?), (id.clone(), true), "{header}");
        }
        for header in [K2.to_owned(), format!("\"{K2}\"")] {
            assert_eq!(guest.with("idempotency-key", &header).place(input.clone()).await?.code(), "BAD_USER_INPUT");
        }
        assert_eq!((db.orders(f.s1()).await?, db.claims(K2).await?), (1, 0));
    }

    async fn a_key_is_one_key_at_both_doors(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let by_graphql = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        let replay = described.post(&guest, K1, lines(json!([line(f.ramen, 1)]))).await?;
        assert_eq!(is_replay(&replay, "KEY")?, by_graphql);
        let by_rest = is_first(&described.post(&guest, K2, lines(json!([line(f.beer, 2)]))).await?)?;
        let replay = guest.place(order(K2, json!([line(f.beer, 2)]))).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (by_rest, true));
        assert_eq!(replay.result()?["replayReason"], "KEY");
        // other content is another request, at either door
        let reused = described.post(&guest, K1, lines(json!([line(f.beer, 1)]))).await?;
        assert_eq!((reused.status, &reused.body["fields"]), (409, &json!(["lines"])));
        assert_eq!(guest.place(order(K2, json!([line(f.beer, 1)]))).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    async fn twins_at_both_doors_place_one_order(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        node.arm("commit=sleep:300");
        let rest = join_all((0..5).map(|_| described.post(&guest, K1, lines(json!([line(f.ramen, 1)])))));
        let graphql = join_all((0..5).map(|_| guest.place(order(K1, json!([line(f.ramen, 1)])))));
        let (rest, graphql) = futures_util::join!(rest, graphql);
        let (mut ids, mut first) = (Vec::new(), 0);
        for reply in rest {
            let reply = reply?;
            first += i32::from(!reply.has_replay_header());
            ids.push(reply.body["orderId"].as_str().unwrap_or_default().to_owned());
        }
        for reply in graphql {
            let reply = reply?;
            first += i32::from(!reply.is_replay()?);
            ids.push(reply.order_id()?);
        }
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert_eq!((first, db.orders(f.s1()).await?, db.rows("kitchen_tickets").await?), (1, 1, 1));
    }

    /// AC-044 at this door: the handler is dropped with its connection, the placement is not.
    async fn who_hangs_up_still_gets_the_order(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = lines(json!([line(f.ramen, 1)]));
        node.arm("commit=sleep:300");
        let gateway = guest.with("idempotency-key", K1);
        gateway.send_and_hang_up_when("/v1/orders", body.clone(), node.reached("commit")).await?;
        eventually("the order is placed", async || Ok(db.orders(f.s1()).await? == 1)).await?;
        is_replay(&described.post(&guest, K1, body).await?, "KEY")?;
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    /// AC-046: what a caller may no longer see is not shown again, whoever holds the key.
    async fn a_replay_needs_the_right_to_see_the_order(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = || lines(json!([line(f.ramen, 1)]));
        let id = is_first(&described.post(&guest, K1, body()).await?)?;
        let wrong = if f.s1().pin == "0000" { "0001" } else { "0000" };
        for stranger in [
            guest.without("x-session-pin"),
            guest.with("x-session-pin", wrong),
            guest.with("x-session-pin", if f.s2().pin == f.s1().pin { wrong } else { &f.s2().pin }),
        ] {
            for reply in [described.post(&stranger, K1, body()).await?, described.placement(&stranger, K1).await?] {
                assert_eq!((reply.status, &reply.body["code"]), (401, &json!("UNAUTHENTICATED")));
                assert_eq!(reply.header("www-authenticate"), "Bearer");
                assert!(!reply.body.to_string().contains(&id) && reply.body.get("order").is_none(), "{}", reply.body);
            }
        }
        db.close(f.s1(), node.clock.now_ms()).await?;
        assert_eq!(is_replay(&described.post(&guest, K1, body()).await?, "KEY")?, id);
        assert_eq!(described.placement(&guest, K1).await?.body["order"]["id"], id);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    /// AC-052 at this door: a foreign key answers like one that nobody ever used.
    async fn another_table_and_another_account_learn_nothing(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let id = is_first(&described.post(&node.guest(f.s1()), K1, lines(json!([line(f.ramen, 1)]))).await?)?;
        let before = db.census().await?;
        for stranger in [node.guest(f.s2()), node.guest(&f.other_table), node.key(&f.other_staff_key)] {
            let (asked, random) = (described.placement(&stranger, K1).await?, described.placement(&stranger, &key()).await?);
            assert_eq!((asked.status, &asked.body), (200, &json!({ "state": "UNKNOWN" })));
            assert_eq!(business(&asked), business(&random));
        }
        let foreign = described.post(&node.guest(f.s2()), K1, lines(json!([line(f.ramen, 1)]))).await?;
        assert_eq!((&foreign.body["code"], &foreign.body["fields"]), (&json!("IDEMPOTENCY_KEY_REUSED"), &json!([])));
        assert!(!foreign.body.to_string().contains(&id), "{}", foreign.body);
        assert_eq!(db.census().await?, before);
        // the shop's own may see it
        for own in [node.key(&f.staff_key), node.key(&f.integrator_key)] {
            assert_eq!(described.placement(&own, K1).await?.body["order"]["id"], id);
        }
    }

    async fn a_key_is_required_of_all_but_staff(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let post = async |client: &Client| -> Result<Reply> {
            let mut body = lines(json!([line(f.tea, 1)]));
            body["tableSessionId"] = json!(f.s1().id);
            let request = client.request(reqwest::Method::POST, "/v1/orders").json(&body);
            described.held("post", "/v1/orders", Reply::to(request).await?)
        };
        for client in [node.guest(f.s1()), node.key(&f.integrator_key)] {
            let reply = post(&client).await?;
            assert_eq!((reply.status, &reply.body["path"]), (400, &json!("Idempotency-Key")), "{}", reply.body);
        }
        let staff = node.key(&f.staff_key);
        let placed = post(&staff).await?;
        let id = is_first(&placed)?;
        let request = placed.body["requestId"].as_str().unwrap_or_default();
        assert_eq!(placed.header("location"), format!("/v1/placements/{request}"));
        assert_eq!(described.placement(&staff, request).await?.body["order"]["id"], id);
        // a double click has no key: the window is what catches it
        assert_eq!(is_replay(&post(&staff).await?, "PAYLOAD")?, id);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_placement_tells_what_became_of_it(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let ask = async |request: &str| described.placement(&guest, request).await;
        assert_eq!(ask(K1).await?.body, json!({ "state": "UNKNOWN" }));
        node.arm("commit=sleep:500");
        let placing = described.post(&guest, K1, lines(json!([line(f.ramen, 1)])));
        let asking = async {
            node.reached("commit").await?;
            ask(K1).await
        };
        let (placed, at_work) = futures_util::join!(placing, asking);
        assert_eq!(at_work?.body, json!({ "state": "IN_PROGRESS" }));
        let id = is_first(&placed?)?;
        let status = ask(&K1.to_uppercase()).await?.body;
        let now = &status["order"];
        assert_eq!((&status["state"], &now["id"]), (&json!("PLACED"), &json!(id)));
        assert_eq!((&now["status"], &now["ticket"]["state"]), (&json!("PLACED"), &json!("RECEIVED")));
        assert!(status.get("code").is_none() && now["cancelledAt"].is_null() && now["checkoutId"].is_null(), "{status}");
        staff.cancel(&id).await?;
        let now = ask(K1).await?.body["order"].clone();
        assert_eq!((&now["status"], &now["ticket"]["state"]), (&json!("CANCELLED"), &json!("CANCELLED")));
        assert!(now["cancelledAt"].is_string() && now["version"].as_i64() > status["order"]["version"].as_i64(), "{now}");

        let sold_out = described.post(&guest, K2, lines(json!([line(f.beer, 11)]))).await?;
        assert_eq!(sold_out.body["instance"], format!("/v1/placements/{K2}"));
        assert_eq!(ask(K2).await?.body, json!({ "state": "REJECTED", "code": "SOLD_OUT" }));
        // only to its own: the other phone of the table is its own, staff are not
        assert_eq!(described.placement(&staff, K2).await?.body, json!({ "state": "UNKNOWN" }));
        for request in ["x", "6fa459ea-ee8a-11d2-90b5-0000c04fd430", "%FF"] {
            let reply = ask(request).await?;
            assert_eq!((reply.status, &reply.body["path"]), (400, &json!("requestId")), "{request}");
        }
        assert_eq!(db.orders(f.s1()).await?, 1);
    }
}
