//! Table sessions.

use super::db::Db;
use super::entity::seated_device;
use super::entity::table_session::{ActiveModel, Column, Entity, Model};
use super::failure::{Failure, Result};
use super::txn::Txn;
use crate::ordering::decide::Party;
use crate::tables::TableSession;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use sea_orm::sea_query::{Expr, OnConflict, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Set};
use std::collections::HashMap;

/// Finds one by id, of whatever tenant.
pub async fn find(db: &Db, id: TableSessionId) -> Result<Option<TableSession>> {
    Ok(Entity::find_by_id(id.0).one(&db.reader).await?.map(TableSession::from))
}

/// What a guest is authenticated by.
pub struct Door {
    /// The table session, of whatever tenant.
    pub session: TableSession,
    /// The device gave the right PIN before.
    pub seated: bool,
    /// *Units*: ms since the Unix epoch.
    pub now_ms: i64,
}

/// Finds what a guest with this device is authenticated by, in one statement.
pub async fn door(db: &Db, id: TableSessionId, device: &str) -> Result<Option<Door>> {
    let seat = Query::select()
        .expr(Expr::val(1))
        .from(seated_device::Entity)
        .and_where(seated_device::Column::TableSessionId.eq(id.0))
        .and_where(seated_device::Column::Device.eq(device))
        .to_owned();
    let query = Query::select()
        .column(sea_orm::sea_query::Asterisk)
        .expr_as(db.now_sql(), "now_ms")
        .expr_as(Expr::exists(seat), "seated")
        .from(Entity)
        .and_where(Column::Id.eq(id.0))
        .to_owned();
    let Some(row) = db.reader.query_one(&query).await? else {
        return Ok(None);
    };
    Ok(Some(Door {
        session: Model::from_query_result(&row, "")?.into(),
        seated: row.try_get("", "seated")?,
        now_ms: row.try_get("", "now_ms")?,
    }))
}

/// Locks table sessions, in id order, and reads them. *Shape*: those that exist, of whatever tenant.
///
/// *Transaction*: waits for other orders of the same table session up to the wait bound (`LockTimeout`).
pub async fn lock(txn: &Txn, ids: &[TableSessionId]) -> Result<HashMap<TableSessionId, Party>> {
    let rows = Entity::find()
        .filter(Column::Id.is_in(ids.iter().map(|id| id.0)))
        .order_by_asc(Column::Id)
        .lock_exclusive()
        .all(txn.conn())
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let party = Party {
                tenant: TenantId(row.tenant_id),
                table: row.table_label,
                open: row.closed_at_ms.is_none(),
                last_placed_at_ms: row.last_placed_at_ms,
            };
            (TableSessionId(row.id), party)
        })
        .collect())
}

/// Marks the time of the last placed order.
pub async fn mark_placed(txn: &Txn, ids: &[TableSessionId], now_ms: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::LastPlacedAtMs, Expr::value(now_ms))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.0)))
        .exec(txn.conn())
        .await?;
    Ok(())
}

/// Tries to open a table whose open session keeps being closed in between.
const OPEN_TRIES: usize = 3;

/// Opens a table session unless its table has an open one; returns the one that stands.
pub async fn open(txn: &Txn, session: &TableSession) -> Result<TableSession> {
    for _ in 0..OPEN_TRIES {
        if insert(txn, session).await? {
            return Ok(session.clone());
        }
        let stands = Entity::find()
            .filter(Column::TenantId.eq(session.tenant.0))
            .filter(Column::TableLabel.eq(session.table.clone()))
            .filter(Column::ClosedAtMs.is_null())
            .one(txn.conn())
            .await?;
        // none: it was closed between the two statements, and the table is free
        if let Some(stands) = stands {
            return Ok(stands.into());
        }
    }
    Err(Failure::Serialization)
}

/// Inserts an open table session. Returns whether its table was free.
async fn insert(txn: &Txn, session: &TableSession) -> Result<bool> {
    let inserted = Entity::insert_many([ActiveModel {
        id: Set(session.id.0),
        tenant_id: Set(session.tenant.0),
        table_label: Set(session.table.clone()),
        pin: Set(session.pin.clone()),
        status: Set("OPEN".into()),
        opened_at_ms: Set(session.opened_at_ms),
        closed_at_ms: Set(None),
        last_placed_at_ms: Set(None),
    }])
    // no target: the only unique index that can be met is the one of open tables, which is partial; sea-orm's own
    // `on_conflict_do_nothing` names the primary key, which is never met
    .on_conflict(OnConflict::new().do_nothing().to_owned())
    .exec_without_returning(txn.conn())
    .await?;
    Ok(inserted == 1)
}

/// Closes an open table session. Returns whether this call did.
pub async fn close(txn: &Txn, id: TableSessionId, now_ms: i64) -> Result<bool> {
    let changed = Entity::update_many()
        .col_expr(Column::Status, Expr::value("CLOSED"))
        .col_expr(Column::ClosedAtMs, Expr::value(now_ms))
        .filter(Column::Id.eq(id.0))
        .filter(Column::ClosedAtMs.is_null())
        .exec(txn.conn())
        .await?;
    Ok(changed.rows_affected == 1)
}

impl From<Model> for TableSession {
    fn from(row: Model) -> Self {
        Self {
            id: TableSessionId(row.id),
            tenant: TenantId(row.tenant_id),
            table: row.table_label,
            pin: row.pin,
            opened_at_ms: row.opened_at_ms,
            closed_at_ms: row.closed_at_ms,
        }
    }
}
