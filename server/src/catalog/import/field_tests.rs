//! Fields: what is read, what is refused, and with which words.

use super::*;
use proptest::prelude::*;

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap_or_else(|e| panic!("{code}: {e}"))
}

#[test]
fn prices_are_read_as_people_write_them() {
    for (text, code, minor) in [
        ("980", "JPY", 980),
        ("0", "JPY", 0),
        ("¥980", "JPY", 980),
        ("￥９８０", "JPY", 980),
        ("\\1,280", "JPY", 1_280),
        ("1,280円", "JPY", 1_280),
        ("１，２８０円", "JPY", 1_280),
        (" 980 ", "JPY", 980),
        ("980.00", "JPY", 980),
        ("1,234,567", "JPY", 1_234_567),
        ("12.50", "USD", 1_250),
        ("12.5", "USD", 1_250),
        ("12", "USD", 1_200),
        ("$12.50", "USD", 1_250),
        ("0.07", "USD", 7),
        ("12.500", "USD", 1_250),
        ("USD 12.50", "USD", 1_250),
        ("1,234.56", "USD", 123_456),
        ("1.250", "KWD", 1_250),
        ("0.29", "EUR", 29),
        ("10000000000.00", "USD", 1_000_000_000_000),
    ] {
        assert_eq!(price(text, currency(code)), Ok(minor), "{text} {code}");
    }
}

#[test]
fn what_is_no_price_is_refused() {
    for text in [
        "",
        "九百",
        "1,28",
        "12,50",
        "1.2.3",
        "1e3",
        "+5",
        ".",
        "12.",
        ".5",
        "９８０点",
        "1 280",
        "$980",
        "0x10",
    ] {
        let refused = price(text, currency("JPY"));
        assert_eq!(refused, Err(format!("must be an amount in JPY like 980, not {text:?}")));
    }
    let refused = [
        ("-5", "JPY", "must not be negative, as \"-5\" is"),
        ("▲5", "JPY", "must not be negative, as \"▲5\" is"),
        ("980.5", "JPY", "JPY has no decimals, but \"980.5\" does"),
        ("9.999", "USD", "USD has 2 decimals, but \"9.999\" has more"),
        ("nine", "USD", "must be an amount in USD like 9.55, not \"nine\""),
        (
            "10000000000.01",
            "USD",
            "must be at most 1000000000000 minor units of USD, not \"10000000000.01\"",
        ),
        (
            "99999999999999999999",
            "JPY",
            "must be at most 1000000000000 minor units of JPY, not \"99999999999999999999\"",
        ),
    ];
    for (text, code, message) in refused {
        assert_eq!(price(text, currency(code)), Err(message.into()), "{text} {code}");
    }
}

proptest! {
    /// A float has no 0.29, and 4.35 × 100 is 434.99…: every amount must come through as it is.
    #[test]
    fn every_amount_comes_through_to_the_last_minor_unit(minor in 0..=MAX_PRICE_MINOR) {
        let text = format!("{}.{:02}", minor / 100, minor % 100);
        prop_assert_eq!(price(&text, currency("USD")), Ok(minor));
    }

    #[test]
    fn nothing_that_people_write_panics(text in "\\PC*") {
        for code in ["JPY", "USD", "CLF"] {
            let _ = price(&text, currency(code));
        }
        let _ = (tax_rate_bp(&text), stock(&text), portions(&text), image_url(&text), line(&text, 10), lines(&text, 10));
    }
}

#[test]
fn tax_rates_are_percentages() {
    for (text, bp) in [
        ("10", 1_000),
        ("10%", 1_000),
        ("８％", 800),
        ("8.0", 800),
        ("8.25", 825),
        ("8.875000", -1),
        ("0", 0),
        ("0.5%", 50),
        ("100", 10_000),
        ("100.01", -1),
        ("", -1),
        ("10.", -1),
        ("軽減", -1),
        ("-8", -1),
    ] {
        match bp {
            -1 => assert_eq!(
                tax_rate_bp(text),
                Err(format!("must be a percentage like 10 or 8%, not {text:?}"))
            ),
            bp => assert_eq!(tax_rate_bp(text), Ok(bp), "{text}"),
        }
    }
    let message = "may be a fraction or a percentage: write 10 or 10% for ten percent, not \"0.1\"";
    assert_eq!(tax_rate_bp("0.1"), Err(message.into()));
}

#[test]
fn stock_and_portions_are_whole_numbers() {
    for (text, pieces) in [
        ("0", 0),
        ("12", 12),
        ("１２", 12),
        ("1,000", 1_000),
        ("1000000", 1_000_000),
    ] {
        assert_eq!(stock(text), Ok(pieces));
    }
    for text in ["-1", "1.5", "many", "1000001", "", "99999999999999999999"] {
        assert_eq!(
            stock(text),
            Err(format!("must be a whole number from 0 to 1000000, not {text:?}"))
        );
    }
    assert_eq!(portions("3"), Ok(3));
    for text in ["-1", "100", "x", ""] {
        assert_eq!(
            portions(text),
            Err(format!("must be a whole number from 0 to 99, not {text:?}"))
        );
    }
    assert_eq!(bounds(0, 1), Ok(()));
    assert_eq!(bounds(1, 1), Ok(()));
    assert_eq!(bounds(0, 0), Err("must be at least 1".into()));
    assert_eq!(bounds(3, 2), Err("must be at least the minimum of 3, not 2".into()));
}

#[test]
fn texts_are_trimmed_and_bounded() {
    assert_eq!(line("　味玉 ", 5), Ok("味玉".into()));
    assert_eq!(
        line("味玉味玉味玉", 5),
        Err("must be at most 5 characters, not 6".into())
    );
    for bad in ["a\nb", "a\0b", "a\u{85}b", "a\tb"] {
        assert_eq!(line(bad, 9), Err("must not hold control characters".into()), "{bad:?}");
    }
    assert_eq!(lines("a\r\nb\tc", 9), Ok("a\nb\tc".into()));
    assert_eq!(lines("a\0b", 9), Err("must not hold control characters".into()));
}

#[test]
fn a_picture_is_on_the_web_or_on_our_own_server() {
    for good in ["https://example.com/a.jpg", "HTTP://example.com/a", "/pictures/a.webp"] {
        assert_eq!(image_url(good), Ok(good.into()));
    }
    for bad in [
        "javascript:alert(1)",
        "data:image/png;base64,AA==",
        "//example.com/a",
        "a.jpg",
        "https://",
        "https://a b",
    ] {
        assert_eq!(
            image_url(bad),
            Err(format!("must be an address like https://…, not {bad:?}"))
        );
    }
}
