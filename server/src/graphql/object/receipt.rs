//! Orders as they were placed.

use super::int;
use super::language::{Language, render};
use super::money::Money;
use crate::graphql::scalar::{DateTime, Uuid};
use crate::ordering::receipt;
use async_graphql::{Context, Description, ID, Object};
use masterorder_protocol::money::Currency;
use std::borrow::Cow;

/// An order as it was placed: it never changes, and every replay shows the same.
#[derive(Description)]
pub struct Receipt<'r>(pub Cow<'r, receipt::Receipt>);

#[Object(use_type_description)]
impl Receipt<'_> {
    /// The order.
    async fn order_id(&self) -> ID {
        self.0.order_id.into()
    }

    /// The `requestId` that placed it.
    async fn request_id(&self) -> Uuid {
        self.0.request_id.as_uuid().into()
    }

    /// What people call it; unique per shop and business day.
    async fn number(&self) -> i32 {
        int(self.0.number)
    }

    /// The party.
    async fn table_session_id(&self) -> ID {
        self.0.table_session_id.into()
    }

    /// The table's label at that time.
    async fn table(&self) -> &str {
        &self.0.table
    }

    /// When it was placed.
    async fn placed_at(&self) -> DateTime {
        DateTime(self.0.placed_at_ms)
    }

    /// Sum of the lines.
    async fn total(&self) -> Money {
        Money::new(self.0.total_minor, self.0.currency)
    }

    /// The guest's words, as sent.
    async fn note(&self) -> &str {
        &self.0.note
    }

    /// Equal lines of the cart are one line here, in order of first appearance.
    async fn lines(&self) -> Vec<OrderLine<'_>> {
        OrderLine::all(&self.0)
    }
}

/// A line of an order, at the names and prices of the time when it was placed.
#[derive(Description)]
pub struct OrderLine<'r> {
    line: &'r receipt::ReceiptLine,
    currency: Currency,
}

impl<'r> OrderLine<'r> {
    /// The lines of a receipt.
    pub fn all(receipt: &'r receipt::Receipt) -> Vec<Self> {
        let currency = receipt.currency;
        receipt.lines.iter().map(|line| Self { line, currency }).collect()
    }
}

#[Object(use_type_description)]
impl OrderLine<'_> {
    /// What was ordered.
    async fn menu_item_id(&self) -> ID {
        self.line.item_id.into()
    }

    /// The shop's own code.
    async fn sku(&self) -> &str {
        &self.line.sku
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.line.name, ctx, lang)
    }

    /// Where it is made.
    async fn station(&self) -> &str {
        &self.line.station
    }

    /// Pieces.
    async fn quantity(&self) -> i32 {
        int(self.line.quantity)
    }

    /// One piece with its toppings.
    async fn unit_price(&self) -> Money {
        Money::new(self.line.unit_price_minor, self.currency)
    }

    /// All pieces.
    async fn line_total(&self) -> Money {
        Money::new(self.line.line_total_minor, self.currency)
    }

    /// The tax in the price, in basis points: 1000 is 10 %.
    async fn tax_rate_bp(&self) -> i32 {
        int(self.line.tax_rate_bp)
    }

    /// The guest's words, as sent.
    async fn note(&self) -> &str {
        &self.line.note
    }

    /// What comes with each piece.
    async fn toppings(&self) -> Vec<OrderTopping<'_>> {
        let currency = self.currency;
        self.line
            .toppings
            .iter()
            .map(|topping| OrderTopping { topping, currency })
            .collect()
    }
}

/// A topping of a line, at the name and price of the time when it was placed.
#[derive(Description)]
pub struct OrderTopping<'r> {
    topping: &'r receipt::ReceiptTopping,
    currency: Currency,
}

#[Object(use_type_description)]
impl OrderTopping<'_> {
    /// Which one.
    async fn topping_id(&self) -> ID {
        self.topping.topping_id.into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.topping.name, ctx, lang)
    }

    /// Portions on each piece.
    async fn quantity(&self) -> i32 {
        int(self.topping.quantity)
    }

    /// One portion.
    async fn unit_price(&self) -> Money {
        Money::new(self.topping.unit_price_minor, self.currency)
    }
}
