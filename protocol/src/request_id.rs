//! The idempotency key as the wire calls it.

use core::fmt;
use serde::{Deserialize, Serialize};
use uuid::{Uuid, Variant};

/// An idempotency key: a UUID v4 in the hyphenated form. Upper and lower case are the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(Uuid);

/// Why a text is no idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidRequestId {
    /// Not 36 characters in the form `8-4-4-4-12` of hexadecimal digits.
    Form,
    /// A UUID, but of this version (0 for the nil UUID or a foreign variant); only version 4 is random enough.
    Version(usize),
}

impl RequestId {
    /// Parses the hyphenated form.
    ///
    /// *Errors*: anything but a UUID v4; braces, URN and the form without hyphens are refused, so that
    /// one key has one spelling beside its case.
    pub fn parse(text: &str) -> Result<Self, InvalidRequestId> {
        if text.len() != 36 {
            return Err(InvalidRequestId::Form);
        }
        Uuid::try_parse(text)
            .map_err(|_| InvalidRequestId::Form)
            .and_then(Self::from_uuid)
    }

    /// Takes a UUID that is already parsed.
    ///
    /// *Errors*: any version but 4.
    pub fn from_uuid(id: Uuid) -> Result<Self, InvalidRequestId> {
        match (id.get_version_num(), id.get_variant()) {
            (4, Variant::RFC4122) => Ok(Self(id)),
            (version, Variant::RFC4122) => Err(InvalidRequestId::Version(version)),
            _ => Err(InvalidRequestId::Version(0)),
        }
    }

    /// The key as a UUID.
    pub fn as_uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for InvalidRequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("must be a UUID v4 like 550e8400-e29b-41d4-a716-446655440000"),
            Self::Version(v) => write!(f, "must be a UUID of version 4, not of version {v}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_and_lower_case_are_the_same_key() {
        let lower = RequestId::parse("550e8400-e29b-41d4-a716-446655440000").ok();
        assert!(lower.is_some());
        assert_eq!(lower, RequestId::parse("550E8400-E29B-41D4-A716-446655440000").ok());
    }

    #[test]
    fn other_spellings_and_versions_are_refused() {
        for text in [
            "",
            "550e8400e29b41d4a716446655440000",
            "{550e8400-e29b-41d4-a716-446655440000}",
            "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
            "550e8400-e29b-41d4-a716-44665544000g",
        ] {
            assert_eq!(RequestId::parse(text), Err(InvalidRequestId::Form), "{text}");
        }
        for (text, version) in [
            ("6fa459ea-ee8a-11d2-90b5-0000c04fd430", 1),
            ("01890a5d-ac96-774b-bcce-b302099a8057", 7),
            ("00000000-0000-0000-0000-000000000000", 0),
            ("550e8400-e29b-41d4-c716-446655440000", 0),
        ] {
            assert_eq!(
                RequestId::parse(text),
                Err(InvalidRequestId::Version(version)),
                "{text}"
            );
        }
    }
}
