//! Closing a table: what came before is in, what comes later is told so, and who sat there may look back for a day.
//!
//! Without the row lock an order slips in behind the bill; without the closed session's day a guest whose answer was lost never
//! learns what became of it.

use anyhow::{Context, Result};
use futures_util::future::join_all;
use harness::client::{K1, K2, key, line, order};
use harness::{Client, Setup, Table, on_both_databases};
use serde_json::json;
use std::time::Duration;

/// Checks a table out; answers whether that changed anything.
async fn check_out(staff: &Client, table: &Table) -> Result<bool> {
    let query = "mutation($id: ID!) { checkout(tableSessionId: $id) { changed tableSession { open closedAt } } }";
    let reply = staff.send(query, json!({ "id": table.id })).await?;
    let answer = &reply.body["data"]["checkout"];
    let session = &answer["tableSession"];
    anyhow::ensure!(
        session["open"] == false && session["closedAt"].is_string(),
        "{}",
        reply.body
    );
    answer["changed"].as_bool().context("no answer")
}

on_both_databases! {
    /// AC-046 (d) and AC-209.
    async fn whoever_has_paid_orders_no_more_but_reads_and_replays_for_a_day(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let first = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert!(check_out(&staff, f.s1()).await?);
        assert!(!check_out(&staff, f.s1()).await?, "a second tap changes nothing");

        let closed = guest.place(order(K2, json!([line(f.beer, 1)]))).await?;
        assert_eq!((closed.code().as_str(), &closed.result()?["status"]), ("SESSION_CLOSED", &json!(410)));
        // the next party sits down at the same table
        let open = "mutation { openTableSession(table: \"S1\") { alreadyOpen tableSession { id pin } } }";
        let seated = staff.send(open, json!({})).await?.body["data"]["openTableSession"].clone();
        assert_eq!(seated["alreadyOpen"], false, "{seated}");
        let next = Table {
            id: seated["tableSession"]["id"].as_str().context("no id")?.parse()?,
            pin: seated["tableSession"]["pin"].as_str().context("no pin")?.into(),
            label: "S1".into(),
        };
        let theirs = node.guest(&next).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        assert_eq!(guest.place(order(&key(), json!([line(f.tea, 2)]))).await?.code(), "SESSION_CLOSED");

        node.clock.advance(23 * 3_600_000);
        let replay = guest.place(order(K1, json!([line(f.ramen, 1)]))).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (first.clone(), true));
        let history = guest.send("{ orders { nodes { id } } }", json!({})).await?.body["data"]["orders"]["nodes"].clone();
        assert_eq!(history, json!([{ "id": first }]), "and nothing of the next party");
        let peek = guest.send("query($id: ID!) { order(id: $id) { id } }", json!({ "id": theirs })).await?;
        assert_eq!(peek.code(), "NOT_FOUND");
        node.clock.advance(2 * 3_600_000);
        assert_eq!(guest.place(order(K1, json!([line(f.ramen, 1)]))).await?.code(), "UNAUTHENTICATED");
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn only_staff_of_the_shop_check_out(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let query = "mutation($id: ID!) { checkout(tableSessionId: $id) { changed } }";
        for outsider in [node.guest(f.s1()), node.key(&f.integrator_key)] {
            assert_eq!(outsider.send(query, json!({ "id": f.s1().id })).await?.code(), "FORBIDDEN");
        }
        let staff = node.key(&f.staff_key);
        for foreign in [f.other_table.id, uuid::Uuid::now_v7()] {
            assert_eq!(staff.send(query, json!({ "id": foreign })).await?.code(), "NOT_FOUND");
        }
        assert_eq!(db.int("SELECT count(*) FROM table_sessions WHERE closed_at_ms IS NOT NULL", []).await?, 0);
        assert_eq!(db.int("SELECT count(*) FROM audit_entries WHERE action = 'checkout'", []).await?, 0);
    }

    /// AC-205: the bill is what stands when the table closes.
    async fn an_order_is_in_before_the_table_closes_or_not_at_all(db) {
        let f = &db.fixture;
        let (one, two) = (db.node().await?, db.node().await?);
        let staff = two.key(&f.staff_key);
        let rounds = 100;
        let mut placed = 0;
        for (round, table) in (0..).zip(&db.more_tables(rounds).await?) {
            let guests = [one.guest(table), two.guest(table)];
            // now the one is quicker, now the other
            let closing = async {
                tokio::time::sleep(Duration::from_millis(round % 12)).await;
                check_out(&staff, table).await
            };
            let orders = join_all(guests.iter().map(|guest| guest.place(order(&key(), json!([line(f.tea, 1)])))));
            let (orders, closed) = tokio::join!(orders, closing);
            assert!(closed?);
            let bill = db.orders(table).await?;
            let mut in_the_bill = 0;
            for reply in orders {
                let reply = reply?;
                match reply.code().as_str() {
                    "PLACED" => in_the_bill += 1,
                    "SESSION_CLOSED" | "POSSIBLE_DUPLICATE" => {}
                    other => anyhow::bail!("{other}: {}", reply.body),
                }
            }
            assert_eq!(bill, in_the_bill);
            let late = "SELECT count(*) FROM orders o JOIN table_sessions t ON t.id = o.table_session_id WHERE t.id = ? AND o.placed_at_ms > t.closed_at_ms";
            assert_eq!(db.int(late, [table.id.into()]).await?, 0, "placed behind the bill");
            placed += bill;
        }
        assert!(placed > 0, "no order ever won the race");
    }

    async fn a_closed_table_session_says_so_and_the_trail_knows_who_closed_it(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert!(check_out(&staff, f.s1()).await?);
        let asked = guest.send("{ tableSession { open } }", json!({})).await?;
        assert_eq!(asked.body["data"]["tableSession"]["open"], false);
        let trail = "SELECT count(*) FROM audit_entries WHERE action = 'checkout' AND result = 'CLOSED' AND table_session_id = ?";
        assert_eq!(db.int(trail, [f.s1().id.into()]).await?, 1);
    }
}
