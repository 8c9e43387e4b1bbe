//! Input that does not fit: a clear "no" that names the field and its range, and not a row written.
//!
//! Everything here is refused before the transaction, or rolled back inside it. Without the checks a negative line pays for
//! another, a hundred thousand bowls are cooked, and two placements in one document leave half an order behind.

use anyhow::Result;
use harness::client::{K1, K2, key, line, line_with, order};
use harness::{Client, Database, Reply, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

/// A command that does not fit: it ran as far as the check, so the answer is an error with a status of its own.
async fn refused(db: &Database, client: &Client, input: Value, path: &str, words: &str) -> Result<()> {
    let before = db.census().await?;
    let reply = client.place(input.clone()).await?;
    let message = reply.error();
    assert!(message.starts_with(&format!("{path}: ")), "{input}: {}", reply.body);
    assert!(message.contains(words), "{input}: {message}");
    is_bad_input(&reply);
    assert_eq!(reply.status, 200, "{input}");
    assert_eq!(db.census().await?, before, "{input}");
    Ok(())
}

/// The error says what it is, once.
fn is_bad_input(reply: &Reply) {
    assert_eq!(reply.code(), "BAD_USER_INPUT", "{}", reply.body);
    let extensions = &reply.body["errors"][0]["extensions"];
    assert_eq!(
        (&extensions["status"], &extensions["retryable"]),
        (&json!(400), &json!(false))
    );
    assert!(reply.body["data"].is_null(), "{}", reply.body);
}

on_both_databases! {
    async fn what_is_not_on_this_menu_is_named_by_its_line(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        for unknown in [Uuid::now_v7(), f.other_soup, f.egg, Uuid::nil()] {
            let input = order(&key(), json!([line(f.ramen, 1), line(unknown, 1)]));
            refused(db, &guest, input, "lines[1].menuItemId", "is not on the menu of this shop").await?;
        }
        for text in ["", "ramen", "850", "0190a5d27c3e7b1a8f003c9a1e5c8f10"] {
            let input = order(&key(), json!([{ "menuItemId": text, "quantity": 1 }]));
            refused(db, &guest, input, "lines[0].menuItemId", "must be a UUID").await?;
        }
        for topping in [Uuid::now_v7(), f.other_topping] {
            let input = order(&key(), json!([line_with(f.ramen, 1, &[topping])]));
            refused(db, &guest, input, "lines[0].toppings", "is not offered with this item").await?;
        }
    }

    /// AC-083, AC-085: alone, beside a good line, and as the sum of equal lines.
    async fn a_quantity_outside_its_range_is_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        for quantity in [0, -1, -99, 100, i64::from(i32::MAX), i64::from(i32::MIN)] {
            let range = format!("must be 1 to 99, not {quantity}");
            let alone = order(&key(), json!([line(f.beer, quantity)]));
            refused(db, &guest, alone, "lines[0].quantity", &range).await?;
            let beside = order(&key(), json!([line(f.ramen, 1), line(f.beer, quantity)]));
            refused(db, &guest, beside, "lines[1].quantity", &range).await?;
        }
        let merged = order(&key(), json!([line(f.tea, 50), line(f.beer, 1), line(f.tea, 50)]));
        refused(db, &guest, merged, "lines[2].quantity", "must be 1 to 99, not 100 together with").await?;
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.beer).await?, db.all_orders().await?), (10, 10, 0));
        // the bounds themselves fit, and another note makes another line
        let lines = json!([line(f.tea, 99), { "menuItemId": f.tea, "quantity": 1, "note": "hot" }]);
        guest.place(order(&key(), lines)).await?.order_id()?;
    }

    /// AC-085.
    async fn an_empty_cart_is_never_stored(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        refused(db, &guest, order(&key(), json!([])), "lines", "must hold 1 to 100 lines, not 0").await?;
        for lines in [json!(null), json!([null]), json!([[]]), json!("ramen")] {
            let before = db.census().await?;
            is_bad_input(&guest.place(order(&key(), lines)).await?);
            assert_eq!(db.census().await?, before);
        }
        assert_eq!(db.all_orders().await?, 0);
    }

    async fn a_cart_has_at_most_a_hundred_lines(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let lines = |n: usize| {
            let lines = (0..n).map(|i| json!({ "menuItemId": f.tea, "quantity": 1, "note": i.to_string() }));
            order(&key(), lines.collect())
        };
        refused(db, &guest, lines(101), "lines", "must hold 1 to 100 lines, not 101").await?;
        // equal lines count before they are added up
        let equal = order(&key(), json!(vec![line(f.tea, 1); 101]));
        refused(db, &guest, equal, "lines", "not 101").await?;
        guest.place(lines(100)).await?.order_id()?;
        assert_eq!(db.rows("order_lines").await?, 100);
    }

    async fn a_note_has_a_bound(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let mut input = order(&key(), json!([line(f.tea, 1)]));
        input["note"] = json!("a".repeat(501));
        refused(db, &guest, input, "note", "at most 500 characters").await?;
        let lines = json!([line(f.ramen, 1), { "menuItemId": f.tea, "quantity": 1, "note": "a".repeat(101) }]);
        refused(db, &guest, order(&key(), lines), "lines[1].note", "at most 100 characters").await?;
    }

    async fn only_a_uuid_of_version_4_is_a_key(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let lines = || json!([line(f.ramen, 1)]);
        for (key, words) in [
            ("6fa459ea-ee8a-11d2-90b5-0000c04fd430", "version 4, not of version 1"),
            ("01890a5d-ac96-774b-bcce-b302099a8057", "version 4, not of version 7"),
            ("00000000-0000-0000-0000-000000000000", "version 4"),
            ("", "must be a UUID v4"),
            ("1", "must be a UUID v4"),
            ("550e8400e29b41d4a716446655440000", "must be a UUID v4"),
            ("{550e8400-e29b-41d4-a716-446655440000}", "must be a UUID v4"),
            (" 550e8400-e29b-41d4-a716-446655440000", "must be a UUID v4"),
        ] {
            refused(db, &guest, order(key, lines()), "requestId", words).await?;
        }
        refused(db, &guest, json!({ "lines": lines() }), "requestId", "is required").await?;
        refused(db, &guest, json!({ "requestId": null, "lines": lines() }), "requestId", "is required").await?;
        let integrator = json!({ "tableSessionId": f.s1().id, "lines": lines() });
        refused(db, &node.key(&f.integrator_key), integrator, "requestId", "is required").await?;
    }

    async fn an_id_that_is_none_or_not_the_callers_is_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let with = |field: &str, value: Value| {
            let mut input = order(&key(), json!([line(f.ramen, 1)]));
            input[field] = value;
            input
        };
        for field in ["checkoutId", "confirmDuplicateOf", "tableSessionId"] {
            refused(db, &guest, with(field, json!("x")), field, "must be a UUID").await?;
        }
        refused(db, &guest, with("tableSessionId", json!(f.s2().id)), "tableSessionId", "must be left out").await?;
        let required = "is required of staff and integrators";
        refused(db, &staff, order(&key(), json!([line(f.ramen, 1)])), "tableSessionId", required).await?;
        for session in [f.other_table.id, Uuid::now_v7()] {
            let words = "is not a table session of this shop";
            refused(db, &staff, with("tableSessionId", json!(session)), "tableSessionId", words).await?;
        }
        let elsewhere = node.guest(f.s2()).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        for earlier in [json!(elsewhere), json!(Uuid::now_v7())] {
            let words = "must be an order of this table session";
            refused(db, &guest, with("confirmDuplicateOf", earlier), "confirmDuplicateOf", words).await?;
        }
        // the key that was refused is not burnt
        let mut input = with("confirmDuplicateOf", json!(elsewhere));
        assert_eq!(guest.place(input.clone()).await?.code(), "BAD_USER_INPUT");
        input["confirmDuplicateOf"] = json!(null);
        assert!(!guest.place(input).await?.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn a_guest_without_a_device_or_with_wrong_credentials_never_gets_in(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let client = "X-MasterOrder-Client-Id";
        let wrong_pin = if f.s1().pin == "0000" { "0001" } else { "0000" };
        let mut messages = Vec::new();
        for (caller, status, code, words) in [
            (guest.without("x-masterorder-client-id"), 400, "BAD_USER_INPUT", client),
            (guest.with("x-masterorder-client-id", "guest-1"), 400, "BAD_USER_INPUT", client),
            (guest.with("x-masterorder-client-id", K1), 400, "BAD_USER_INPUT", client),
            (guest.with("x-session-pin", wrong_pin), 401, "UNAUTHENTICATED", "X-Session-PIN"),
            (guest.with("x-session-id", K1), 401, "UNAUTHENTICATED", "X-Session-Id"),
            (
                guest.with("x-session-id", &f.s2().id.to_string()).with("x-session-pin", "x"),
                401,
                "UNAUTHENTICATED",
                "X-Session-Id",
            ),
        ] {
            let reply = caller.place(order(&key(), json!([line(f.ramen, 1)]))).await?;
            assert_eq!((reply.status, reply.code().as_str()), (status, code), "{}", reply.body);
            assert_eq!(reply.body["errors"][0]["extensions"]["status"], status);
            assert!(reply.body.get("data").is_none() && reply.error().contains(words), "{}", reply.body);
            messages.push(reply.error());
            assert_eq!(db.census().await?, before);
        }
        assert_eq!(
            (&messages[3], &messages[3]),
            (&messages[4], &messages[5]),
            "tells a wrong PIN from an unknown table"
        );
    }

    async fn a_body_and_a_document_have_bounds(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let answer = guest.begin_to_send(64 * 1024 + 1, 64 * 1024 + 1).await?;
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("\"BAD_USER_INPUT\""), "{answer}");
        assert!(answer.contains("at most 65536 bytes") && answer.contains("\"status\":413"), "{answer}");
        // the last byte that fits
        let body = |padding: usize| {
            json!({ "query": "{ shop { id } }", "variables": { "x": "a".repeat(padding) } }).to_string()
        };
        let reply = guest.post(body(64 * 1024 - body(0).len())).await?;
        assert_eq!((reply.status, reply.body.get("errors")), (200, None), "{}", reply.body);

        let aliases = |count: usize| (0..count).map(|n| format!("a{n}: version ")).collect::<String>();
        let nested = |depth: usize| format!("{}id{}", "order { ".repeat(depth), " }".repeat(depth));
        let fields = "shop { id } ".repeat(21);
        for (document, words) in [
            (format!("{{ menu {{ {} }} }}", aliases(31)), "at most 30 aliases"),
            (format!("{{ orders {{ nodes {{ ticket {{ {} }} }} }} }}", nested(9)), "fields at most 12 deep"),
            (format!("{{ {}a }}", "a ".repeat(5_000)), "at most 5000 tokens"),
            (format!("{{ {fields} }}"), "at most 20 fields at the root"),
            (format!("{{ shop {} {{ id }} }}", "@skip(if: false) ".repeat(51)), "at most 50 directives"),
            (format!("{{ shop {{ {} }} }}", "id ".repeat(2_000)), "at most 2000 fields"),
        ] {
            let reply = guest.send(&document, json!({})).await?;
            assert_eq!((reply.status, reply.code().as_str()), (400, "BAD_USER_INPUT"), "{}", reply.body);
            assert!(reply.error().contains(words), "{words}: {}", reply.error());
        }
        assert_eq!(db.census().await?, before);
        // what a page needs is inside the bounds
        let reply = guest.send(&format!("{{ menu {{ {} }} }}", aliases(30)), json!({})).await?;
        assert_eq!((reply.status, reply.body.get("errors")), (200, None), "{}", reply.body);
    }

    /// AC-169: whatever way two placements are written into one document, nothing runs.
    async fn two_placements_in_one_document_are_refused_before_anything_runs(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.beer, 0).await?;
        let before = db.census().await?;
        let variables = json!({
            "a": order(K1, json!([line(f.ramen, 1)])),
            "b": order(K2, json!([line(f.beer, 1)])),
        });
        let head = "mutation P($a: PlaceOrderInput!, $b: PlaceOrderInput!)";
        let (a, b) = ("a: placeOrder(input: $a) { allowed }", "b: placeOrder(input: $b) { allowed }");
        let documents = [
            format!("{head} {{ {a} {b} }}"),
            format!("{head} {{ placeOrder(input: $a) {{ allowed }} {b} }}"),
            format!("{head} {{ {a} ... on Mutation {{ {b} }} }}"),
            format!("{head} {{ ...A ...B }} fragment A on Mutation {{ {a} }} fragment B on Mutation {{ {b} }}"),
            format!("{head} {{ ...A }} fragment A on Mutation {{ {a} ...B }} fragment B on Mutation {{ {b} }}"),
            format!("{head} {{ {a} ... @include(if: true) {{ ... {{ {b} }} }} }}"),
        ];
        for guest in [node.guest(f.s1()), node.guest(f.s1()).with("idempotency-key", K1)] {
            for document in &documents {
                let reply = guest.send(document, variables.clone()).await?;
                assert_eq!(
                    (reply.status, reply.code().as_str()),
                    (400, "BAD_USER_INPUT"),
                    "{document}: {}",
                    reply.body
                );
                assert!(reply.error().contains("at most 1 "), "{document}: {}", reply.error());
                assert!(reply.body.get("data").is_none(), "{document}: {}", reply.body);
            }
        }
        assert_eq!(db.census().await?, before);
        // one of them, with reading beside it in another operation, is no pair
        let one = format!("mutation P($a: PlaceOrderInput!) {{ {a} }} query Q {{ shop {{ id }} }}");
        let body = json!({ "query": one, "operationName": "P", "variables": { "a": variables["a"] } });
        let reply = node.guest(f.s1()).post(body.to_string()).await?;
        assert_eq!(reply.body["data"]["a"]["allowed"], true, "{}", reply.body);
    }

    async fn a_header_that_names_another_key_is_refused_and_a_browsers_own_is_not(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let input = order(K1, json!([line(f.ramen, 1)]));
        for header in [K2.to_owned(), format!("\"{K2}\"")] {
            let guest = guest.with("idempotency-key", &header);
            refused(db, &guest, input.clone(), "requestId", "differs from the Idempotency-Key header").await?;
        }
        for header in ["\"16346208031983246401\"", &K1.to_uppercase()] {
            guest.with("idempotency-key", header).place(input.clone()).await?.order_id()?;
        }
        assert_eq!(db.all_orders().await?, 1);
    }
}
