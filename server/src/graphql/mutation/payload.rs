//! What the mutations beside `placeOrder` answer.

use crate::graphql::object::kitchen::KitchenTicket;
use crate::graphql::object::order::Order;
use crate::graphql::object::table_session::TableSession;
use crate::kitchen::Advanced;
use crate::ordering::cancel::Cancelled;
use crate::tables::Opened;
use async_graphql::SimpleObject;
use std::sync::Arc;

/// What `cancelOrder` answers.
#[derive(SimpleObject)]
pub struct CancelOrderPayload {
    /// The order as it is now.
    pub order: Order,
    /// It was cancelled by this call; a second call changes nothing.
    pub changed: bool,
}

/// What `openTableSession` answers.
#[derive(SimpleObject)]
pub struct OpenTableSessionPayload {
    /// The table's open session.
    pub table_session: TableSession,
    /// It was open before: a second tap opens no second one.
    pub already_open: bool,
}

/// What `advanceTicket` answers.
#[derive(SimpleObject)]
pub struct AdvanceTicketPayload {
    /// The ticket as it is now.
    pub ticket: KitchenTicket<'static>,
    /// It was moved by this call; `false` if somebody else had moved it before.
    pub changed: bool,
}

impl From<Cancelled> for CancelOrderPayload {
    fn from(cancelled: Cancelled) -> Self {
        Self {
            order: Order(Arc::new(cancelled.order)),
            changed: cancelled.changed,
        }
    }
}

impl From<Opened> for OpenTableSessionPayload {
    fn from(opened: Opened) -> Self {
        Self {
            table_session: TableSession(opened.session),
            already_open: opened.already_open,
        }
    }
}

impl From<Advanced> for AdvanceTicketPayload {
    fn from(advanced: Advanced) -> Self {
        Self {
            ticket: advanced.ticket.into(),
            changed: advanced.changed,
        }
    }
}
