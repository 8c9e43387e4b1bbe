//! What makes two requests the same one.
//!
//! A retry is seldom sent byte by byte: another library orders the attributes of an object otherwise, another document asks
//! for other fields, an empty note becomes `null`. A fingerprint of the bytes answers `IDEMPOTENCY_KEY_REUSED` to a guest who
//! did nothing wrong; a fingerprint that leaves something out gives a guest an order that is not theirs. It is taken of the
//! validated command instead.

use anyhow::{Result, ensure};
use harness::client::{K1, key, line, line_with, order};
use harness::database::Database;
use harness::{Reply, on_both_databases};
use serde_json::{Value, json};
use std::fmt::Display;
use uuid::Uuid;

on_both_databases! {
    /// AC-020.
    async fn attribute_order_and_white_space_do_not_matter(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let query = serde_json::to_string(harness::client::PLACE)?;
        let (ramen, egg, nori) = (f.ramen, f.egg, f.nori);
        let spellings = [
            format!(
                r#"{{"query":{query},"variables":{{"input":{{"requestId":"{K1}","lines":[{{"menuItemId":"{ramen}","quantity":2,"toppings":[{{"toppingId":"{egg}","quantity":1}},{{"toppingId":"{nori}","quantity":2}}]}}],"note":"a"}}}}}}"#
            ),
            format!(
                r#"{{ "variables" : {{ "input" : {{ "note" : "a",
                    "lines" : [ {{ "toppings" : [ {{ "quantity" : 2, "toppingId" : "{nori}" }}, {{ "quantity" : 1, "toppingId" : "{egg}" }} ],
                        "quantity" : 2, "menuItemId" : "{ramen}" }} ],
                    "requestId" : "{K1}" }} }},
                    "query" : {query} }}"#
            ),
            format!(
                r#"{{"query":{query},"variables":{{"input":{{"lines":[{{"quantity":2,"menuItemId":"{}","toppings":[{{"toppingId":"{}"}},{{"toppingId":"{nori}","quantity":2}}]}}],"requestId":"{}","note":"\u0061"}}}}}}"#,
                ramen.to_string().to_uppercase(),
                egg.to_string().to_uppercase(),
                K1.to_uppercase()
            ),
        ];
        let mut same = Same::new(db);
        for body in spellings {
            same.check(&guest.post(body.clone()).await?, &body).await?;
        }
        assert_eq!(db.all_orders().await?, 1);
    }

    /// AC-022: a replay serves what its own document asks for, and nothing else.
    async fn variables_or_literals_and_the_selection_set_do_not_matter(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let first = guest.place(order(K1, json!([line_with(f.ramen, 1, &[f.egg])]))).await?.order_id()?;
        let literal = format!(
            "{{ requestId: \"{K1}\", lines: [{{ menuItemId: \"{}\", quantity: 1, toppings: [{{ toppingId: \"{}\" }}] }}] }}",
            f.ramen, f.egg
        );
        let id_only = format!("mutation Again {{ placeOrder(input: {literal}) {{ orderId }} }}");
        let reply = guest.send(&id_only, json!({})).await?;
        assert_eq!(reply.body, json!({ "data": { "placeOrder": { "orderId": first } } }));
        assert!(reply.has_replay_header());

        let more = format!(
            "mutation {{ mine: placeOrder(input: {literal}) {{ id: orderId ...How result {{ ... on OrderPlaced {{
                receipt {{ total {{ amountMinor }} lines {{ quantity toppings {{ quantity }} }} }} }} }} }} }}
             fragment How on PlaceOrderPayload {{ idempotentReplay }}"
        );
        let reply = guest.send(&more, Value::Null).await?;
        assert_eq!(reply.body, json!({ "data": { "mine": { "id": first, "idempotentReplay": true, "result": { "receipt": {
            "total": { "amountMinor": 970 }, "lines": [{ "quantity": 1, "toppings": [{ "quantity": 1 }] }] } } } } }));

        let pieces = "mutation($key: UUID, $lines: [OrderLineInput!]!) {
            placeOrder(input: { lines: $lines, requestId: $key }) { allowed } }";
        let variables = json!({ "key": K1, "lines": [line_with(f.ramen, 1, &[f.egg])] });
        let reply = guest.send(pieces, variables).await?;
        assert_eq!(reply.body, json!({ "data": { "placeOrder": { "allowed": true } } }));
        assert!(reply.has_replay_header());
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (1, 9));
    }

    /// AC-024.
    async fn equal_lines_are_one_line_in_the_request_and_in_the_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let once = json!([line_with(f.ramen, 2, &[f.egg])]);
        let twice = json!([line_with(f.ramen, 1, &[f.egg]), line_with(f.ramen, 1, &[f.egg])]);
        for (table, key, first, second) in [(f.s1(), key(), &twice, &once), (f.s2(), key(), &once, &twice)] {
            let guest = node.guest(table);
            let placed = guest.place(order(&key, first.clone())).await?;
            let replay = guest.place(order(&key, second.clone())).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (placed.order_id()?, true));
            for reply in [&placed, &replay] {
                let receipt = &reply.result()?["receipt"];
                assert_eq!(receipt["total"]["amountMinor"], 1940);
                assert_eq!(receipt["lines"].as_array().map(Vec::len), Some(1));
                assert_eq!(receipt["lines"][0]["quantity"], 2);
            }
            let lines = "SELECT count(*) FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE o.table_session_id = ?
                AND l.quantity = 2 AND l.line_total_minor = 1940";
            assert_eq!((db.orders(table).await?, db.int(lines, [table.id.into()]).await?), (1, 1));
        }
        assert_eq!((db.rows("order_lines").await?, db.stock(f.ramen).await?, db.stock(f.egg).await?), (2, 6, 96));
    }

    async fn the_order_of_lines_and_toppings_does_not_matter(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let toppings = |t: Value| json!({ "menuItemId": f.ramen, "quantity": 1, "toppings": t });
        let [one, two] = [|id: Uuid| json!({ "toppingId": id }), |id: Uuid| json!({ "toppingId": id, "quantity": 2 })];
        let spellings = [
            json!([toppings(json!([one(f.egg), two(f.nori)])), line(f.beer, 1)]),
            json!([line(f.beer, 1), toppings(json!([two(f.nori), one(f.egg)]))]),
            json!([line(f.beer, 1), toppings(json!([one(f.nori), one(f.egg), one(f.nori)]))]),
        ];
        let mut same = Same::new(db);
        for lines in spellings {
            same.check(&guest.place(order(K1, lines.clone())).await?, &lines).await?;
        }
        // what is stored and printed is the first one, in its own order
        let items = db.query("SELECT menu_item_id FROM order_lines ORDER BY position", []).await?;
        let items: Vec<Uuid> = items.iter().map(|r| r.try_get_by_index(0)).collect::<Result<_, _>>()?;
        assert_eq!(items, [f.ramen, f.beer]);
        assert_eq!((db.stock(f.egg).await?, db.stock(f.nori).await?), (99, 98));
    }

    /// AC-026.
    async fn null_missing_empty_and_default_are_the_same(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let rice = |more: Value| {
            let mut line = line(f.rice, 1);
            for (name, value) in more.as_object().into_iter().flatten() {
                line[name] = value.clone();
            }
            json!([line])
        };
        let spellings = [
            json!({ "lines": rice(json!({})) }),
            json!({ "lines": rice(json!({ "note": null, "toppings": null })), "note": null }),
            json!({ "lines": rice(json!({ "note": "", "toppings": [] })), "note": "" }),
            json!({ "lines": rice(json!({ "note": "  \n" })), "note": "\u{3000}\t" }),
            json!({ "lines": rice(json!({})), "checkoutId": null, "tableSessionId": null, "expectedTotal": null,
                "confirmDuplicateOf": null }),
            json!({ "lines": rice(json!({})), "tableSessionId": f.s1().id }),
        ];
        let mut same = Same::new(db);
        for mut input in spellings {
            input["requestId"] = json!(K1);
            same.check(&guest.place(input.clone()).await?, &input).await?;
        }
        assert_eq!(db.all_orders().await?, 1);

        // a list may be written as its only element, and one portion is the default
        let noodles = |toppings: Value| json!([{ "menuItemId": f.ramen, "quantity": 1, "toppings": toppings }]);
        let mut same = Same::new(db);
        let key = key();
        for toppings in [
            json!([{ "toppingId": f.egg }]),
            json!([{ "toppingId": f.egg, "quantity": 1 }]),
            json!({ "toppingId": f.egg }),
        ] {
            same.check(&guest.place(order(&key, noodles(toppings.clone()))).await?, &toppings).await?;
        }
        assert_eq!(db.all_orders().await?, 2);
    }

    async fn text_is_compared_in_one_form_and_kept_as_sent(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        // composed and decomposed: カレーが, é
        let sent = " カレーか\u{3099} caf\u{0065}\u{0301} ";
        let with_notes = |note: &str| json!({ "requestId": K1, "note": note,
            "lines": [{ "menuItemId": f.rice, "quantity": 1, "note": note }] });
        let mut same = Same::new(db);
        for note in [sent, "カレーが café", "\nカレーが cafe\u{0301}"] {
            same.check(&guest.place(with_notes(note)).await?, &note).await?;
        }
        let other = guest.place(with_notes("カレーか café")).await?;
        assert_eq!(other.result()?["fields"], json!(["lines", "note"]));
        let kept = db.query("SELECT o.note, l.note FROM orders o JOIN order_lines l ON l.order_id = o.id", []).await?;
        assert_eq!(kept.len(), 1);
        for column in 0..2 {
            assert_eq!(kept[0].try_get_by_index::<String>(column)?, sent);
        }
    }

    /// Whatever the guest would call another order is another request, and its fields are named.
    async fn whatever_differs_is_named(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let cart = Uuid::new_v4();
        let base = json!({ "requestId": K1, "checkoutId": cart, "note": "a", "lines": [line_with(f.ramen, 1, &[f.egg])],
            "expectedTotal": { "amountMinor": 970, "currency": "JPY" } });
        let placed = guest.place(base.clone()).await?.order_id()?;
        let before = db.census().await?;
        let line_note = json!([{ "menuItemId": f.ramen, "quantity": 1, "toppings": [{ "toppingId": f.egg }], "note": "b" }]);
        for (changes, fields) in [
            (json!({ "lines": [line_with(f.ramen, 2, &[f.egg])] }), json!(["lines"])),
            (json!({ "lines": [line_with(f.rice, 1, &[f.egg])] }), json!(["lines"])),
            (json!({ "lines": [line_with(f.ramen, 1, &[f.nori])] }), json!(["lines"])),
            (json!({ "lines": [line_with(f.ramen, 1, &[f.egg, f.egg])] }), json!(["lines"])),
            (json!({ "lines": [line_with(f.ramen, 1, &[f.egg]), line(f.beer, 1)] }), json!(["lines"])),
            (json!({ "lines": line_note }), json!(["lines"])),
            (json!({ "note": "b" }), json!(["note"])),
            (json!({ "note": null }), json!(["note"])),
            (json!({ "checkoutId": Uuid::new_v4() }), json!(["checkoutId"])),
            (json!({ "checkoutId": null }), json!(["checkoutId"])),
            (json!({ "expectedTotal": { "amountMinor": 971, "currency": "JPY" } }), json!(["expectedTotal"])),
            (json!({ "expectedTotal": { "amountMinor": 970, "currency": "USD" } }), json!(["expectedTotal"])),
            (json!({ "expectedTotal": null }), json!(["expectedTotal"])),
            (json!({ "lines": [line(f.beer, 1)], "note": "b", "expectedTotal": null, "checkoutId": null }),
                json!(["checkoutId", "lines", "note", "expectedTotal"])),
        ] {
            let input = changed(&base, &changes);
            let refused = guest.place(input.clone()).await?;
            assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED", "{changes}");
            assert_eq!(refused.result()?["fields"], fields, "{changes}");
            assert_eq!(db.census().await?, before, "{changes}");
            // who has no part in the request learns that the key is taken, and nothing else
            let staffs = changed(&input, &json!({ "tableSessionId": f.s1().id }));
            for (foreign, input) in [(node.guest(f.s2()), input), (node.key(&f.staff_key), staffs)] {
                let reply = foreign.place(input).await?;
                assert_eq!(reply.code(), "IDEMPOTENCY_KEY_REUSED", "{changes}");
                assert_eq!(reply.result()?["fields"], json!([]), "{changes}");
            }
        }
        let replay = guest.place(base).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (placed, true));
    }

    /// Saying "yes, the same again" later, or on another phone of the party, is no other request.
    async fn the_device_and_the_confirmation_do_not_matter(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let mut same = Same::new(db);
        let input = order(K1, json!([line(f.beer, 1)]));
        let first = node.guest(f.s1()).place(input.clone()).await?;
        same.check(&first, "first").await?;
        let confirmed = changed(&input, &json!({ "confirmDuplicateOf": first.order_id()? }));
        same.check(&node.guest(f.s1()).place(confirmed).await?, "confirmed").await?;
        same.check(&node.guest(f.s1()).with("accept-language", "ja").place(input).await?, "other phone").await?;
        assert_eq!(db.stock(f.beer).await?, 9);
    }

    /// A node that is updated later meets claims that it can not compare. It says that it could not, and never that the guest
    /// did something wrong.
    async fn a_claim_of_a_newer_version_is_unavailable_and_never_key_reuse(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let same = order(K1, json!([line(f.ramen, 1)]));
        let placed = guest.place(same.clone()).await?.order_id()?;
        let set_version = "UPDATE idempotency_requests SET fingerprint_version = ?";
        db.execute(set_version, [2.into()]).await?;
        let before = db.census().await?;
        let other = order(K1, json!([line(f.ramen, 2)]));
        for (client, input) in [(&guest, &same), (&guest, &other), (&node.guest(f.s2()), &same)] {
            let reply = client.place(input.clone()).await?;
            assert_eq!(reply.code(), "UNAVAILABLE");
            assert_eq!(reply.body["data"]["placeOrder"], Value::Null);
            let extensions = &reply.body["errors"][0]["extensions"];
            assert_eq!((&extensions["status"], &extensions["retryable"]), (&json!(503), &json!(true)));
            assert!(reply.retry_after_ms().is_some_and(|ms| ms > 0));
        }
        assert_eq!(db.census().await?, before);
        db.execute(set_version, [1.into()]).await?;
        let replay = guest.place(same).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (placed, true));
        assert_eq!(guest.place(other).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(db.all_orders().await?, 1);
    }
}

/// Requests that must all be the same one.
struct Same<'d> {
    db: &'d Database,
    first: Option<(String, i64)>,
}

impl<'d> Same<'d> {
    fn new(db: &'d Database) -> Self {
        Self { db, first: None }
    }

    /// The first places an order, every other one replays it and leaves nothing.
    async fn check(&mut self, reply: &Reply, spelling: impl Display) -> Result<()> {
        let (id, orders) = (reply.order_id()?, self.db.all_orders().await?);
        match &self.first {
            None => {
                ensure!(!reply.is_replay()?, "the first is no replay: {spelling}");
                self.first = Some((id, orders));
            }
            Some(first) => {
                ensure!(
                    reply.is_replay()? && *first == (id, orders),
                    "no replay: {spelling}: {}",
                    reply.body
                );
            }
        }
        Ok(())
    }
}

/// A request with some fields changed.
fn changed(base: &Value, changes: &Value) -> Value {
    let mut input = base.clone();
    for (name, value) in changes.as_object().into_iter().flatten() {
        input[name] = value.clone();
    }
    input
}
