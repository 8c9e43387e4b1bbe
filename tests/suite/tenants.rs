//! Two shops on one database never meet.
//!
//! Keys, carts, tables and dishes are looked up by ids that anybody may send. A look-up that leaves the tenant out answers
//! with the order, the name or the price of another shop, takes from its stock, or bars it from its own key. And an answer
//! that differs between "not yours" and "not there" tells which ids exist.

use anyhow::{Result, ensure};
use harness::client::{Client, K1, key, line, line_with, order};
use harness::database::Database;
use harness::{Reply, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

on_both_databases! {
    /// AC-048.
    async fn one_key_in_two_shops_is_two_orders(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (ours, theirs) = (node.guest(f.s1()), node.guest(&f.other_table));
        let (ramen, soup) = (order(K1, json!([line(f.ramen, 1)])), order(K1, json!([line(f.other_soup, 1)])));
        let a = ours.place(ramen.clone()).await?;
        let mut said_to_b = vec![theirs.place(ramen.clone()).await?];
        assert_eq!(said_to_b[0].code(), "BAD_USER_INPUT", "the dishes of A are none of B");
        assert_eq!(db.orders(&f.other_table).await?, 0);
        let b = theirs.place(soup.clone()).await?;
        assert_eq!((a.code(), a.is_replay()?, b.code(), b.is_replay()?), ("PLACED".into(), false, "PLACED".into(), false));
        assert_ne!(a.order_id()?, b.order_id()?);
        said_to_b.push(b.clone());
        // textually equal to A's, now that B has placed
        let reused = theirs.place(ramen.clone()).await?;
        assert_eq!(reused.code(), "IDEMPOTENCY_KEY_REUSED");
        said_to_b.push(reused);
        said_to_b.push(theirs.status(K1).await?);
        said_to_b.push(theirs.withdraw(K1).await?);
        for (guest, input, first) in [(&ours, ramen, &a), (&theirs, soup, &b)] {
            let replay = guest.place(input).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (first.order_id()?, true));
            assert_eq!(replay.result()?["receipt"], first.result()?["receipt"]);
            if std::ptr::eq(guest, &theirs) {
                said_to_b.push(replay);
            }
        }
        for reply in &said_to_b {
            says_nothing_of(reply, &[&a.order_id()?, "ramen", "ラーメン", "\"amountMinor\":850", &f.s1().id.to_string()])?;
        }
        assert_eq!((db.orders(f.s1()).await?, db.orders(&f.other_table).await?, db.claims(K1).await?), (1, 1, 2));
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.other_soup).await?), (9, 9));
    }

    async fn a_key_withdrawn_in_one_shop_is_free_in_another(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        node.guest(f.s1()).withdraw(K1).await?;
        let placed = node.guest(&f.other_table).place(order(K1, json!([line(f.other_soup, 1)]))).await?;
        assert_eq!((placed.code().as_str(), placed.is_replay()?), ("PLACED", false));
        assert_eq!((db.all_orders().await?, db.claims(K1).await?), (1, 2));
    }

    /// AC-050: neither an item nor a topping of another shop can be ordered, and its name stays there.
    async fn dishes_of_another_shop_are_not_on_the_menu(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let before = db.census().await?;
        let callers = [node.guest(f.s1()), node.key(&f.staff_key), node.key(&f.integrator_key)];
        for (i, caller) in callers.iter().enumerate() {
            let ask = |lines: Value| {
                let mut input = order(&key(), lines);
                if i > 0 {
                    input["tableSessionId"] = json!(f.s1().id);
                }
                input
            };
            let (soup, topping, nowhere) = (f.other_soup, f.other_topping, Uuid::now_v7());
            for (path, foreign, unknown) in [
                ("lines[0].menuItemId", json!([line(soup, 1)]), json!([line(nowhere, 1)])),
                ("lines[1].menuItemId", json!([line(f.beer, 1), line(soup, 1)]), json!([line(f.beer, 1), line(nowhere, 1)])),
                ("lines[0].toppings", json!([line_with(f.ramen, 1, &[topping])]), json!([line_with(f.ramen, 1, &[nowhere])])),
                ("lines[0].toppings", json!([line_with(f.ramen, 1, &[f.egg, topping])]),
                    json!([line_with(f.ramen, 1, &[f.egg, nowhere])])),
            ] {
                let (foreign, unknown) = (caller.place(ask(foreign)).await?, caller.place(ask(unknown)).await?);
                assert_eq!(foreign.code(), "BAD_USER_INPUT", "{}", foreign.body);
                assert!(foreign.error().starts_with(path), "{path}: {}", foreign.error());
                says_nothing_of(&foreign, &["soup", "スープ", "croutons", "追加", "Add"])?;
                let text = |reply: &Reply| [soup, topping, nowhere].iter().fold(reply.body.to_string(),
                    |text, id| text.replace(&id.to_string(), "ID"));
                assert_eq!(text(&foreign), text(&unknown), "what is elsewhere looks like what is nowhere");
            }
        }
        assert_eq!(db.census().await?, before);
        assert_eq!((db.stock(f.other_soup).await?, db.stock(f.other_topping).await?, db.stock(f.egg).await?), (10, 10, 100));
    }

    /// AC-052: orders of another table and of another shop look like no orders at all.
    async fn what_a_caller_may_not_see_is_not_there(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let other_table = node.guest(f.s2()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let theirs = node.guest(&f.other_table);
        let other_shop = theirs.place(order(K1, json!([line(f.other_soup, 1)]))).await?.order_id()?;
        let ticket = ticket_of(db, &other_shop).await?;
        let before = state(db).await?;

        let guest = node.guest(f.s1());
        let nothing = Uuid::now_v7().to_string();
        for foreign in [&other_table, &other_shop] {
            looks_like_nothing(&guest, ORDER, foreign, &nothing, Some("NOT_FOUND")).await?;
            looks_like_nothing(&guest, CANCEL, foreign, &nothing, Some("NOT_FOUND")).await?;
        }
        for session in [f.s2().id, f.other_table.id] {
            let session = session.to_string();
            looks_like_nothing(&guest, TABLE, &session, &nothing, Some("NOT_FOUND")).await?;
            looks_like_nothing(&guest, ORDERS, &session, &nothing, Some("NOT_FOUND")).await?;
        }
        for caller in [node.key(&f.staff_key), node.key(&f.integrator_key)] {
            looks_like_nothing(&caller, ORDER, &other_shop, &nothing, Some("NOT_FOUND")).await?;
            looks_like_nothing(&caller, TABLE, &f.other_table.id.to_string(), &nothing, Some("NOT_FOUND")).await?;
            looks_like_nothing(&caller, ORDERS, &f.other_table.id.to_string(), &nothing, None).await?;
            says_nothing_of(&caller.send("{ orders { nodes { id requestId } } }", json!({})).await?, &[&other_shop, K1])?;
        }
        looks_like_nothing(&node.key(&f.integrator_key), CANCEL, &other_shop, &nothing, Some("NOT_FOUND")).await?;
        let staff = node.key(&f.staff_key);
        looks_like_nothing(&staff, CANCEL, &other_shop, &nothing, Some("NOT_FOUND")).await?;
        looks_like_nothing(&staff, ADVANCE, &ticket, &nothing, Some("NOT_FOUND")).await?;
        let trail = "query($id: UUID!) { auditTrail(requestId: $id) { result } }";
        looks_like_nothing(&staff, trail, K1, &key(), None).await?;
        let board = staff.send("{ kitchenTickets { id orderId receipt { table } } }", json!({})).await?;
        assert_eq!(board.body["data"]["kitchenTickets"].as_array().map(Vec::len), Some(1), "{}", board.body);
        assert_eq!(board.body["data"]["kitchenTickets"][0]["orderId"], other_table);

        assert_eq!(state(db).await?, before);
        // the same calls by whose orders they are
        assert_eq!(theirs.send(ORDER, json!({ "id": other_shop })).await?.body["data"]["order"]["id"], other_shop);
        assert_eq!(theirs.cancel(&other_shop).await?.body["data"]["cancelOrder"]["changed"], true);
    }

    /// AC-052: nobody can count ids.
    async fn ids_are_not_consecutive(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let mut last = 0;
        for n in 1..=5 {
            let id = node.guest(f.s1()).place(order(&key(), json!([line(f.tea, n)]))).await?.order_id()?;
            let id = Uuid::parse_str(&id)?.as_u128();
            assert!(id.abs_diff(last) > 1 << 60, "{last:x} and {id:x}");
            last = id;
        }
    }

    async fn staff_of_another_shop_can_not_order_for_a_table(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let theirs = node.key(&f.other_staff_key);
        let before = db.census().await?;
        for lines in [json!([line(f.other_soup, 1)]), json!([line(f.ramen, 1)])] {
            let ask = |session: Uuid, key: Option<String>| {
                json!({ "requestId": key, "tableSessionId": session, "lines": lines.clone() })
            };
            for key in [None, Some(K1.to_owned())] {
                let foreign = theirs.place(ask(f.s1().id, key.clone())).await?;
                let unknown = theirs.place(ask(Uuid::now_v7(), key)).await?;
                assert_eq!(foreign.code(), "BAD_USER_INPUT");
                assert!(foreign.error().starts_with("tableSessionId: "), "{}", foreign.error());
                assert_eq!(foreign.body, unknown.body);
            }
        }
        assert_eq!(db.census().await?, before);
        // a closed table of another shop is as unknown as an open one
        db.close(f.s1(), node.clock.now_ms()).await?;
        let input = json!({ "requestId": K1, "tableSessionId": f.s1().id, "lines": [line(f.other_soup, 1)] });
        assert_eq!(theirs.place(input).await?.code(), "BAD_USER_INPUT");
        assert_eq!(db.census().await?, before);
    }

    /// A guest may name the own table session, and no other one.
    async fn a_guest_can_not_order_for_another_table(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let before = db.census().await?;
        for session in [f.s2().id, f.other_table.id, Uuid::now_v7()] {
            let mut input = order(K1, json!([line(f.ramen, 1)]));
            input["tableSessionId"] = json!(session);
            let refused = node.guest(f.s1()).place(input).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT");
            assert!(refused.error().starts_with("tableSessionId: "), "{}", refused.error());
        }
        // one table's id with another one's PIN is nobody
        let mut mixed = f.s1().clone();
        mixed.pin = (0..).map(|n| format!("{n:04}")).find(|pin| *pin != f.s1().pin).unwrap_or_default();
        assert_eq!(node.guest(&mixed).place(order(K1, json!([line(f.ramen, 1)]))).await?.code(), "UNAUTHENTICATED");
        assert_eq!(db.census().await?, before);
    }
}

const ORDER: &str = "query($id: ID!) { order(id: $id) { id status total { amountMinor } } }";
const ORDERS: &str = "query($id: ID!) { orders(tableSessionId: $id) { nodes { id } pageInfo { hasNextPage } } }";
const TABLE: &str = "query($id: ID!) { tableSession(id: $id) { id table pin } }";
const CANCEL: &str = "mutation($id: ID!) { cancelOrder(orderId: $id) { changed order { id } } }";
const ADVANCE: &str = "mutation($id: ID!) { advanceTicket(ticketId: $id, from: RECEIVED, to: COOKING) { changed } }";

/// A foreign id gets the very answer of an id that nobody has: this error, or data with nothing in it.
async fn looks_like_nothing(
    caller: &Client,
    query: &str,
    foreign: &str,
    nothing: &str,
    code: Option<&str>,
) -> Result<()> {
    let foreign = caller.send(query, json!({ "id": foreign })).await?;
    let nothing = caller.send(query, json!({ "id": nothing })).await?;
    ensure!(
        (foreign.status, &foreign.body) == (nothing.status, &nothing.body),
        "{query}: {} but {}",
        foreign.body,
        nothing.body
    );
    match code {
        Some(code) => ensure!(foreign.code() == code, "{query}: {}", foreign.body),
        None => {
            ensure!(foreign.body.get("errors").is_none(), "{query}: {}", foreign.body);
            let found = foreign.body["data"]
                .as_object()
                .into_iter()
                .flat_map(|data| data.values());
            for value in found {
                let nodes = if value.is_object() { &value["nodes"] } else { value };
                ensure!(
                    nodes.is_null() || nodes.as_array().is_some_and(Vec::is_empty),
                    "{query}: {value}"
                );
            }
        }
    }
    Ok(())
}

fn says_nothing_of(reply: &Reply, secrets: &[&str]) -> Result<()> {
    let text = reply.body.to_string();
    for secret in secrets {
        ensure!(!text.contains(secret), "{secret} is told: {text}");
    }
    Ok(())
}

async fn ticket_of(db: &Database, order: &str) -> Result<String> {
    let rows = db
        .query(
            "SELECT id FROM kitchen_tickets WHERE order_id = ?",
            [Uuid::parse_str(order)?.into()],
        )
        .await?;
    ensure!(rows.len() == 1, "{} tickets", rows.len());
    Ok(rows[0].try_get_by_index::<Uuid>(0)?.to_string())
}

/// Where every order and ticket stands, and how much is left.
async fn state(db: &Database) -> Result<Vec<(String, i64, String, i64)>> {
    let sql = "SELECT o.status, o.version, t.state, t.version FROM orders o JOIN kitchen_tickets t ON t.order_id = o.id ORDER BY o.id";
    let rows = db.query(sql, []).await?;
    rows.iter()
        .map(|r| {
            Ok((
                r.try_get_by_index(0)?,
                r.try_get_by_index(1)?,
                r.try_get_by_index(2)?,
                r.try_get_by_index(3)?,
            ))
        })
        .collect()
}
