//! Reading: pages that neither repeat nor skip, names in the reader's language, and nothing of anybody else.
//!
//! Without the id in the cursor two orders of one instant fall between two pages; without the scope a guest reads the next
//! table; without the queue's flush nobody can tell later what became of a retry.

use anyhow::{Context, Result};
use harness::client::{key, line, line_with, order};
use harness::{Client, Setup, eventually, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

async fn data(client: &Client, query: &str, variables: Value) -> Result<Value> {
    let reply = client.send(query, variables).await?;
    anyhow::ensure!(
        reply.status == 200 && reply.body.get("errors").is_none(),
        "{query}: {}",
        reply.body
    );
    Ok(reply.body["data"].clone())
}

/// A page: the nodes' (id, requestId), whether more are there, and where it ended.
async fn page(
    client: &Client,
    first: i64,
    after: Option<&str>,
) -> Result<(Vec<(String, String)>, bool, Option<String>)> {
    let query = "query($first: Int!, $after: String) { orders(first: $first, after: $after) {
        nodes { id requestId } pageInfo { hasNextPage endCursor } } }";
    let orders = data(client, query, json!({ "first": first, "after": after })).await?["orders"].clone();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let nodes = orders["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|n| (text(&n["id"]), text(&n["requestId"])));
    let info = &orders["pageInfo"];
    Ok((
        nodes.collect(),
        info["hasNextPage"] == true,
        info["endCursor"].as_str().map(str::to_owned),
    ))
}

async fn orders_of(client: &Client, session: Option<Uuid>) -> Result<Vec<String>> {
    let query = "query($session: ID) { orders(tableSessionId: $session) { nodes { id } } }";
    let orders = data(client, query, json!({ "session": session })).await?["orders"]["nodes"].clone();
    Ok(orders
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|o| o["id"].as_str().map(str::to_owned))
        .collect())
}

on_both_databases! {
    async fn pages_are_newest_first_and_neither_repeat_nor_skip(db) {
        let node = db.node_with(Setup::manual_clock()).await?;
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let guest = node.guest(f.s1());
        let mut placed = Vec::new();
        for n in 0..25 {
            let id = key();
            placed.push((guest.place(order(&id, json!([line(f.tea, 1)]))).await?.order_id()?, id));
            // five at a time share one instant
            node.clock.advance(if n % 5 == 4 { 1 } else { 0 });
        }
        let instants = "SELECT count(DISTINCT placed_at_ms) FROM orders";
        assert_eq!(db.int(instants, []).await?, 5);
        let rows = db.query("SELECT id FROM orders ORDER BY placed_at_ms DESC, id DESC", []).await?;
        let newest_first: Vec<String> =
            rows.iter().map(|r| Ok(r.try_get_by_index::<Uuid>(0)?.to_string())).collect::<Result<_>>()?;

        for (reader, size) in [(guest.clone(), 10), (guest.clone(), 1), (node.key(&f.staff_key), 7)] {
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let (nodes, more, end) = page(&reader, size, after.as_deref()).await?;
                assert_eq!(nodes.len(), (25 - seen.len()).min(size as usize));
                seen.extend(nodes);
                assert_eq!(more, seen.len() < 25, "{size}");
                after = end;
                if !more {
                    break;
                }
            }
            assert_eq!(seen.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), newest_first, "{size}");
            assert!(seen.iter().all(|pair| placed.contains(pair)), "an order came without its requestId");
            let (nodes, more, end) = page(&reader, size, after.as_deref()).await?;
            assert_eq!((nodes, more, end), (vec![], false, None));
        }

        // what is placed between two pages is on neither of the later ones
        let (_, _, end) = page(&guest, 10, None).await?;
        guest.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        let (nodes, ..) = page(&guest, 10, end.as_deref()).await?;
        assert_eq!(nodes.iter().map(|(id, _)| id).collect::<Vec<_>>(), newest_first[10..20].iter().collect::<Vec<_>>());
    }

    async fn a_page_has_one_to_a_hundred_orders_and_a_cursor_of_ours(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        for first in [0, -1, 101, 1_000_000, i64::from(i32::MAX)] {
            let reply = guest
                .send("query($first: Int) { orders(first: $first) { nodes { id } } }", json!({ "first": first }))
                .await?;
            assert_eq!(reply.code(), "BAD_USER_INPUT", "{first}: {}", reply.body);
            assert_eq!(reply.error(), format!("first: must be 1 to 100, not {first}"));
        }
        for after in ["", "x", "1", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "' OR 1=1"] {
            let reply = guest
                .send("query($after: String) { orders(after: $after) { nodes { id } } }", json!({ "after": after }))
                .await?;
            assert_eq!(reply.code(), "BAD_USER_INPUT", "{after}: {}", reply.body);
            assert!(reply.error().starts_with("after: "), "{}", reply.error());
        }
        assert_eq!(page(&guest, 100, None).await?, (vec![], false, None));
    }

    async fn everybody_reads_their_own_orders_only(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let place = async |client: Client, item| client.place(order(&key(), json!([line(item, 1)]))).await?.order_id();
        let one = place(node.guest(f.s1()), f.tea).await?;
        let two = place(node.guest(f.s2()), f.tea).await?;
        let other = place(node.guest(&f.other_table), f.other_soup).await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        assert_eq!(orders_of(&guest, None).await?, [one.as_str()]);
        assert_eq!(orders_of(&guest, Some(f.s1().id)).await?, [one.as_str()]);
        for client in [&staff, &node.key(&f.integrator_key)] {
            assert_eq!(orders_of(client, None).await?, [two.as_str(), one.as_str()]);
            assert_eq!(orders_of(client, Some(f.s2().id)).await?, [two.as_str()]);
            assert_eq!(orders_of(client, Some(f.tables[7].id)).await?, Vec::<String>::new());
            assert_eq!(orders_of(client, Some(f.other_table.id)).await?, Vec::<String>::new());
        }
        assert_eq!(orders_of(&node.key(&f.other_staff_key), None).await?, [other.as_str()]);
        for session in [f.s2().id, f.other_table.id, Uuid::now_v7()] {
            let query = "query($session: ID) { orders(tableSessionId: $session) { nodes { id } } }";
            assert_eq!(guest.send(query, json!({ "session": session })).await?.code(), "NOT_FOUND");
        }

        // one by one: what they can not see is not there
        let query = "query($id: ID!) { order(id: $id) { id status table } }";
        assert_eq!(data(&guest, query, json!({ "id": one })).await?["order"]["table"], "S1");
        assert_eq!(data(&staff, query, json!({ "id": two })).await?["order"]["status"], "PLACED");
        let nothing = Uuid::now_v7().to_string();
        for (client, id) in [(&guest, &two), (&guest, &other), (&guest, &nothing), (&staff, &other), (&staff, &nothing)]
        {
            assert_eq!(client.send(query, json!({ "id": id })).await?.code(), "NOT_FOUND");
        }
        assert_eq!(guest.send(query, json!({ "id": "S1" })).await?.code(), "BAD_USER_INPUT");
    }

    async fn an_order_tells_everything_that_it_was_and_is(db) {
        let node = db.node_with(Setup::manual_clock()).await?;
        let f = &db.fixture;
        let (id, cart) = (key(), key());
        let mut input = order(&id, json!([line_with(f.ramen, 2, &[f.egg])]));
        input["checkoutId"] = json!(cart);
        let order = node.guest(f.s1()).place(input).await?.order_id()?;
        let query = "query($id: ID!) { order(id: $id) { id requestId checkoutId tableSessionId table status
            placedAt cancelledAt note version number total { amountMinor currency }
            lines { sku name(lang: JA) station taxRateBp }
            receipt { orderId requestId number tableSessionId placedAt }
            ticket { state version receipt { number } order { id } } } }";
        let shown = data(&node.guest(f.s1()), query, json!({ "id": order })).await?["order"].clone();
        let number = shown["number"].as_i64().context("no number")?;
        assert!((1_000..=999_999).contains(&number), "{number}");
        let at = "2026-11-18T11:06:40.000Z";
        let expected = json!({
            "id": order, "requestId": id, "checkoutId": cart, "tableSessionId": f.s1().id, "table": "S1",
            "status": "PLACED", "placedAt": at, "cancelledAt": null, "note": "", "version": 2, "number": number,
            "total": { "amountMinor": 1940, "currency": "JPY" },
            "lines": [{ "sku": "ramen", "name": "ラーメン", "station": "noodle", "taxRateBp": 1000 }],
            "receipt": { "orderId": order, "requestId": id, "number": number, "tableSessionId": f.s1().id, "placedAt": at },
            "ticket": { "state": "RECEIVED", "version": 1, "receipt": { "number": number }, "order": { "id": order } },
        });
        assert_eq!(shown, expected);
    }

    // the first answer shows what was just written, without reading it
    async fn the_first_answer_shows_the_order_that_a_reader_sees(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let fields = "id requestId checkoutId tableSessionId table status placedAt cancelledAt note version number
            total { amountMinor currency }
            lines { menuItemId sku name(lang: JA) station taxRateBp quantity note unitPrice { amountMinor }
                lineTotal { amountMinor } toppings { toppingId name quantity unitPrice { amountMinor } } }
            receipt { orderId requestId number placedAt }
            ticket { id state version createdAt updatedAt order { id } }";
        let place = format!(
            "mutation($input: PlaceOrderInput!) {{ placeOrder(input: $input) {{ result {{
                ... on OrderPlaced {{ order {{ {fields} }} }} }} }} }}"
        );
        let read = format!("query($id: ID!) {{ order(id: $id) {{ {fields} }} }}");
        let mut with_cart = order(&key(), json!([line_with(f.ramen, 2, &[f.egg]), line(f.tea, 1)]));
        with_cart["checkoutId"] = json!(key());
        with_cart["note"] = json!("窓の席");
        for input in [with_cart, order(&key(), json!([line(f.beer, 1)]))] {
            let placed = data(&guest, &place, json!({ "input": input })).await?["placeOrder"]["result"]["order"].clone();
            assert_eq!(placed, data(&guest, &read, json!({ "id": placed["id"] })).await?["order"]);

            // a replay reads it again
            data(&guest, "mutation($id: ID!) { cancelOrder(orderId: $id) { __typename } }", json!({ "id": placed["id"] })).await?;
            let replay = data(&guest, &place, json!({ "input": input })).await?["placeOrder"]["result"]["order"].clone();
            assert_eq!((&replay["id"], &replay["status"]), (&placed["id"], &json!("CANCELLED")));
        }
    }

    async fn the_shop_tells_its_policy(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 12345, cooldown_ms = 2000, burst_ms = 7").await?;
        db.set_policy("wait_bound_ms = 1500, retention_ms = 2073600000").await?;
        let query = "{ shop { id name(lang: JA) en: name(lang: EN) currency timeZone businessDayStartsMin
            orderingPolicy { contentWindowMs cooldownMs burstMs waitBoundMs leaseMs retentionMs } } }";
        for client in [node.guest(f.s1()), node.key(&f.staff_key), node.key(&f.integrator_key)] {
            let shop = data(&client, query, json!({})).await?["shop"].clone();
            assert_eq!(
                (&shop["name"], &shop["en"], &shop["currency"]),
                (&json!("食堂A"), &json!("Diner A"), &json!("JPY"))
            );
            assert_eq!((&shop["timeZone"], &shop["businessDayStartsMin"]), (&json!("Asia/Tokyo"), &json!(300)));
            let policy = &shop["orderingPolicy"];
            assert_eq!((&policy["contentWindowMs"], &policy["cooldownMs"]), (&json!(12345), &json!(2000)));
            assert_eq!((&policy["burstMs"], &policy["waitBoundMs"]), (&json!(7), &json!(1500)));
            assert_eq!(policy["retentionMs"], 24 * 24 * 3_600_000_i64);
        }
        let other = data(&node.guest(&f.other_table), query, json!({})).await?;
        assert_eq!(other["shop"]["name"], "食堂B");
    }

    async fn the_menu_is_in_the_readers_language_with_what_is_left(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_stock(f.beer, 0).await?;
        db.set_stock(f.nori, 0).await?;
        db.change_menu("UPDATE menu_items SET archived = TRUE WHERE id = ?", [f.rice.into()]).await?;
        db.change_menu("UPDATE menu_items SET available = FALSE WHERE id = ?", [f.tea.into()]).await?;
        let guest = node.guest(f.s1());
        let query = "query($lang: Language) { menu { version sections { name(lang: $lang)
            items { id name(lang: $lang) price { amountMinor currency } available soldOut remaining station taxRateBp
              toppingGroups { name(lang: $lang) min max toppings { id soldOut remaining price { amountMinor } } } } } } }";
        for (accept, lang, names) in [
            ("ja", None, ["全部", "ラーメン"]),
            ("en-GB,ja;q=0.5", None, ["Everything", "ramen"]),
            ("en", Some("JA"), ["全部", "ラーメン"]),
            ("ja", Some("EN"), ["Everything", "ramen"]),
            ("tlh", None, ["Everything", "ramen"]),
        ] {
            let menu =
                data(&guest.with("accept-language", accept), query, json!({ "lang": lang })).await?["menu"].clone();
            let section = &menu["sections"][0];
            assert_eq!(
                [&section["name"], &section["items"][0]["name"]],
                names.map(|n| json!(n)).each_ref(),
                "{accept} {lang:?}"
            );
        }
        let menu = data(&guest, query, json!({})).await?["menu"].clone();
        let items = menu["sections"][0]["items"].as_array().cloned().unwrap_or_default();
        let shown: Vec<_> = items.iter().filter_map(|i| i["name"].as_str()).collect();
        assert_eq!(shown, ["ramen", "beer", "tea", "udon"]);
        let left: Vec<_> =
            items.iter().map(|i| (i["remaining"].as_i64(), i["soldOut"] == true, i["available"] == true)).collect();
        assert_eq!(left, [(Some(10), false, true), (Some(0), true, true), (None, false, false), (None, false, true)]);
        let ramen = &items[0];
        assert_eq!(
            (&ramen["price"], &ramen["station"]),
            (&json!({ "amountMinor": 850, "currency": "JPY" }), &json!("noodle"))
        );
        let extras = &ramen["toppingGroups"][0];
        assert_eq!((&extras["min"], &extras["max"], &extras["name"]), (&json!(0), &json!(9), &json!("Extras")));
        let toppings: Vec<_> = extras["toppings"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|t| (t["remaining"].as_i64(), t["soldOut"] == true))
            .collect();
        assert_eq!(toppings, [(Some(100), false), (Some(100), false), (Some(0), true)]);
        assert_eq!(
            (&items[3]["toppingGroups"][0]["min"], &items[3]["toppingGroups"][0]["max"]),
            (&json!(1), &json!(1))
        );

        // every order is seen at once
        guest.place(order(&key(), json!([line_with(f.ramen, 3, &[f.egg])]))).await?.order_id()?;
        let menu = data(&guest, query, json!({})).await?["menu"].clone();
        let ramen = &menu["sections"][0]["items"][0];
        assert_eq!(
            (&ramen["remaining"], &ramen["toppingGroups"][0]["toppings"][0]["remaining"]),
            (&json!(7), &json!(97))
        );
    }

    async fn the_audit_trail_tells_what_happened_under_a_key(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, staff, id) = (node.guest(f.s1()), node.key(&f.staff_key), key());
        let input = order(&id, json!([line(f.ramen, 1)]));
        let order_id = guest.place(input.clone()).await?.order_id()?;
        guest.place(input).await?.order_id()?;
        assert_eq!(guest.place(order(&id, json!([line(f.beer, 1)]))).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        guest.cancel(&order_id).await?;
        let sold_out = key();
        assert_eq!(guest.place(order(&sold_out, json!([line(f.ramen, 99)]))).await?.code(), "SOLD_OUT");
        let query = "query($key: UUID!) { auditTrail(requestId: $key) {
            at action result caller device requestId tableSessionId orderId } }";
        let trail = async |key: &str| {
            anyhow::Ok(
                data(&staff, query, json!({ "key": key })).await?["auditTrail"].as_array().cloned().unwrap_or_default(),
            )
        };
        eventually("all is written", async || Ok(trail(&id).await?.len() == 4)).await?;
        let entries = trail(&id).await?;
        let results: Vec<_> = entries.iter().filter_map(|e| e["result"].as_str()).collect();
        let mut sorted = results.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["CANCELLED", "IDEMPOTENCY_KEY_REUSED", "PLACED", "REPLAYED_KEY"]);
        assert_eq!(results[0], "PLACED");
        assert!(entries.windows(2).all(|w| w[0]["at"].as_str() <= w[1]["at"].as_str()), "{entries:?}");
        for entry in &entries {
            assert_eq!((&entry["requestId"], &entry["tableSessionId"]), (&json!(id), &json!(f.s1().id)));
            let expected = if entry["result"] == "IDEMPOTENCY_KEY_REUSED" { json!(null) } else { json!(order_id) };
            assert_eq!(entry["orderId"], expected, "{entry}");
            assert_eq!(entry["caller"], format!("session:{}", f.s1().id));
            assert!(entry["device"].as_str().is_some_and(|d| d.starts_with("guest-")), "{entry}");
        }
        let refused = trail(&sold_out).await?;
        assert_eq!(
            (refused.len(), &refused[0]["result"], &refused[0]["orderId"]),
            (1, &json!("SOLD_OUT"), &json!(null))
        );
        // another shop's trail of the same key is another trail
        let other = data(&node.key(&f.other_staff_key), query, json!({ "key": id })).await?;
        assert_eq!(other["auditTrail"], json!([]));
        assert!(trail(&key()).await?.is_empty());
    }

    async fn a_table_session_shows_its_pin_to_who_may_know_it(db) {
        let node = db.node_with(Setup::manual_clock()).await?;
        let f = &db.fixture;
        let query = "query($id: ID) { tableSession(id: $id) { id table pin open openedAt closedAt } }";
        let (guest, staff, integrator) = (node.guest(f.s1()), node.key(&f.staff_key), node.key(&f.integrator_key));
        let own = data(&guest, query, json!({})).await?["tableSession"].clone();
        assert_eq!((&own["id"], &own["pin"], &own["table"]), (&json!(f.s1().id), &json!(f.s1().pin), &json!("S1")));
        assert_eq!((&own["open"], &own["closedAt"]), (&json!(true), &json!(null)));
        for (client, pin) in [(&guest, json!(f.s1().pin)), (&staff, json!(f.s1().pin)), (&integrator, json!(null))] {
            let shown = data(client, query, json!({ "id": f.s1().id })).await?["tableSession"].clone();
            assert_eq!((&shown["id"], &shown["pin"]), (&json!(f.s1().id), &pin));
        }
        for (client, id) in
            [(&guest, f.s2().id), (&guest, f.other_table.id), (&staff, f.other_table.id), (&staff, Uuid::now_v7())]
        {
            assert_eq!(client.send(query, json!({ "id": id })).await?.code(), "NOT_FOUND");
        }
        assert_eq!(staff.send(query, json!({})).await?.code(), "BAD_USER_INPUT");
        assert_eq!(staff.send(query, json!({ "id": "S1" })).await?.code(), "BAD_USER_INPUT");
        db.close(f.s1(), node.clock.now_ms()).await?;
        let closed = data(&guest, query, json!({})).await?["tableSession"].clone();
        assert_eq!((&closed["open"], closed["closedAt"].is_string()), (&json!(false), true));
    }
}
