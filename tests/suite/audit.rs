//! The audit trail: every attempt leaves its entry, whatever became of it, and can be found by key, order and table.
//!
//! Entries that are written outside of a transaction go through a queue. Without its flush nobody can tell later what became of a
//! retry; without its bound a storm of wrong PINs fills the memory; without the count nobody knows that something is missing.

use anyhow::{Context, Result};
use harness::client::{key, line, order};
use harness::{Client, Database, Node, Setup, Table, eventually, on_both_databases};
use masterorder_protocol::ids::TenantId;
use masterorder_server::app::Settings;
use masterorder_server::audit::Entry;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use uuid::Uuid;

const TRAIL: &str = "query($key: UUID, $order: ID, $session: ID, $first: Int) {
    auditTrail(requestId: $key, orderId: $order, tableSessionId: $session, first: $first) {
      at action result caller device requestId tableSessionId orderId } }";

async fn trail(staff: &Client, of: Value) -> Result<Vec<Value>> {
    let reply = staff.send(TRAIL, of).await?;
    let entries = reply.body["data"]["auditTrail"].as_array().cloned();
    entries.with_context(|| reply.body.to_string())
}

/// `action result` of each entry.
fn told(entries: &[Value]) -> Vec<String> {
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    entries
        .iter()
        .map(|entry| format!("{} {}", word(entry, "action"), word(entry, "result")))
        .collect()
}

/// Waits until a subject's trail tells exactly this, in whatever order.
async fn tells(staff: &Client, of: Value, expected: &[&str]) -> Result<Vec<Value>> {
    let mut last = Vec::new();
    let mut sorted: Vec<_> = expected.iter().map(|e| (*e).to_owned()).collect();
    sorted.sort();
    let found = eventually("the trail tells it", async || {
        last = trail(staff, of.clone()).await?;
        let mut now = told(&last);
        now.sort();
        Ok(now == sorted)
    });
    found.await.with_context(|| format!("expected {expected:?}"))?;
    Ok(last)
}

fn of_key(key: &str) -> Value {
    json!({ "key": key })
}

fn of_table(table: &Table) -> Value {
    json!({ "session": table.id })
}

/// What was done without a key or a table, by action.
async fn done(db: &Database, action: &str) -> Result<Vec<String>> {
    let rows = db
        .query(
            "SELECT result FROM audit_entries WHERE action = ? ORDER BY id",
            [action.into()],
        )
        .await?;
    rows.iter().map(|row| Ok(row.try_get_by_index(0)?)).collect()
}

async fn node(db: &Database) -> Result<Node> {
    let settings = Settings {
        answer_budget: Duration::from_millis(1500),
        ..Settings::default()
    };
    db.node_with(Setup {
        settings,
        ..Setup::default()
    })
    .await
}

on_both_databases! {
    async fn every_end_of_a_placement_leaves_its_entry(db) {
        db.set_policy("cooldown_ms = 600000, content_window_ms = 600000").await?;
        let (node, f) = (node(db).await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let phone = node.guest(f.s1());

        // placed, replayed, reused
        let id = key();
        let input = order(&id, json!([line(f.ramen, 1)]));
        let placed = phone.place(input.clone()).await?.order_id()?;
        phone.place(input).await?.order_id()?;
        phone.place(order(&id, json!([line(f.beer, 1)]))).await?;
        let reused = "placeOrder IDEMPOTENCY_KEY_REUSED";
        let entries = tells(&staff, of_key(&id), &["placeOrder PLACED", "placeOrder REPLAYED_KEY", reused]).await?;
        for entry in &entries {
            assert_eq!((&entry["requestId"], &entry["tableSessionId"]), (&json!(id), &json!(f.s1().id)));
            let order = if told(std::slice::from_ref(entry)) == [reused] { json!(null) } else { json!(placed) };
            assert_eq!(entry["orderId"], order, "{entry}");
            assert_eq!(entry["caller"], format!("session:{}", f.s1().id));
        }

        // by content, by checkout, and what is not the same enough
        let again = key();
        phone.place(order(&again, json!([line(f.ramen, 1)]))).await?.order_id()?;
        tells(&staff, of_key(&again), &["placeOrder REPLAYED_PAYLOAD"]).await?;
        let duplicate = key();
        node.guest(f.s1()).place(order(&duplicate, json!([line(f.ramen, 1)]))).await?;
        tells(&staff, of_key(&duplicate), &["placeOrder POSSIBLE_DUPLICATE"]).await?;
        let cool = key();
        phone.place(order(&cool, json!([line(f.tea, 1)]))).await?;
        tells(&staff, of_key(&cool), &["placeOrder COOLDOWN_ACTIVE"]).await?;
        let (cart, one, two, three) = (key(), key(), key(), key());
        let other = node.guest(f.s2());
        for (id, item) in [(&one, f.tea), (&two, f.tea), (&three, f.rice)] {
            let mut input = order(id, json!([line(item, 1)]));
            input["checkoutId"] = json!(cart);
            other.place(input).await?;
        }
        tells(&staff, of_key(&one), &["placeOrder PLACED"]).await?;
        tells(&staff, of_key(&two), &["placeOrder REPLAYED_CHECKOUT"]).await?;
        tells(&staff, of_key(&three), &["placeOrder CHECKOUT_ALREADY_PLACED"]).await?;

        // a stable no, and its replay
        let hungry = node.guest(&f.tables[2]);
        let sold_out = key();
        for _ in 0..2 {
            hungry.place(order(&sold_out, json!([line(f.ramen, 99)]))).await?;
        }
        tells(&staff, of_key(&sold_out), &["placeOrder SOLD_OUT", "placeOrder REPLAYED_SOLD_OUT"]).await?;

        // what staff enter belongs to its table, and so does whatever is answered to it
        let entered = key();
        let mut input = order(&entered, json!([line(f.tea, 1)]));
        input["tableSessionId"] = json!(f.tables[4].id);
        for _ in 0..2 {
            staff.place(input.clone()).await?.order_id()?;
        }
        tells(&staff, of_table(&f.tables[4]), &["placeOrder PLACED", "placeOrder REPLAYED_KEY"]).await?;

        // what the machine could not, and what it was not asked well
        let (broken, stuck, wrong) = (key(), key(), key());
        node.arm("write_orders=panic");
        assert_eq!(hungry.place(order(&broken, json!([line(f.tea, 1)]))).await?.code(), "INTERNAL");
        tells(&staff, of_key(&broken), &["placeOrder INTERNAL"]).await?;
        node.arm("write_orders=busy*1000000");
        assert_eq!(hungry.place(order(&stuck, json!([line(f.tea, 1)]))).await?.code(), "UNAVAILABLE");
        node.app.faults.clear();
        tells(&staff, of_key(&stuck), &["placeOrder UNAVAILABLE"]).await?;
        hungry.place(order(&wrong, json!([line(Uuid::now_v7(), 1)]))).await?;
        tells(&staff, of_key(&wrong), &["placeOrder BAD_USER_INPUT"]).await?;

        // a twin that joins, and a guest who is told to come back
        let (joined, late) = (key(), key());
        let input = order(&joined, json!([line(f.tea, 1)]));
        node.arm("commit=sleep:500");
        let (one, two) = futures_util::join!(hungry.place(input.clone()), async {
            node.reached("commit").await?;
            hungry.place(input.clone()).await
        });
        assert_eq!(one?.order_id()?, two?.order_id()?);
        tells(&staff, of_key(&joined), &["placeOrder PLACED", "placeOrder REPLAYED_KEY"]).await?;
        node.arm("commit=sleep:2500");
        node.guest(&f.tables[3]).place(order(&late, json!([line(f.tea, 1)]))).await?;
        tells(&staff, of_key(&late), &["placeOrder IDEMPOTENCY_IN_PROGRESS", "placeOrder PLACED"]).await?;
        assert_eq!(node.app.audit.dropped(), 0);
    }

    async fn what_a_guest_who_hung_up_was_not_told_is_in_the_trail(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (staff, phone) = (node.key(&f.staff_key), node.guest(f.s1()));
        phone.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        let (other, id) = (node.guest(f.s1()), key());
        node.arm("read=sleep:300");
        other.place_and_hang_up_when(order(&id, json!([line(f.ramen, 1)])), node.reached("read")).await?;
        tells(&staff, of_key(&id), &["placeOrder POSSIBLE_DUPLICATE"]).await?;
    }

    async fn giving_up_cancelling_and_paying_leave_their_entries(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (staff, phone) = (node.key(&f.staff_key), node.guest(f.s1()));
        let (given_up, id) = (key(), key());
        for _ in 0..2 {
            phone.withdraw(&given_up).await?;
        }
        phone.place(order(&given_up, json!([line(f.tea, 1)]))).await?;
        let withdrawn =
            ["withdrawPlacement WITHDRAWN", "withdrawPlacement REPLAYED_WITHDRAWN", "placeOrder REPLAYED_WITHDRAWN"];
        tells(&staff, of_key(&given_up), &withdrawn).await?;
        node.guest(f.s2()).withdraw(&given_up).await?;
        tells(&staff, of_table(f.s2()), &["withdrawPlacement IDEMPOTENCY_KEY_REUSED"]).await?;

        let placed = phone.place(order(&id, json!([line(f.tea, 1)]))).await?.order_id()?;
        phone.withdraw(&id).await?;
        for _ in 0..2 {
            phone.cancel(&placed).await?;
        }
        let of_order = json!({ "order": placed });
        let cancelled = [
            "placeOrder PLACED",
            "withdrawPlacement ALREADY_PLACED",
            "cancelOrder CANCELLED",
            "cancelOrder ALREADY_CANCELLED",
        ];
        tells(&staff, of_order, &cancelled).await?;

        // what staff cancel is found by all that it is about
        let (table, id) = (&f.tables[3], key());
        let placed = node.guest(table).place(order(&id, json!([line(f.tea, 1)]))).await?.order_id()?;
        for _ in 0..2 {
            staff.cancel(&placed).await?;
        }
        let cancelled = ["placeOrder PLACED", "cancelOrder CANCELLED", "cancelOrder ALREADY_CANCELLED"];
        for of in [of_key(&id), of_table(table), json!({ "order": placed })] {
            tells(&staff, of, &cancelled).await?;
        }

        let checkout = "mutation($id: ID!) { checkout(tableSessionId: $id) { changed } }";
        staff.send(checkout, json!({ "id": f.tables[4].id })).await?;
        let closed = tells(&staff, of_table(&f.tables[4]), &["checkout CLOSED"]).await?;
        assert!(closed[0]["caller"].as_str().is_some_and(|c| c.starts_with("key:")), "{closed:?}");
        let late = node.guest(&f.tables[5]);
        let paid = late.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        staff.send(checkout, json!({ "id": f.tables[5].id })).await?;
        assert_eq!(late.cancel(&paid).await?.code(), "FORBIDDEN");
        late.place(order(&key(), json!([line(f.rice, 1)]))).await?;
        let paid = ["placeOrder PLACED", "checkout CLOSED", "cancelOrder FORBIDDEN", "placeOrder SESSION_CLOSED"];
        tells(&staff, of_table(&f.tables[5]), &paid).await?;

        for _ in 0..3 {
            node.guest(&f.tables[6]).with("x-session-pin", "none").place(order(&key(), json!([]))).await?;
        }
        let wrong = tells(&staff, of_table(&f.tables[6]), &["authenticate WRONG_PIN"; 3]).await?;
        for entry in &wrong {
            let device = entry["device"].as_str().unwrap_or_default();
            assert!(entry["requestId"].is_null() && device.starts_with("guest-"), "{entry}");
        }
    }

    async fn what_staff_do_to_the_shop_is_in_the_trail(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let staff = node.key(&f.staff_key);
        let send = async |query: &str| {
            let reply = staff.send(query, json!({})).await?;
            anyhow::ensure!(reply.body.get("errors").is_none(), "{}", reply.body);
            Ok(reply.body["data"].clone())
        };
        send("mutation { setOrdering(takesOrders: false) { changed } }").await?;
        let id = key();
        node.guest(f.s1()).place(order(&id, json!([line(f.tea, 1)]))).await?;
        tells(&staff, of_key(&id), &["placeOrder ORDERING_PAUSED"]).await?;
        send("mutation { setOrdering(takesOrders: true) { changed } }").await?;
        assert_eq!(done(db, "setOrdering").await?, ["STOPPED", "STARTED"]);
        send("mutation { setOrderingPolicy(input: { cooldownMs: 1234 }) { shop { id } } }").await?;
        assert_eq!(done(db, "setOrderingPolicy").await?, ["CHANGED"]);
        let made = send("mutation { createKey(kind: INTEGRATOR, name: \"x\") { key { id } } }").await?;
        let revoke = format!("mutation {{ revokeKey(keyId: {}) {{ changed }} }}", made["createKey"]["key"]["id"]);
        send(&revoke).await?;
        assert_eq!(done(db, "createKey").await?, ["INTEGRATOR"]);
        assert_eq!(done(db, "revokeKey").await?, ["INTEGRATOR"]);
    }

    async fn it_is_asked_by_exactly_one_subject_and_tells_the_newest(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0, cooldown_ms = 0").await?;
        let (staff, phone) = (node.key(&f.staff_key), node.guest(f.s1()));
        let mut orders = Vec::new();
        for _ in 0..5 {
            orders.push(phone.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?);
        }
        let newest = trail(&staff, json!({ "session": f.s1().id, "first": 3 })).await?;
        let shown: Vec<_> = newest.iter().filter_map(|e| e["orderId"].as_str()).collect();
        assert_eq!(shown, orders[2..], "the newest, oldest first");
        assert_eq!(trail(&staff, json!({ "session": f.s1().id })).await?.len(), 5);
        let one = trail(&staff, json!({ "order": orders[1] })).await?;
        assert_eq!(told(&one), ["placeOrder PLACED"]);

        let id = key();
        for of in [
            json!({}),
            json!({ "key": id, "order": orders[0] }),
            json!({ "order": orders[0], "session": f.s1().id }),
            json!({ "key": id, "order": orders[0], "session": f.s1().id }),
            json!({ "key": "x" }),
            json!({ "order": "x" }),
            json!({ "session": "x" }),
            json!({ "session": f.s1().id, "first": 0 }),
            json!({ "session": f.s1().id, "first": 501 }),
            json!({ "session": f.s1().id, "first": -1 }),
        ] {
            assert_eq!(staff.send(TRAIL, of.clone()).await?.code(), "BAD_USER_INPUT", "{of}");
        }
        // staff only, and of their shop only
        for of in [json!({ "order": orders[0] }), of_table(f.s1())] {
            for outsider in [&phone, &node.key(&f.integrator_key)] {
                assert_eq!(outsider.send(TRAIL, of.clone()).await?.code(), "FORBIDDEN", "{of}");
            }
            assert_eq!(trail(&node.key(&f.other_staff_key), of).await?, Vec::<Value>::new());
        }
    }

    async fn entries_are_written_within_a_second(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (staff, phone, id) = (node.key(&f.staff_key), node.guest(f.s1()), key());
        let input = order(&id, json!([line(f.tea, 1)]));
        phone.place(input.clone()).await?.order_id()?;
        let mut slowest = Duration::ZERO;
        for replays in 1..=4 {
            phone.place(input.clone()).await?.order_id()?;
            let since = Instant::now();
            eventually("it is written", async || Ok(trail(&staff, of_key(&id)).await?.len() > replays)).await?;
            slowest = slowest.max(since.elapsed());
        }
        // a generous second, on a machine that is busy with other tests
        assert!(slowest < Duration::from_secs(3), "{slowest:?}");
    }

    async fn what_does_not_fit_is_dropped_and_counted_and_no_order_waits_for_it(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let entry = Entry {
            tenant: TenantId(f.tenant),
            at_ms: 1,
            action: "authenticate".into(),
            result: "WRONG_PIN".into(),
            caller: "a storm".into(),
            device: "guest-x".into(),
            request: None,
            table_session: None,
            order: None,
        };
        let sent = 30_000;
        for _ in 0..sent {
            node.app.audit.note(entry.clone());
        }
        node.guest(f.s1()).place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        let dropped = node.app.audit.dropped();
        assert!(dropped > 0 && dropped < sent, "{dropped}");
        let counted = node.anonymous().metric("masterorder_audit_entries_dropped_total{reason=\"queue_full\"}").await?;
        assert_eq!(counted, dropped as f64);
        eventually("the rest is written", async || {
            Ok(db.int("SELECT count(*) FROM audit_entries WHERE caller = 'a storm'", []).await? as u64 == sent - dropped)
        })
        .await?;
        assert_eq!(node.app.audit.queued(), 0);
    }
}
