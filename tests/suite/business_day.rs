//! An order at two in the morning belongs to the evening before, by the clock on the shop's wall, whatever time zone the server is
//! in; and its number is free on that day. Counted in UTC a day would end in the middle of the lunch in Tokyo; counted in hours
//! since midnight it would end an hour late, or early, on the days on which the clocks change.

use anyhow::{Context, Result};
use harness::client::{key, line, order};
use harness::{Backend, Database, Node, Setup, on_both_databases};
use jiff::Timestamp;
use serde_json::json;

/// Moves the clock to an instant, forwards or back.
fn move_to(node: &Node, instant: &str) -> Result<()> {
    let at: Timestamp = instant.parse()?;
    node.clock.advance(at.as_millisecond() - node.clock.now_ms());
    Ok(())
}

/// Places an order now. Returns its business day and its number, and that the receipt has this number.
async fn place(db: &Database, node: &Node) -> Result<(String, i64)> {
    let mut input = order(&key(), json!([line(db.fixture.tea, 1)]));
    input["checkoutId"] = key().into();
    let placed = node.guest(db.fixture.s1()).place(input).await?;
    let id: uuid::Uuid = placed.order_id()?.parse()?;
    let rows = db
        .query("SELECT business_day, number FROM orders WHERE id = ?", [id.into()])
        .await?;
    let row = rows.first().context("no order")?;
    let (day, number) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
    assert_eq!(placed.result()?["receipt"]["number"], json!(number));
    Ok((day, number))
}

/// Takes each `nth` four-digit number of a day, for `another` device.
pub async fn take_short_numbers(db: &Database, day: &str, nth: u64) -> Result<()> {
    let fresh_id = match db.backend {
        Backend::Sqlite => "randomblob(16)",
        Backend::Postgres => "gen_random_uuid()",
    };
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + {nth} FROM n WHERE i < 10000 - {nth})
         INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id,
            content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
         SELECT {fresh_id}, o.tenant_id, o.table_session_id, o.table_label, o.business_day, n.i, o.status, o.request_id,
            o.content_hash, o.notes_hash, o.caller, 'another', o.note, o.currency, o.total_minor, o.placed_at_ms, o.version
         FROM n CROSS JOIN (SELECT * FROM orders WHERE business_day = ? LIMIT 1) AS o
         WHERE NOT EXISTS (SELECT 1 FROM orders AS taken WHERE taken.business_day = o.business_day AND taken.number = n.i)"
    );
    assert!(db.execute(&sql, [day.into()]).await? > 8_000 / nth);
    Ok(())
}

on_both_databases! {
    /// AC-091, the boundary: the server's clock is in UTC, the shop in Tokyo, its day from 05:00.
    async fn an_order_at_two_in_the_morning_belongs_to_the_evening_before(db) {
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node_with(Setup::manual_clock()).await?;
        for (instant, day) in [
            ("2026-11-28T09:00:00Z", "2026-11-28"), // 18:00
            ("2026-11-28T14:59:59Z", "2026-11-28"), // 23:59:59
            ("2026-11-28T15:00:00Z", "2026-11-28"), // midnight
            ("2026-11-28T17:00:00Z", "2026-11-28"), // 02:00
            ("2026-11-28T19:59:59.999Z", "2026-11-28"), // a moment before 05:00
            ("2026-11-28T20:00:00Z", "2026-11-29"), // 05:00
            ("2026-11-29T00:00:00Z", "2026-11-29"), // midnight in UTC is nothing here
            ("2026-12-31T17:00:00Z", "2026-12-31"), // 02:00 of the new year
        ] {
            move_to(&node, instant)?;
            assert_eq!(place(db, &node).await?.0, day, "{instant}");
        }
    }

    async fn a_day_begins_at_five_also_when_the_clocks_change(db) {
        db.set_policy("content_window_ms = 0, time_zone = 'America/New_York'").await?;
        let node = db.node_with(Setup::manual_clock()).await?;
        for (instant, day) in [
            ("2027-03-14T08:59:59Z", "2027-03-13"), // 04:59:59, two hours after 01:59:59
            ("2027-03-14T09:00:00Z", "2027-03-14"), // 05:00, four hours after midnight
            ("2027-03-15T08:59:59Z", "2027-03-14"),
            ("2027-11-07T05:30:00Z", "2027-11-06"), // 01:30
            ("2027-11-07T06:30:00Z", "2027-11-06"), // 01:30 again
            ("2027-11-07T09:59:59Z", "2027-11-06"), // 04:59:59
            ("2027-11-07T10:00:00Z", "2027-11-07"), // 05:00, six hours after midnight
        ] {
            move_to(&node, instant)?;
            assert_eq!(place(db, &node).await?.0, day, "{instant}");
        }
    }

    async fn a_number_is_free_on_its_business_day(db) {
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node_with(Setup::manual_clock()).await?;
        move_to(&node, "2026-11-28T09:00:00Z")?;
        let (evening, number) = place(db, &node).await?;
        assert!((1_000..10_000).contains(&number), "{number}");
        take_short_numbers(db, &evening, 1).await?;

        move_to(&node, "2026-11-28T17:00:00Z")?;
        let (night, number) = place(db, &node).await?;
        assert_eq!(night, evening);
        assert!((100_000..1_000_000).contains(&number), "{number} is taken on {night}");
        move_to(&node, "2026-11-28T20:00:00Z")?;
        let (morning, number) = place(db, &node).await?;
        assert_ne!(morning, evening);
        assert!((1_000..10_000).contains(&number), "{number}: all short numbers are free on {morning}");
        // the orders that nobody placed
        db.execute("DELETE FROM orders WHERE device = 'another'", []).await?;
    }
}
