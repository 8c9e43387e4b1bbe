//! Table sessions.

use super::bulk::{self, Bulk, Kind};
use super::db::Db;
use super::dialect::RowLock;
use super::entity::table_session::{ActiveModel, Column, Entity, Model};
use super::failure::{Failure, Result};
use super::txn::Txn;
use super::writes::Writes;
use crate::ordering::decide::Party;
use crate::tables::TableSession;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, Set};
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

/// Finds what a guest with this device is authenticated by.
pub async fn door(db: &Db, id: TableSessionId, device: &str) -> Result<Option<Door>> {
    let reader = db.clone();
    let load = move |keys| doors(reader.clone(), keys);
    db.shared_reads.doors.get((id, device.to_owned()), load).await
}

async fn doors(db: Db, keys: Vec<(TableSessionId, String)>) -> Result<Vec<Option<Door>>> {
    let mut bulk = Bulk::reading(&db);
    let columns = [("position", Kind::Int), ("session", Kind::Uuid), ("device", Kind::Text)];
    let rows = (0_i64..).zip(&keys);
    bulk.rows(
        "r",
        columns,
        rows.map(|(i, (session, device))| [i.into(), session.0.into(), device.clone().into()]),
    );
    let now = bulk.now();
    let rows = bulk
        .query(&format!(
            "SELECT r.position, t.*, {now} AS now_ms, s.device IS NOT NULL AS seated
             FROM r JOIN table_sessions t ON t.id = r.session
             LEFT JOIN seated_devices s ON s.table_session_id = r.session AND s.device = r.device"
        ))
        .await?;
    bulk::in_order(keys.len(), rows, |row| {
        Ok(Door {
            session: Model::from_query_result(row, "")?.into(),
            seated: row.try_get("", "seated")?,
            now_ms: row.try_get("", "now_ms")?,
        })
    })
}

/// Locks table sessions, in id order, and reads them. *Shape*: those that exist, of whatever tenant.
///
/// *Transaction*: waits for other orders of the same table session up to the wait bound (`LockTimeout`).
pub async fn lock(txn: &Txn, ids: &[TableSessionId]) -> Result<HashMap<TableSessionId, Party>> {
    let mut bulk = Bulk::new(txn);
    bulk.rows("r", [("id", Kind::Uuid)], ids.iter().map(|id| [id.0.into()]));
    // who refers to a table session, as a seated device does, need not wait for its order
    let lock = txn.lock(RowLock::NoKeyUpdate);
    let rows = bulk
        .query(&format!(
            "SELECT id, tenant_id, table_label, closed_at_ms, last_placed_at_ms
             FROM table_sessions WHERE id IN (SELECT id FROM r) ORDER BY id {lock}"
        ))
        .await?;
    rows.iter()
        .map(|row| {
            let party = Party {
                tenant: TenantId(row.try_get_by_index(1)?),
                table: row.try_get_by_index(2)?,
                open: row.try_get_by_index::<Option<i64>>(3)?.is_none(),
                last_placed_at_ms: row.try_get_by_index(4)?,
            };
            Ok((TableSessionId(row.try_get_by_index(0)?), party))
        })
        .collect()
}

/// Marks the time of the last placed order.
pub fn mark_placed(writes: &mut Writes<'_>, ids: &[TableSessionId], now_ms: i64) {
    let mut bulk = writes.bulk();
    bulk.rows("r", [("id", Kind::Uuid)], ids.iter().map(|id| [id.0.into()]));
    let now = bulk.value(now_ms);
    let mark = format!("UPDATE table_sessions SET last_placed_at_ms = {now} WHERE id IN (SELECT id FROM r)");
    writes.add(bulk, &mark);
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
