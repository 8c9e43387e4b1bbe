//! Orders as they are now.

use super::int;
use super::kitchen::KitchenTicket;
use super::money::Money;
use super::receipt::{OrderLine, Receipt};
use crate::graphql::scalar::{DateTime, Uuid};
use crate::ordering::duplicates::Standing;
use crate::ordering::history::{self, Cursor};
use async_graphql::{Description, Enum, ID, Object};
use std::borrow::Cow;
use std::sync::Arc;

/// An order as it is now.
#[derive(Description)]
pub struct Order(pub Arc<history::Order>);

/// Where an order stands.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "Standing")]
pub enum OrderStatus {
    /// The shop has not confirmed it yet.
    Pending,
    /// In the kitchen, or past it.
    Placed,
    /// Cancelled.
    Cancelled,
}

#[Object(use_type_description)]
impl Order {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.receipt.order_id.into()
    }

    /// The `requestId` that placed it.
    async fn request_id(&self) -> Uuid {
        self.0.receipt.request_id.as_uuid().into()
    }

    /// The cart that it was.
    async fn checkout_id(&self) -> Option<Uuid> {
        self.0.checkout.map(Uuid::from)
    }

    /// What people call it; unique per shop and business day.
    async fn number(&self) -> i32 {
        int(self.0.receipt.number)
    }

    /// The party.
    async fn table_session_id(&self) -> ID {
        self.0.receipt.table_session_id.into()
    }

    /// The table's label.
    async fn table(&self) -> &str {
        &self.0.receipt.table
    }

    /// Where it stands.
    async fn status(&self) -> OrderStatus {
        self.0.standing.into()
    }

    /// When it was placed.
    async fn placed_at(&self) -> DateTime {
        DateTime(self.0.receipt.placed_at_ms)
    }

    /// When it was cancelled.
    async fn cancelled_at(&self) -> Option<DateTime> {
        self.0.cancelled_at_ms.map(DateTime)
    }

    /// Sum of the lines.
    async fn total(&self) -> Money {
        Money::new(self.0.receipt.total_minor, self.0.receipt.currency)
    }

    /// The guest's words, as sent.
    async fn note(&self) -> &str {
        &self.0.receipt.note
    }

    /// In order of first appearance.
    async fn lines(&self) -> Vec<OrderLine<'_>> {
        OrderLine::all(&self.0.receipt)
    }

    /// The order as it was placed.
    async fn receipt(&self) -> Receipt<'_> {
        Receipt(Cow::Borrowed(&self.0.receipt))
    }

    /// Its kitchen ticket: exactly one, and none while it is pending.
    async fn ticket(&self) -> Option<KitchenTicket<'_>> {
        let ticket = self.0.ticket.as_ref()?;
        Some(KitchenTicket::of_order(ticket, &self.0.receipt))
    }

    /// Counts changes, also those of its ticket.
    async fn version(&self) -> i32 {
        int(self.0.shown_version())
    }
}

/// A page of orders, newest first.
#[derive(Description)]
pub struct OrderConnection(Vec<Order>, PageInfo);

impl From<history::Page> for OrderConnection {
    fn from(page: history::Page) -> Self {
        let info = PageInfo {
            has_next_page: page.has_next,
            end: page.orders.last().map(Cursor::of),
        };
        Self(
            page.orders.into_iter().map(|order| Order(Arc::new(order))).collect(),
            info,
        )
    }
}

#[Object(use_type_description)]
impl OrderConnection {
    /// The orders.
    async fn nodes(&self) -> &[Order] {
        &self.0
    }

    /// Where the page ended.
    async fn page_info(&self) -> &PageInfo {
        &self.1
    }
}

/// Where a page ended.
#[derive(Description)]
pub struct PageInfo {
    has_next_page: bool,
    end: Option<Cursor>,
}

#[Object(use_type_description)]
impl PageInfo {
    /// More are there.
    async fn has_next_page(&self) -> bool {
        self.has_next_page
    }

    /// Goes into `after` to read on; null if the page is empty.
    async fn end_cursor(&self) -> Option<String> {
        self.end.map(Cursor::encode)
    }
}
