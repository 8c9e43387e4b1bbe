//! Outbox events.

use super::entity::outbox_event::{ActiveModel, Entity};
use super::failure::Result;
use super::txn::Txn;
use crate::outbox::Event;
use sea_orm::{EntityTrait, Set};

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
