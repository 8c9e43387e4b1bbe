//! Stock levels of what is tracked, items and toppings alike.

use super::bulk::{Bulk, Kind};
use super::db::Db;
use super::dialect::RowLock;
use super::entity::stock_level::{Column, Entity};
use super::failure::{Failure, Result};
use super::txn::Txn;
use super::writes::Writes;
use masterorder_protocol::ids::TenantId;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Locks levels, in id order, each row once, and reads them. *Units*: pieces.
///
/// *Transaction*: waits for other orders of the same items up to the wait bound (`LockTimeout`).
pub async fn lock(txn: &Txn, subjects: impl IntoIterator<Item = Uuid>) -> Result<BTreeMap<Uuid, i64>> {
    let mut bulk = Bulk::new(txn);
    bulk.rows("r", [("id", Kind::Uuid)], subjects.into_iter().map(|id| [id.into()]));
    let lock = txn.lock(RowLock::Update);
    let rows = bulk
        .query(&format!(
            "SELECT subject_id, quantity FROM stock_levels WHERE subject_id IN (SELECT id FROM r) ORDER BY subject_id {lock}"
        ))
        .await?;
    rows.iter()
        .map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?)))
        .collect()
}

/// Adds to levels that are locked; negative amounts are taken. The database refuses a level below zero.
pub fn add(writes: &mut Writes<'_>, amounts: &BTreeMap<Uuid, i64>) {
    let Some(first) = amounts.keys().next() else { return };
    let missing = Failure::Inconsistent {
        table: "stock_levels",
        column: "subject_id",
        row: first.to_string(),
    };
    let mut bulk = writes.bulk();
    let rows = amounts
        .iter()
        .map(|(subject, amount)| [(*subject).into(), (*amount).into()]);
    bulk.rows("r", [("id", Kind::Uuid), ("amount", Kind::Int)], rows);
    let add = "UPDATE stock_levels SET quantity = quantity + r.amount FROM r WHERE subject_id = r.id";
    writes.add_exactly(bulk, add, amounts.len(), missing);
}

/// Reads all levels of a tenant.
pub async fn levels(db: &Db, tenant: TenantId) -> Result<BTreeMap<Uuid, i64>> {
    let rows = Entity::find()
        .select_only()
        .columns([Column::SubjectId, Column::Quantity])
        .filter(Column::TenantId.eq(tenant.0))
        .into_tuple::<(Uuid, i64)>()
        .all(&db.reader)
        .await?;
    Ok(rows.into_iter().collect())
}
