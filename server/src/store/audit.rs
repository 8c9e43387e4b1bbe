//! The audit trail.

use super::bulk::Kind;
use super::db::Db;
use super::entity::audit_entry::{Column, Entity};
use super::failure::{Failure, Result};
use super::txn::Txn;
use super::writes::Writes;
use crate::audit::{Entry, Subject};
use masterorder_protocol::ids::{OrderId, TableSessionId, TenantId};
use masterorder_protocol::request_id::RequestId;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

/// Appends entries.
pub async fn append(txn: &Txn, entries: &[Entry]) -> Result<()> {
    let mut writes = Writes::new(txn);
    add(&mut writes, entries);
    writes.run().await
}

/// Adds entries to what is written.
pub fn add(writes: &mut Writes<'_>, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let id = |id: Option<Uuid>| id.unwrap_or_default().into();
    writes.insert(
        "audit_entries",
        [
            ("id", Kind::Uuid),
            ("tenant_id", Kind::Uuid),
            ("at_ms", Kind::Int),
            ("action", Kind::Text),
            ("result", Kind::Text),
            ("caller", Kind::Text),
            ("device", Kind::Text),
            ("request_id", Kind::UuidOrNull),
            ("table_session_id", Kind::UuidOrNull),
            ("order_id", Kind::UuidOrNull),
        ],
        entries.iter().map(|entry| {
            [
                Uuid::now_v7().into(),
                entry.tenant.0.into(),
                entry.at_ms.into(),
                entry.action.clone().into(),
                entry.result.clone().into(),
                entry.caller.clone().into(),
                entry.device.clone().into(),
                id(entry.request.map(RequestId::as_uuid)),
                id(entry.table_session.map(|s| s.0)),
                id(entry.order.map(|o| o.0)),
            ]
        }),
    );
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
