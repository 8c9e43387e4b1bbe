//! Outbox events.

use super::bulk::Kind;
use super::db::Db;
use super::entity::outbox_event::{Column, Entity};
use super::failure::Result;
use super::writes::Writes;
use crate::outbox::Event;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};

/// Writes events with what they tell.
pub fn add(writes: &mut Writes<'_>, events: &[Event]) {
    writes.insert(
        "outbox_events",
        [
            ("id", Kind::Uuid),
            ("tenant_id", Kind::Uuid),
            ("kind", Kind::Text),
            ("order_id", Kind::Uuid),
            ("payload", Kind::Text),
            ("created_at_ms", Kind::Int),
        ],
        events.iter().map(|event| {
            [
                event.id.into(),
                event.tenant.0.into(),
                event.kind.into(),
                event.order.0.into(),
                event.payload.clone().into(),
                event.created_at_ms.into(),
            ]
        }),
    );
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
