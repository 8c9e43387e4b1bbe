//! Reading orders. Scoped to the tenant and to what the caller may read.

use crate::app::App;
use crate::kitchen::ticket::Ticket;
use crate::live::feed::Feed;
use crate::ordering::command::InputError;
use crate::ordering::duplicates::Standing;
use crate::ordering::receipt::Receipt;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use masterorder_protocol::ids::{CheckoutId, OrderId, TableSessionId};
use std::sync::Arc;
use uuid::Uuid;

/// Orders on one page at most.
pub const MAX_PAGE: i64 = 100;

/// An order as it is now: its immutable receipt with what may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// As it was placed.
    pub receipt: Receipt,
    /// Its cart.
    pub checkout: Option<CheckoutId>,
    /// Where it stands.
    pub standing: Standing,
    /// *Units*: ms since the Unix epoch.
    pub cancelled_at_ms: Option<i64>,
    /// Counts changes of the order itself.
    pub version: i64,
    /// Its kitchen ticket; none while pending.
    pub ticket: Option<Ticket>,
}

impl Order {
    /// Counts changes of what is shown of it: its own and its ticket's, both of which only grow.
    pub fn shown_version(&self) -> i64 {
        self.version + self.ticket.as_ref().map_or(0, |ticket| ticket.version)
    }
}

/// A page, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The orders.
    pub orders: Vec<Order>,
    /// More are there.
    pub has_next: bool,
}

/// Where a page ended: time and id of its last order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// *Units*: ms since the Unix epoch.
    pub placed_at_ms: i64,
    /// Breaks ties.
    pub id: OrderId,
}

impl Cursor {
    /// The cursor of an order.
    pub fn of(order: &Order) -> Self {
        Self {
            placed_at_ms: order.receipt.placed_at_ms,
            id: order.receipt.order_id,
        }
    }

    /// Opaque text.
    pub fn encode(self) -> String {
        let mut bytes = self.placed_at_ms.to_be_bytes().to_vec();
        bytes.extend_from_slice(self.id.0.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Back from opaque text.
    ///
    /// *Errors*: text that no page gave.
    pub fn decode(text: &str) -> Result<Self, InputError> {
        let invalid = || InputError::new("after", "must be the endCursor of an earlier page");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
        let (time, id) = bytes.split_first_chunk::<8>().ok_or_else(invalid)?;
        Ok(Self {
            placed_at_ms: i64::from_be_bytes(*time),
            id: OrderId(Uuid::from_slice(id).map_err(|_| invalid())?),
        })
    }
}

/// Reads a page of orders, newest first. Guests see their own table session, others may narrow it down to one.
///
/// *Errors*: `first` outside `1..=100`; a foreign `table_session` of a guest is `NOT_FOUND`.
pub async fn page(
    app: &App,
    principal: &Principal,
    table_session: Option<TableSessionId>,
    first: i64,
    after: Option<Cursor>,
) -> Result<Page, Refusal> {
    if !(1..=MAX_PAGE).contains(&first) {
        return Err(InputError::new("first", format!("must be 1 to {MAX_PAGE}, not {first}")).into());
    }
    let scope = match (principal.role, table_session) {
        (Role::Guest(own), None) => Some(own),
        (_, Some(asked)) if !principal.may_read(asked) => return Err(Refusal::NotFound("table session")),
        (_, asked) => asked,
    };
    let limit = u64::try_from(first).unwrap_or(1) + 1;
    let mut orders = store::history::page(&app.db, principal.tenant, scope, limit, after).await?;
    let has_next = orders.len() as u64 == limit;
    orders.truncate(orders.len().min(limit as usize - 1));
    Ok(Page { orders, has_next })
}

/// Watches the orders of a table session, the newest hundred.
///
/// *Errors*: a table session that the caller may not read, or that is not of its shop, is `NOT_FOUND`.
pub async fn watch(app: &Arc<App>, principal: &Principal, session: TableSessionId) -> Result<Feed<Order>, Refusal> {
    if crate::tables::find(app, principal, session).await?.is_none() {
        return Err(Refusal::NotFound("table session"));
    }
    let (db, tenant) = (app.db.clone(), principal.tenant);
    Ok(app.live.parties.watch(session.0, move || {
        let db = db.clone();
        async move { store::history::of_party(&db, tenant, session).await }
    }))
}

/// Finds orders by id, as far as the caller may read them. *Shape*: in no order.
pub async fn find(app: &App, principal: &Principal, ids: &[OrderId]) -> Result<Vec<Order>, Refusal> {
    let mut orders = store::history::find(&app.db, principal.tenant, ids).await?;
    orders.retain(|o| principal.may_read(o.receipt.table_session_id));
    Ok(orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_encoding_and_nonsense_is_refused() {
        let cursor = Cursor {
            placed_at_ms: 1_700_000_000_123,
            id: OrderId(Uuid::from_u128(7)),
        };
        assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor));
        for text in ["", "!", "AAAA", &cursor.encode()[1..]] {
            assert!(Cursor::decode(text).is_err(), "{text}");
        }
    }
}
