//! News for the outside, written with what it tells.

use crate::ordering::receipt::Receipt;
use masterorder_protocol::ids::{OrderId, TenantId};
use uuid::Uuid;

/// An order was placed. Exactly one per placement, by constraint.
pub const ORDER_PLACED: &str = "order.placed";
/// An order was cancelled.
pub const ORDER_CANCELLED: &str = "order.cancelled";

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id, by which consumers dedupe.
    pub id: Uuid,
    /// The account.
    pub tenant: TenantId,
    /// What happened.
    pub kind: &'static str,
    /// To which order.
    pub order: OrderId,
    /// JSON.
    pub payload: String,
    /// *Units*: ms since the Unix epoch.
    pub created_at_ms: i64,
}

/// The event of a placed order; its payload is the receipt.
pub fn placed(id: Uuid, tenant: TenantId, receipt: &Receipt) -> Event {
    Event {
        id,
        tenant,
        kind: ORDER_PLACED,
        order: receipt.order_id,
        payload: serde_json::json!({ "type": ORDER_PLACED, "order": receipt }).to_string(),
        created_at_ms: receipt.placed_at_ms,
    }
}

/// The event of a cancelled order.
pub fn cancelled(id: Uuid, tenant: TenantId, order: OrderId, at_ms: i64) -> Event {
    Event {
        id,
        tenant,
        kind: ORDER_CANCELLED,
        order,
        payload: serde_json::json!({ "type": ORDER_CANCELLED, "orderId": order, "cancelledAtMs": at_ms }).to_string(),
        created_at_ms: at_ms,
    }
}
