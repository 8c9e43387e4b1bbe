//! The immutable snapshot of a placed order: what its first answer said, and what every replay says again.

use crate::lang::LocalText;
use masterorder_protocol::ids::{MenuItemId, OrderId, TableSessionId, ToppingId};
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use serde::{Deserialize, Serialize};

/// An order as it was placed. Names in both languages; amounts in minor units of `currency`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The order.
    pub order_id: OrderId,
    /// The key that placed it.
    pub request_id: RequestId,
    /// What people call it; unique per shop and business day.
    pub number: i64,
    /// The party.
    pub table_session_id: TableSessionId,
    /// The table's label.
    pub table: String,
    /// *Units*: ms since the Unix epoch.
    pub placed_at_ms: i64,
    /// Of all amounts here.
    pub currency: Currency,
    /// Sum of the lines.
    pub total_minor: i64,
    /// As sent.
    pub note: String,
    /// In order of first appearance.
    pub lines: Vec<ReceiptLine>,
}

/// A priced line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptLine {
    /// What was ordered.
    pub item_id: MenuItemId,
    /// The shop's own code.
    pub sku: String,
    /// Its name at that time.
    pub name: LocalText,
    /// Where it is made.
    pub station: String,
    /// Pieces.
    pub quantity: i64,
    /// One piece with its toppings.
    pub unit_price_minor: i64,
    /// All pieces.
    pub line_total_minor: i64,
    /// *Units*: basis points, included in the price.
    pub tax_rate_bp: i64,
    /// As sent.
    pub note: String,
    /// Taken from stock; 0 if untracked.
    pub taken: i64,
    /// Sorted by id.
    pub toppings: Vec<ReceiptTopping>,
}

/// A topping on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptTopping {
    /// Which one.
    pub topping_id: ToppingId,
    /// Its name at that time.
    pub name: LocalText,
    /// Portions on each piece.
    pub quantity: i64,
    /// One portion.
    pub unit_price_minor: i64,
    /// Taken from stock by the whole line; 0 if untracked.
    pub taken: i64,
}
