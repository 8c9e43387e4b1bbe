//! Money: an integer of minor units and an ISO 4217 currency. Never a float.

use core::fmt;
use serde::{Deserialize, Serialize};

/// The largest amount on the wire, 2^53 − 1: what a JSON number carries exactly everywhere.
pub const MAX_AMOUNT_MINOR: i64 = (1 << 53) - 1;

/// A three-letter ISO 4217 code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "alloc::string::String", into = "alloc::string::String")]
pub struct Currency([u8; 3]);

/// An amount with its currency. *Units*: minor units (yen, cents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// Minor units; `-MAX_AMOUNT_MINOR..=MAX_AMOUNT_MINOR`.
    pub amount_minor: i64,
    /// The currency.
    pub currency: Currency,
}

/// The text is no three capital letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCurrency;

impl Currency {
    /// Parses three capital letters. Whether the code exists is for whoever owns the list of ISO 4217.
    pub fn parse(code: &str) -> Result<Self, InvalidCurrency> {
        match code.as_bytes() {
            [a, b, c] if [a, b, c].iter().all(|l| l.is_ascii_uppercase()) => Ok(Self([*a, *b, *c])),
            _ => Err(InvalidCurrency),
        }
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<alloc::string::String> for Currency {
    type Error = InvalidCurrency;
    fn try_from(code: alloc::string::String) -> Result<Self, InvalidCurrency> {
        Self::parse(&code)
    }
}

impl From<Currency> for alloc::string::String {
    fn from(c: Currency) -> Self {
        c.as_str().into()
    }
}

impl fmt::Display for InvalidCurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be an ISO 4217 code of three capital letters like JPY")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!(Currency::parse("JPY").map(|c| c.as_str() == "JPY"), Ok(true));
        for code in ["", "jpy", "JP", "JPYX", "J1Y", "円"] {
            assert_eq!(Currency::parse(code), Err(InvalidCurrency), "{code}");
        }
    }
}
