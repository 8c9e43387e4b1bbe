//! Outbox events.

use super::db::Db;
use super::entity::outbox_event::{ActiveModel, Column, Entity};
use super::failure::Result;
use super::txn::Txn;
use crate::outbox::Event;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Set};

/// Writes events with what they tell.
pub async fn append(txn: &Txn, events: &[Event]) -> Result<()> {
    Entity::insert_many(events.iter().map(|event| ActiveModel {
        id: Set(event.id),
        tenant_id: Set(event.tenant.0),
        kind: Set(event.kind.into()),
        order_id: Set(event.order.0),
        payload: Set(event.payload.clone()),
        created_at_ms: Set(event.created_at_ms),
        dispatched_at_ms: Set(None),
    }))
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Asks how old the oldest event is that was not dispatched yet; `None` if there is none. *Units*: ms.
pub async fn oldest_open_age_ms(db: &Db) -> Result<Option<i64>> {
    let oldest = Entity::find()
        .select_only()
        .column(Column::CreatedAtMs)
        .filter(Column::DispatchedAtMs.is_null())
        .order_by_asc(Column::CreatedAtMs)
        .limit(1)
        .into_query()
        .expr_as(db.now_sql(), "now_ms")
        .to_owned();
    match db.reader.query_one(&oldest).await? {
        Some(row) => {
            let (created_at_ms, now_ms): (i64, i64) = (row.try_get_by_index(0)?, row.try_get("", "now_ms")?);
            // the clock of the node that wrote it may be ahead
            Ok(Some((now_ms - created_at_ms).max(0)))
        }
        None => Ok(None),
    }
}
