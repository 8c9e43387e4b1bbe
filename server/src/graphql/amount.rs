//! Amounts of money as people read them.

use crate::lang::Lang;
use masterorder_protocol::money::{Currency, Money};

/// Writes an amount in the reader's language: yen as people write yen, everything else with its ISO 4217 code.
pub fn write(money: Money, lang: Lang) -> String {
    let digits = decimal(money.amount_minor, fraction_digits(money.currency));
    match (money.currency.as_str(), lang) {
        ("JPY", Lang::Ja) => format!("{digits}円"),
        ("JPY", Lang::En) => format!("¥{digits}"),
        (code, _) => format!("{code} {digits}"),
    }
}

/// Digits after the point, as ISO 4217 has them (list one of 2024).
fn fraction_digits(currency: Currency) -> usize {
    match currency.as_str() {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "UYI" | "VND"
        | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        "CLF" | "UYW" => 4,
        _ => 2,
    }
}

/// Writes minor units as a decimal number with groups of three digits.
fn decimal(minor: i64, fraction_digits: usize) -> String {
    let digits = format!("{:0width$}", minor.unsigned_abs(), width = fraction_digits + 1);
    let (whole, fraction) = digits.split_at(digits.len() - fraction_digits);
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 2);
    if minor < 0 {
        text.push('-');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_follow_their_currency() {
        for (amount_minor, code, ja, en) in [
            (0, "JPY", "0円", "¥0"),
            (850, "JPY", "850円", "¥850"),
            (1_234_567, "JPY", "1,234,567円", "¥1,234,567"),
            (-850, "JPY", "-850円", "¥-850"),
            (5, "USD", "USD 0.05", "USD 0.05"),
            (123_456, "EUR", "EUR 1,234.56", "EUR 1,234.56"),
            (1_234_567, "KWD", "KWD 1,234.567", "KWD 1,234.567"),
            (10_000, "CLF", "CLF 1.0000", "CLF 1.0000"),
        ] {
            let Ok(currency) = Currency::parse(code) else {
                panic!("{code}");
            };
            let money = Money { amount_minor, currency };
            assert_eq!(
                (write(money, Lang::Ja).as_str(), write(money, Lang::En).as_str()),
                (ja, en)
            );
        }
    }
}
