//! What the mutations beside `placeOrder` answer.

use crate::catalog::ordering::Switched;
use crate::graphql::object::api_key::ApiKey;
use crate::graphql::object::kitchen::KitchenTicket;
use crate::graphql::object::order::Order;
use crate::graphql::object::shop::Shop;
use crate::graphql::object::table_session::TableSession;
use crate::kitchen::Advanced;
use crate::ordering::cancel::Cancelled;
use crate::staff::keys::{Created, Revoked};
use crate::tables::Opened;
use crate::tables::checkout::CheckedOut;
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

/// What `checkout` answers.
#[derive(SimpleObject)]
pub struct CheckoutPayload {
    /// The table session as it is now.
    pub table_session: TableSession,
    /// It was closed by this call; a second call changes nothing.
    pub changed: bool,
}

/// What `setOrdering` answers.
#[derive(SimpleObject)]
pub struct SetOrderingPayload {
    /// The shop as it is now.
    pub shop: Shop,
    /// It was switched by this call; a second call changes nothing.
    pub changed: bool,
}

/// What `setOrderingPolicy` answers.
#[derive(SimpleObject)]
pub struct SetOrderingPolicyPayload {
    /// The shop as it is now.
    pub shop: Shop,
}

/// What `createKey` answers.
#[derive(SimpleObject)]
pub struct CreateKeyPayload {
    /// The key.
    pub key: ApiKey,
    /// Goes after `Authorization: Bearer`. Shown now and never again.
    pub secret: String,
}

/// What `revokeKey` answers.
#[derive(SimpleObject)]
pub struct RevokeKeyPayload {
    /// The key as it is now.
    pub key: ApiKey,
    /// It was revoked by this call; a second call changes nothing.
    pub changed: bool,
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

impl From<CheckedOut> for CheckoutPayload {
    fn from(checked_out: CheckedOut) -> Self {
        Self {
            table_session: TableSession(checked_out.session),
            changed: checked_out.changed,
        }
    }
}

impl From<Switched> for SetOrderingPayload {
    fn from(switched: Switched) -> Self {
        Self {
            shop: Shop(switched.shop),
            changed: switched.changed,
        }
    }
}

impl From<Created> for CreateKeyPayload {
    fn from(created: Created) -> Self {
        Self {
            key: ApiKey(created.key),
            secret: created.secret.0,
        }
    }
}

impl From<Revoked> for RevokeKeyPayload {
    fn from(revoked: Revoked) -> Self {
        Self {
            key: ApiKey(revoked.key),
            changed: revoked.changed,
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
