//! Stock: what is counted is never sold twice, what is not counted never runs out, and a "sold out" names what is short.
//!
//! Pieces are summed over the whole order, items and toppings alike, before anything is compared or taken. Without the sum
//! a second line takes from a number that the first line has made stale; without the lock on the stock rows two tables
//! read the same last piece; without the check both are told "placed".

use anyhow::Result;
use futures_util::future::try_join_all;
use harness::client::{key, line, line_with, order};
use harness::{Database, Reply, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

/// What a `SOLD_OUT` names: kind, id, requested, left; sorted.
fn shortages(reply: &Reply) -> Result<Vec<(String, String, i64, i64)>> {
    let shortages = reply.result()?["shortages"].as_array().cloned().unwrap_or_default();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut named: Vec<_> = shortages
        .iter()
        .map(|s| {
            let number = |v: &Value| v.as_i64().unwrap_or(-1);
            (
                text(&s["kind"]),
                text(&s["id"]),
                number(&s["requested"]),
                number(&s["left"]),
            )
        })
        .collect();
    named.sort();
    Ok(named)
}

fn short(kind: &str, id: Uuid, requested: i64, left: i64) -> (String, String, i64, i64) {
    (kind.to_owned(), id.to_string(), requested, left)
}

async fn stored_rejections(db: &Database) -> Result<i64> {
    let sql = "SELECT count(*) FROM idempotency_requests WHERE outcome_kind = 'REJECTED'";
    db.int(sql, []).await
}

on_both_databases! {
    /// AC-056.
    async fn two_lines_of_one_item_take_from_one_stock(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.ramen, 50).await?;
        let lines = json!([line_with(f.ramen, 10, &[f.egg]), line_with(f.ramen, 5, &[f.nori])]);
        node.guest(f.s1()).place(order(&key(), lines)).await?.order_id()?;
        assert_eq!(db.stock(f.ramen).await?, 35);
        assert_eq!((db.stock(f.egg).await?, db.stock(f.nori).await?, db.stock(f.chashu).await?), (90, 95, 100));
    }

    /// AC-058, the item.
    async fn an_item_without_stock_is_refused_by_name_in_the_readers_language(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.ramen, 0).await?;
        let before = db.stock(f.beer).await?;
        let (guest, id) = (node.guest(f.s1()), key());
        let input = order(&id, json!([line(f.beer, 1), line(f.ramen, 1)]));
        let refused = guest.with("accept-language", "ja").place(input.clone()).await?;
        assert_eq!(refused.code(), "SOLD_OUT");
        let result = refused.result()?;
        assert_eq!((&result["status"], &result["retryable"]), (&json!(409), &json!(false)));
        assert_eq!(result["retryWithNewRequestId"], true);
        assert_eq!(shortages(&refused)?, [short("ITEM", f.ramen, 1, 0)]);
        assert_eq!(result["shortages"][0]["name"], "ラーメン");
        assert_eq!(result["message"], "ラーメンは売り切れました");
        // the stored answer is rendered for whoever reads it next
        let again = guest.with("accept-language", "en").place(input).await?;
        assert!(again.is_replay()?);
        assert_eq!(again.result()?["shortages"][0]["name"], "ramen");
        assert_eq!(again.result()?["message"], "ramen is sold out.");
        assert_eq!((db.all_orders().await?, db.rows("kitchen_tickets").await?), (0, 0));
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.beer).await?), (0, before));
    }

    /// AC-058, the topping.
    async fn a_topping_without_stock_is_refused_by_name_in_the_readers_language(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.change_menu("UPDATE toppings SET name_ja = '味玉' WHERE id = ?", [f.egg.into()]).await?;
        db.set_stock(f.ramen, 5).await?;
        db.set_stock(f.egg, 0).await?;
        let input = order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]));
        for (lang, name) in [("ja", "味玉"), ("en", "egg")] {
            let refused = node.guest(f.s1()).with("accept-language", lang).place(input.clone()).await?;
            assert_eq!(refused.code(), "SOLD_OUT");
            assert_eq!(shortages(&refused)?, [short("TOPPING", f.egg, 1, 0)]);
            assert_eq!(refused.result()?["shortages"][0]["name"], name);
        }
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?, db.all_orders().await?), (5, 0, 0));
    }

    /// AC-060.
    async fn two_dishes_share_the_stock_of_a_topping(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.egg, 10).await?;
        let lines = || json!([line_with(f.ramen, 1, &[f.egg]), line_with(f.rice, 1, &[f.egg])]);
        node.guest(f.s1()).place(order(&key(), lines())).await?.order_id()?;
        assert_eq!(db.stock(f.egg).await?, 8);
        // each line alone would find its egg
        db.set_stock(f.egg, 1).await?;
        let refused = node.guest(f.s2()).place(order(&key(), lines())).await?;
        assert_eq!(refused.code(), "SOLD_OUT");
        assert_eq!(shortages(&refused)?, [short("TOPPING", f.egg, 2, 1)]);
        assert_eq!((db.stock(f.egg).await?, db.stock(f.ramen).await?), (1, 9));
    }

    /// AC-060, from two sides at once: whoever locks rows in the order of the cart meets somebody with the opposite cart.
    async fn carts_in_opposite_order_do_not_stop_one_another(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let orders = f.tables.iter().enumerate().map(|(i, table)| {
            let mut lines = vec![line_with(f.ramen, 1, &[f.egg]), line_with(f.rice, 1, &[f.nori]), line(f.beer, 1)];
            if i % 2 == 1 {
                lines.reverse();
            }
            let guest = node.guest(table);
            async move { guest.place(order(&key(), json!(lines))).await?.order_id() }
        });
        try_join_all(orders).await?;
        assert_eq!(db.all_orders().await?, 8);
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.beer).await?), (2, 2));
        assert_eq!((db.stock(f.egg).await?, db.stock(f.nori).await?), (92, 92));
    }

    /// AC-030.
    async fn what_is_not_counted_never_runs_out(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0").await?;
        let levels = db.rows("stock_levels").await?;
        let guest = node.guest(f.s1());
        for _ in 0..2 {
            let lines = json!([line(f.tea, 99), line_with(f.udon, 99, &[f.hot])]);
            guest.place(order(&key(), lines)).await?.order_id()?;
        }
        assert_eq!(db.orders(f.s1()).await?, 2);
        assert_eq!(db.rows("stock_levels").await?, levels);
        let below_start = "SELECT count(*) FROM stock_levels WHERE quantity <> supplied";
        assert_eq!(db.int(below_start, []).await?, 0);
        let taken = "SELECT count(*) FROM order_lines l, order_line_toppings t WHERE l.taken <> 0 OR t.taken <> 0";
        assert_eq!(db.int(taken, []).await?, 0);
        // a dish that is not counted with a topping that is
        guest.place(order(&key(), json!([line_with(f.rice, 99, &[f.egg])]))).await?.order_id()?;
        assert_eq!(db.stock(f.egg).await?, 1);
    }

    /// Pieces are summed over lines and portions over pieces; everything that is short is named, with what is left.
    async fn everything_that_is_short_is_named_with_what_is_left(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.egg, 5).await?;
        let lines = json!([
            { "menuItemId": f.ramen, "quantity": 3, "toppings": [{ "toppingId": f.egg, "quantity": 2 }] },
            line_with(f.ramen, 8, &[f.nori]),
            line(f.beer, 11),
            line(f.tea, 99),
        ]);
        let refused = node.guest(f.s1()).place(order(&key(), lines)).await?;
        assert_eq!(refused.code(), "SOLD_OUT");
        let mut expected =
            [short("ITEM", f.beer, 11, 10), short("ITEM", f.ramen, 11, 10), short("TOPPING", f.egg, 6, 5)];
        expected.sort();
        assert_eq!(shortages(&refused)?, expected);
        let message = refused.result()?["message"].as_str().unwrap_or_default();
        for words in ["Only 10 of ramen left.", "Only 10 of beer left.", "Only 5 of egg left."] {
            assert!(message.contains(words), "{message}");
        }
        // what is left can be had to the last piece
        let rest = json!([line(f.ramen, 10), line(f.beer, 10), line_with(f.rice, 5, &[f.egg])]);
        node.guest(f.s1()).place(order(&key(), rest)).await?.order_id()?;
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.beer).await?, db.stock(f.egg).await?), (0, 0, 0));
    }

    async fn a_sold_out_answer_stays_and_a_new_key_succeeds_after_the_restock(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.ramen, 0).await?;
        let (guest, first) = (node.guest(f.s1()), key());
        let lines = || json!([line(f.ramen, 2)]);
        assert_eq!(guest.place(order(&first, lines())).await?.code(), "SOLD_OUT");
        assert_eq!(stored_rejections(db).await?, 1);
        db.set_stock(f.ramen, 7).await?;
        let replay = guest.place(order(&first, lines())).await?;
        assert_eq!(replay.code(), "SOLD_OUT");
        assert!(replay.is_replay()?);
        assert_eq!(replay.headers["x-masterorder-idempotent-replay"], "true");
        assert_eq!(shortages(&replay)?, [short("ITEM", f.ramen, 2, 0)]);
        assert_eq!(db.all_orders().await?, 0);
        let placed = guest.place(order(&key(), lines())).await?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert_eq!((db.stock(f.ramen).await?, db.all_orders().await?, stored_rejections(db).await?), (5, 1, 1));
    }

    async fn a_placed_order_is_replayed_after_the_last_piece_is_gone(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.beer, 2).await?;
        let (guest, input) = (node.guest(f.s1()), order(&key(), json!([line(f.beer, 2)])));
        let first = guest.place(input.clone()).await?.order_id()?;
        assert_eq!(db.stock(f.beer).await?, 0);
        let again = guest.place(input).await?;
        assert_eq!(again.order_id()?, first);
        assert!(again.is_replay()?);
        assert_eq!((db.stock(f.beer).await?, db.all_orders().await?), (0, 1));
    }

    /// Eight tables reach for three pieces: three get one, five are told that none is left.
    async fn the_last_pieces_are_sold_once_each(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.ramen, 3).await?;
        let tries = f.tables.iter().map(|table| {
            let guest = node.guest(table);
            let input = order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]));
            async move { anyhow::Ok(guest.place(input).await?.code()) }
        });
        let mut codes = try_join_all(tries).await?;
        codes.sort();
        assert_eq!(codes, ["PLACED", "PLACED", "PLACED", "SOLD_OUT", "SOLD_OUT", "SOLD_OUT", "SOLD_OUT", "SOLD_OUT"]);
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?), (0, 97));
        assert_eq!((db.all_orders().await?, db.rows("kitchen_tickets").await?), (3, 3));
        assert_eq!(stored_rejections(db).await?, 5);
    }

    async fn what_is_switched_off_or_archived_is_unavailable_by_name_and_not_sold_out(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.change_menu("UPDATE menu_items SET archived = TRUE WHERE id = ?", [f.ramen.into()]).await?;
        db.change_menu("UPDATE menu_items SET available = FALSE WHERE id = ?", [f.beer.into()]).await?;
        let before = db.census().await?;
        let lines = json!([line(f.ramen, 1), line(f.beer, 1), line(f.tea, 1)]);
        let (guest, id) = (node.guest(f.s1()).with("accept-language", "ja"), key());
        let refused = guest.place(order(&id, lines.clone())).await?;
        assert_eq!(refused.code(), "ITEM_UNAVAILABLE");
        let items = &refused.result()?["items"];
        let names: Vec<_> = [0, 1, 2].iter().filter_map(|i| items[i]["name"].as_str()).collect();
        assert_eq!(names, ["ラーメン", "ビール"]);
        assert_eq!((&items[0]["kind"], &items[1]["id"]), (&json!("ITEM"), &json!(f.beer)));
        db.change_menu("UPDATE menu_items SET archived = FALSE, available = TRUE WHERE price_minor > ?", [0.into()])
            .await?;
        assert_eq!(guest.place(order(&id, lines.clone())).await?.code(), "ITEM_UNAVAILABLE");
        let mut after = db.census().await?;
        after.entry("idempotency_requests".into()).and_modify(|rows| *rows -= 1);
        assert_eq!(after, before);
        guest.place(order(&key(), lines)).await?.order_id()?;
    }
}
