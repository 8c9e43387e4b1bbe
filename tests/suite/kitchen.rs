//! The kitchen: one ticket per order, oldest first, moved one step at a time by compare-and-set; tables opened once.
//!
//! Without the state in the UPDATE's condition two cooks who tap at once move a ticket twice, and the second tap skips a
//! step; without the unique index of open tables a double click seats one party twice, and half of its orders on another
//! bill.

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use harness::client::{key, line, order};
use harness::{Client, Database, Reply, Setup, Table, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

const STATES: [&str; 5] = ["RECEIVED", "COOKING", "READY", "SERVED", "CANCELLED"];

async fn advance(client: &Client, ticket: &str, from: &str, to: &str) -> Result<Reply> {
    let query = "mutation($id: ID!, $from: TicketState!, $to: TicketState!) {
        advanceTicket(ticketId: $id, from: $from, to: $to) {
            changed ticket { id state version orderId receipt { table } } } }";
    client
        .send(query, json!({ "id": ticket, "from": from, "to": to }))
        .await
}

/// (changed, state) of an advance that was taken.
fn moved(reply: &Reply) -> Result<(bool, String)> {
    let payload = &reply.body["data"]["advanceTicket"];
    let state = payload["ticket"]["state"]
        .as_str()
        .with_context(|| reply.body.to_string())?;
    Ok((payload["changed"] == true, state.to_owned()))
}

async fn board(client: &Client, states: Option<&[&str]>) -> Result<Vec<Value>> {
    let query = "query($states: [TicketState!]) { kitchenTickets(states: $states) {
        id state version createdAt updatedAt orderId order { id status }
        receipt { number table lines { menuItemId name(lang: JA) quantity station } } } }";
    let variables = states.map_or(json!({}), |states| json!({ "states": states }));
    let reply = client.send(query, variables).await?;
    let tickets = reply.body["data"]["kitchenTickets"].as_array().cloned();
    tickets.with_context(|| reply.body.to_string())
}

fn ids(tickets: &[Value]) -> Vec<&str> {
    tickets.iter().filter_map(|t| t["orderId"].as_str()).collect()
}

/// The ticket of an order.
async fn ticket_of(db: &Database, order: &str) -> Result<String> {
    let rows = db
        .query(
            "SELECT id FROM kitchen_tickets WHERE order_id = ?",
            [order.parse::<Uuid>()?.into()],
        )
        .await?;
    anyhow::ensure!(rows.len() == 1, "{} tickets for order {order}", rows.len());
    Ok(rows[0].try_get_by_index::<Uuid>(0)?.to_string())
}

async fn stands(db: &Database, ticket: &str) -> Result<(String, i64)> {
    let sql = "SELECT state, version FROM kitchen_tickets WHERE id = ?";
    let rows = db.query(sql, [ticket.parse::<Uuid>()?.into()]).await?;
    Ok((rows[0].try_get_by_index(0)?, rows[0].try_get_by_index(1)?))
}

async fn open(client: &Client, table: &str) -> Result<Reply> {
    let query = "mutation($table: String!) { openTableSession(table: $table) {
        alreadyOpen tableSession { id table pin open } } }";
    client.send(query, json!({ "table": table })).await
}

on_both_databases! {
    async fn the_board_shows_what_is_to_be_made_oldest_first(db) {
        let node = db.node_with(Setup::manual_clock()).await?;
        let f = &db.fixture;
        let staff = node.key(&f.staff_key);
        assert_eq!(board(&staff, None).await?, Vec::<Value>::new());
        let mut orders = Vec::new();
        for (n, table) in f.tables[..5].iter().enumerate() {
            orders.push(
                node.guest(table).place(order(&key(), json!([line(f.ramen, 1), line(f.tea, 2)]))).await?.order_id()?,
            );
            // two at the same instant, the others a second apart
            node.clock.advance(if n == 1 { 0 } else { 1_000 });
        }
        let other =
            node.guest(&f.other_table).place(order(&key(), json!([line(f.other_soup, 1)]))).await?.order_id()?;
        let tickets = board(&staff, None).await?;
        assert_eq!(ids(&tickets), orders);
        assert_eq!(ids(&board(&node.key(&f.other_staff_key), None).await?), [other]);
        let first = &tickets[0];
        assert_eq!(
            (&first["state"], &first["version"], &first["receipt"]["table"]),
            (&json!("RECEIVED"), &json!(1), &json!("S1"))
        );
        let lines = &first["receipt"]["lines"];
        assert_eq!(
            (&lines[0]["name"], &lines[0]["station"], &lines[1]["quantity"]),
            (&json!("ラーメン"), &json!("noodle"), &json!(2))
        );
        assert_eq!(first["order"], json!({ "id": orders[0], "status": "PLACED" }));

        // one in each state
        for (n, steps) in [(1, 1), (2, 2), (3, 3)] {
            let ticket = ticket_of(db, &orders[n]).await?;
            node.clock.advance(1_000);
            for step in 0..steps {
                assert!(moved(&advance(&staff, &ticket, STATES[step], STATES[step + 1]).await?)?.0);
            }
        }
        staff.cancel(&orders[4]).await?;
        let shown = board(&staff, None).await?;
        assert_eq!(ids(&shown), &orders[..3]);
        let states: Vec<_> = shown.iter().filter_map(|t| t["state"].as_str()).collect();
        assert_eq!(states, &STATES[..3]);
        assert!(shown[1]["updatedAt"].as_str() > shown[1]["createdAt"].as_str(), "{}", shown[1]);
        for (state, expected) in STATES.iter().zip(&orders) {
            assert_eq!(ids(&board(&staff, Some(&[state])).await?), [expected], "{state}");
        }
        assert_eq!(ids(&board(&staff, Some(&STATES)).await?), orders);
        assert_eq!(board(&staff, Some(&[])).await?, Vec::<Value>::new());
    }

    async fn two_cooks_who_tap_at_once_move_a_ticket_once(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let cooks = [node.key(&f.staff_key), node.key(&f.staff_key), node.key(&f.staff_key), node.key(&f.staff_key)];
        let order = node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &order).await?;
        for (step, (from, to)) in
            [("RECEIVED", "COOKING"), ("COOKING", "READY"), ("READY", "SERVED")].into_iter().enumerate()
        {
            let replies = try_join_all(cooks.iter().map(|cook| advance(cook, &ticket, from, to))).await?;
            let taken: Vec<_> = replies.iter().map(moved).collect::<Result<_>>()?;
            assert_eq!(taken.iter().filter(|(changed, _)| *changed).count(), 1, "{from} {to}: {taken:?}");
            assert!(taken.iter().all(|(_, state)| state == to), "{taken:?}");
            assert_eq!(stands(db, &ticket).await?, (to.to_owned(), step as i64 + 2));
        }
        // a tap on a screen that is behind changes nothing and shows where the ticket is
        assert_eq!(moved(&advance(&cooks[0], &ticket, "RECEIVED", "COOKING").await?)?, (false, "SERVED".into()));
        assert_eq!(stands(db, &ticket).await?, ("SERVED".into(), 4));
    }

    async fn a_slip_is_undone_step_by_step(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let order = node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &order).await?;
        let way = ["RECEIVED", "COOKING", "READY", "SERVED", "READY", "COOKING", "RECEIVED"];
        for step in way.windows(2) {
            let reply = advance(&staff, &ticket, step[0], step[1]).await?;
            assert_eq!(moved(&reply)?, (true, step[1].to_owned()));
            assert_eq!(reply.body["data"]["advanceTicket"]["ticket"]["receipt"]["table"], "S1");
        }
        assert_eq!(stands(db, &ticket).await?, ("RECEIVED".into(), 7));
        assert_eq!((db.rows("kitchen_tickets").await?, db.stock(f.ramen).await?), (1, 9));
    }

    async fn a_step_that_no_ticket_takes_is_bad_input(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let order = node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &order).await?;
        let neighbours = |a: usize, b: usize| a < 4 && b < 4 && a.abs_diff(b) == 1;
        for (a, from) in STATES.iter().enumerate() {
            for (b, to) in STATES.iter().enumerate().filter(|(b, _)| !neighbours(a, *b)) {
                let reply = advance(&staff, &ticket, from, to).await?;
                assert_eq!(reply.code(), "BAD_USER_INPUT", "{from} {to} {b}: {}", reply.body);
                assert!(reply.error().starts_with("to: must be one step from"), "{}", reply.error());
            }
        }
        for (ticket, code) in [("x", "BAD_USER_INPUT"), (&key(), "NOT_FOUND"), (&order, "NOT_FOUND")] {
            assert_eq!(advance(&staff, ticket, "RECEIVED", "COOKING").await?.code(), code, "{ticket}");
        }
        let foreign = advance(&node.key(&f.other_staff_key), &ticket, "RECEIVED", "COOKING").await?;
        assert_eq!(foreign.code(), "NOT_FOUND");
        assert_eq!(advance(&staff, &ticket, "RECEIVED", "BURNT").await?.code(), "BAD_USER_INPUT");
        assert_eq!(stands(db, &ticket).await?, ("RECEIVED".into(), 1));
    }

    async fn the_kitchen_is_for_staff_only(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let order = guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &order).await?;
        for client in [&guest, &node.key(&f.integrator_key)] {
            assert_eq!(advance(client, &ticket, "RECEIVED", "COOKING").await?.code(), "FORBIDDEN");
            assert_eq!(client.send("{ kitchenTickets { id } }", json!({})).await?.code(), "FORBIDDEN");
            assert_eq!(open(client, "T1").await?.code(), "FORBIDDEN");
        }
        assert_eq!(stands(db, &ticket).await?, ("RECEIVED".into(), 1));
        let opened = "SELECT count(*) FROM table_sessions WHERE table_label = 'T1'";
        assert_eq!(db.int(opened, []).await?, 0);
    }

    async fn a_cancelled_ticket_stays_cancelled(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let order = node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &order).await?;
        assert_eq!(staff.cancel(&order).await?.body["data"]["cancelOrder"]["changed"], true);
        for (from, to) in [("RECEIVED", "COOKING"), ("COOKING", "READY"), ("READY", "SERVED"), ("SERVED", "READY")] {
            assert_eq!(moved(&advance(&staff, &ticket, from, to).await?)?, (false, "CANCELLED".into()));
        }
        assert_eq!(advance(&staff, &ticket, "CANCELLED", "RECEIVED").await?.code(), "BAD_USER_INPUT");
        assert_eq!(stands(db, &ticket).await?, ("CANCELLED".into(), 2));
        assert!(board(&staff, None).await?.is_empty());
    }

    async fn a_table_is_opened_once_however_often_it_is_tapped(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let replies = try_join_all((0..6).map(|_| open(&staff, "窓側 1"))).await?;
        let mut sessions: Vec<_> =
            replies.iter().map(|r| r.body["data"]["openTableSession"]["tableSession"].clone()).collect();
        sessions.dedup();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let first = replies.iter().filter(|r| r.body["data"]["openTableSession"]["alreadyOpen"] == false).count();
        assert_eq!(first, 1);
        let opened = "SELECT count(*) FROM table_sessions WHERE table_label = '窓側 1'";
        assert_eq!(db.int(opened, []).await?, 1);

        // the party orders with what it was given
        let session = &sessions[0];
        assert_eq!((&session["table"], &session["open"]), (&json!("窓側 1"), &json!(true)));
        let pin = session["pin"].as_str().context("no pin")?.to_owned();
        assert!(pin.len() == 4 && pin.chars().all(|c| c.is_ascii_digit()), "{pin}");
        let table = Table { id: session["id"].as_str().context("no id")?.parse()?, pin, label: "窓側 1".into() };
        node.guest(&table).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;

        // another shop's table of the same name is another table
        let other = open(&node.key(&f.other_staff_key), "窓側 1").await?;
        assert_eq!(other.body["data"]["openTableSession"]["alreadyOpen"], false);
        assert_ne!(other.body["data"]["openTableSession"]["tableSession"]["id"], session["id"]);

        // the next party gets a session and a PIN of its own
        db.close(&table, node.clock.now_ms()).await?;
        let next = open(&staff, "窓側 1").await?;
        assert_eq!(next.body["data"]["openTableSession"]["alreadyOpen"], false);
        assert_ne!(next.body["data"]["openTableSession"]["tableSession"]["id"], session["id"]);
        assert_eq!(db.int(opened, []).await?, 3);
    }

    async fn a_label_is_one_to_forty_printable_characters(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let before = db.census().await?;
        for label in ["", "   ", "\u{3000}", &"x".repeat(41), &"卓".repeat(41), "T\n1", "T\u{0}1", "T\u{1b}[31m"] {
            let reply = open(&staff, label).await?;
            assert_eq!(reply.code(), "BAD_USER_INPUT", "{label:?}: {}", reply.body);
            assert!(reply.error().starts_with("table: must be 1 to 40 printable characters"), "{}", reply.error());
        }
        assert_eq!(db.census().await?, before);
        for (label, stored) in [(&*"卓".repeat(40), &*"卓".repeat(40)), (" T 9 ", "T 9"), ("👍", "👍")] {
            let reply = open(&staff, label).await?;
            assert_eq!(reply.body["data"]["openTableSession"]["tableSession"]["table"], stored, "{}", reply.body);
        }
        assert_eq!(open(&staff, "T 9").await?.body["data"]["openTableSession"]["alreadyOpen"], true);
    }
}
