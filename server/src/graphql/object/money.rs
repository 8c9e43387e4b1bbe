//! Money.

use crate::graphql::scalar::MinorUnits;
use async_graphql::{Description, Object};
use masterorder_protocol::money::Currency;

/// An amount of money. Prices include tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Description)]
pub struct Money {
    amount_minor: i64,
    currency: Currency,
}

impl Money {
    /// An amount in minor units.
    pub fn new(amount_minor: i64, currency: Currency) -> Self {
        Self { amount_minor, currency }
    }
}

impl From<masterorder_protocol::money::Money> for Money {
    fn from(money: masterorder_protocol::money::Money) -> Self {
        Self::new(money.amount_minor, money.currency)
    }
}

#[Object(use_type_description)]
impl Money {
    /// Minor units of the currency.
    async fn amount_minor(&self) -> MinorUnits {
        MinorUnits(self.amount_minor)
    }

    /// ISO 4217, as in `JPY`.
    async fn currency(&self) -> &str {
        self.currency.as_str()
    }
}
