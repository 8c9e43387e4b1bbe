//! Scalars of our own.

use async_graphql::{Description, InputValueError, InputValueResult, Scalar, ScalarType, Value};
use jiff::Timestamp;
use masterorder_protocol::money::MAX_AMOUNT_MINOR;

const AMOUNT: &str = "an integer from -9007199254740991 to 9007199254740991, in minor units (yen, cents)";
const UUID: &str = "a text like \"550e8400-e29b-41d4-a716-446655440000\"";
const DATE_TIME: &str = "a text like \"2026-01-02T03:04:05.678Z\"";

/// What a scalar of ours must be, if a message of async-graphql ends in its name.
pub fn expected_shape(message: &str) -> Option<&'static str> {
    match message.rsplit_once("expected type ")?.1 {
        "\"MinorUnits\"" => Some(AMOUNT),
        "\"UUID\"" => Some(UUID),
        "\"DateTime\"" => Some(DATE_TIME),
        _ => None,
    }
}

/// An amount in minor units of its currency (yen, cents): a JSON integer below 2^53 in size, because `Int` ends at 2^31.
/// Never a float and never text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Description)]
pub struct MinorUnits(pub i64);

#[Scalar(use_type_description)]
impl ScalarType for MinorUnits {
    fn parse(value: Value) -> InputValueResult<Self> {
        amount(&value)
            .map(Self)
            .ok_or_else(|| InputValueError::custom(format!("must be {AMOUNT}")))
    }

    fn is_valid(value: &Value) -> bool {
        amount(value).is_some()
    }

    fn to_value(&self) -> Value {
        self.0.into()
    }
}

fn amount(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else {
        return None;
    };
    number
        .as_i64()
        .filter(|n| (-MAX_AMOUNT_MINOR..=MAX_AMOUNT_MINOR).contains(n))
}

// Any text is taken in: which versions fit is for the use case to tell, with the path of the field.
/// A UUID in the hyphenated form. Upper and lower case are the same.
#[derive(Debug, Clone, PartialEq, Eq, Description)]
pub struct Uuid(pub String);

impl<T: Into<uuid::Uuid>> From<T> for Uuid {
    fn from(id: T) -> Self {
        Self(id.into().to_string())
    }
}

#[Scalar(
    name = "UUID",
    use_type_description,
    specified_by_url = "https://www.rfc-editor.org/rfc/rfc9562"
)]
impl ScalarType for Uuid {
    fn parse(value: Value) -> InputValueResult<Self> {
        match value {
            Value::String(text) => Ok(Self(text)),
            _ => Err(InputValueError::custom(format!("must be {UUID}"))),
        }
    }

    fn is_valid(value: &Value) -> bool {
        matches!(value, Value::String(_))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.clone())
    }
}

/// An instant in RFC 3339, in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Description)]
pub struct DateTime(pub i64);

#[Scalar(use_type_description, specified_by_url = "https://www.rfc-editor.org/rfc/rfc3339")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        let instant: Option<Timestamp> = match &value {
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        instant
            .map(|instant| Self(instant.as_millisecond()))
            .ok_or_else(|| InputValueError::custom(format!("must be {DATE_TIME}")))
    }

    fn to_value(&self) -> Value {
        let instant = Timestamp::from_millisecond(self.0).unwrap_or_default();
        Value::String(format!("{instant:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(json: serde_json::Value) -> Value {
        Value::from_json(json).unwrap_or_default()
    }

    #[test]
    fn an_amount_is_an_integer_below_2_to_the_53() {
        for fits in [0, 1, -1, 850, 1 << 31, MAX_AMOUNT_MINOR, -MAX_AMOUNT_MINOR] {
            assert_eq!(MinorUnits::parse(value(json!(fits))).ok(), Some(MinorUnits(fits)));
            assert!(MinorUnits::is_valid(&value(json!(fits))));
            assert_eq!(MinorUnits(fits).to_value(), value(json!(fits)));
        }
        for unfit in [
            json!(MAX_AMOUNT_MINOR + 1),
            json!(-MAX_AMOUNT_MINOR - 1),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1.5),
            json!(850.0),
            json!(1e3),
            json!("850"),
            json!(true),
            json!(null),
            json!([850]),
        ] {
            let unfit = value(unfit);
            assert!(!MinorUnits::is_valid(&unfit), "{unfit}");
            assert!(MinorUnits::parse(unfit).is_err());
        }
    }

    #[test]
    fn the_words_for_an_amount_name_the_bounds() {
        assert_eq!(AMOUNT.matches(&MAX_AMOUNT_MINOR.to_string()).count(), 2);
        assert_eq!(expected_shape("expected type \"MinorUnits\""), Some(AMOUNT));
        assert_eq!(expected_shape("expected type \"Int\""), None);
        assert_eq!(expected_shape("\"MinorUnits\""), None);
    }

    #[test]
    fn a_uuid_is_taken_as_text_and_judged_later() {
        assert_eq!(
            Uuid::parse(value(json!("nonsense"))).ok(),
            Some(Uuid("nonsense".into()))
        );
        assert!(!Uuid::is_valid(&value(json!(7))));
        let id = uuid::Uuid::from_u128(0xAB);
        assert_eq!(
            Uuid::from(id).to_value(),
            value(json!("00000000-0000-0000-0000-0000000000ab"))
        );
    }

    #[test]
    fn an_instant_has_three_digits_and_utc() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_700_000_000_120, "2023-11-14T22:13:20.120Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(DateTime(ms).to_value(), value(json!(text)));
            assert_eq!(DateTime::parse(value(json!(text))).ok(), Some(DateTime(ms)));
        }
        assert!(DateTime::parse(value(json!(0))).is_err());
    }
}
