//! Live feeds: the current state, not a log. Whoever reconnects has everything, and nobody sees an order twice.

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use harness::client::{Client, Credentials, key, line, order};
use harness::socket::{KITCHEN, Socket, TABLE};
use harness::{Backend, on_both_databases};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a kitchen page shows: the newest version of each ticket.
#[derive(Default)]
struct Board(BTreeMap<String, (i64, String)>);

impl Board {
    /// Takes news in. Returns the tickets that are raised as new.
    fn take(&mut self, news: &Value) -> Vec<String> {
        if news["snapshot"] == true {
            self.0.clear();
        }
        for id in news["removed"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            self.0.remove(id);
        }
        let mut raised = Vec::new();
        for ticket in news["tickets"].as_array().into_iter().flatten() {
            let id = ticket["id"].as_str().unwrap_or_default().to_owned();
            let state = ticket["state"].as_str().unwrap_or_default().to_owned();
            if self
                .0
                .insert(id.clone(), (ticket["version"].as_i64().unwrap_or(0), state))
                .is_none()
            {
                raised.push(id);
            }
        }
        raised
    }
}

async fn advance(staff: &Client, ticket: &str, from: &str, to: &str) -> Result<()> {
    let query = "mutation($id: ID!, $from: TicketState!, $to: TicketState!) {
        advanceTicket(ticketId: $id, from: $from, to: $to) { changed } }";
    let reply = staff
        .send(query, json!({ "id": ticket, "from": from, "to": to }))
        .await?;
    anyhow::ensure!(
        reply.body["data"]["advanceTicket"]["changed"] == true,
        "not moved: {}",
        reply.body
    );
    Ok(())
}

on_both_databases! {
    async fn a_kitchen_sees_an_order_at_once_and_its_changes_as_changes(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let staff = node.key(&f.staff_key);
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        let mut board = Board::default();
        let first = socket.news("kitchen").await?;
        assert_eq!((&first["snapshot"], first["tickets"].as_array().map(Vec::len)), (&json!(true), Some(0)));

        let guest = node.guest(f.s1());
        guest.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        let raised = board.take(&socket.news("kitchen").await?);
        let [ticket] = &raised[..] else { panic!("one ticket is raised: {raised:?}") };
        advance(&staff, ticket, "RECEIVED", "COOKING").await?;
        let news = socket.news("kitchen").await?;
        assert_eq!(news["snapshot"], false);
        assert_eq!(board.take(&news), Vec::<String>::new(), "a change is not a new order");
        assert_eq!(board.0[ticket].1, "COOKING");
        node.stop().await?;
    }

    /// AC-123, AC-131, AC-133.
    async fn a_kitchen_that_was_away_has_everything_after_it_reconnects_and_nothing_twice(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let staff = node.key(&f.staff_key);
        let mut board = Board::default();
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        board.take(&socket.news("kitchen").await?);
        drop(socket);
        let mut placed = Vec::new();
        for (i, table) in f.tables.iter().enumerate() {
            placed.push(node.guest(table).place(order(&key(), json!([line(f.tea, i as i64 + 1)]))).await?.order_id()?);
        }
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        let news = socket.news("kitchen").await?;
        assert_eq!(news["snapshot"], true);
        assert_eq!(board.take(&news).len(), placed.len());
        let mut shown: Vec<&str> = news["tickets"].as_array().into_iter().flatten().filter_map(|t| t["orderId"].as_str()).collect();
        shown.sort_unstable();
        placed.sort_unstable();
        assert_eq!(shown, placed);
        node.stop().await?;
    }

    /// AC-131: what is answered from the store raises nothing.
    async fn a_replay_raises_nothing(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let staff = node.key(&f.staff_key);
        let guest = node.guest(f.s1());
        let k = key();
        guest.place(order(&k, json!([line(f.tea, 1)]))).await?.order_id()?;
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        assert_eq!(socket.news("kitchen").await?["tickets"].as_array().map(Vec::len), Some(1));
        assert!(guest.place(order(&k, json!([line(f.tea, 1)]))).await?.is_replay()?);
        guest.place(order(&key(), json!([line(f.tea, 2)]))).await?.order_id()?;
        assert_eq!(socket.news("kitchen").await?["tickets"].as_array().map(Vec::len), Some(1), "the second order only");
        node.stop().await?;
    }

    async fn a_guest_watches_its_own_table_and_no_other(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let guest = node.guest(f.s1());
        let mut socket = Socket::watch(node.address, &guest.credentials, TABLE).await?;
        assert_eq!(socket.news("tableSessionOrders").await?["orders"], json!([]));
        node.guest(f.s2()).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        let k = key();
        let own = guest.place(order(&k, json!([line(f.tea, 2)]))).await?.order_id()?;
        let news = socket.news("tableSessionOrders").await?;
        assert_eq!((&news["orders"][0]["id"], &news["orders"][0]["requestId"]), (&json!(own), &json!(k)));
        assert_eq!(news["orders"].as_array().map(Vec::len), Some(1));
        guest.cancel(&own).await?;
        assert_eq!(socket.news("tableSessionOrders").await?["orders"][0]["status"], "CANCELLED");

        let other = format!("subscription {{ tableSessionOrders(tableSessionId: \"{}\") {{ snapshot }} }}", f.s2().id);
        socket.subscribe("2", &other).await?;
        let refused = socket.hear().await?;
        assert_eq!(refused["payload"]["errors"][0]["extensions"]["code"], "NOT_FOUND", "{refused}");
        node.stop().await?;
    }

    // what many tables watch is read by one statement
    async fn every_table_sees_its_own_newest_hundred(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let mut placed = Vec::new();
        for (t, table) in f.tables.iter().enumerate() {
            let guest = node.guest(table);
            // the first table has one order too many
            let orders = if t == 0 { 101 } else { t % 3 };
            let mut own = Vec::new();
            for _ in 0..orders {
                let lines = json!([line(f.tea, t as i64 + 1)]);
                own.insert(0, guest.place(order(&key(), lines)).await?.order_id()?);
            }
            own.truncate(100);
            placed.push(own);
        }
        let watch = "subscription { tableSessionOrders { snapshot orders { id lines { quantity } ticket { state } } } }";
        let watching = f.tables.iter().map(|table| async {
            let mut socket = Socket::watch(node.address, &node.guest(table).credentials, watch).await?;
            socket.news("tableSessionOrders").await
        });
        for (t, (news, placed)) in try_join_all(watching).await?.into_iter().zip(placed).enumerate() {
            let orders: Vec<&Value> = news["orders"].as_array().into_iter().flatten().collect();
            let ids: Vec<&str> = orders.iter().filter_map(|order| order["id"].as_str()).collect();
            assert_eq!(ids, placed, "table {t}");
            for order in orders {
                assert_eq!(order["lines"], json!([{ "quantity": t + 1 }]));
                assert_eq!(order["ticket"]["state"], "RECEIVED");
            }
        }
        node.stop().await?;
    }

    async fn only_staff_watch_the_kitchen(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        for client in [node.guest(f.s1()), node.key(&f.integrator_key)] {
            let mut socket = Socket::watch(node.address, &client.credentials, KITCHEN).await?;
            let refused = socket.hear().await?;
            assert_eq!(refused["payload"]["errors"][0]["extensions"]["code"], "FORBIDDEN", "{refused}");
        }
        let staff = node.key(&f.other_staff_key);
        node.guest(f.s1()).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        assert_eq!(socket.news("kitchen").await?["tickets"], json!([]), "another shop's kitchen");
        node.stop().await?;
    }

    async fn a_socket_without_valid_credentials_is_closed(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let guest = node.guest(f.s1()).credentials;
        let wrong = if f.s1().pin == "0000" { "0001" } else { "0000" };
        for credentials in [Credentials::default(), guest.clone().with("x-session-pin", wrong), Credentials::key("mo_live_x")] {
            let mut socket = Socket::open(node.address, None).await?.map_err(|s| anyhow::anyhow!("refused: {s}"))?;
            socket.send(json!({ "type": "connection_init", "payload": credentials.as_json() })).await?;
            assert_eq!(socket.closed().await?, 4403);
        }
        let mut silent = Socket::open(node.address, None).await?.map_err(|s| anyhow::anyhow!("refused: {s}"))?;
        let mut hasty = Socket::open(node.address, None).await?.map_err(|s| anyhow::anyhow!("refused: {s}"))?;
        hasty.subscribe("1", TABLE).await?;
        assert_eq!(hasty.closed().await?, 4401);
        assert_eq!(silent.closed().await?, 4408, "connection_init has a deadline");
        node.stop().await?;
    }

    async fn a_socket_carries_subscriptions_and_a_few_at_a_time(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let guest = node.guest(f.s1());
        let mut socket = Socket::welcome(node.address, &guest.credentials).await?;
        for query in ["mutation { withdrawPlacement(requestId: \"x\") { __typename } }", "{ shop { id } }"] {
            socket.subscribe("q", query).await?;
            let refused = socket.hear().await?;
            let message = refused["payload"]["errors"][0]["message"].as_str().context("a message")?;
            assert!(message.contains("only subscriptions"), "{refused}");
            assert_eq!(socket.hear().await?["type"], "complete");
        }
        for i in 0..8 {
            socket.subscribe(&format!("s{i}"), TABLE).await?;
            socket.news("tableSessionOrders").await?;
        }
        socket.subscribe("one too many", TABLE).await?;
        let refused = socket.hear().await?;
        assert!(refused.to_string().contains("at most 8 subscriptions"), "{refused}");
        node.stop().await?;
    }

    async fn a_foreign_page_can_not_open_a_socket(db) {
        let node = db.node().await?;
        let own = format!("http://{}", node.address);
        assert!(Socket::open(node.address, Some(&own)).await?.is_ok());
        assert_eq!(Socket::open(node.address, Some("https://evil.example")).await?.err(), Some(403));
        node.stop().await?;
    }

    async fn a_server_that_stops_says_goodbye(db) {
        let node = db.node().await?;
        let staff = node.key(&db.fixture.staff_key);
        let mut socket = Socket::watch(node.address, &staff.credentials, KITCHEN).await?;
        socket.news("kitchen").await?;
        let (stopped, code) = tokio::join!(node.stop(), socket.closed());
        stopped?;
        assert_eq!(code?, 1001);
    }
}

/// Only PostgreSQL is shared by nodes.
#[test]
fn an_order_at_one_node_is_shown_by_the_other() {
    harness::database::run(Backend::Postgres, "live", async |db| {
        let (one, other) = (db.node().await?, db.node().await?);
        let f = &db.fixture;
        let staff = other.key(&f.staff_key);
        let mut socket = Socket::watch(other.address, &staff.credentials, KITCHEN).await?;
        let mut board = Board::default();
        board.take(&socket.news("kitchen").await?);
        for quantity in 1..=5 {
            let placed = one
                .guest(f.s1())
                .place(order(&key(), json!([line(f.tea, quantity)])))
                .await?
                .order_id()?;
            let news = socket.news("kitchen").await?;
            assert_eq!(news["tickets"][0]["orderId"], json!(placed));
            assert_eq!(board.take(&news).len(), 1);
        }
        one.stop().await?;
        other.stop().await
    });
}
