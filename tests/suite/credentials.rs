//! Who may do what: by headers, for every root field there is, and for as long as a table session or a key lasts.
//!
//! The table below lists every root field with its answer per caller. A field that is not listed fails the test, so that no
//! door is added without saying for whom it is. Without the scope in the statements another account's staff reads this
//! one's orders; without the check of the closing time yesterday's guest still orders on today's table.

use anyhow::{Context, Result};
use harness::client::{Credentials, K1, key, line, order};
use harness::{Client, Node, Reply, Setup, Socket, eventually, on_both_databases};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use uuid::Uuid;

const DAY_MS: i64 = 24 * 3_600_000;

/// Callers: anonymous, a guest of the table, staff, integrator; then a guest of another table, and another account's staff.
type Row = (&'static str, &'static str, [&'static str; 6]);

const OK: &str = "ok";
/// Nothing: null, an empty list, or `UNKNOWN`; not even that there is something to be refused.
const NIL: &str = "nothing";
const UNA: &str = "UNAUTHENTICATED";
const FOR: &str = "FORBIDDEN";
const NOT: &str = "NOT_FOUND";
const BAD: &str = "BAD_USER_INPUT";

/// Each with an operation about this table's order, its ticket, its key.
const ROOT_FIELDS: &[Row] = &[
    ("Query.shop", "{ shop { id } }", [UNA, OK, OK, OK, OK, OK]),
    ("Query.menu", "{ menu { version } }", [UNA, OK, OK, OK, OK, OK]),
    (
        "Query.tableSession",
        "query($session: ID!) { tableSession(id: $session) { id } }",
        [UNA, OK, OK, OK, NOT, NOT],
    ),
    (
        "Query.orders",
        "query($session: ID!) { orders(tableSessionId: $session) { nodes { id } } }",
        [UNA, OK, OK, OK, NOT, NIL],
    ),
    (
        "Query.order",
        "query($order: ID!) { order(id: $order) { id } }",
        [UNA, OK, OK, OK, NOT, NOT],
    ),
    (
        "Query.placementStatus",
        "query($key: UUID!) { placementStatus(requestId: $key) { state } }",
        [UNA, OK, OK, OK, NIL, NIL],
    ),
    (
        "Query.kitchenTickets",
        "{ kitchenTickets { id } }",
        [UNA, FOR, OK, FOR, FOR, NIL],
    ),
    (
        "Query.auditTrail",
        "query($key: UUID!) { auditTrail(requestId: $key) { at } }",
        [UNA, FOR, OK, FOR, FOR, NIL],
    ),
    (
        "Mutation.placeOrder",
        "mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { allowed } }",
        [UNA, OK, OK, OK, BAD, BAD],
    ),
    (
        "Mutation.withdrawPlacement",
        "mutation($fresh: UUID!) { withdrawPlacement(requestId: $fresh) { __typename } }",
        [UNA, OK, OK, OK, OK, OK],
    ),
    (
        "Mutation.cancelOrder",
        "mutation($order: ID!) { cancelOrder(orderId: $order) { changed } }",
        [UNA, OK, OK, FOR, NOT, NOT],
    ),
    (
        "Mutation.checkout",
        "mutation($other: ID!) { checkout(tableSessionId: $other) { changed } }",
        [UNA, FOR, OK, FOR, FOR, NOT],
    ),
    (
        "Mutation.setOrdering",
        "mutation { setOrdering(takesOrders: true) { changed } }",
        [UNA, FOR, OK, FOR, FOR, OK],
    ),
    (
        "Mutation.setOrderingPolicy",
        "mutation { setOrderingPolicy(input: { burstMs: 0 }) { shop { id } } }",
        [UNA, FOR, OK, FOR, FOR, OK],
    ),
    (
        "Mutation.createKey",
        "mutation($fresh: String!) { createKey(kind: INTEGRATOR, name: $fresh) { secret } }",
        [UNA, FOR, OK, FOR, FOR, OK],
    ),
    (
        "Mutation.revokeKey",
        "mutation($made: ID!) { revokeKey(keyId: $made) { changed } }",
        [UNA, FOR, OK, FOR, FOR, NOT],
    ),
    (
        "Mutation.openTableSession",
        "mutation($fresh: String!) { openTableSession(table: $fresh) { alreadyOpen } }",
        [UNA, FOR, OK, FOR, FOR, OK],
    ),
    (
        "Mutation.advanceTicket",
        "mutation($ticket: ID!) {
        advanceTicket(ticketId: $ticket, from: RECEIVED, to: COOKING) { changed } }",
        [UNA, FOR, OK, FOR, FOR, NOT],
    ),
    (
        "Subscription.kitchen",
        "subscription { kitchen { snapshot } }",
        [UNA, FOR, OK, FOR, FOR, OK],
    ),
    (
        "Subscription.tableSessionOrders",
        "subscription($session: ID!) { tableSessionOrders(tableSessionId: $session) { snapshot } }",
        [UNA, OK, OK, OK, NOT, NOT],
    ),
];

/// The first answer to a document: over the socket for what watches.
async fn answer(caller: &Client, document: &str, variables: Value) -> Result<Reply> {
    if !document.starts_with("subscription") {
        return caller.send(document, variables).await;
    }
    let body = match Socket::welcome(caller.address, &caller.credentials).await {
        Err(_) => json!({ "errors": [{ "extensions": { "code": UNA } }] }),
        Ok(mut socket) => {
            let payload = json!({ "query": document, "variables": variables });
            socket
                .send(json!({ "id": "1", "type": "subscribe", "payload": payload }))
                .await?;
            socket.hear().await?["payload"].clone()
        }
    };
    Ok(Reply {
        status: 200,
        headers: Default::default(),
        body,
    })
}

/// Into which class an answer falls.
fn class(reply: &Reply, field: &str) -> Result<String> {
    if let Some(code) = reply.body["errors"][0]["extensions"]["code"].as_str() {
        return Ok(code.to_owned());
    }
    let value = reply.body["data"].get(field).with_context(|| reply.body.to_string())?;
    let list = if value["nodes"].is_array() {
        &value["nodes"]
    } else {
        value
    };
    let nothing = list.is_null() || list.as_array().is_some_and(Vec::is_empty) || value["state"] == "UNKNOWN";
    Ok(if nothing { NIL } else { OK }.to_owned())
}

async fn refused(client: &Client, code: &str, status: u16) -> Result<()> {
    let reply = client.send("{ shop { id } }", json!({})).await?;
    assert_eq!(
        (reply.status, reply.code().as_str()),
        (status, code),
        "{:?}: {}",
        client.credentials,
        reply.body
    );
    assert!(reply.body.get("data").is_none(), "{}", reply.body);
    if status == 401 {
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
    }
    Ok(())
}

async fn accepted(client: &Client) -> Result<()> {
    let reply = client.send("{ shop { id } }", json!({})).await?;
    assert!(
        reply.body["data"]["shop"]["id"].is_string(),
        "{:?}: {}",
        client.credentials,
        reply.body
    );
    Ok(())
}

fn with_headers(node: &Node, headers: &[(&str, &str)]) -> Client {
    let credentials = headers
        .iter()
        .fold(Credentials::default(), |c, (name, value)| c.with(name, value));
    Client::new(node.address, credentials)
}

on_both_databases! {
    async fn every_root_field_answers_each_caller_as_listed(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0").await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        let roots = "{ __schema { queryType { name fields { name } } mutationType { name fields { name } }
            subscriptionType { name fields { name } } } }";
        let schema = node.anonymous().send(roots, json!({})).await?.body["data"]["__schema"].clone();
        let mut fields = BTreeSet::new();
        for root in ["queryType", "mutationType", "subscriptionType"] {
            for field in schema[root]["fields"].as_array().into_iter().flatten() {
                let name = |of: &Value| of["name"].as_str().unwrap_or_default().to_owned();
                fields.insert(format!("{}.{}", name(&schema[root]), name(field)));
            }
        }
        let listed: BTreeSet<String> = ROOT_FIELDS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(fields, listed, "list new root fields here, with their answer for each caller");

        let other_table = &f.tables[6];
        let mut wrong = Vec::new();
        for (name, document, expected) in ROOT_FIELDS {
            let callers = [
                node.anonymous(),
                guest.clone(),
                staff.clone(),
                node.key(&f.integrator_key),
                node.guest(f.s2()),
                node.key(&f.other_staff_key),
            ];
            for (caller, expected) in callers.iter().zip(expected) {
                // each cell has an order of its own, untouched by the others
                let id = key();
                let order_id = guest.place(order(&id, json!([line(f.tea, 1)]))).await?.order_id()?;
                let shown = staff
                    .send("query($id: ID!) { order(id: $id) { ticket { id } } }", json!({ "id": order_id }))
                    .await?;
                let mut input = order(&key(), json!([line(f.tea, 1)]));
                input["tableSessionId"] = json!(f.s1().id);
                let made = "mutation { createKey(kind: INTEGRATOR, name: \"made\") { key { id } } }";
                let made = staff.send(made, json!({})).await?.body["data"]["createKey"]["key"]["id"].clone();
                let variables = json!({
                    "session": f.s1().id,
                    "other": other_table.id,
                    "made": made,
                    "order": order_id,
                    "key": id,
                    "fresh": key(),
                    "input": input,
                    "ticket": shown.body["data"]["order"]["ticket"]["id"],
                });
                let reply = answer(caller, document, variables).await?;
                let field = name.split('.').nth(1).unwrap_or_default();
                let class = class(&reply, field)?;
                if class != *expected {
                    wrong.push(format!("{name} for {:?}: {class}, not {expected}: {}", caller.credentials, reply.body));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    async fn a_guest_is_known_by_three_headers(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (session, client) = (f.s1().id.to_string(), format!("guest-{}", Uuid::new_v4()));
        let (id, pin, device) = (
            ("x-session-id", session.as_str()),
            ("x-session-pin", f.s1().pin.as_str()),
            ("x-masterorder-client-id", client.as_str()),
        );
        accepted(&with_headers(&node, &[id, pin, device])).await?;
        accepted(&with_headers(&node, &[("X-SESSION-ID", &session.to_uppercase()), pin, device])).await?;
        refused(&with_headers(&node, &[id, pin]), BAD, 400).await?;
        refused(&with_headers(&node, &[id, device]), UNA, 401).await?;
        refused(&with_headers(&node, &[pin, device]), UNA, 401).await?;
        refused(
            &with_headers(&node, &[("x-session-id", &f.s2().id.to_string()), ("x-session-pin", ""), device]),
            UNA,
            401,
        )
        .await?;
        refused(&with_headers(&node, &[("x-session-id", &session.replace('-', "")), pin, device]), UNA, 401).await?;
        refused(&with_headers(&node, &[id, pin, ("x-masterorder-client-id", &client[6..])]), BAD, 400).await?;
        // a device alone is nobody, and nobody reads nothing
        let anonymous = with_headers(&node, &[device]).send("{ shop { id } }", json!({})).await?;
        assert_eq!((anonymous.status, anonymous.code().as_str()), (200, UNA));
    }

    async fn a_wrong_pin_is_refused_for_every_field_and_noted(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        // few enough for a person who mistypes
        let wrong = (0..10).map(|n| format!("{n}{}", &f.s1().pin[1..])).filter(|pin| *pin != f.s1().pin).take(3);
        for pin in wrong {
            refused(&node.guest(f.s1()).with("x-session-pin", &pin), UNA, 401).await?;
        }
        let sql = "SELECT count(*) FROM audit_entries WHERE result = 'WRONG_PIN' AND table_session_id = ?";
        eventually("the guesses are noted", async || Ok(db.int(sql, [f.s1().id.into()]).await? == 3)).await?;
        accepted(&node.guest(f.s1())).await?;
    }

    async fn nobody_is_a_guest_and_a_key_at_once(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let bearer = format!("Bearer {}", f.staff_key);
        let both = node.guest(f.s1()).with("authorization", &bearer);
        let before = db.census().await?;
        for client in [
            &both,
            &both.without("x-session-id"),
            &both.without("x-session-pin"),
            &both.with("authorization", "Bearer x"),
        ] {
            refused(client, BAD, 400).await?;
            assert_eq!(client.place(order(&key(), json!([line(f.ramen, 1)]))).await?.code(), BAD);
        }
        assert_eq!(db.census().await?, before);
        accepted(&node.key(&f.staff_key).with("x-masterorder-client-id", &format!("guest-{K1}"))).await?;
    }

    async fn a_key_is_a_bearer_and_ends_when_it_is_revoked(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        for value in [
            "Bearer",
            "Bearer ",
            "Bearer mo_test_",
            "Bearer mo_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "Basic mo_test_x",
            &f.staff_key,
        ] {
            refused(&node.anonymous().with("authorization", value), UNA, 401).await?;
        }
        refused(&node.key(&f.staff_key[..f.staff_key.len() - 1]), UNA, 401).await?;
        refused(&node.key(&f.staff_key.to_uppercase()), UNA, 401).await?;
        accepted(&node.anonymous().with("authorization", &format!("bearer   {}", f.staff_key))).await?;
        // the secret itself is nowhere
        let stored = "SELECT count(*) FROM api_keys WHERE hint LIKE ? OR name LIKE ?";
        let secret = format!("%{}%", &f.staff_key[8..]);
        assert_eq!(db.int(stored, [secret.clone().into(), secret.into()]).await?, 0);

        let staff = node.key(&f.staff_key);
        accepted(&staff).await?;
        let revoke = "UPDATE api_keys SET revoked_at_ms = 1 WHERE tenant_id = ? AND kind = 'STAFF'";
        assert_eq!(db.execute(revoke, [f.tenant.into()]).await?, 1);
        refused(&staff, UNA, 401).await?;
        let mut input = order(&key(), json!([line(f.ramen, 1)]));
        input["tableSessionId"] = json!(f.s1().id);
        assert_eq!(staff.place(input.clone()).await?.code(), UNA);
        // the others of its account and of its kind go on
        node.key(&f.integrator_key).place(input).await?.order_id()?;
        accepted(&node.key(&f.other_staff_key)).await?;
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn another_accounts_key_finds_nothing_of_this_one(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let other = node.key(&f.other_staff_key);
        let order_id = node.guest(f.s1()).place(order(K1, json!([line(f.ramen, 1)]))).await?.order_id()?;
        for (table, item, path) in
            [(f.s1(), f.other_soup, "tableSessionId"), (&f.other_table, f.ramen, "lines[0].menuItemId")]
        {
            let mut input = order(&key(), json!([line(item, 1)]));
            input["tableSessionId"] = json!(table.id);
            let refused = other.place(input).await?;
            assert_eq!(refused.code(), BAD);
            assert!(refused.error().starts_with(path), "{}", refused.error());
        }
        assert_eq!(other.status(K1).await?.body["data"]["placementStatus"]["state"], "UNKNOWN");
        assert_eq!(other.cancel(&order_id).await?.code(), NOT);
        // the same key in another account is another key
        let mut input = order(K1, json!([line(f.other_soup, 1)]));
        input["tableSessionId"] = json!(f.other_table.id);
        let placed = other.place(input).await?;
        assert!(!placed.is_replay()?);
        assert_ne!(placed.order_id()?, order_id);
        let accounts = "SELECT count(DISTINCT tenant_id) FROM orders WHERE status = 'PLACED'";
        assert_eq!((db.int(accounts, []).await?, db.all_orders().await?), (2, 2));
    }

    async fn a_closed_table_session_reads_and_replays_for_a_day_and_places_nothing(db) {
        let node = db.node_with(Setup::manual_clock()).await?;
        let f = &db.fixture;
        let guest = node.guest(f.s1());
        let input = order(K1, json!([line(f.ramen, 1)]));
        let order_id = guest.place(input.clone()).await?.order_id()?;
        db.close(f.s1(), node.clock.now_ms()).await?;
        for wait_ms in [0, 1, DAY_MS - 1] {
            node.clock.advance(wait_ms);
            let replay = guest.place(input.clone()).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (order_id.clone(), true), "{wait_ms}");
            let read = guest.send("{ orders { nodes { id } } tableSession { open } }", json!({})).await?;
            assert_eq!(
                read.body["data"],
                json!({ "orders": { "nodes": [{ "id": order_id }] }, "tableSession": { "open": false } })
            );
            assert_eq!(guest.status(K1).await?.body["data"]["placementStatus"]["state"], "PLACED");
            let id = key();
            for (device, replayed) in [(&guest, false), (&node.guest(f.s1()), true)] {
                let refused = device.place(order(&id, json!([line(f.beer, 1)]))).await?;
                assert_eq!((refused.code().as_str(), refused.is_replay()?), ("SESSION_CLOSED", replayed));
                let result = refused.result()?;
                assert_eq!(
                    (&result["status"], &result["retryable"], &result["retryWithNewRequestId"]),
                    (&json!(410), &json!(false), &json!(false))
                );
            }
        }
        // staff can not order for a party that has paid either
        let mut late: Value = order(&key(), json!([line(f.beer, 1)]));
        late["tableSessionId"] = json!(f.s1().id);
        assert_eq!(node.key(&f.staff_key).place(late).await?.code(), "SESSION_CLOSED");
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.beer).await?), (1, 10));
        node.clock.advance(1);
        refused(&guest, UNA, 401).await?;
        assert_eq!(guest.place(input).await?.code(), UNA);
        accepted(&node.guest(f.s2())).await?;
        assert_eq!(db.all_orders().await?, 1);
    }
}
