//! Every code at the REST door: its exact status, its headers, and what a person needs to go on. What an answer says is held
//! against `/openapi.json` by `Description`.

use anyhow::Result;
use harness::client::{K1, K2, key, line};
use harness::{Client, Database, Description, Reply, Setup, eventually, on_both_databases};
use masterorder_server::app::Settings;
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use std::time::Duration;

fn lines(lines: Value) -> Value {
    json!({ "lines": lines })
}

/// A "no" with this status and code, that is retryable as it says.
fn told(reply: &Reply, status: u16, code: &str, retryable: bool) -> Result<()> {
    let said = (reply.status, &reply.body["code"], &reply.body["retryable"]);
    anyhow::ensure!(
        said == (status, &json!(code), &json!(retryable)),
        "not {status} {code}: {said:?} {}",
        reply.body
    );
    anyhow::ensure!(
        reply.header("content-type") == "application/problem+json",
        "{:?}",
        reply.headers
    );
    anyhow::ensure!(
        reply.header("retry-after").is_empty() != retryable,
        "{:?}",
        reply.headers
    );
    Ok(())
}

on_both_databases! {
    async fn what_is_stored_comes_back_as_the_same_problem(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let twice = async |client: &Client, body: Value, status: u16, code: &str, new_key: bool| -> Result<Value> {
            let request = key();
            let first = described.post(client, &request, body.clone()).await?;
            told(&first, status, code, false)?;
            assert_eq!(first.body["retryWithNewRequestId"], new_key);
            assert_eq!(first.body["instance"], format!("/v1/placements/{request}"));
            assert!(!first.has_replay_header());
            let again = described.post(client, &request, body).await?;
            assert!(again.has_replay_header());
            assert_eq!((again.status, &again.body), (first.status, &first.body));
            Ok(first.body)
        };

        let body = lines(json!([line(f.ramen, 11), line(f.beer, 1)]));
        let said = twice(&guest.with("accept-language", "ja"), body, 409, "SOLD_OUT", true).await?;
        let short = json!({ "kind": "ITEM", "id": f.ramen, "name": "ラーメン", "requested": 11, "left": 10 });
        assert_eq!(said["shortages"], json!([short]));
        assert_eq!((&said["title"], &said["detail"]), (&json!("売り切れの商品があります"), &json!("ラーメンは残り10点です")));

        let mut body = lines(json!([line(f.ramen, 1)]));
        body["expectedTotal"] = json!({ "amountMinor": 800, "currency": "JPY" });
        let said = twice(&guest, body, 409, "PRICE_CHANGED", true).await?;
        assert_eq!((&said["expectedTotal"]["amountMinor"], &said["actualTotal"]["amountMinor"]), (&json!(800), &json!(850)));
        assert_eq!((&said["lines"][0]["menuItemId"], &said["lines"][0]["unitPrice"]["amountMinor"]), (&json!(f.ramen), &json!(850)));

        db.change_menu("UPDATE menu_items SET available = FALSE WHERE id = ?", [f.beer.into()]).await?;
        let said = twice(&guest, lines(json!([line(f.beer, 1)])), 409, "ITEM_UNAVAILABLE", true).await?;
        assert_eq!(said["items"], json!([{ "kind": "ITEM", "id": f.beer, "name": "beer" }]));

        guest.withdraw(K1).await?;
        told(&described.post(&guest, K1, lines(json!([line(f.tea, 1)]))).await?, 409, "WITHDRAWN", false)?;

        db.close(f.s1(), node.clock.now_ms()).await?;
        let said = twice(&guest, lines(json!([line(f.tea, 1)])), 410, "SESSION_CLOSED", false).await?;
        assert_eq!(said["detail"], "This table has already paid. Please speak to our staff.");
        assert_eq!(db.all_orders().await?, 0);
    }

    async fn what_stands_in_the_way_is_a_conflict_and_the_key_stays_usable(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let cart = json!({ "lines": [line(f.ramen, 1)], "checkoutId": key() });
        let id = described.post(&guest, K1, cart.clone()).await?.body["orderId"].clone();

        let reused = described.post(&guest, K1, lines(json!([line(f.tea, 1)]))).await?;
        told(&reused, 409, "IDEMPOTENCY_KEY_REUSED", false)?;
        assert_eq!(reused.body["fields"], json!(["checkoutId", "lines"]));

        let mut other = cart.clone();
        other["lines"] = json!([line(f.tea, 1)]);
        let placed = described.post(&guest, K2, other.clone()).await?;
        told(&placed, 409, "CHECKOUT_ALREADY_PLACED", false)?;
        assert_eq!(placed.body["orderId"], id);
        let foreign = described.post(&node.guest(f.s2()), K2, other).await?;
        told(&foreign, 409, "CHECKOUT_ALREADY_PLACED", false)?;
        assert!(foreign.body.get("orderId").is_none(), "{}", foreign.body);

        node.clock.advance(8_000);
        let mut same = lines(json!([line(f.ramen, 1)]));
        same["checkoutId"] = json!(key());
        let asked = described.post(&guest, K2, same.clone()).await?;
        told(&asked, 409, "POSSIBLE_DUPLICATE", false)?;
        assert_eq!((&asked.body["orderId"], &asked.body["ageMs"]), (&id, &json!(8_000)));
        assert_eq!(asked.body["detail"], "The same order was placed 8 seconds ago. Order it again?");
        assert!(!asked.has_replay_header());
        same["confirmDuplicateOf"] = id.clone();
        let confirmed = described.post(&guest, K2, same).await?;
        assert_eq!((confirmed.status, confirmed.has_replay_header()), (201, false));
        assert_ne!(confirmed.body["orderId"], id);
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    /// `Retry-After` is never too early: 2001 ms are 3 seconds.
    async fn who_is_too_quick_is_told_when_to_come_back(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let described = Description::read(&node.anonymous()).await?;
        db.set_policy("cooldown_ms = 3000, burst_ms = 500").await?;
        let guest = node.guest(f.s1());
        described.post(&guest, K1, lines(json!([line(f.ramen, 1)]))).await?;
        let beer = || lines(json!([line(f.beer, 1)]));
        let quick = described.post(&node.guest(f.s1()), K2, beer()).await?;
        told(&quick, 409, "SESSION_ORDER_IN_PROGRESS", true)?;
        assert_eq!((quick.header("retry-after"), &quick.body["retryAfterMs"]), ("1", &json!(500)));
        node.clock.advance(999);
        let quick = described.post(&guest, K2, beer()).await?;
        told(&quick, 429, "COOLDOWN_ACTIVE", true)?;
        assert_eq!((quick.header("retry-after"), &quick.body["retryAfterMs"]), ("3", &json!(2_001)));
        // the retry of what stands is not throttled
        assert!(described.post(&guest, K1, lines(json!([line(f.ramen, 1)]))).await?.has_replay_header());
        node.clock.advance(2_001);
        assert_eq!(described.post(&guest, K2, beer()).await?.status, 201);

        let stop = "mutation { setOrdering(takesOrders: false) { changed } }";
        node.key(&f.staff_key).send(stop, json!({})).await?;
        node.clock.advance(60_000);
        let paused = described.post(&guest.with("accept-language", "ja"), &key(), beer()).await?;
        told(&paused, 409, "ORDERING_PAUSED", false)?;
        assert_eq!(paused.body["detail"], "ラストオーダーは終了しました");
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    async fn a_placement_that_takes_long_is_in_progress_and_goes_on(db) {
        let f = &db.fixture;
        let settings = Settings { answer_budget: Duration::from_millis(200), ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = || lines(json!([line(f.ramen, 1)]));
        node.arm("commit=sleep:1000");
        told(&described.post(&guest, K1, body()).await?, 409, "IDEMPOTENCY_IN_PROGRESS", true)?;
        eventually("the placement is finished", async || Ok(db.orders(f.s1()).await? == 1)).await?;
        assert!(described.post(&guest, K1, body()).await?.has_replay_header());
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_fault_of_ours_tells_nothing_and_leaves_the_key_usable(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = || lines(json!([line(f.ramen, 1)]));
        let before = db.census().await?;
        node.arm("write_orders=panic");
        let reply = described.post(&guest, K1, body()).await?;
        assert_eq!((reply.status, &reply.body["code"], &reply.body["retryable"]), (500, &json!("INTERNAL"), &json!(true)));
        let text = reply.body.to_string();
        assert!(!text.contains("panic") && !text.contains("write_orders") && !text.contains(".rs"), "{text}");
        eventually("the transaction is rolled back", async || Ok(db.census().await? == before)).await?;
        assert_eq!(described.post(&guest, K1, body()).await?.status, 201);
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn without_its_database_the_door_says_when_to_come_back(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let described = Description::read(&node.anonymous()).await?;
        // one of the two databases refuses the read at once, the other one the write
        node.arm("lock=busy*1000");
        let reply = described.post(&node.guest(f.s1()), K1, lines(json!([line(f.ramen, 1)]))).await?;
        told(&reply, 503, "UNAVAILABLE", true)?;
        assert_eq!((reply.header("retry-after"), &reply.body["retryAfterMs"]), ("1", &json!(1_000)));
        node.app.faults.clear();
        assert_eq!(described.post(&node.guest(f.s1()), K1, lines(json!([line(f.ramen, 1)]))).await?.status, 201);
        assert_eq!(db.all_orders().await?, 1);
    }

    /// The path is that of the body, or the name of the header.
    async fn bad_input_names_its_field_and_stores_nothing(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let good = || line(f.ramen, 1);
        for (body, path) in [
            (json!({}), "lines"),
            (json!([]), "body"),
            (lines(json!([])), "lines"),
            (lines(json!([good(), good(), line(f.beer, 0)])), "lines[2].quantity"),
            (lines(json!([good(), { "menuItemId": f.ramen, "quantity": "1" }])), "lines[1].quantity"),
            (lines(json!([{ "menuItemId": f.ramen, "quantity": 1.5 }])), "lines[0].quantity"),
            (lines(json!([{ "quantity": 1 }])), "lines[0].menuItemId"),
            (lines(json!([{ "menuItemId": "ramen", "quantity": 1 }])), "lines[0].menuItemId"),
            (lines(json!([{ "menuItemId": key(), "quantity": 1 }])), "lines[0].menuItemId"),
            (lines(json!([{ "menuItemId": f.ramen, "quantity": 1, "price": 1 }])), "lines[0].price"),
            (
                lines(json!([{ "menuItemId": f.ramen, "quantity": 1, "toppings": [{ "toppingId": f.egg, "quantity": 10 }] }])),
                "lines[0].toppings[0].quantity",
            ),
            (json!({ "lines": [good()], "requestId": K1 }), "requestId"),
            (json!({ "lines": [good()], "requestId": K2 }), "requestId"),
            (json!({ "lines": [good()], "note": "a".repeat(501) }), "note"),
            (json!({ "lines": [good()], "note": "\u{0}" }), "note"),
            (json!({ "lines": [good()], "checkoutId": "x" }), "checkoutId"),
            (json!({ "lines": [good()], "tableSessionId": f.s2().id }), "tableSessionId"),
            (json!({ "lines": [good()], "confirmDuplicateOf": key() }), "confirmDuplicateOf"),
            (json!({ "lines": [good()], "expectedTotal": { "amountMinor": "850", "currency": "JPY" } }), "expectedTotal.amountMinor"),
            (json!({ "lines": [good()], "expectedTotal": { "amountMinor": 850.0, "currency": "JPY" } }), "expectedTotal.amountMinor"),
            (json!({ "lines": [good()], "expectedTotal": { "amountMinor": -1, "currency": "JPY" } }), "expectedTotal.amountMinor"),
            (json!({ "lines": [good()], "expectedTotal": { "amountMinor": 850, "currency": "yen" } }), "expectedTotal.currency"),
        ] {
            let reply = described.post(&guest, K1, body.clone()).await?;
            told(&reply, 400, "BAD_USER_INPUT", false)?;
            assert_eq!(reply.body["path"], path, "{body}: {}", reply.body);
            assert!(reply.body["detail"].as_str().is_some_and(|d| d.starts_with(path)), "{}", reply.body);
        }
        for request in ["", "order-7", "\"\"", &format!("\"{K1}"), "6fa459ea-ee8a-11d2-90b5-0000c04fd430"] {
            let reply = described.post(&guest, request, lines(json!([good()]))).await?;
            told(&reply, 400, "BAD_USER_INPUT", false)?;
            assert_eq!(reply.body["path"], "Idempotency-Key", "{request}: {}", reply.body);
        }
        let twice = guest.with("idempotency-key", K2);
        let reply = described.post(&twice, K1, lines(json!([good()]))).await?;
        assert_eq!((reply.status, &reply.body["path"]), (400, &json!("Idempotency-Key")), "{}", reply.body);
        assert_eq!(db.census().await?, before);
        assert_eq!(described.post(&guest, K1, lines(json!([good()]))).await?.status, 201);
    }
}

/// On PostgreSQL only: SQLite has no row locks.
#[test]
fn a_table_that_is_held_is_busy() {
    harness::database::run(
        harness::Backend::Postgres,
        "rest_a_table_that_is_held",
        async |db: &Database| {
            let f = &db.fixture;
            db.set_policy("wait_bound_ms = 200").await?;
            let node = db.node().await?;
            let described = Description::read(&node.anonymous()).await?;
            // a node learns a shop's policy with its first order
            described
                .post(&node.guest(f.s2()), &key(), lines(json!([line(f.tea, 1)])))
                .await?;
            let holder = db.sql.begin().await?;
            let lock = format!("SELECT 1 FROM table_sessions WHERE id = '{}' FOR UPDATE", f.s1().id);
            holder.execute_unprepared(&lock).await?;
            let guest = node.guest(f.s1());
            let reply = described.post(&guest, K1, lines(json!([line(f.ramen, 1)]))).await?;
            told(&reply, 409, "SESSION_BUSY", true)?;
            holder.rollback().await?;
            let placed = described.post(&guest, K1, lines(json!([line(f.ramen, 1)]))).await?;
            assert_eq!(placed.status, 201);
            Ok(())
        },
    );
}
