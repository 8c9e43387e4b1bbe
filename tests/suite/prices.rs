//! Prices: integers of minor units with their currency, added up exactly, and never other than what the guest saw.
//!
//! Without the check of the expected total a price rise is charged to whoever had the menu open; without the stored receipt
//! a replay or the history shows today's price for yesterday's order; without a scalar wider than `Int` an amount above
//! 2^31 takes its whole object with it.

use anyhow::Result;
use futures_util::future::try_join_all;
use harness::client::{key, line, line_with, order};
use harness::{Backend, Database, Reply, database, fixture, on_both_databases};
use serde_json::{Value, json};

const MONEY: &str = "{ amountMinor currency }";

fn expecting(mut input: Value, amount_minor: Value, currency: &str) -> Value {
    input["expectedTotal"] = json!({ "amountMinor": amount_minor, "currency": currency });
    input
}

fn yen(input: Value, amount_minor: i64) -> Value {
    expecting(input, json!(amount_minor), "JPY")
}

async fn set_ramen(db: &Database, price_minor: i64) -> Result<()> {
    let sql = "UPDATE menu_items SET price_minor = ? WHERE id = ?";
    db.change_menu(sql, [price_minor.into(), db.fixture.ramen.into()]).await
}

/// (expected, actual, [(line, unit price, line total)]) of a `PRICE_CHANGED`.
fn changed(reply: &Reply) -> Result<(i64, i64, Vec<[i64; 3]>)> {
    anyhow::ensure!(reply.code() == "PRICE_CHANGED", "{}", reply.body);
    let result = reply.result()?;
    let number = |v: &Value| v.as_i64().unwrap_or(-1);
    let lines = result["lines"].as_array().into_iter().flatten().map(|l| {
        [
            number(&l["line"]),
            number(&l["unitPrice"]["amountMinor"]),
            number(&l["lineTotal"]["amountMinor"]),
        ]
    });
    let amount = |field: &str| number(&result[field]["amountMinor"]);
    Ok((amount("expectedTotal"), amount("actualTotal"), lines.collect()))
}

on_both_databases! {
    /// AC-067: reply, order, database and event; yen have no cents and cents are not dollars.
    async fn an_amount_is_never_scaled_and_travels_with_its_currency(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let opened = database::open(&db.url).await?;
        let dollars = fixture::another_shop(&opened, "USD", &[1250]).await?;
        opened.close().await;
        let query = format!(
            "mutation($input: PlaceOrderInput!) {{ placeOrder(input: $input) {{ orderId allowed result {{
            ... on OrderPlaced {{
              receipt {{ total {MONEY} lines {{ unitPrice {MONEY} lineTotal {MONEY} }} }}
              order {{ total {MONEY} lines {{ unitPrice {MONEY} lineTotal {MONEY} }} }} }} }} }} }}"
        );
        for (table, item, amount, currency) in
            [(f.s1(), f.ramen, 850, "JPY"), (&dollars.table, dollars.items[0], 1250, "USD")]
        {
            let input = expecting(order(&key(), json!([line(item, 1)])), json!(amount), currency);
            let placed = node.guest(table).send(&query, json!({ "input": input })).await?;
            placed.order_id()?;
            let money = json!({ "amountMinor": amount, "currency": currency });
            for view in ["receipt", "order"] {
                let view = &placed.result()?[view];
                assert_eq!((&view["total"], &view["lines"][0]["unitPrice"]), (&money, &money));
                assert_eq!(view["lines"][0]["lineTotal"], money);
            }
            let sql = "SELECT total_minor, currency FROM orders WHERE table_session_id = ?";
            let rows = db.query(sql, [table.id.into()]).await?;
            let stored: (i64, String) = (rows[0].try_get_by_index(0)?, rows[0].try_get_by_index(1)?);
            assert_eq!(stored, (amount, currency.to_owned()));
            let events = "SELECT payload FROM outbox_events e JOIN orders o ON o.id = e.order_id WHERE o.currency = ?";
            let rows = db.query(events, [currency.into()]).await?;
            let event: Value = serde_json::from_str(&rows[0].try_get_by_index::<String>(0)?)?;
            assert_eq!(
                (&event["order"]["totalMinor"], &event["order"]["currency"]),
                (&json!(amount), &json!(currency))
            );
        }
    }

    /// AC-071, as many orders as a test has time for: the sum of the lines is the total, in the answer, in the rows, and
    /// by an account of the test's own.
    async fn the_lines_of_any_order_add_up_to_its_total(db) {
        const ROUNDS: usize = 15;
        let (node, f) = (db.node().await?, &db.fixture);
        for subject in [f.ramen, f.beer, f.egg, f.chashu, f.nori] {
            db.set_stock(subject, 1_000_000).await?;
        }
        let tables = f.tables.iter().enumerate().map(|(seed, table)| {
            let guest = node.guest(table);
            async move {
                let mut dice = Dice(seed as u64 + 1);
                for _ in 0..ROUNDS {
                    let (mut lines, mut total) = (Vec::new(), 0);
                    for n in 0..1 + dice.below(8) {
                        let (item, price, offers) =
                            [(f.ramen, 850, true), (f.rice, 200, true), (f.beer, 600, false), (f.tea, 300, false)]
                                [dice.below(4)];
                        let (quantity, mut piece, mut toppings) = (1 + dice.below(12) as i64, price, Vec::new());
                        for _ in 0..if offers { dice.below(6) } else { 0 } {
                            let (topping, price) = [(f.egg, 120), (f.chashu, 250), (f.nori, 80)][dice.below(3)];
                            toppings.push(topping);
                            piece += price;
                        }
                        total += piece * quantity;
                        let mut line = line_with(item, quantity, &toppings);
                        // a note keeps equal lines apart, so that their quantities stay in bounds
                        line["note"] = json!(format!("line {n}"));
                        lines.push(line);
                    }
                    let placed = guest.place(yen(order(&key(), json!(lines)), total)).await?;
                    placed.order_id()?;
                    let receipt = &placed.result()?["receipt"];
                    let lines = receipt["lines"].as_array().into_iter().flatten();
                    let sum: i64 = lines.filter_map(|l| l["lineTotal"]["amountMinor"].as_i64()).sum();
                    assert_eq!((sum, receipt["total"]["amountMinor"].as_i64()), (total, Some(total)));
                }
                anyhow::Ok(())
            }
        });
        try_join_all(tables).await?;
        let orders = db.all_orders().await?;
        assert_eq!(orders, (ROUNDS * f.tables.len()) as i64);
        let exact = "SELECT count(*) FROM orders o
            WHERE o.total_minor = (SELECT sum(l.line_total_minor) FROM order_lines l WHERE l.order_id = o.id)
              AND NOT EXISTS (SELECT 1 FROM order_lines l
                WHERE l.order_id = o.id AND l.line_total_minor <> l.quantity * l.unit_price_minor)";
        assert_eq!(db.int(exact, []).await?, orders);
    }

    /// AC-071: no column of money can hold anything but an integer.
    async fn only_integers_are_stored(db) {
        let columns = match db.backend {
            Backend::Sqlite => {
                "SELECT lower(c.type) FROM sqlite_master m, pragma_table_info(m.name) c
                 WHERE m.type = 'table' AND c.name LIKE '%\\_minor' ESCAPE '\\'"
            }
            Backend::Postgres => {
                "SELECT CAST(data_type AS TEXT) FROM information_schema.columns
                 WHERE table_schema = 'public' AND column_name LIKE '%\\_minor'"
            }
        };
        let types: Vec<String> =
            db.query(columns, []).await?.iter().map(|r| r.try_get_by_index(0)).collect::<Result<_, _>>()?;
        assert!(types.len() >= 6, "{types:?}");
        assert!(types.iter().all(|t| t == "integer" || t == "bigint"), "{types:?}");
        if db.backend == Backend::Sqlite {
            let loose = "SELECT count(*) FROM sqlite_master
                WHERE type = 'table' AND sql LIKE '%\\_minor%' ESCAPE '\\' AND sql NOT LIKE '%STRICT'";
            assert_eq!(db.int(loose, []).await?, 0);
        }
    }

    /// AC-073; the answer is stored, so the guest confirms the new price under a new key.
    async fn a_price_that_rose_since_the_guest_saw_it_is_refused_with_the_current_one(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let input = yen(order(&key(), json!([line(f.ramen, 1)])), 850);
        set_ramen(db, 950).await?;
        let before = db.census().await?;
        let refused = guest.with("accept-language", "ja").place(input.clone()).await?;
        assert_eq!(changed(&refused)?, (850, 950, vec![[0, 950, 950]]));
        let result = refused.result()?;
        assert_eq!((&result["status"], &result["retryable"]), (&json!(409), &json!(false)));
        assert_eq!(result["retryWithNewRequestId"], true);
        assert_eq!(result["message"], "ラーメンの価格が850円から950円に変わりました");
        assert_eq!(
            (&result["lines"][0]["menuItemId"], &result["lines"][0]["name"]),
            (&json!(f.ramen), &json!("ラーメン"))
        );
        let mut after = db.census().await?;
        after.entry("idempotency_requests".into()).and_modify(|rows| *rows -= 1);
        assert_eq!(after, before);

        // what is stored comes back the same, even when the old price does
        set_ramen(db, 850).await?;
        let replay = guest.place(input.clone()).await?;
        assert_eq!(changed(&replay)?, (850, 950, vec![[0, 950, 950]]));
        assert!(replay.is_replay()?);
        assert_eq!(db.all_orders().await?, 0);

        set_ramen(db, 950).await?;
        let confirmed = guest.place(yen(order(&key(), json!([line(f.ramen, 1)])), 950)).await?;
        confirmed.order_id()?;
        assert_eq!(confirmed.result()?["receipt"]["total"]["amountMinor"], 950);
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (1, 9));
    }

    /// AC-073: every way in which a total can be another, and what the answer says of each line of the cart.
    async fn any_other_total_is_refused_and_each_line_has_its_current_price(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let cart = || json!([line(f.beer, 1), line_with(f.ramen, 2, &[f.egg]), line(f.beer, 2), line(f.tea, 1)]);
        let total = 3 * 600 + 2 * (850 + 120) + 300;
        let lines = vec![[0, 600, 1800], [1, 970, 1940], [3, 300, 300]];
        for expected in [0, 1, total - 1, total + 1, (1 << 53) - 1] {
            let refused = guest.place(yen(order(&key(), cart()), expected)).await?;
            assert_eq!(changed(&refused)?, (expected, total, lines.clone()));
        }
        // a fall and a topping's price are changes too
        db.change_menu("UPDATE toppings SET price_minor = 20 WHERE id = ?", [f.egg.into()]).await?;
        let refused = guest.place(yen(order(&key(), cart()), total)).await?;
        assert_eq!(changed(&refused)?, (total, total - 200, vec![[0, 600, 1800], [1, 870, 1740], [3, 300, 300]]));
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?, db.stock(f.beer).await?), (0, 10, 10));
        // whoever expects nothing pays what it costs
        let placed = guest.place(order(&key(), cart())).await?;
        placed.order_id()?;
        assert_eq!(placed.result()?["receipt"]["total"]["amountMinor"], total - 200);
    }

    /// AC-075, the replay and the history.
    async fn a_placed_order_keeps_the_price_that_it_was_placed_at(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let input = yen(order(&key(), json!([line_with(f.ramen, 2, &[f.egg])])), 2 * 970);
        let placed = guest.place(input.clone()).await?;
        let id = placed.order_id()?;
        set_ramen(db, 950).await?;
        db.change_menu("UPDATE toppings SET price_minor = 200, name_en = 'soft egg' WHERE id = ?", [f.egg.into()])
            .await?;
        db.change_menu("UPDATE menu_items SET name_en = 'noodles' WHERE id = ?", [f.ramen.into()]).await?;

        let replay = guest.place(input).await?;
        assert_eq!(replay.order_id()?, id);
        assert!(replay.is_replay()?);
        assert_eq!(replay.result()?["receipt"], placed.result()?["receipt"]);
        let lines = "total { amountMinor } lines { name unitPrice { amountMinor } lineTotal { amountMinor }
            toppings { name unitPrice { amountMinor } } }";
        let query = format!(
            "query($id: ID!) {{ order(id: $id) {{ {lines} receipt {{ {lines} }} }}
            orders {{ nodes {{ {lines} }} }} }}"
        );
        let history = guest.send(&query, json!({ "id": id })).await?.body["data"].clone();
        for view in [&history["order"], &history["order"]["receipt"], &history["orders"]["nodes"][0]] {
            assert_eq!(view["total"]["amountMinor"], 1940, "{history}");
            assert_eq!(view["lines"][0]["unitPrice"]["amountMinor"], 970);
            assert_eq!(view["lines"][0]["lineTotal"]["amountMinor"], 1940);
            assert_eq!(view["lines"][0]["toppings"][0]["unitPrice"]["amountMinor"], 120);
            assert_eq!(
                (&view["lines"][0]["name"], &view["lines"][0]["toppings"][0]["name"]),
                (&json!("ramen"), &json!("egg"))
            );
        }
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn an_expected_total_that_is_no_amount_of_this_shop_is_bad_input(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let range = "9007199254740991";
        for (amount, currency, words) in [
            (json!(850), "USD", "expectedTotal.currency: must be JPY"),
            (json!(850), "jpy", "expectedTotal.currency"),
            (json!(850), "", "expectedTotal.currency"),
            (json!(-1), "JPY", "expectedTotal.amountMinor: must be 0 to 9007199254740991, not -1"),
            (json!(-850), "JPY", range),
            (json!(1_i64 << 53), "JPY", range),
            (json!(u64::MAX), "JPY", range),
            (json!(850.5), "JPY", range),
            (json!("850"), "JPY", range),
            (json!(null), "JPY", "expectedTotal.amountMinor"),
        ] {
            let input = expecting(order(&key(), json!([line(f.ramen, 1)])), amount.clone(), currency);
            let refused = guest.place(input).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT", "{amount} {currency}: {}", refused.body);
            assert_eq!(refused.body["errors"][0]["extensions"]["status"], 400);
            assert!(refused.error().contains(words), "{amount} {currency}: {}", refused.error());
            assert_eq!(db.census().await?, before, "{amount} {currency}");
        }
    }

    /// AC-087: beyond what GraphQL's `Int` holds, next to other fields.
    async fn three_billion_is_exact_in_receipt_order_and_history(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        set_ramen(db, 1_500_000_000).await?;
        let guest = node.guest(f.s1());
        let input = yen(order(&key(), json!([line(f.ramen, 2)])), 3_000_000_000);
        let fields = "number table total { amountMinor currency } lines { quantity lineTotal { amountMinor } }";
        let query = format!(
            "mutation($input: PlaceOrderInput!) {{ placeOrder(input: $input) {{ allowed orderId result {{
            ... on OrderPlaced {{ receipt {{ {fields} }} order {{ {fields} }} }} }} }} }}"
        );
        let placed = guest.send(&query, json!({ "input": input })).await?;
        placed.order_id()?;
        let history = guest.send(&format!("{{ orders {{ nodes {{ {fields} }} }} }}"), json!({})).await?;
        assert_eq!((placed.body.get("errors"), history.body.get("errors")), (None, None));
        let result = placed.result()?;
        for view in [&result["receipt"], &result["order"], &history.body["data"]["orders"]["nodes"][0]] {
            assert_eq!(view["total"], json!({ "amountMinor": 3_000_000_000_i64, "currency": "JPY" }));
            assert_eq!(view["lines"][0]["lineTotal"]["amountMinor"], 3_000_000_000_i64);
            assert_eq!((&view["table"], &view["lines"][0]["quantity"]), (&json!("S1"), &json!(2)));
            assert_eq!(view["total"]["amountMinor"].to_string(), "3000000000");
        }
        let refused = guest.place(yen(order(&key(), json!([line(f.ramen, 3)])), 3_000_000_000)).await?;
        assert_eq!(changed(&refused)?, (3_000_000_000, 4_500_000_000, vec![[0, 1_500_000_000, 4_500_000_000]]));
    }

    async fn an_order_beyond_exact_numbers_is_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.change_menu("UPDATE menu_items SET price_minor = 1000000000000 WHERE id = ?", [f.tea.into()]).await?;
        let before = db.census().await?;
        let lines: Vec<Value> =
            (0..100).map(|n| json!({ "menuItemId": f.tea, "quantity": 99, "note": format!("{n}") })).collect();
        let refused = node.guest(f.s1()).place(order(&key(), json!(lines))).await?;
        assert_eq!(refused.code(), "BAD_USER_INPUT", "{}", refused.body);
        assert!(refused.error().starts_with("lines: must cost at most 9007199254740991"), "{}", refused.error());
        assert_eq!(db.census().await?, before);
        let placed = node.guest(f.s1()).place(order(&key(), json!(lines[..90]))).await?;
        placed.order_id()?;
        assert_eq!(placed.result()?["receipt"]["total"]["amountMinor"], 99 * 90 * 1_000_000_000_000_i64);
    }
}

/// A repeatable sequence (xorshift): a failure can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
