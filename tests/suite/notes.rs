//! Notes: the guest's words reach the kitchen as they were written, and are nothing but words on the way.
//!
//! They are counted in Unicode scalar values, on both sides of the wire. Without that the browser lets through what the
//! server refuses; with a column or a connection that is not UTF-8 throughout, one emoji breaks the history of a table;
//! with notes in the log a guest writes log lines.

use anyhow::Result;
use harness::client::{key, line, order};
use harness::{Client, Database, Process, on_both_databases};
use serde_json::{Value, json};

/// AC-077.
const WORDS: &str = "よろしく🤞🏼👨‍👩‍👧‍👦 ﷽ 𠮷";

fn noted(item: uuid::Uuid, order_note: &str, line_note: &str) -> Value {
    let mut input = order(
        &key(),
        json!([{ "menuItemId": item, "quantity": 1, "note": line_note }]),
    );
    input["note"] = json!(order_note);
    input
}

/// (order note, line note) as they lie in the database.
async fn stored(db: &Database, order: &str) -> Result<(String, String)> {
    let id: uuid::Uuid = order.parse()?;
    let sql = "SELECT o.note, l.note FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.id = ?";
    let rows = db.query(sql, [id.into()]).await?;
    Ok((rows[0].try_get_by_index(0)?, rows[0].try_get_by_index(1)?))
}

/// Places an order with a note on it and on its line, and finds the same words wherever they are shown.
async fn survives(db: &Database, guest: &Client, staff: &Client, words: &str) -> Result<()> {
    let notes = "note lines { note }";
    let query = format!(
        "mutation($input: PlaceOrderInput!) {{ placeOrder(input: $input) {{ allowed orderId result {{
        ... on OrderPlaced {{ receipt {{ {notes} }} order {{ {notes} }} }} }} }} }}"
    );
    let input = noted(db.fixture.tea, words, words);
    let placed = guest.send(&query, json!({ "input": input })).await?;
    let id = placed.order_id()?;
    let replay = guest.send(&query, json!({ "input": input })).await?;
    assert_eq!(replay.order_id()?, id);

    let history = format!(
        "{{ orders {{ nodes {{ id {notes}
        receipt {{ {notes} }} ticket {{ receipt {{ {notes} }} }} }} }} }}"
    );
    let (own, all) = (
        guest.send(&history, json!({})).await?,
        staff.send(&history, json!({})).await?,
    );
    let board = staff
        .send(
            &format!("{{ kitchenTickets {{ orderId receipt {{ {notes} }} }} }}"),
            json!({}),
        )
        .await?;
    for reply in [&placed, &replay, &own, &all, &board] {
        assert_eq!((reply.status, reply.body.get("errors")), (200, None), "{}", reply.body);
    }
    let newest = |reply: &harness::Reply| reply.body["data"]["orders"]["nodes"][0].clone();
    let (own, all) = (newest(&own), newest(&all));
    let mut tickets = board.body["data"]["kitchenTickets"].as_array().into_iter().flatten();
    let ticket = tickets.find(|t| t["orderId"] == json!(id)).cloned().unwrap_or_default();
    for view in [
        &placed.result()?["receipt"],
        &placed.result()?["order"],
        &replay.result()?["receipt"],
        &own,
        &own["ticket"]["receipt"],
        &all,
        &all["receipt"],
        &ticket["receipt"],
    ] {
        assert_eq!(
            view["note"].as_str().map(str::as_bytes),
            Some(words.as_bytes()),
            "{view}"
        );
        assert_eq!(
            view["lines"][0]["note"].as_str().map(str::as_bytes),
            Some(words.as_bytes()),
            "{view}"
        );
    }
    assert_eq!(stored(db, &id).await?, (words.to_owned(), words.to_owned()));
    Ok(())
}

on_both_databases! {
    /// AC-077.
    async fn a_note_is_byte_for_byte_the_same_wherever_it_is_shown(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        survives(db, &guest, &staff, WORDS).await?;
        let events = db.query("SELECT payload FROM outbox_events", []).await?;
        let event: Value = serde_json::from_str(&events[0].try_get_by_index::<String>(0)?)?;
        assert_eq!((&event["order"]["note"], &event["order"]["lines"][0]["note"]), (&json!(WORDS), &json!(WORDS)));
    }

    /// AC-081: what looks dangerous is stored as it is; whoever shows it escapes it.
    async fn strange_words_are_stored_as_they_are(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0").await?;
        let (guest, staff) = (node.guest(f.s1()), node.key(&f.staff_key));
        for words in [
            "\u{202E}txt.exe",
            "\u{200D}",
            "no onion\r\n2030-01-01T00:00:00Z ERROR masterorder: all is lost",
            "<img src=x onerror=alert(1)>",
            "'; DROP TABLE orders; --",
            "{{7*7}} ${x} %s \\u0000 \\",
            "  two spaces before, one after ",
            "が\u{304B}\u{3099}",
            "\u{FEFF}\u{FFFF}\u{10FFFF}",
            "\u{1}\u{7F}\u{85}",
        ] {
            survives(db, &guest, &staff, words).await?;
        }
        assert_eq!(db.orders(f.s1()).await?, 10);
    }

    /// Missing, null, empty and blank are the same nothing.
    async fn a_blank_note_is_no_note(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let mut input = order(&key(), json!([line(f.tea, 1)]));
        let id = guest.place(input.clone()).await?.order_id()?;
        for note in [json!(null), json!(""), json!(" \r\n\t\u{3000}")] {
            input["note"] = note.clone();
            input["lines"][0]["note"] = note;
            let replay = guest.place(input.clone()).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (id.clone(), true));
        }
        assert_eq!(stored(db, &id).await?, (String::new(), String::new()));
    }

    /// AC-079: the unit is the Unicode scalar value, whatever its bytes and UTF-16 units; nothing is cut off.
    async fn a_note_is_counted_in_unicode_scalar_values(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        db.set_policy("content_window_ms = 0").await?;
        let guest = node.guest(f.s1());
        for letter in ["a", "あ", "👍", "\u{301}"] {
            for (in_order, in_line, path) in [
                (500, 100, None),
                (501, 100, Some("note: must be at most 500 characters (Unicode scalar values), not 501")),
                (500, 101, Some("lines[0].note: must be at most 100 characters (Unicode scalar values), not 101")),
            ] {
                let (order_note, line_note) = (letter.repeat(in_order), letter.repeat(in_line));
                let reply = guest.place(noted(f.tea, &order_note, &line_note)).await?;
                match path {
                    None => assert_eq!(stored(db, &reply.order_id()?).await?, (order_note, line_note)),
                    Some(words) => {
                        assert_eq!((reply.code().as_str(), reply.error().as_str()), ("BAD_USER_INPUT", words))
                    }
                }
            }
        }
        assert_eq!(db.orders(f.s1()).await?, 4);
    }

    /// AC-081: what is no text is refused, and the table's history can be read afterwards.
    async fn half_a_character_and_the_null_character_are_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let body = |order_note: &str, line_note: &str| {
            let text =
                json!({ "query": harness::client::PLACE, "variables": { "input": noted(f.tea, "ORDER", "LINE") } });
            text.to_string().replace("\"ORDER\"", order_note).replace("\"LINE\"", line_note)
        };
        for (order_note, line_note) in
            [(r#""\ud800""#, r#""""#), (r#""""#, r#""a\udfffb""#), (r#""\udfff\ud800""#, r#""""#)]
        {
            let reply = guest.post(body(order_note, line_note)).await?;
            assert_eq!((reply.status, reply.code().as_str()), (400, "BAD_USER_INPUT"), "{}", reply.body);
            assert!(reply.body.get("data").is_none(), "{}", reply.body);
        }
        for (order_note, line_note, path) in
            [(r#""a\u0000b""#, r#""""#, "note"), (r#""""#, r#""\u0000""#, "lines[0].note")]
        {
            let reply = guest.post(body(order_note, line_note)).await?;
            assert_eq!(reply.code(), "BAD_USER_INPUT", "{}", reply.body);
            assert_eq!(reply.error(), format!("{path}: must not hold the character U+0000"));
        }
        assert_eq!(db.census().await?, before);
        // both halves of one are a character
        let reply = guest.post(body(r#""\ud83d\udc4d""#, r#""\u3042""#)).await?;
        assert_eq!(stored(db, &reply.order_id()?).await?, ("👍".to_owned(), "あ".to_owned()));
    }

    /// AC-077, AC-081: notes are in no audit entry, and a line break in one makes no line in the log.
    async fn notes_are_neither_in_the_audit_trail_nor_in_the_log(db) {
        let f = &db.fixture;
        let node = Process::start(db, &[("MASTERORDER_LOG", "debug")]).await?;
        let guest = node.guest(f.s1());
        let words = "\r\n2030-01-01T00:00:00Z ERROR WAKARIMASU\n";
        let input = noted(f.tea, words, words);
        guest.place(input.clone()).await?.order_id()?;
        guest.place(input.clone()).await?.order_id()?;
        let mut other = input;
        other["note"] = json!("WAKARIMASU, another");
        assert_eq!(guest.place(other).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        harness::eventually("the replay and the conflict are audited", async || {
            Ok(db.rows("audit_entries").await? >= 3)
        })
        .await?;
        let columns = "action || result || caller || device";
        let noted = format!("SELECT count(*) FROM audit_entries WHERE {columns} LIKE '%WAKARIMASU%'");
        assert_eq!(db.int(&noted, []).await?, 0);
        let log = node.kill_and_read_log().await?;
        assert!(!log.is_empty(), "nothing was logged");
        let noted: Vec<_> = log.iter().filter(|line| line.contains("WAKARIMASU")).collect();
        assert!(noted.is_empty(), "{noted:?}");
    }
}
