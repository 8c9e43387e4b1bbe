//! Cancelling: stock comes back exactly once, the kitchen sees it, and the key still tells what it placed.
//!
//! Without the lock on the order two cancellations both see it placed and return its stock twice; without the ticket's
//! state in the condition a dish is cancelled under the cook's hands; without the scope a guest learns of another table's
//! orders.

use anyhow::{Context, Result};
use futures_util::future::{join, try_join_all};
use harness::client::{key, line, line_with, order};
use harness::database::run;
use harness::{Backend, Client, Database, Reply, eventually, on_both_databases};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use uuid::Uuid;

fn changed(reply: &Reply) -> Result<bool> {
    let payload = &reply.body["data"]["cancelOrder"];
    anyhow::ensure!(payload["order"]["status"] == "CANCELLED", "{}", reply.body);
    payload["changed"].as_bool().context("no changed")
}

/// (order's status, ticket's state, order.cancelled events).
async fn stands(db: &Database, order: &str) -> Result<(String, String, i64)> {
    let sql = "SELECT o.status, t.state,
          (SELECT count(*) FROM outbox_events e WHERE e.order_id = o.id AND e.kind = 'order.cancelled')
        FROM orders o JOIN kitchen_tickets t ON t.order_id = o.id WHERE o.id = ?";
    let rows = db.query(sql, [order.parse::<Uuid>()?.into()]).await?;
    anyhow::ensure!(rows.len() == 1, "{} tickets", rows.len());
    Ok((
        rows[0].try_get_by_index(0)?,
        rows[0].try_get_by_index(1)?,
        rows[0].try_get_by_index(2)?,
    ))
}

fn cancelled() -> (String, String, i64) {
    ("CANCELLED".into(), "CANCELLED".into(), 1)
}

async fn advance(staff: &Client, order: &str, from: &str, to: &str) -> Result<bool> {
    let ticket = staff
        .send(
            "query($id: ID!) { order(id: $id) { ticket { id } } }",
            json!({ "id": order }),
        )
        .await?;
    let query = "mutation($id: ID!, $from: TicketState!, $to: TicketState!) {
        advanceTicket(ticketId: $id, from: $from, to: $to) { changed } }";
    let id = &ticket.body["data"]["order"]["ticket"]["id"];
    let reply = staff.send(query, json!({ "id": id, "from": from, "to": to })).await?;
    reply.body["data"]["advanceTicket"]["changed"]
        .as_bool()
        .with_context(|| reply.body.to_string())
}

on_both_databases! {
    /// AC-062.
    async fn stock_comes_back_once_however_often_an_order_is_cancelled(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let lines = json!([
            { "menuItemId": f.ramen, "quantity": 2,
              "toppings": [{ "toppingId": f.egg, "quantity": 3 }, { "toppingId": f.nori }] },
            line_with(f.rice, 1, &[f.egg]),
            line(f.tea, 5),
        ]);
        let order = node.guest(f.s1()).place(order(&key(), lines)).await?.order_id()?;
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?, db.stock(f.nori).await?), (8, 93, 98));
        let staff = node.key(&f.staff_key);
        for (round, first) in [true, false, false].into_iter().enumerate() {
            let reply = staff.cancel(&order).await?;
            assert_eq!(changed(&reply)?, first, "round {round}");
            assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?, db.stock(f.nori).await?), (10, 100, 100));
            assert_eq!(stands(db, &order).await?, cancelled());
        }
        let version = "SELECT version FROM orders WHERE status = 'CANCELLED' AND cancelled_at_ms IS NOT NULL";
        assert_eq!(db.int(version, []).await?, 2);
        assert_eq!(db.int("SELECT count(*) FROM audit_entries WHERE action = 'cancelOrder'", []).await?, 1);
    }

    /// AC-064, small: staff and guest, all at once.
    async fn ten_cancellations_at_once_return_the_stock_once(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let order = guest.place(order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]))).await?.order_id()?;
        let clients: Vec<Client> =
            (0..10).map(|n| if n % 2 == 0 { guest.clone() } else { node.key(&f.staff_key) }).collect();
        let replies = try_join_all(clients.iter().map(|client| client.cancel(&order))).await?;
        let changes: Vec<bool> = replies.iter().map(changed).collect::<Result<_>>()?;
        assert_eq!(changes.iter().filter(|c| **c).count(), 1, "{changes:?}");
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?), (10, 100));
        assert_eq!(stands(db, &order).await?, cancelled());
    }

    async fn a_guest_cancels_until_cooking_starts(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0").await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let placed = async || guest.place(order(&key(), json!([line(f.beer, 1)]))).await?.order_id();
        let early = placed().await?;
        // whoever else sits there may, too
        assert!(changed(&node.guest(f.s1()).cancel(&early).await?)?);
        assert_eq!(stands(db, &early).await?, cancelled());

        let late = placed().await?;
        let way = ["RECEIVED", "COOKING", "READY", "SERVED"];
        for step in way.windows(2) {
            assert!(advance(&staff, &late, step[0], step[1]).await?);
            let refused = guest.cancel(&late).await?;
            assert_eq!((refused.status, refused.code().as_str()), (200, "FORBIDDEN"), "{}: {}", step[1], refused.body);
            assert_eq!(refused.body["errors"][0]["extensions"]["status"], 403);
            assert_eq!(refused.error(), "the kitchen has started; please ask the staff");
            assert_eq!(stands(db, &late).await?, ("PLACED".into(), step[1].into(), 0));
        }
        // staff may until it is on the table
        let refused = staff.cancel(&late).await?;
        assert_eq!((refused.code().as_str(), refused.error().as_str()), ("FORBIDDEN", "a served order is not cancelled"));
        assert!(advance(&staff, &late, "SERVED", "READY").await?);
        assert!(changed(&staff.cancel(&late).await?)?);
        assert_eq!((stands(db, &late).await?, db.stock(f.beer).await?), (cancelled(), 10));
        // a step taken back makes it early again
        let again = placed().await?;
        assert!(
            advance(&staff, &again, "RECEIVED", "COOKING").await?
                && advance(&staff, &again, "COOKING", "RECEIVED").await?
        );
        assert!(changed(&guest.cancel(&again).await?)?);
    }

    async fn an_order_that_the_caller_can_not_see_is_not_found_in_every_state(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let order = guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let strangers = [node.guest(f.s2()), node.guest(&f.other_table), node.key(&f.other_staff_key)];
        for next in ["COOKING", "READY"] {
            for stranger in &strangers {
                let mut answers = Vec::new();
                for id in [&order, &Uuid::now_v7().to_string()] {
                    let reply = stranger.cancel(id).await?;
                    assert_eq!((reply.status, reply.code().as_str()), (200, "NOT_FOUND"), "{}", reply.body);
                    answers.push(reply.body);
                }
                assert_eq!(answers[0], answers[1], "tells a foreign order from none");
            }
            let before = if next == "COOKING" { "RECEIVED" } else { "COOKING" };
            assert!(advance(&staff, &order, before, next).await?);
        }
        assert_eq!(node.key(&f.integrator_key).cancel(&order).await?.code(), "FORBIDDEN");
        assert_eq!(guest.cancel("x").await?.code(), "BAD_USER_INPUT");
        assert_eq!(node.anonymous().cancel(&order).await?.code(), "UNAUTHENTICATED");
        assert_eq!(stands(db, &order).await?, ("PLACED".into(), "READY".into(), 0));
        assert!(changed(&staff.cancel(&order).await?)?);
        for stranger in &strangers {
            assert_eq!(stranger.cancel(&order).await?.code(), "NOT_FOUND");
        }
    }

    async fn a_cancellation_is_seen_in_the_kitchen_the_history_and_the_outbox(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let order = guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        guest.cancel(&order).await?;
        let query = "{ kitchenTickets { id }
            gone: kitchenTickets(states: [CANCELLED]) { orderId state order { status } } }";
        let board = staff.send(query, json!({})).await?;
        assert_eq!(board.body["data"]["kitchenTickets"], json!([]));
        assert_eq!(
            board.body["data"]["gone"],
            json!([{ "orderId": order, "state": "CANCELLED", "order": { "status": "CANCELLED" } }])
        );
        let query = "{ orders { nodes { id status version placedAt cancelledAt ticket { state } } } }";
        let history = guest.send(query, json!({})).await?;
        let shown = &history.body["data"]["orders"]["nodes"][0];
        assert_eq!(
            (&shown["id"], &shown["status"], &shown["ticket"]["state"]),
            (&json!(order), &json!("CANCELLED"), &json!("CANCELLED"))
        );
        assert!(
            shown["cancelledAt"].as_str() >= shown["placedAt"].as_str() && shown["cancelledAt"].is_string(),
            "{shown}"
        );
        let rows = db.query("SELECT payload FROM outbox_events WHERE kind = 'order.cancelled'", []).await?;
        let event: Value = serde_json::from_str(&rows[0].try_get_by_index::<String>(0)?)?;
        assert_eq!((&event["type"], &event["orderId"], rows.len()), (&json!("order.cancelled"), &json!(order), 1));
    }

    /// Whoever comes first decides: a dish that is being made is not cancelled by a guest, and a cancelled one is not made.
    async fn a_cancellation_and_the_first_step_of_cooking_exclude_one_another(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let rounds = f.tables.iter().map(async |table| {
            let guest = node.guest(table);
            let order = guest.place(order(&key(), json!([line(f.beer, 1)]))).await?.order_id()?;
            let (cancelled, cooking) = join(guest.cancel(&order), advance(&staff, &order, "RECEIVED", "COOKING")).await;
            let (cancelled, cooking) = (cancelled?, cooking?);
            let expected = match cooking {
                true => {
                    assert_eq!(cancelled.code(), "FORBIDDEN", "{}", cancelled.body);
                    ("PLACED".to_owned(), "COOKING".to_owned(), 0)
                }
                false => {
                    assert!(changed(&cancelled)?);
                    ("CANCELLED".to_owned(), "CANCELLED".to_owned(), 1)
                }
            };
            assert_eq!(stands(db, &order).await?, expected);
            anyhow::Ok(i64::from(cooking))
        });
        let cooking: i64 = try_join_all(rounds).await?.into_iter().sum();
        assert_eq!(db.stock(f.beer).await?, 10 - cooking);
    }

    async fn a_cancelled_order_is_still_the_answer_to_its_key(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, id, cart) = (node.guest(f.s1()), key(), key());
        let mut input = order(&id, json!([line(f.ramen, 1)]));
        input["checkoutId"] = json!(cart);
        let placed = guest.place(input.clone()).await?;
        let order = placed.order_id()?;
        assert!(changed(&guest.cancel(&order).await?)?);
        let query = "mutation($input: PlaceOrderInput!) { placeOrder(input: $input) {
            allowed orderId idempotentReplay result { ... on OrderPlaced {
              replayReason order { id status ticket { state } } receipt { orderId number } } } } }";
        let replay = guest.send(query, json!({ "input": input })).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (order.clone(), true));
        let result = replay.result()?;
        assert_eq!(result["order"], json!({ "id": order, "status": "CANCELLED", "ticket": { "state": "CANCELLED" } }));
        assert_eq!(
            (&result["replayReason"], &result["receipt"]["number"]),
            (&json!("KEY"), &placed.result()?["receipt"]["number"])
        );
        let status = guest.status(&id).await?;
        assert_eq!(
            status.body["data"]["placementStatus"],
            json!({ "state": "PLACED", "code": null, "order": { "id": order } })
        );
        // the cart is that order for good; a new cart is a new order, and no duplicate of what was cancelled
        input["requestId"] = json!(key());
        let alias = guest.send(query, json!({ "input": input })).await?;
        assert_eq!((alias.order_id()?, &alias.result()?["replayReason"]), (order, &json!("CHECKOUT")));
        input["requestId"] = json!(key());
        input["checkoutId"] = json!(key());
        let fresh = guest.place(input).await?;
        assert_eq!((fresh.code().as_str(), fresh.is_replay()?), ("PLACED", false));
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (2, 9));
    }
}

/// On PostgreSQL only, where rows are locked one by one. A placement takes stock before its ticket; whoever did it the other way
/// round would meet it in a deadlock.
#[test]
fn a_cancellation_holds_no_ticket_while_it_waits_for_stock() {
    run(
        Backend::Postgres,
        "a_cancellation_holds_no_ticket_while_it_waits_for_stock",
        async |db| {
            let (node, f) = (db.node().await?, &db.fixture);
            let guest = node.guest(f.s1());
            let order = guest
                .place(order(&key(), json!([line(f.ramen, 1)])))
                .await?
                .order_id()?;
            let other = db.sql.begin().await?;
            other
                .execute_unprepared("SELECT quantity FROM stock_levels FOR UPDATE")
                .await?;
            let cancelling = tokio::spawn(async move { guest.cancel(&order).await });
            let waiting = "SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'";
            eventually("it waits", async || Ok(db.int(waiting, []).await? == 1)).await?;
            other
                .execute_unprepared("SELECT state FROM kitchen_tickets FOR UPDATE NOWAIT")
                .await?;
            other.rollback().await?;
            assert!(changed(&cancelling.await??)?);
            assert_eq!(db.stock(f.ramen).await?, 10);
            Ok(())
        },
    );
}
