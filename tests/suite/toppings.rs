//! Toppings: what the guest chose reaches the kitchen and the bill, per piece, and only what the dish offers can be chosen.
//!
//! Without the join to the lines' toppings the kitchen reads a plain ramen; without the multiplication by pieces stock and
//! price forget all but the first bowl; without the bounds of the groups a bowl of udon is neither hot nor cold.

use anyhow::Result;
use harness::client::{key, line, line_with, order};
use harness::{Client, Database, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

const LINES: &str = "{ menuItemId quantity unitPrice { amountMinor } lineTotal { amountMinor }
    toppings { toppingId name quantity unitPrice { amountMinor currency } } }";

fn portions(topping: Uuid, quantity: i64) -> Value {
    json!({ "toppingId": topping, "quantity": quantity })
}

fn dish(item: Uuid, quantity: i64, toppings: Value) -> Value {
    json!({ "menuItemId": item, "quantity": quantity, "toppings": toppings })
}

/// A line's toppings as (id, name, quantity, unit price), sorted by price.
fn chosen(line: &Value) -> Vec<(String, String, i64, i64)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut chosen: Vec<_> = line["toppings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|t| {
            let price = t["unitPrice"]["amountMinor"].as_i64().unwrap_or(-1);
            (
                text(&t["toppingId"]),
                text(&t["name"]),
                t["quantity"].as_i64().unwrap_or(-1),
                price,
            )
        })
        .collect();
    chosen.sort_by_key(|t| t.3);
    chosen
}

/// A cart that can not be made: the answer names the field and what fits, and nothing is written.
async fn refused(db: &Database, client: &Client, lines: Value, path: &str, words: &str) -> Result<()> {
    let before = db.census().await?;
    let reply = client.place(order(&key(), lines.clone())).await?;
    assert_eq!(reply.code(), "BAD_USER_INPUT", "{lines}: {}", reply.body);
    assert_eq!(reply.body["errors"][0]["extensions"]["status"], 400, "{lines}");
    let message = reply.error();
    assert!(
        message.starts_with(&format!("{path}: ")) && message.contains(words),
        "{lines}: {message}"
    );
    assert_eq!(db.census().await?, before, "{lines}");
    Ok(())
}

on_both_databases! {
    /// AC-028, the queries: the kitchen, the staff's list, the order and the guest's history show the same three toppings.
    async fn every_topping_reaches_the_kitchen_and_the_history(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let lines = json!([line_with(f.ramen, 1, &[f.egg, f.chashu, f.nori]), line(f.tea, 1)]);
        let placed = guest.place(order(&key(), lines)).await?;
        let id = placed.order_id()?;
        let expected = [(f.nori, "nori", 80), (f.egg, "egg", 120), (f.chashu, "chashu", 250)]
            .map(|(id, name, price)| (id.to_string(), name.to_owned(), 1, price));
        assert_eq!(chosen(&placed.result()?["receipt"]["lines"][0]), expected);

        let staff = node.key(&f.staff_key);
        let board =
            staff.send(&format!("{{ kitchenTickets {{ orderId receipt {{ lines {LINES} }} }} }}"), json!({})).await?;
        let tickets = &board.body["data"]["kitchenTickets"];
        assert_eq!(tickets[0]["orderId"], json!(id), "{}", board.body);
        let history = format!(
            "{{ orders {{ nodes {{ id lines {LINES}
            receipt {{ lines {LINES} }} ticket {{ receipt {{ lines {LINES} }} }} }} }} }}"
        );
        for client in [&staff, &guest, &node.key(&f.integrator_key)] {
            let orders = client.send(&history, json!({})).await?;
            let order = &orders.body["data"]["orders"]["nodes"][0];
            assert_eq!(order["id"], json!(id), "{}", orders.body);
            let seen = [
                &tickets[0]["receipt"]["lines"],
                &order["lines"],
                &order["receipt"]["lines"],
                &order["ticket"]["receipt"]["lines"],
            ];
            for lines in seen {
                assert_eq!(chosen(&lines[0]), expected);
                assert_eq!(lines[0]["unitPrice"]["amountMinor"], 850 + 120 + 250 + 80);
                assert_eq!(lines[0]["toppings"][0]["unitPrice"]["currency"], "JPY");
                assert_eq!(chosen(&lines[1]), []);
            }
        }
        let stored = "SELECT count(*) FROM order_line_toppings WHERE line_position = 0 AND quantity = 1";
        assert_eq!((db.int(stored, []).await?, db.rows("order_line_toppings").await?), (3, 3));
    }

    async fn toppings_count_for_each_piece(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let lines = json!([dish(f.ramen, 2, json!([portions(f.egg, 3), portions(f.nori, 1)]))]);
        let placed = node.guest(f.s1()).place(order(&key(), lines)).await?;
        placed.order_id()?;
        let receipt = &placed.result()?["receipt"];
        let one = 850 + 3 * 120 + 80;
        assert_eq!(receipt["lines"][0]["unitPrice"]["amountMinor"], one);
        assert_eq!(receipt["lines"][0]["lineTotal"]["amountMinor"], 2 * one);
        assert_eq!(receipt["total"]["amountMinor"], 2 * one);
        assert_eq!((db.stock(f.egg).await?, db.stock(f.nori).await?, db.stock(f.ramen).await?), (94, 98, 8));
        let sql = "SELECT taken FROM order_line_toppings WHERE topping_id = ?";
        assert_eq!(db.int(sql, [f.egg.into()]).await?, 6);
    }

    async fn equal_toppings_add_up_and_their_order_does_not_matter(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let lines = json!([
            dish(f.ramen, 1, json!([portions(f.egg, 1), portions(f.nori, 1), portions(f.egg, 2)])),
            dish(f.ramen, 1, json!([portions(f.nori, 1), portions(f.egg, 3)])),
        ]);
        let placed = guest.place(order(&key(), lines)).await?;
        placed.order_id()?;
        let lines = &placed.result()?["receipt"]["lines"];
        assert_eq!(lines.as_array().map(Vec::len), Some(1), "{lines}");
        assert_eq!(lines[0]["quantity"], 2);
        let quantities: Vec<i64> = chosen(&lines[0]).iter().map(|t| t.2).collect();
        assert_eq!(quantities, [1, 3]);
        assert_eq!(db.stock(f.egg).await?, 94);
        // a topping without a quantity is one portion
        let implicit = json!([{ "menuItemId": f.rice, "quantity": 1, "toppings": [{ "toppingId": f.nori }] }]);
        guest.place(order(&key(), implicit)).await?.order_id()?;
        assert_eq!(db.stock(f.nori).await?, 97);
    }

    async fn a_required_choice_is_made_exactly_once(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        for toppings in
            [json!([]), json!(null), json!([portions(f.hot, 1), portions(f.cold, 1)]), json!([portions(f.hot, 2)])]
        {
            let lines = json!([line(f.tea, 1), dish(f.udon, 1, toppings)]);
            refused(db, &guest, lines, "lines[1].toppings", "exactly 1").await?;
        }
        refused(db, &guest, json!([line(f.udon, 1)]), "lines[0].toppings", "Temperature").await?;
        refused(db, &guest, json!([line(f.udon, 1)]), "lines[0].toppings", "温度").await?;
        let lines = json!([line_with(f.udon, 1, &[f.hot]), line_with(f.udon, 2, &[f.cold])]);
        guest.place(order(&key(), lines)).await?.order_id()?;
        assert_eq!(db.rows("order_line_toppings").await?, 2);
    }

    async fn too_many_toppings_are_refused_with_the_bound(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let bowl = |toppings: Value| json!([line(f.tea, 1), dish(f.ramen, 1, toppings)]);
        for quantity in [0, -1, 10, 99, i64::from(i32::MAX)] {
            let path = "lines[1].toppings[1].quantity";
            let lines = bowl(json!([portions(f.nori, 1), portions(f.egg, quantity)]));
            refused(db, &guest, lines, path, &format!("1 to 9, not {quantity}")).await?;
        }
        let split = bowl(json!([portions(f.egg, 5), portions(f.egg, 5)]));
        refused(db, &guest, split, "lines[1].toppings[1].quantity", "1 to 9, not 10").await?;
        let group = bowl(json!([portions(f.egg, 5), portions(f.nori, 5)]));
        refused(db, &guest, group, "lines[1].toppings", "at most 9").await?;
        let many = bowl(json!(vec![portions(f.egg, 1); 21]));
        refused(db, &guest, many, "lines[1].toppings", "at most 20").await?;
        // the largest that fits
        guest.place(order(&key(), bowl(json!([portions(f.egg, 5), portions(f.nori, 4)])))).await?.order_id()?;
        assert_eq!((db.stock(f.egg).await?, db.stock(f.nori).await?), (95, 96));
    }

    async fn a_topping_that_the_dish_does_not_offer_is_refused_by_its_line(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        for (item, topping) in [
            (f.ramen, f.hot),
            (f.tea, f.egg),
            (f.udon, f.egg),
            (f.ramen, f.other_topping),
            (f.ramen, f.rice),
            (f.ramen, Uuid::now_v7()),
        ] {
            let lines = json!([line(f.beer, 1), line_with(item, 1, &[topping])]);
            refused(db, &guest, lines, "lines[1].toppings", &topping.to_string()).await?;
        }
        let lines = json!([dish(f.ramen, 1, json!([portions(f.egg, 1), { "toppingId": "egg" }]))]);
        refused(db, &guest, lines, "lines[0].toppings[1].toppingId", "must be a UUID").await?;
        assert_eq!(db.all_orders().await?, 0);
    }

    async fn a_topping_that_is_off_the_menu_is_unavailable_by_name(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.change_menu("UPDATE toppings SET available = FALSE WHERE id = ?", [f.egg.into()]).await?;
        db.change_menu("UPDATE toppings SET archived = TRUE WHERE id = ?", [f.nori.into()]).await?;
        let guest = node.guest(f.s1());
        let lines = json!([line_with(f.ramen, 1, &[f.egg, f.nori, f.chashu]), line_with(f.rice, 1, &[f.egg])]);
        let refused = guest.place(order(&key(), lines)).await?;
        assert_eq!(refused.code(), "ITEM_UNAVAILABLE");
        let items = refused.result()?["items"].as_array().cloned().unwrap_or_default();
        let mut named: Vec<_> = items.iter().map(|i| (i["kind"].as_str(), i["name"].as_str())).collect();
        named.sort();
        assert_eq!(named, [(Some("TOPPING"), Some("egg")), (Some("TOPPING"), Some("nori"))]);
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.chashu).await?, db.all_orders().await?), (10, 100, 0));
        guest.place(order(&key(), json!([line_with(f.ramen, 1, &[f.chashu])]))).await?.order_id()?;
    }
}
