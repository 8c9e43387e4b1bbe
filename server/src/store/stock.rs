//! Stock levels of what is tracked, items and toppings alike.

use super::db::Db;
use super::entity::stock_level::{Column, Entity};
use super::failure::{Failure, Result};
use super::txn::Txn;
use masterorder_protocol::ids::TenantId;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Locks levels, in id order, each row once, and reads them. *Units*: pieces.
///
/// *Transaction*: waits for other orders of the same items up to the wait bound (`LockTimeout`).
pub async fn lock(txn: &Txn, subjects: impl IntoIterator<Item = Uuid>) -> Result<BTreeMap<Uuid, i64>> {
    let rows = Entity::find()
        .select_only()
        .columns([Column::SubjectId, Column::Quantity])
        .filter(Column::SubjectId.is_in(subjects))
        .order_by_asc(Column::SubjectId)
        .lock_exclusive()
        .into_tuple::<(Uuid, i64)>()
        .all(txn.conn())
        .await?;
    Ok(rows.into_iter().collect())
}

/// Adds to levels that are locked, in one statement; negative amounts are taken. The database refuses a level below zero.
pub async fn add(txn: &Txn, amounts: &BTreeMap<Uuid, i64>) -> Result<()> {
    if amounts.is_empty() {
        return Ok(());
    }
    let mut change = CaseStatement::new();
    for (subject, amount) in amounts {
        change = change.case(Column::SubjectId.eq(*subject), Expr::col(Column::Quantity).add(*amount));
    }
    let mut update = Query::update();
    update
        .table(Entity)
        .value(Column::Quantity, change)
        .and_where(Column::SubjectId.is_in(amounts.keys().copied()));
    let changed = txn.conn().execute(&update).await?.rows_affected();
    match amounts.keys().next() {
        Some(first) if changed != amounts.len() as u64 => Err(Failure::Inconsistent {
            table: "stock_levels",
            column: "subject_id",
            row: first.to_string(),
        }),
        _ => Ok(()),
    }
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
