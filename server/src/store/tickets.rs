//! Kitchen tickets.

use super::bulk::{Bulk, Kind, Source};
use super::db::Db;
use super::entity::kitchen_ticket::{Column, Entity, Model};
use super::failure::{Failure, Result};
use super::history;
use super::txn::Txn;
use super::writes::Writes;
use crate::kitchen::ticket::{State, Ticket};
use crate::ordering::receipt::Receipt;
use masterorder_protocol::ids::{OrderId, TenantId, TicketId};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use std::collections::HashMap;

/// A ticket with its order's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardTicket {
    /// The ticket.
    pub ticket: Ticket,
    /// What to make.
    pub receipt: Receipt,
}

/// Inserts tickets, exactly one per order by constraint.
pub fn add(writes: &mut Writes<'_>, tickets: &[(TenantId, Ticket)]) {
    writes.insert(
        "kitchen_tickets",
        [
            ("id", Kind::Uuid),
            ("tenant_id", Kind::Uuid),
            ("order_id", Kind::Uuid),
            ("state", Kind::Text),
            ("created_at_ms", Kind::Int),
            ("updated_at_ms", Kind::Int),
            ("version", Kind::Int),
        ],
        tickets.iter().map(|(tenant, ticket)| {
            [
                ticket.id.0.into(),
                tenant.0.into(),
                ticket.order.0.into(),
                ticket.state.as_str().into(),
                ticket.created_at_ms.into(),
                ticket.updated_at_ms.into(),
                ticket.version.into(),
            ]
        }),
    );
}

/// Moves a ticket by compare-and-set. Returns whether this call moved it.
pub async fn advance(
    txn: &Txn,
    tenant: TenantId,
    ticket: TicketId,
    (from, to): (State, State),
    now_ms: i64,
) -> Result<bool> {
    let changed = Entity::update_many()
        .col_expr(Column::State, Expr::value(to.as_str()))
        .col_expr(Column::UpdatedAtMs, Expr::value(now_ms))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::Id.eq(ticket.0))
        .filter(Column::TenantId.eq(tenant.0))
        .filter(Column::State.eq(from.as_str()))
        .exec(txn.conn())
        .await?;
    Ok(changed.rows_affected == 1)
}

/// Cancels the ticket of an order whose row is locked, from one of the given states. Returns whether this call did.
pub async fn cancel(txn: &Txn, order: OrderId, from: &[State], now_ms: i64) -> Result<bool> {
    let changed = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Cancelled.as_str()))
        .col_expr(Column::UpdatedAtMs, Expr::value(now_ms))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::OrderId.eq(order.0))
        .filter(Column::State.is_in(from.iter().map(|s| s.as_str())))
        .exec(txn.conn())
        .await?;
    Ok(changed.rows_affected == 1)
}

/// Finds a ticket of a tenant.
pub async fn find(txn: &Txn, tenant: TenantId, ticket: TicketId) -> Result<Option<Ticket>> {
    Entity::find()
        .filter(Column::Id.eq(ticket.0))
        .filter(Column::TenantId.eq(tenant.0))
        .one(txn.conn())
        .await?
        .map(Ticket::try_from)
        .transpose()
}

/// Lists tickets in the given states with what to make, oldest first.
pub async fn board(db: &Db, tenant: TenantId, states: &[State], limit: u64) -> Result<Vec<BoardTicket>> {
    let rows = Entity::find()
        .filter(Column::TenantId.eq(tenant.0))
        .filter(Column::State.is_in(states.iter().map(|s| s.as_str())))
        .order_by_asc(Column::CreatedAtMs)
        .order_by_asc(Column::Id)
        .limit(limit)
        .all(&db.reader)
        .await?;
    with_receipts(db, tenant, rows).await
}

/// Lists tickets that are not finished, or were since a time, with what to make, oldest first.
pub async fn shown(db: &Db, tenant: TenantId, since_ms: i64, limit: u64) -> Result<Vec<BoardTicket>> {
    let mut bulk = Bulk::reading(db);
    let (tenant_id, since) = (bulk.value(tenant.0), bulk.value(since_ms));
    // the states are spelled out: each half has an index of its own
    let rows = bulk
        .query(&format!(
            "SELECT * FROM (
               SELECT * FROM kitchen_tickets WHERE tenant_id = {tenant_id} AND state IN ('RECEIVED', 'COOKING', 'READY')
               UNION ALL
               SELECT * FROM kitchen_tickets WHERE tenant_id = {tenant_id} AND state IN ('SERVED', 'CANCELLED')
                 AND updated_at_ms > {since}
             ) AS shown ORDER BY created_at_ms, id LIMIT {limit}"
        ))
        .await?;
    let rows = rows.iter().map(|row| Ok(Model::from_query_result(row, "")?));
    with_receipts(db, tenant, rows.collect::<Result<_>>()?).await
}

async fn with_receipts(db: &Db, tenant: TenantId, rows: Vec<Model>) -> Result<Vec<BoardTicket>> {
    let ids: Vec<OrderId> = rows.iter().map(|r| OrderId(r.order_id)).collect();
    let mut receipts: HashMap<OrderId, Receipt> = history::find(db, tenant, &ids)
        .await?
        .into_iter()
        .map(|o| (o.receipt.order_id, o.receipt))
        .collect();
    rows.into_iter()
        .map(|row| {
            let ticket = Ticket::try_from(row)?;
            match receipts.remove(&ticket.order) {
                Some(receipt) => Ok(BoardTicket { ticket, receipt }),
                None => Err(Failure::Inconsistent {
                    table: "kitchen_tickets",
                    column: "order_id",
                    row: ticket.id.to_string(),
                }),
            }
        })
        .collect()
}

/// The tickets of orders.
pub(super) async fn by_orders(source: Source<'_>, orders: &[OrderId]) -> Result<HashMap<OrderId, Ticket>> {
    let rows = source.of_orders("kitchen_tickets", orders, "id").await?;
    rows.iter()
        .map(|row| {
            let ticket = Ticket::try_from(Model::from_query_result(row, "")?)?;
            Ok((ticket.order, ticket))
        })
        .collect()
}

impl TryFrom<Model> for Ticket {
    type Error = Failure;

    fn try_from(row: Model) -> Result<Self> {
        let state = State::parse(&row.state).ok_or(Failure::Inconsistent {
            table: "kitchen_tickets",
            column: "state",
            row: row.id.to_string(),
        })?;
        Ok(Self {
            id: TicketId(row.id),
            order: OrderId(row.order_id),
            state,
            created_at_ms: row.created_at_ms,
            updated_at_ms: row.updated_at_ms,
            version: row.version,
        })
    }
}
