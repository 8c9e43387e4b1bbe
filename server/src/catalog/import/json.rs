//! JSON with numbers as they are written: a price must not pass through a float on its way in.

use super::problem::{Place, Problem};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Values inside values; a menu has seven.
const MAX_DEPTH: usize = 64;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// As written, as in `12.50`.
    Number(String),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Json>),
    /// Properties in order.
    Object(Vec<(String, Json)>),
}

/// Parses a document.
///
/// *Errors*: it is no JSON, with line and column; or it is nested too deeply.
pub fn parse(text: &str) -> Result<Json, Problem> {
    let document: &RawValue = serde_json::from_str(text).map_err(|e| Problem::of_file(format!("is no JSON: {e}")))?;
    value(document, "$", 0)
}

impl Json {
    /// A property of an object, unless it is missing or null.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(properties) => properties
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value)
                .filter(|value| **value != Self::Null),
            _ => None,
        }
    }

    /// The text of a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A text, or a number as it is written.
    pub fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            _ => None,
        }
    }
}

fn value(raw: &RawValue, path: &str, depth: usize) -> Result<Json, Problem> {
    let bad = |message: String| Problem::new(Place::Path(path.into()), "", message);
    if depth > MAX_DEPTH {
        return Err(bad(format!("is nested more than {MAX_DEPTH} levels deep")));
    }
    let text = raw.get().trim();
    let json = match text.as_bytes().first() {
        Some(b'{') => {
            let Properties(properties) = serde_json::from_str(text).map_err(|e| bad(e.to_string()))?;
            let inner = |(key, raw): (String, &RawValue)| {
                let inner = value(raw, &format!("{path}.{key}"), depth + 1)?;
                Ok((key, inner))
            };
            Json::Object(properties.into_iter().map(inner).collect::<Result<_, Problem>>()?)
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(text).map_err(|e| bad(e.to_string()))?;
            let inner = |(i, raw): (usize, &RawValue)| value(raw, &format!("{path}[{i}]"), depth + 1);
            Json::List(
                values
                    .into_iter()
                    .enumerate()
                    .map(inner)
                    .collect::<Result<_, Problem>>()?,
            )
        }
        Some(b'"') => Json::Text(serde_json::from_str(text).map_err(|e| bad(e.to_string()))?),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') | None => Json::Null,
        Some(_) => Json::Number(text.to_owned()),
    };
    Ok(json)
}

struct Properties<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Properties<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut properties: Vec<(String, &RawValue)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    if properties.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format!("has {key:?} twice")));
                    }
                    properties.push((key, value));
                }
                Ok(Properties(properties))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_they_are_written() {
        let json = parse(r#" { "a": [12.50, 0.1e2, "x\u0041", true, null], "b": {"c": 9007199254740993.01} } "#);
        let number = |n: &str| Json::Number(n.into());
        let list = Json::List(vec![
            number("12.50"),
            number("0.1e2"),
            Json::Text("xA".into()),
            Json::Bool(true),
            Json::Null,
        ]);
        let inner = Json::Object(vec![("c".into(), number("9007199254740993.01"))]);
        assert_eq!(json, Ok(Json::Object(vec![("a".into(), list), ("b".into(), inner)])));
    }

    #[test]
    fn broken_documents_are_named_by_place() {
        for (text, message) in [
            ("", "file: is no JSON: EOF while parsing a value at line 1 column 0"),
            ("{\n \"a\": }", "file: is no JSON: expected value at line 2 column 7"),
            ("[1] x", "file: is no JSON: trailing characters at line 1 column 5"),
        ] {
            assert_eq!(parse(text).map_err(|e| e.to_string()), Err(message.into()));
        }
        let twice = parse(r#"{"a": [{"b": 1, "b": 2}]}"#).map_err(|e| e.to_string());
        assert!(twice.is_err_and(|e| e.starts_with("$.a[0]: has \"b\" twice")));
        let deep = format!("{}{}", "[".repeat(80), "]".repeat(80));
        let refused = parse(&deep).map_err(|e| e.to_string());
        assert!(refused.is_err_and(|e| e.ends_with("is nested more than 64 levels deep")));
    }
}
