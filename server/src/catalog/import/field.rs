//! Fields as people write them. Pure; each says what it must be and what it is. Full-width digits and signs are read like
//! their narrow twins.

use masterorder_protocol::money::Currency;
use unicode_normalization::UnicodeNormalization;

/// What the schema takes for one price. *Units*: minor units.
const MAX_PRICE_MINOR: i64 = 1_000_000_000_000;
/// Pieces that stock may be set to: far more than a shop holds, and an integer of GraphQL.
const MAX_STOCK: i64 = 1_000_000;
/// *Units*: characters.
pub const MAX_NAME: usize = 200;
/// *Units*: characters.
pub const MAX_CODE: usize = 100;
/// *Units*: characters.
pub const MAX_DESCRIPTION: usize = 2_000;
/// *Units*: characters.
pub const MAX_LABEL: usize = 50;
/// *Units*: characters. What browsers and caches take everywhere.
const MAX_URL: usize = 2_000;

/// Currencies without minor units, of ISO 4217.
const WHOLE: [&str; 17] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
    "XPF",
];
/// Currencies of a thousand minor units.
const THOUSANDTHS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
/// Currencies of ten thousand minor units.
const TEN_THOUSANDTHS: [&str; 2] = ["CLF", "UYW"];

/// Decimals of a currency. *Source*: ISO 4217, column "minor unit"; most have two.
pub fn exponent(currency: Currency) -> usize {
    match currency.as_str() {
        code if WHOLE.contains(&code) => 0,
        code if THOUSANDTHS.contains(&code) => 3,
        code if TEN_THOUSANDTHS.contains(&code) => 4,
        _ => 2,
    }
}

/// Parses an amount in major units, as `980`, `1,280円`, `￥９８０` or `12.50`, into minor units. Digits are read as they
/// stand; nothing passes through a float.
pub fn price(text: &str, currency: Currency) -> Result<i64, String> {
    let decimals = exponent(currency);
    let wrong = || {
        let example = match decimals {
            0 => "980".to_owned(),
            n => format!("9.{}", "5".repeat(n)),
        };
        format!("must be an amount in {currency} like {example}, not {text:?}")
    };
    let plain: String = text.nfkc().collect();
    let plain = without_symbol(plain.trim(), currency);
    if let Some(amount) = plain.strip_prefix(['-', '−', '▲', '△'])
        && amount.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err(format!("must not be negative, as {text:?} is"));
    }
    let (whole, fraction) = plain.split_once('.').map_or((plain, None), |(w, f)| (w, Some(f)));
    let whole = without_grouping(whole).ok_or_else(wrong)?;
    let fraction = fraction.map_or(Some(""), |f| digits(f)).ok_or_else(wrong)?;
    let (kept, dropped) = fraction.split_at(fraction.len().min(decimals));
    if dropped.contains(|c| c != '0') {
        return Err(match decimals {
            0 => format!("{currency} has no decimals, but {text:?} does"),
            n => format!("{currency} has {n} decimals, but {text:?} has more"),
        });
    }
    let minor = format!("{whole}{kept:0<decimals$}").parse::<i64>().ok();
    minor
        .filter(|minor| *minor <= MAX_PRICE_MINOR)
        .ok_or_else(|| format!("must be at most {MAX_PRICE_MINOR} minor units of {currency}, not {text:?}"))
}

/// Parses a tax rate in percent, as `10`, `10%`, `８％` or `8.25`, into basis points.
pub fn tax_rate_bp(text: &str) -> Result<i64, String> {
    let wrong = || format!("must be a percentage like 10 or 8%, not {text:?}");
    let plain: String = text.nfkc().collect();
    let (plain, has_sign) = match plain.trim().strip_suffix('%') {
        Some(rest) => (rest.trim_end(), true),
        None => (plain.trim(), false),
    };
    let (whole, fraction) = plain.split_once('.').map_or((plain, "0"), |(w, f)| (w, f));
    let (Some(whole), Some(fraction)) = (digits(whole), digits(fraction)) else {
        return Err(wrong());
    };
    let fraction = fraction.trim_end_matches('0');
    let basis_points = format!("{whole}{fraction:0<2}").parse::<i64>().map_err(|_| wrong())?;
    if fraction.len() > 2 || basis_points > 10_000 {
        return Err(wrong());
    }
    // a spreadsheet may hold 10 % as 0.1
    if !has_sign && (1..100).contains(&basis_points) {
        return Err(format!(
            "may be a fraction or a percentage: write 10 or 10% for ten percent, not {text:?}"
        ));
    }
    Ok(basis_points)
}

/// Parses pieces in stock.
pub fn stock(text: &str) -> Result<i64, String> {
    let plain: String = text.nfkc().collect();
    without_grouping(plain.trim())
        .and_then(|digits| digits.parse::<i64>().ok())
        .filter(|pieces| *pieces <= MAX_STOCK)
        .ok_or_else(|| format!("must be a whole number from 0 to {MAX_STOCK}, not {text:?}"))
}

/// Parses how many portions of a topping group may be chosen.
pub fn portions(text: &str) -> Result<i64, String> {
    let plain: String = text.nfkc().collect();
    digits(plain.trim())
        .and_then(|digits| digits.parse::<i64>().ok())
        .filter(|portions| *portions <= 99)
        .ok_or_else(|| format!("must be a whole number from 0 to 99, not {text:?}"))
}

/// Checks the bounds of a topping group with so many toppings.
pub fn bounds(min: i64, max: i64) -> Result<(), String> {
    match (min, max) {
        (_, 0) => Err("must be at least 1".into()),
        (min, max) if min > max => Err(format!("must be at least the minimum of {min}, not {max}")),
        _ => Ok(()),
    }
}

/// Checks a text of one line.
pub fn line(text: &str, max: usize) -> Result<String, String> {
    let text = text.trim();
    if text.contains(char::is_control) {
        return Err("must not hold control characters".into());
    }
    bounded(text, max)
}

/// Checks a text that may have line breaks.
pub fn lines(text: &str, max: usize) -> Result<String, String> {
    let text = text.trim().replace("\r\n", "\n");
    if text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
        return Err("must not hold control characters".into());
    }
    bounded(&text, max)
}

/// Checks the address of a picture: a page of ours shows it, so it must not be a script.
pub fn image_url(text: &str) -> Result<String, String> {
    let url = line(text, MAX_URL)?;
    let is_own = url.starts_with('/') && !url.starts_with("//");
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme)) && url.len() > scheme.len()
    });
    match (is_own || is_web) && !url.contains(char::is_whitespace) {
        true => Ok(url),
        false => Err(format!("must be an address like https://…, not {url:?}")),
    }
}

fn bounded(text: &str, max: usize) -> Result<String, String> {
    match text.chars().count() {
        n if n > max => Err(format!("must be at most {max} characters, not {n}")),
        _ => Ok(text.to_owned()),
    }
}

fn without_symbol(text: &str, currency: Currency) -> &str {
    let symbols: &[&str] = match currency.as_str() {
        // the yen sign of Shift_JIS is a backslash elsewhere
        "JPY" => &["¥", "\\", "円"],
        "USD" => &["US$", "$"],
        "EUR" => &["€"],
        "GBP" => &["£"],
        _ => &[],
    };
    let symbols = symbols.iter().copied().chain([currency.as_str()]);
    for symbol in symbols {
        let stripped = text.strip_prefix(symbol).or_else(|| text.strip_suffix(symbol));
        if let Some(rest) = stripped {
            return rest.trim();
        }
    }
    text
}

/// Digits, perhaps grouped by threes with commas: `1,280` is a number here, `1,28` is not.
fn without_grouping(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let mut plain = digits(groups.next()?)?.to_owned();
    if text.contains(',') && plain.len() > 3 {
        return None;
    }
    for group in groups {
        plain.push_str(digits(group).filter(|g| g.len() == 3)?);
    }
    Some(plain)
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
