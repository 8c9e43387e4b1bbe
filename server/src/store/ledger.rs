//! The ledger check: that orders, tickets, events, outcomes and stock agree. Read-only; safe on a live database, where one
//! transaction's rows appear together.

use super::db::Db;
use super::entity::{kitchen_ticket, order, outbox_event};
use super::failure::Result;
use masterorder_protocol::ids::TableSessionId;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use uuid::Uuid;

/// Something that does not add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static str,
    /// How many rows break it.
    pub rows: i64,
    /// One of them.
    pub example: String,
}

/// What was counted, and what does not add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Orders that were placed (cancelled ones included).
    pub orders: i64,
    /// Kitchen tickets.
    pub tickets: i64,
    /// `order.placed` events.
    pub events: i64,
    /// Outcomes that own their order.
    pub placed_outcomes: i64,
    /// Outcomes that point to another key's order.
    pub aliases: i64,
    /// Stored rejections.
    pub rejections: i64,
    /// Empty when the ledger holds.
    pub findings: Vec<Finding>,
}

/// Each rule as a query for the rows that break it; the first column is text that names the row.
const RULES: &[(&str, &str)] = &[
    (
        "every placed order has a kitchen ticket",
        "SELECT o.number FROM orders o WHERE o.status IN ('PLACED', 'CANCELLED')
           AND NOT EXISTS (SELECT 1 FROM kitchen_tickets t WHERE t.order_id = o.id)",
    ),
    (
        "every kitchen ticket has a placed order of its tenant",
        "SELECT t.created_at_ms FROM kitchen_tickets t WHERE NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.id = t.order_id AND o.tenant_id = t.tenant_id
             AND o.status IN ('PLACED', 'CANCELLED'))",
    ),
    (
        "a ticket is cancelled if and only if its order is",
        "SELECT o.number FROM orders o JOIN kitchen_tickets t ON t.order_id = o.id
           WHERE (o.status = 'CANCELLED') <> (t.state = 'CANCELLED')",
    ),
    (
        "every placed order has one order.placed event",
        "SELECT o.number FROM orders o WHERE o.status IN ('PLACED', 'CANCELLED') AND 1 <> (
           SELECT count(*) FROM outbox_events e WHERE e.order_id = o.id AND e.kind = 'order.placed')",
    ),
    (
        "every order.placed event has a placed order of its tenant",
        "SELECT e.created_at_ms FROM outbox_events e WHERE e.kind = 'order.placed' AND NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.id = e.order_id AND o.tenant_id = e.tenant_id
             AND o.status IN ('PLACED', 'CANCELLED'))",
    ),
    (
        "every placed order has the outcome of the key that placed it, until it is purged",
        "SELECT o.number FROM orders o WHERE o.status IN ('PLACED', 'CANCELLED') AND o.outcome_purged_at_ms IS NULL
           AND NOT EXISTS (SELECT 1 FROM idempotency_requests i
             WHERE i.tenant_id = o.tenant_id AND i.operation = 'placeOrder' AND i.idempotency_key = o.request_id
               AND i.order_id = o.id AND i.outcome_kind = 'PLACED')",
    ),
    (
        "no outcome is left of an order that remembers it as purged",
        "SELECT o.number FROM orders o WHERE o.outcome_purged_at_ms IS NOT NULL
           AND EXISTS (SELECT 1 FROM idempotency_requests i
             WHERE i.tenant_id = o.tenant_id AND i.idempotency_key = o.request_id AND i.order_id = o.id
               AND i.outcome_kind = 'PLACED')",
    ),
    (
        "every placed outcome has its order",
        "SELECT i.created_at_ms FROM idempotency_requests i WHERE i.outcome_kind = 'PLACED' AND NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.id = i.order_id AND o.tenant_id = i.tenant_id
             AND o.request_id = i.idempotency_key)",
    ),
    (
        "every alias points to an order of its tenant",
        "SELECT i.created_at_ms FROM idempotency_requests i WHERE i.outcome_kind = 'ALIAS' AND NOT EXISTS (
           SELECT 1 FROM orders o WHERE o.id = i.order_id AND o.tenant_id = i.tenant_id)",
    ),
    (
        "a rejection points to no order",
        "SELECT i.created_at_ms FROM idempotency_requests i WHERE i.outcome_kind = 'REJECTED'
           AND i.order_id IS NOT NULL",
    ),
    (
        "no two orders came of one key, unless it was purged in between",
        "SELECT min(o.number) FROM orders o WHERE o.outcome_purged_at_ms IS NULL
           GROUP BY o.tenant_id, o.request_id HAVING count(*) > 1",
    ),
    (
        "no claim is left without an outcome (a pending order aside)",
        "SELECT i.created_at_ms FROM idempotency_requests i WHERE i.outcome IS NULL AND i.lease_until_ms IS NULL",
    ),
    (
        "every order has lines, and they add up to its total",
        "SELECT o.number FROM orders o WHERE o.total_minor <> (
           SELECT coalesce(sum(l.line_total_minor), -1) FROM order_lines l WHERE l.order_id = o.id)",
    ),
    (
        "stock + taken - returned = supplied",
        // what was taken is added up once, not once per level: a chain has many of both
        "SELECT s.supplied - s.quantity FROM stock_levels s LEFT JOIN (
           SELECT x.subject_id, sum(x.taken) AS taken FROM (
             SELECT l.menu_item_id AS subject_id, l.taken FROM order_lines l JOIN orders o ON o.id = l.order_id
               WHERE o.status IN ('PLACED', 'PENDING', 'NEEDS_ATTENTION')
             UNION ALL SELECT t.topping_id, t.taken FROM order_line_toppings t JOIN orders o ON o.id = t.order_id
               WHERE o.status IN ('PLACED', 'PENDING', 'NEEDS_ATTENTION')) x
           GROUP BY x.subject_id) y ON y.subject_id = s.subject_id
           WHERE s.supplied <> s.quantity + coalesce(y.taken, 0)",
    ),
    (
        "whatever was taken from stock has a level",
        "SELECT l.position FROM order_lines l WHERE l.taken > 0
           AND NOT EXISTS (SELECT 1 FROM stock_levels s WHERE s.subject_id = l.menu_item_id)
         UNION ALL SELECT t.position FROM order_line_toppings t WHERE t.taken > 0
           AND NOT EXISTS (SELECT 1 FROM stock_levels s WHERE s.subject_id = t.topping_id)",
    ),
    (
        "every line is of an item of its order's tenant",
        "SELECT o.number FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE NOT EXISTS (
           SELECT 1 FROM menu_items m WHERE m.id = l.menu_item_id AND m.tenant_id = o.tenant_id)",
    ),
    (
        "every topping is of its order's tenant",
        "SELECT o.number FROM order_line_toppings l JOIN orders o ON o.id = l.order_id WHERE NOT EXISTS (
           SELECT 1 FROM toppings m WHERE m.id = l.topping_id AND m.tenant_id = o.tenant_id)",
    ),
];

/// Names all rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(rule, _)| *rule)
}

/// Runs the check. *Transaction*: each rule is one statement and sees one snapshot.
pub async fn check(db: &Db) -> Result<Report> {
    let count = async |sql: &str| -> Result<i64> {
        let row = query(db, &format!("SELECT count(*) AS n FROM {sql}")).await?;
        Ok(match row.first() {
            Some(row) => row.try_get("", "n")?,
            None => 0,
        })
    };
    let mut report = Report {
        orders: count("orders WHERE status IN ('PLACED', 'CANCELLED')").await?,
        tickets: count("kitchen_tickets").await?,
        events: count("outbox_events WHERE kind = 'order.placed'").await?,
        placed_outcomes: count("idempotency_requests WHERE outcome_kind = 'PLACED'").await?,
        aliases: count("idempotency_requests WHERE outcome_kind = 'ALIAS'").await?,
        rejections: count("idempotency_requests WHERE outcome_kind = 'REJECTED'").await?,
        findings: Vec::new(),
    };
    for (rule, rows) in RULES {
        let sql = format!(
            "SELECT count(*) AS n, CAST(min(r.x) AS TEXT) AS example FROM ({}) r",
            named(rows)
        );
        if let Some(row) = query(db, &sql).await?.first() {
            let rows: i64 = row.try_get("", "n")?;
            if rows > 0 {
                report.findings.push(Finding {
                    rule,
                    rows,
                    example: row.try_get("", "example")?,
                });
            }
        }
    }
    Ok(report)
}

/// What one table session came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Orders, cancelled ones included.
    pub orders: i64,
    /// Kitchen tickets.
    pub tickets: i64,
    /// `order.placed` events.
    pub events: i64,
}

/// Counts the rows of one table session.
pub async fn count(db: &Db, session: TableSessionId) -> Result<Counts> {
    let orders = order::Entity::find().filter(order::Column::TableSessionId.eq(session.0));
    let ids: Vec<Uuid> = orders.all(&db.reader).await?.into_iter().map(|o| o.id).collect();
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let tickets = kitchen_ticket::Entity::find()
        .filter(kitchen_ticket::Column::OrderId.is_in(ids.iter().copied()))
        .count(&db.reader)
        .await?;
    let events = outbox_event::Entity::find()
        .filter(outbox_event::Column::Kind.eq(crate::outbox::ORDER_PLACED))
        .filter(outbox_event::Column::OrderId.is_in(ids.iter().copied()))
        .count(&db.reader)
        .await?;
    Ok(Counts {
        orders: number(ids.len() as u64),
        tickets: number(tickets),
        events: number(events),
    })
}

/// Gives the first column of a rule's query the name `x`.
fn named(rows: &str) -> String {
    match rows.split_once(" FROM ") {
        Some((select, rest)) => format!("{select} AS x FROM {rest}"),
        None => rows.to_owned(),
    }
}

async fn query(db: &Db, sql: &str) -> Result<Vec<sea_orm::QueryResult>> {
    let statement = super::dialect::statement(&db.reader, sql);
    let txn = super::dialect::begin_unhurried(&db.reader).await?;
    let rows = txn.query_all_raw(statement).await?;
    txn.rollback().await?;
    Ok(rows)
}
