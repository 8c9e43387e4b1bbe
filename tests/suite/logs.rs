//! Logs: one span per placement, and nothing secret at whatever level. Whoever turns everything on to find a bug must not find
//! the guests' PINs, the kitchen's key or a customer's allergy in a file that is sent around.

use harness::client::{key, line, order};
use harness::socket::KITCHEN;
use harness::{Backend, Client, Process, Socket, eventually, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

/// A wish that stands in no source file.
const NOTE: &str = "WAKARIMASU-ni-iranai";

/// A key without its beginning, which lists show.
fn secret_part(key: &str) -> &str {
    key.get(12..).unwrap_or(key)
}

fn noted(id: &str, item: Uuid) -> Value {
    let mut input = order(id, json!([line(item, 1)]));
    input["note"] = json!(NOTE);
    input["lines"][0]["note"] = json!(NOTE);
    input
}

on_both_databases! {
    async fn no_note_pin_or_key_is_in_the_log_at_whatever_level(db) {
        let f = &db.fixture;
        // a PIN that no number of a port, a time or an id happens to hold
        let pin = "PIN-xyzzy";
        db.execute("UPDATE table_sessions SET pin = 'pqzx' WHERE id = ?", [f.s1().id.into()]).await?;
        let environment = [
            ("MASTERORDER_LOG", "trace"),
            ("MASTERORDER_DEBUG_FAULTS", "stock=busy*2; write_orders=panic; complete=sqlstate:40P01"),
        ];
        let process = Process::start(db, &environment).await?;
        let guest = process.guest(f.s1()).with("x-session-pin", "pqzx");
        let staff = process.key(&f.staff_key);
        // retried, panicked, placed, replayed, reused, rejected, refused, malformed
        assert_eq!(guest.place(noted(&key(), f.tea)).await?.code(), "INTERNAL");
        let id = key();
        guest.place(noted(&id, f.tea)).await?.order_id()?;
        guest.place(noted(&id, f.tea)).await?.order_id()?;
        assert_eq!(guest.place(noted(&id, f.beer)).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        let mut too_much = noted(&key(), f.ramen);
        too_much["lines"][0]["quantity"] = json!(99);
        assert_eq!(process.guest(f.s2()).place(too_much).await?.code(), "SOLD_OUT");
        assert_eq!(guest.place(noted(&key(), Uuid::now_v7())).await?.code(), "BAD_USER_INPUT");
        assert_eq!(guest.place(noted("no key", f.tea)).await?.code(), "BAD_USER_INPUT");
        guest.post(format!("{{ \"query\": \"mutation {{ {NOTE}\" }}")).await?;
        guest.send(&format!("{{ {NOTE} }}"), json!({ NOTE: NOTE })).await?;
        let wrong = guest.with("x-session-pin", pin);
        assert_eq!(wrong.place(noted(&key(), f.tea)).await?.code(), "UNAUTHENTICATED");
        let no_key = "mo_live_QQQQwwwwEEEErrrrTTTTyyyyUUUUiiii";
        let unknown = process.key(no_key);
        assert_eq!(unknown.send("{ shop { id } }", json!({})).await?.code(), "UNAUTHENTICATED");
        // over the socket, too, where credentials are a message
        for client in [&staff, &guest, &wrong, &unknown] {
            if let Ok(mut socket) = Socket::welcome(process.address, &client.credentials).await {
                socket.subscribe("1", KITCHEN).await?;
                socket.hear().await?;
            }
        }
        // a key that is made is told once
        let create = "mutation { createKey(kind: STAFF, name: \"x\") { secret } }";
        let made = staff.send(create, json!({})).await?.body["data"]["createKey"]["secret"].clone();
        let made = made.as_str().unwrap_or_default().to_owned();
        assert!(made.starts_with("mo_"), "{made}");
        let log = process.kill_and_read_log().await?;
        assert!(log.iter().any(|l| l.contains("TRACE")), "this is no trace");
        assert!(log.iter().any(|l| l.contains("placement ended") && l.contains(&id)), "the placement is not in the log");
        let secrets = ["pqzx", pin, NOTE, secret_part(&f.staff_key), secret_part(no_key), secret_part(&made)];
        for secret in secrets {
            let told: Vec<_> = log.iter().filter(|l| l.contains(secret)).collect();
            assert!(told.is_empty(), "{secret}: {told:#?}");
        }
    }

    async fn a_placement_has_one_span_with_what_became_of_it(db) {
        let f = &db.fixture;
        let environment = [
            ("MASTERORDER_LOG", "info,masterorder_server=debug"),
            ("MASTERORDER_LOG_FORMAT", "json"),
            ("MASTERORDER_DEBUG_FAULTS", "stock=busy*2"),
        ];
        let process = Process::start(db, &environment).await?;
        let (guest, id) = (process.guest(f.s1()), key());
        let place = async |client: &Client| client.place(order(&id, json!([line(f.ramen, 1)]))).await;
        place(&guest).await?.order_id()?;
        place(&guest).await?.order_id()?;
        let sold_out = process.guest(f.s2()).place(order(&key(), json!([line(f.ramen, 99)]))).await?;
        assert_eq!(sold_out.code(), "SOLD_OUT");
        eventually("the replay is audited", async || Ok(db.rows("audit_entries").await? == 3)).await?;
        let log = process.kill_and_read_log().await?;
        let lines: Vec<Value> = log.iter().map(|l| serde_json::from_str(l)).collect::<Result<_, _>>()?;
        let ended: Vec<&Value> = lines.iter().filter(|l| l["fields"]["message"] == "placement ended").collect();
        assert_eq!(ended.len(), 3, "{ended:#?}");
        let tenant = f.tenant.to_string();
        let session = f.s1().id.to_string();
        for (line, result, reason, attempts) in
            [(ended[0], "PLACED", Value::Null, json!(3)), (ended[1], "REPLAYED_KEY", json!("KEY"), Value::Null)]
        {
            let span = &line["span"];
            assert_eq!(span["name"], "placement", "{line}");
            assert_eq!((&span["idempotency.key"], &span["operation"]), (&json!(id), &json!("placeOrder")), "{line}");
            assert_eq!((&span["tenant.id"], &span["table_session.id"]), (&json!(tenant), &json!(session)), "{line}");
            assert_eq!((&span["result"], &span["replay.reason"]), (&json!(result), &reason), "{line}");
            assert_eq!(span["attempts"], attempts, "{line}");
            assert!(span["duration_ms"].is_u64(), "{line}");
        }
        assert_eq!(ended[2]["span"]["result"], "SOLD_OUT");
    }
}

/// The libraries are quiet about the wire even when somebody asks them by name.
#[test]
fn the_wire_is_not_logged_even_by_name() {
    harness::database::run(Backend::Sqlite, "the_wire_is_not_logged", async |db| {
        let levels = "trace,tungstenite=trace,tungstenite::protocol=trace,hyper=trace,hyper_util=trace,h2=trace";
        let process = Process::start(db, &[("MASTERORDER_LOG", levels)]).await?;
        let staff = process.key(&db.fixture.staff_key);
        let mut socket = Socket::watch(process.address, &staff.credentials, KITCHEN).await?;
        socket.news("kitchen").await?;
        let log = process.kill_and_read_log().await?;
        let told: Vec<_> = log
            .iter()
            .filter(|l| l.contains(secret_part(&db.fixture.staff_key)))
            .collect();
        assert!(told.is_empty(), "{told:#?}");
        Ok(())
    });
}
