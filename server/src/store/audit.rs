//! The audit trail.

use super::db::Db;
use super::entity::audit_entry::{ActiveModel, Column, Entity};
use super::failure::{Failure, Result};
use super::txn::Txn;
use crate::audit::{Entry, Subject};
use masterorder_protocol::ids::{OrderId, TableSessionId, TenantId};
use masterorder_protocol::request_id::RequestId;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use uuid::Uuid;

/// Appends entries, in one statement.
pub async fn append(txn: &Txn, entries: &[Entry]) -> Result<()> {
    Entity::insert_many(entries.iter().map(|entry| ActiveModel {
        id: Set(Uuid::now_v7()),
        tenant_id: Set(entry.tenant.0),
        at_ms: Set(entry.at_ms),
        action: Set(entry.action.clone()),
        result: Set(entry.result.clone()),
        caller: Set(entry.caller.clone()),
        device: Set(entry.device.clone()),
        request_id: Set(entry.request.map(RequestId::as_uuid)),
        table_session_id: Set(entry.table_session.map(Into::into)),
        order_id: Set(entry.order.map(Into::into)),
    }))
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Reads the newest entries of a trail, oldest first.
pub async fn newest(db: &Db, tenant: TenantId, of: Subject, limit: u64) -> Result<Vec<Entry>> {
    let of = match of {
        Subject::Request(request) => Column::RequestId.eq(request.as_uuid()),
        Subject::Order(order) => Column::OrderId.eq(order.0),
        Subject::TableSession(session) => Column::TableSessionId.eq(session.0),
    };
    let rows = Entity::find()
        .filter(Column::TenantId.eq(tenant.0))
        .filter(of)
        .order_by_desc(Column::AtMs)
        .order_by_desc(Column::Id)
        .limit(limit)
        .all(&db.reader)
        .await?;
    rows.into_iter()
        .rev()
        .map(|row| {
            let request = row
                .request_id
                .map(RequestId::from_uuid)
                .transpose()
                .map_err(|_| Failure::Inconsistent {
                    table: "audit_entries",
                    column: "request_id",
                    row: row.id.to_string(),
                })?;
            Ok(Entry {
                tenant: TenantId(row.tenant_id),
                at_ms: row.at_ms,
                action: row.action,
                result: row.result,
                caller: row.caller,
                device: row.device,
                request,
                table_session: row.table_session_id.map(TableSessionId),
                order: row.order_id.map(OrderId),
            })
        })
        .collect()
}
