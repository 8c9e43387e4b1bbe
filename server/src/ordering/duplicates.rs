//! Accident B, where every tap has a key of its own: the checkout rule and the content window. Pure.

use crate::ordering::command::PlaceOrder;
use crate::ordering::outcome::{Conflict, ReplayReason};
use masterorder_protocol::ids::{CheckoutId, OrderId, TableSessionId, TenantId};

/// An order that stands already, as far as duplicates are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its id.
    pub id: OrderId,
    /// Its account.
    pub tenant: TenantId,
    /// Its party.
    pub table_session: TableSessionId,
    /// Its cart.
    pub checkout: Option<CheckoutId>,
    /// Hash of what was ordered.
    pub content_hash: Vec<u8>,
    /// Hash of what was said about it.
    pub notes_hash: Vec<u8>,
    /// Who placed it.
    pub device: String,
    /// Where it stands.
    pub standing: Standing,
    /// *Units*: ms since the Unix epoch.
    pub placed_at_ms: i64,
}

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not confirmed yet.
    Pending,
    /// In the kitchen, or past it.
    Placed,
    /// Cancelled.
    Cancelled,
}

/// What the earlier orders say about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Duplicate {
    /// It is that order.
    Alias(OrderId, ReplayReason),
    /// It can not be placed like this.
    Conflict(Conflict),
}

/// The checkout rule: a cart is placed once, cancelled or not.
///
/// The order is named only to who may read it.
pub fn by_checkout(command: &PlaceOrder, earlier: &[Earlier]) -> Option<Duplicate> {
    let checkout = command.checkout?;
    let order = earlier
        .iter()
        .find(|e| e.tenant == command.principal.tenant && e.checkout == Some(checkout))?;
    let same = order.table_session == command.table_session
        && order.content_hash == command.content_hash
        && order.notes_hash == command.notes_hash;
    Some(if same {
        Duplicate::Alias(order.id, ReplayReason::Checkout)
    } else {
        let readable = command.principal.may_read(order.table_session);
        Duplicate::Conflict(Conflict::CheckoutAlreadyPlaced(readable.then_some(order.id)))
    })
}

/// The content window: the newest standing order of this table session with the same content, if it is young enough.
///
/// `confirmDuplicateOf` silences that order and every older one. The caller has checked that it belongs to this table
/// session.
pub fn by_content(command: &PlaceOrder, earlier: &[Earlier], window_ms: i64, now_ms: i64) -> Option<Duplicate> {
    // 0 is off, also for an order of a node whose clock is ahead
    if !command.window_applies || window_ms <= 0 {
        return None;
    }
    let confirmed = command
        .confirm_duplicate_of
        .and_then(|id| earlier.iter().find(|e| e.id == id))
        .map(|e| (e.placed_at_ms, e.id));
    let newest = earlier
        .iter()
        .filter(|e| {
            e.table_session == command.table_session
                && e.content_hash == command.content_hash
                && e.standing != Standing::Cancelled
                && e.placed_at_ms > now_ms - window_ms
        })
        .max_by_key(|e| (e.placed_at_ms, e.id))?;
    if confirmed.is_some_and(|c| (newest.placed_at_ms, newest.id) <= c) {
        return None;
    }
    let ask = Some(Duplicate::Conflict(Conflict::PossibleDuplicate {
        earlier: newest.id,
        age_ms: (now_ms - newest.placed_at_ms).max(0),
    }));
    // who confirmed an older one knows of duplicates: a newer equal order is asked about, never dropped in silence
    if confirmed.is_some() || newest.device != command.principal.device {
        return ask;
    }
    if command.checkout.is_some() && newest.checkout.is_some() {
        return ask;
    }
    match newest.standing {
        Standing::Pending => Some(Duplicate::Conflict(Conflict::DuplicatePayload)),
        _ if newest.notes_hash == command.notes_hash => Some(Duplicate::Alias(newest.id, ReplayReason::Payload)),
        _ => ask,
    }
}

#[cfg(test)]
#[path = "duplicates_tests.rs"]
mod tests;
