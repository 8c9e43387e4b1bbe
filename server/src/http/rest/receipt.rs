//! Orders on the wire, in the reader's language.

use crate::lang::Lang;
use crate::ordering::receipt;
use jiff::Timestamp;
use masterorder_protocol::money::Currency;
use serde::Serialize;
use utoipa::ToSchema;

/// An amount of money. Prices include tax.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// Minor units of the currency (yen, cents).
    pub amount_minor: i64,
    /// ISO 4217.
    #[schema(example = "JPY")]
    pub currency: String,
}

/// An order as it was placed: it never changes, and every replay shows the same.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacedOrder {
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// The key that placed it.
    #[schema(format = "uuid")]
    pub request_id: String,
    /// What people call it; unique per shop and business day.
    pub number: i64,
    /// The party.
    #[schema(format = "uuid")]
    pub table_session_id: String,
    /// The table's label.
    pub table: String,
    /// When it was placed.
    #[schema(format = "date-time")]
    pub placed_at: String,
    /// Sum of the lines.
    pub total: Money,
    /// The guest's words, as sent.
    pub note: String,
    /// Equal lines of the cart are one line here, in order of first appearance.
    pub lines: Vec<OrderLine>,
}

/// A line of an order, at the names and prices of the time when it was placed.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderLine {
    /// What was ordered.
    #[schema(format = "uuid")]
    pub menu_item_id: String,
    /// The shop's own code.
    pub sku: String,
    /// Its name.
    pub name: String,
    /// Where it is made.
    pub station: String,
    /// Pieces.
    pub quantity: i64,
    /// One piece with its toppings.
    pub unit_price: Money,
    /// All pieces.
    pub line_total: Money,
    /// The tax in the price, in basis points: 1000 is 10 %.
    pub tax_rate_bp: i64,
    /// The guest's words, as sent.
    pub note: String,
    /// What comes with each piece.
    pub toppings: Vec<OrderTopping>,
}

/// A topping of a line, at the name and price of the time when it was placed.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderTopping {
    /// Which one.
    #[schema(format = "uuid")]
    pub topping_id: String,
    /// Its name.
    pub name: String,
    /// Portions on each piece.
    pub quantity: i64,
    /// One portion.
    pub unit_price: Money,
}

impl Money {
    /// An amount in minor units.
    pub fn new(amount_minor: i64, currency: Currency) -> Self {
        Self {
            amount_minor,
            currency: currency.to_string(),
        }
    }
}

impl From<masterorder_protocol::money::Money> for Money {
    fn from(money: masterorder_protocol::money::Money) -> Self {
        Self::new(money.amount_minor, money.currency)
    }
}

impl PlacedOrder {
    /// Renders a receipt.
    pub fn render(receipt: &receipt::Receipt, lang: Lang) -> Self {
        let lines = receipt.lines.iter();
        Self {
            id: receipt.order_id.to_string(),
            request_id: receipt.request_id.to_string(),
            number: receipt.number,
            table_session_id: receipt.table_session_id.to_string(),
            table: receipt.table.clone(),
            placed_at: instant(receipt.placed_at_ms),
            total: Money::new(receipt.total_minor, receipt.currency),
            note: receipt.note.clone(),
            lines: lines
                .map(|line| OrderLine::render(line, receipt.currency, lang))
                .collect(),
        }
    }
}

impl OrderLine {
    fn render(line: &receipt::ReceiptLine, currency: Currency, lang: Lang) -> Self {
        let toppings = line.toppings.iter().map(|topping| OrderTopping {
            topping_id: topping.topping_id.to_string(),
            name: topping.name.get(lang).to_owned(),
            quantity: topping.quantity,
            unit_price: Money::new(topping.unit_price_minor, currency),
        });
        Self {
            menu_item_id: line.item_id.to_string(),
            sku: line.sku.clone(),
            name: line.name.get(lang).to_owned(),
            station: line.station.clone(),
            quantity: line.quantity,
            unit_price: Money::new(line.unit_price_minor, currency),
            line_total: Money::new(line.line_total_minor, currency),
            tax_rate_bp: line.tax_rate_bp,
            note: line.note.clone(),
            toppings: toppings.collect(),
        }
    }
}

/// An instant in RFC 3339, in UTC with milliseconds.
pub fn instant(at_ms: i64) -> String {
    format!("{:.3}", Timestamp::from_millisecond(at_ms).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_three_digits_and_utc() {
        assert_eq!(instant(1_700_000_000_120), "2023-11-14T22:13:20.120Z");
        assert_eq!(instant(0), "1970-01-01T00:00:00.000Z");
    }
}
