//! One key, one order, however often it is sent (accidents A and C).
//!
//! The race: a tap, a gateway's replay and an automatic retry carry one key and arrive together, or long after each other,
//! when the shop has changed. Without the primary key of the claims each of them is taken as new; without the stored outcome
//! a retry is judged again, by a menu, a stock and a table that are no longer the same.

use anyhow::{Error, Result, ensure};
use futures_util::future::try_join_all;
use harness::client::{Client, K1, K2, key, line, order};
use harness::database::{Backend, Database, open, run};
use harness::{Process, Reply, eventually, on_both_databases};
use masterorder_protocol::ids::TenantId;
use masterorder_protocol::request_id::RequestId;
use masterorder_server::idempotency::PLACE_ORDER;
use masterorder_server::ordering::outcome::{Outcome, Rejection};
use masterorder_server::store::idempotency::{NewClaim, Scope};
use masterorder_server::store::writer_queue::Priority;
use masterorder_server::store::{self, Db, Txn, txn};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::timeout;
use uuid::Uuid;

on_both_databases! {
    async fn an_order_is_placed_with_ticket_event_and_audit(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let placed = node.guest(f.s1()).place(order(K1, json!([line(f.ramen, 2)]))).await?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert!(!placed.has_replay_header());
        assert_eq!(db.orders(f.s1()).await?, 1);
        assert_eq!(db.claims(K1).await?, 1);
        assert_eq!(db.rows("kitchen_tickets").await?, 1);
        assert_eq!(db.rows("outbox_events").await?, 1);
        assert_eq!(db.rows("audit_entries").await?, 1);
        assert_eq!(db.stock(f.ramen).await?, 8);
    }

    /// AC-005 (a).
    async fn fifty_requests_with_one_key_place_one_order(db) {
        let f = &db.fixture;
        db.set_policy("wait_bound_ms = 4000").await?;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        learn_the_policy(&guest).await?;
        let replies = try_join_all((0..50).map(|_| guest.place(order(K1, json!([line(f.ramen, 1)]))))).await?;
        one_is_first(&replies)?;
        assert_one_order_of_k1(db).await?;
    }

    /// AC-013.
    async fn other_content_under_a_key_is_refused_and_changes_nothing(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let first = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        let before = (db.census().await?, claim_of_k1(db).await?);

        let refused = guest.place(order(K1, json!([line(f.ramen, 2)]))).await?;
        assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(refused.payload()?["allowed"], false);
        assert_eq!(refused.payload()?["orderId"], Value::Null);
        let result = refused.result()?;
        assert_eq!(result["status"], 409);
        assert_eq!(result["retryable"], false);
        assert_eq!(result["retryWithNewRequestId"], false);
        assert_eq!(result["fields"], json!(["lines"]));
        assert!(!refused.has_replay_header());

        assert_eq!((db.census().await?, claim_of_k1(db).await?), before);
        assert_eq!(db.int("SELECT quantity FROM order_lines", []).await?, 1);
        let third = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
        assert_eq!((third.order_id()?, third.is_replay()?), (first, true));
        assert_one_order_of_k1(db).await?;
    }

    /// AC-015.
    async fn a_key_has_one_spelling_beside_its_case(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let placed = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        let mixed = K1.replace("e29b", "E29b");
        for same in [K1.to_uppercase(), mixed] {
            let replay = guest.place(order(&same, json!([line(f.ramen, 1)]))).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (placed.clone(), true), "{same}");
            assert_eq!(replay.payload()?["requestId"], K1);
        }
        let odd = [
            json!(format!("{{{K1}}}")),
            json!(K1.replace('-', "")),
            json!(format!("urn:uuid:{K1}")),
            json!(format!(" {K1}")),
            json!(format!("{K1}\n")),
            json!(&K1[..35]),
            json!(""),
            json!("00000000-0000-0000-0000-000000000000"),
            json!("6fa459ea-ee8a-11d2-90b5-0000c04fd430"),
            json!(Uuid::now_v7()),
            // the variant of Microsoft
            json!(K1.replace("-a716-", "-c716-")),
            json!(7),
            json!([K1, K1]),
            Value::Null,
        ];
        for key in odd {
            let refused = guest.place(json!({ "requestId": key, "lines": [line(f.ramen, 1)] })).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{key}");
            assert!(refused.error().contains("requestId"), "{key}: {}", refused.error());
        }
        assert_one_order_of_k1(db).await?;
    }

    /// AC-017 at GraphQL: the argument decides; a browser may add a key of its own.
    async fn the_header_never_makes_a_retry_look_like_a_new_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let with = |header: &str| guest.with("idempotency-key", header);
        let input = order(K1, json!([line(f.ramen, 1)]));
        for other in [K2.to_owned(), format!("\"{K2}\""), K2.to_uppercase()] {
            let refused = with(&other).place(input.clone()).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{other}");
            assert!(refused.error().starts_with("requestId: "), "{}", refused.error());
        }
        assert_eq!((db.all_orders().await?, db.rows("idempotency_requests").await?), (0, 0));

        let placed = guest.place(input.clone()).await?.order_id()?;
        let (bare, quoted) = (K1.to_owned(), format!("\"{K1}\""));
        let not_ours = ["\"1234567890\"", "8b9d1c", "\"\"", "6fa459ea-ee8a-11d2-90b5-0000c04fd430"].map(String::from);
        for header in [bare.clone(), quoted.clone(), quoted.to_uppercase()].into_iter().chain(not_ours) {
            let replay = with(&header).place(input.clone()).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (placed.clone(), true), "{header}");
        }
        for header in [bare, quoted] {
            let refused = with(&header).place(json!({ "lines": [line(f.ramen, 1)] })).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "the header alone is no key: {header}");
        }
        assert_one_order_of_k1(db).await?;
    }

    /// AC-042: what is refused for its form, or for what it names, leaves the key as if it had never come.
    async fn a_bad_request_does_not_burn_its_key(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let lines = |lines: Value| order(K1, lines);
        let bad = [
            lines(json!([line(f.ramen, 0)])),
            lines(json!([line(f.ramen, -1)])),
            lines(json!([line(f.ramen, 100)])),
            lines(json!([])),
            // these are found out inside the transaction, when the key is claimed already
            lines(json!([line(Uuid::new_v4(), 1)])),
            lines(json!([line(f.udon, 1)])),
            json!({ "requestId": K1, "lines": [line(f.ramen, 1)], "expectedTotal": { "amountMinor": 850, "currency": "USD" } }),
            json!({ "requestId": K1, "lines": [line(f.ramen, 1)], "confirmDuplicateOf": Uuid::now_v7() }),
        ];
        for input in bad {
            let refused = guest.place(input.clone()).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{input}");
            assert_eq!(db.claims(K1).await?, 0, "{input}");
        }
        let placed = guest.place(lines(json!([line(f.ramen, 1)]))).await?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert_one_order_of_k1(db).await?;
    }

    /// AC-075 and accident C: the answer went astray after the commit.
    async fn a_lost_answer_comes_back_whatever_the_retry_asks_for(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1()).with("accept-language", "en");
        let mut input = order(K1, json!([{ "menuItemId": f.ramen, "quantity": 2, "note": "硬め",
            "toppings": [{ "toppingId": f.egg }] }]));
        input["note"] = json!("よろしく");
        input["expectedTotal"] = json!({ "amountMinor": 1940, "currency": "JPY" });
        let lost = guest.place(input.clone()).await?;
        let receipt = &lost.result()?["receipt"];
        assert_eq!(receipt["total"], json!({ "amountMinor": 1940, "currency": "JPY" }));
        assert_eq!(receipt["lines"][0]["name"], "ramen");

        let rename = "UPDATE menu_items SET price_minor = 950, name_ja = 'つけ麺', name_en = 'tsukemen' WHERE id = ?";
        db.change_menu(rename, [f.ramen.into()]).await?;
        db.change_menu("UPDATE toppings SET price_minor = 130, name_en = 'ajitama' WHERE id = ?", [f.egg.into()]).await?;
        let other_phone = node.guest(f.s1()).with("accept-language", "ja");
        let query = "mutation($again: PlaceOrderInput!) { placeOrder(input: $again) { result { ... on OrderPlaced {
            replayReason receipt { lines { name english: name(lang: EN) lineTotal { amountMinor } toppings { name } } }
            order { status total { amountMinor } } } } } }";
        let retry = other_phone.send(query, json!({ "again": input.clone() })).await?;
        assert_eq!(retry.body["data"]["placeOrder"], json!({ "result": {
            "replayReason": "KEY",
            "receipt": { "lines": [{ "name": "ラーメン", "english": "ramen", "lineTotal": { "amountMinor": 1940 },
                "toppings": [{ "name": "egg" }] }] },
            "order": { "status": "PLACED", "total": { "amountMinor": 1940 } },
        } }));
        assert!(retry.has_replay_header());

        let again = guest.place(input).await?;
        assert_eq!(&again.result()?["receipt"], receipt);
        assert_eq!(again.result()?["firstPlacedAt"], lost.result()?["firstPlacedAt"]);
        assert_eq!((again.order_id()?, again.is_replay()?), (lost.order_id()?, true));
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (1, 8));
    }

    async fn a_finished_order_is_replayed_whatever_became_of_the_shop(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let mut input = order(K1, json!([line(f.ramen, 1)]));
        input["expectedTotal"] = json!({ "amountMinor": 850, "currency": "JPY" });
        let first = guest.place(input.clone()).await?;
        let replays = async |after: &str| -> Result<()> {
            let replay = guest.place(input.clone()).await?;
            assert_eq!(replay.code(), "PLACED", "{after}");
            assert_eq!(replay.result()?["replayReason"], "KEY", "{after}");
            assert_eq!(replay.result()?["receipt"], first.result()?["receipt"], "{after}");
            Ok(())
        };
        db.set_stock(f.ramen, 0).await?;
        replays("sold out").await?;
        db.change_menu("UPDATE menu_items SET price_minor = 950 WHERE id = ?", [f.ramen.into()]).await?;
        replays("price changed").await?;
        db.change_menu("UPDATE menu_items SET archived = TRUE, available = FALSE WHERE id = ?", [f.ramen.into()]).await?;
        replays("archived").await?;
        db.close(f.s1(), node.clock.now_ms()).await?;
        replays("closed").await?;
        // the shop really says no by now
        assert_eq!(guest.place(order(K2, json!([line(f.ramen, 1)]))).await?.code(), "SESSION_CLOSED");
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (1, 0));
    }

    async fn a_stored_rejection_stays_the_same_when_its_cause_is_gone(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());

        db.set_stock(f.ramen, 1).await?;
        let sold_out = Rejected::first(&guest, json!([line(f.ramen, 2)]), "SOLD_OUT").await?;
        assert_eq!(sold_out.result["shortages"][0]["left"], 1);
        db.set_stock(f.ramen, 10).await?;
        sold_out.is_replayed(db, &guest).await?;

        db.change_menu("UPDATE menu_items SET available = FALSE WHERE id = ?", [f.beer.into()]).await?;
        let off = Rejected::first(&guest, json!([line(f.beer, 1)]), "ITEM_UNAVAILABLE").await?;
        db.change_menu("UPDATE menu_items SET available = TRUE WHERE id = ?", [f.beer.into()]).await?;
        off.is_replayed(db, &guest).await?;

        let dear = Rejected::first_of(&guest, json!({ "requestId": key(), "lines": [line(f.tea, 1)],
            "expectedTotal": { "amountMinor": 250, "currency": "JPY" } }), "PRICE_CHANGED").await?;
        db.change_menu("UPDATE menu_items SET price_minor = 250 WHERE id = ?", [f.tea.into()]).await?;
        dear.is_replayed(db, &guest).await?;

        db.close(f.s1(), node.clock.now_ms()).await?;
        let closed = Rejected::first(&guest, json!([line(f.rice, 1)]), "SESSION_CLOSED").await?;
        db.execute("UPDATE table_sessions SET status = 'OPEN', closed_at_ms = NULL WHERE id = ?", [f.s1().id.into()]).await?;
        closed.is_replayed(db, &guest).await?;
    }

    /// Two nodes hold the claim of one key at the same moment: the second waits for the first, and owns the key if the first
    /// gives up, and only then.
    async fn two_transactions_never_own_one_key(db) {
        let nodes = [open(&db.url).await?, open(&db.url).await?];
        for first_commits in [false, true] {
            let scope = Scope {
                tenant: TenantId(db.fixture.tenant),
                operation: PLACE_ORDER,
                key: RequestId::from_uuid(Uuid::new_v4()).map_err(Error::msg)?,
            };
            let (first, owns) = claim(&nodes[0], scope, Uuid::now_v7()).await?;
            assert!(owns);
            let (other, attempt) = (nodes[1].clone(), Uuid::now_v7());
            let mut second = tokio::spawn(async move { claim(&other, scope, attempt).await });
            assert!(timeout(Duration::from_millis(300), &mut second).await.is_err(), "the second must wait");
            if first_commits {
                let withdrawn = Outcome::Rejected { rejection: Rejection::Withdrawn };
                let attempt = first.1;
                let mut writes = store::Writes::new(&first.0);
                store::idempotency::complete(&mut writes, &[(scope, attempt, &withdrawn)], 1)?;
                writes.run().await?;
                first.0.commit().await?;
            } else {
                first.0.rollback().await;
            }
            let (second, owns) = second.await??;
            assert_eq!(owns, !first_commits);
            let stands = store::idempotency::find_in_txn(&second.0, scope).await?;
            assert_eq!(stands.is_some_and(|s| s.attempt == second.1), !first_commits);
            second.0.rollback().await;
        }
        for node in nodes {
            node.close().await;
        }
    }
}

/// AC-005 (b). On PostgreSQL only: a SQLite file belongs to one process.
#[test]
fn fifty_requests_over_two_processes_place_one_order() {
    run(
        Backend::Postgres,
        "fifty_requests_over_two_processes_place_one_order",
        async |db| {
            let f = &db.fixture;
            db.set_policy("wait_bound_ms = 4000").await?;
            let processes = [Process::start(db, &[]).await?, Process::start(db, &[]).await?];
            let guest = processes[0].guest(f.s1());
            let guests = processes.each_ref().map(|p| guest.at(p.address));
            for guest in &guests {
                learn_the_policy(guest).await?;
            }
            let replies =
                try_join_all((0..50).map(|i| guests[i % 2].place(order(K1, json!([line(f.ramen, 1)]))))).await?;
            one_is_first(&replies)?;
            assert_one_order_of_k1(db).await
        },
    );
}

/// A node knows a shop's wait bound from its first placement on; this one leaves nothing behind.
async fn learn_the_policy(guest: &Client) -> Result<()> {
    let refused = guest.place(order(&key(), json!([line(Uuid::new_v4(), 1)]))).await?;
    ensure!(refused.code() == "BAD_USER_INPUT", "{}", refused.body);
    Ok(())
}

/// Exactly one answer is the first; all others replay it.
fn one_is_first(replies: &[Reply]) -> Result<()> {
    let orders = replies.iter().map(Reply::order_id).collect::<Result<BTreeSet<_>>>()?;
    ensure!(orders.len() == 1, "one order, not {orders:?}");
    let mut first = 0;
    for reply in replies {
        ensure!(
            reply.status == 200 && reply.has_replay_header() == reply.is_replay()?,
            "{reply:?}"
        );
        first += usize::from(!reply.is_replay()?);
    }
    ensure!(first == 1, "{first} answers say that they are the first");
    Ok(())
}

/// One ramen was ordered at S1 under K1, and nothing else anywhere.
async fn assert_one_order_of_k1(db: &Database) -> Result<()> {
    let f = &db.fixture;
    assert_eq!((db.orders(f.s1()).await?, db.all_orders().await?), (1, 1));
    assert_eq!((db.claims(K1).await?, db.rows("idempotency_requests").await?), (1, 1));
    assert_eq!(
        (db.rows("kitchen_tickets").await?, db.rows("outbox_events").await?),
        (1, 1)
    );
    assert_eq!(db.stock(f.ramen).await?, 9);
    Ok(())
}

/// The fingerprint, its parts, the outcome and the attempt under K1.
async fn claim_of_k1(db: &Database) -> Result<(Vec<u8>, String, String, Uuid)> {
    let sql =
        "SELECT fingerprint, field_digests, outcome, attempt_id FROM idempotency_requests WHERE idempotency_key = ?";
    let rows = db.query(sql, [Uuid::parse_str(K1)?.into()]).await?;
    ensure!(rows.len() == 1, "{} rows", rows.len());
    let row = &rows[0];
    Ok((
        row.try_get_by_index(0)?,
        row.try_get_by_index(1)?,
        row.try_get_by_index(2)?,
        row.try_get_by_index(3)?,
    ))
}

/// Begins a transaction and claims; it comes with its attempt, and whether it owns the key.
async fn claim(db: &Db, scope: Scope, attempt: Uuid) -> Result<((Txn, Uuid), bool)> {
    let txn = txn::begin(db, Priority::Request, 4_000).await?;
    let claim = NewClaim {
        scope,
        attempt,
        caller: "session:test".into(),
        fingerprint: None,
    };
    let owned = store::idempotency::claim(&txn, &[claim]).await?.owned;
    Ok(((txn, attempt), !owned.is_empty()))
}

/// A "no" that was stored.
struct Rejected {
    input: Value,
    result: Value,
}

impl Rejected {
    async fn first(guest: &Client, lines: Value, code: &str) -> Result<Self> {
        Self::first_of(guest, order(&key(), lines), code).await
    }

    async fn first_of(guest: &Client, input: Value, code: &str) -> Result<Self> {
        let reply = guest.place(input.clone()).await?;
        ensure!(reply.code() == code, "{code} expected: {}", reply.body);
        ensure!(!reply.is_replay()? && !reply.has_replay_header(), "{}", reply.body);
        ensure!(reply.payload()?["allowed"] == false && reply.payload()?["orderId"].is_null());
        Ok(Self {
            input,
            result: reply.result()?.clone(),
        })
    }

    /// The same key gets the same "no", and the trail says so; a fresh one is served.
    async fn is_replayed(&self, db: &Database, guest: &Client) -> Result<()> {
        let before = db.all_orders().await?;
        let again = guest.place(self.input.clone()).await?;
        assert_eq!(again.result()?, &self.result);
        assert!(again.is_replay()? && again.has_replay_header());
        assert_eq!(db.all_orders().await?, before);
        let (code, sent) = (
            self.result["code"].as_str().unwrap_or_default(),
            self.input["requestId"].as_str(),
        );
        let key: Uuid = sent.unwrap_or_default().parse()?;
        let trail = "SELECT count(*) FROM audit_entries WHERE request_id = ? AND result = ?";
        eventually("the replay is in the trail", async || {
            Ok(db.int(trail, [key.into(), format!("REPLAYED_{code}").into()]).await? == 1)
        })
        .await?;
        assert_eq!(db.int(trail, [key.into(), code.into()]).await?, 1);
        let mut fresh = self.input.clone();
        fresh["requestId"] = json!(harness::client::key());
        assert_eq!(guest.place(fresh).await?.code(), "PLACED");
        assert_eq!(db.all_orders().await?, before + 1);
        Ok(())
    }
}
