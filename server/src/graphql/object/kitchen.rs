//! Kitchen tickets.

use super::int;
use super::order::Order;
use super::receipt::Receipt;
use crate::graphql::caller::Caller;
use crate::graphql::scalar::DateTime;
use crate::kitchen::BoardTicket;
use crate::kitchen::ticket::{State, Ticket};
use crate::ordering::receipt;
use crate::refusal::Refusal;
use async_graphql::{Context, Description, Enum, ID, Object};
use std::borrow::Cow;

/// A kitchen ticket: exactly one per placed order.
#[derive(Description)]
pub struct KitchenTicket<'t> {
    ticket: Cow<'t, Ticket>,
    receipt: Option<Cow<'t, receipt::Receipt>>,
}

/// Where a ticket is.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "State")]
pub enum TicketState {
    /// Not begun.
    Received,
    /// Being made.
    Cooking,
    /// Waiting to be carried.
    Ready,
    /// On the table.
    Served,
    /// Its order was cancelled.
    Cancelled,
}

impl<'t> KitchenTicket<'t> {
    /// The ticket of an order at hand.
    pub fn of_order(ticket: &'t Ticket, receipt: &'t receipt::Receipt) -> Self {
        Self {
            ticket: Cow::Borrowed(ticket),
            receipt: Some(Cow::Borrowed(receipt)),
        }
    }
}

impl From<Ticket> for KitchenTicket<'_> {
    fn from(ticket: Ticket) -> Self {
        Self {
            ticket: Cow::Owned(ticket),
            receipt: None,
        }
    }
}

impl From<BoardTicket> for KitchenTicket<'_> {
    fn from(ticket: BoardTicket) -> Self {
        Self {
            ticket: Cow::Owned(ticket.ticket),
            receipt: Some(Cow::Owned(ticket.receipt)),
        }
    }
}

#[Object(use_type_description)]
impl KitchenTicket<'_> {
    /// Its id.
    async fn id(&self) -> ID {
        self.ticket.id.into()
    }

    /// The order, of which this is the only ticket.
    async fn order_id(&self) -> ID {
        self.ticket.order.into()
    }

    /// Where it is.
    async fn state(&self) -> TicketState {
        self.ticket.state.into()
    }

    /// When the kitchen got it.
    async fn created_at(&self) -> DateTime {
        DateTime(self.ticket.created_at_ms)
    }

    /// When it moved last.
    async fn updated_at(&self) -> DateTime {
        DateTime(self.ticket.updated_at_ms)
    }

    /// Counts changes.
    async fn version(&self) -> i32 {
        int(self.ticket.version)
    }

    /// What to make.
    async fn receipt(&self, ctx: &Context<'_>) -> Option<Result<Receipt<'_>, Refusal>> {
        match &self.receipt {
            Some(receipt) => Some(Ok(Receipt(Cow::Borrowed(receipt)))),
            None => {
                let order = Caller::of(ctx).order(self.ticket.order).await.transpose()?;
                Some(order.map(|order| Receipt(Cow::Owned(order.0.receipt.clone()))))
            }
        }
    }

    /// The order as it is now.
    async fn order(&self, ctx: &Context<'_>) -> Option<Result<Order, Refusal>> {
        Caller::of(ctx).order(self.ticket.order).await.transpose()
    }
}
