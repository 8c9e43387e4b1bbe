//! One cart, one order, however often it is sent.

use harness::client::{K1, key, line, order};
use harness::on_both_databases;
use serde_json::json;

on_both_databases! {
    async fn an_order_is_placed_with_ticket_event_and_audit(db) {
        let node = db.node().await?;
        let f = &db.fixture;
        let placed = node.guest(f.s1()).place(order(K1, json!([line(f.ramen, 2)]))).await?;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        assert_eq!(db.orders(f.s1()).await?, 1);
        assert_eq!(db.rows("kitchen_tickets").await?, 1);
        assert_eq!(db.rows("outbox_events").await?, 1);
        assert_eq!(db.rows("audit_entries").await?, 1);
        assert_eq!(db.stock(f.ramen).await?, 8);
        let _ = key();
    }
}
