//! Names of our headers, and the `Idempotency-Key`.

use crate::lang::Lang;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, HeaderName};
use masterorder_protocol::request_id::RequestId;

/// A guest's table session.
pub const SESSION_ID: HeaderName = HeaderName::from_static("x-session-id");
/// Its PIN.
pub const SESSION_PIN: HeaderName = HeaderName::from_static("x-session-pin");
/// One device.
pub const CLIENT_ID: HeaderName = HeaderName::from_static("x-masterorder-client-id");
/// The key, for gateways that know nothing of GraphQL.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// "This was answered before."
pub const REPLAY: HeaderName = HeaderName::from_static(crate::graphql::REPLAY_HEADER);

/// Finds a key in the `Idempotency-Key` header, bare or quoted. Anything but a UUID v4 is no key of ours: browsers may add
/// one of their own.
pub fn idempotency_key(headers: &HeaderMap) -> Option<RequestId> {
    let text = text(headers, &IDEMPOTENCY_KEY)?.trim();
    let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    RequestId::parse(bare).ok()
}

/// The reader's language.
pub fn lang(headers: &HeaderMap) -> Lang {
    text(headers, &ACCEPT_LANGUAGE)
        .map(Lang::from_accept_language)
        .unwrap_or_default()
}

/// A header's text; `None` if it is missing or no ASCII.
pub fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const KEY: &str = "550e8400-e29b-41d4-a716-446655440000";

    fn key(header: &str) -> Option<RequestId> {
        let header = HeaderValue::from_bytes(header.as_bytes()).unwrap_or(HeaderValue::from_static(""));
        idempotency_key(&HeaderMap::from_iter([(IDEMPOTENCY_KEY, header)]))
    }

    #[test]
    fn bare_and_quoted_keys_are_one_key() {
        let expected = RequestId::parse(KEY).ok();
        assert!(expected.is_some());
        for header in [
            KEY.to_owned(),
            format!("\"{KEY}\""),
            KEY.to_uppercase(),
            format!(" \"{KEY}\" "),
        ] {
            assert_eq!(key(&header), expected, "{header}");
        }
    }

    #[test]
    fn what_a_browser_makes_up_is_no_key() {
        let v1 = "6fa459ea-ee8a-11d2-90b5-0000c04fd430";
        for header in [
            "",
            "\"",
            "\"\"",
            "\"1234567890\"",
            "%",
            &KEY[1..],
            &format!("\"{KEY}"),
            v1,
            "é",
        ] {
            assert_eq!(key(header), None, "{header}");
        }
        assert_eq!(idempotency_key(&HeaderMap::new()), None);
    }

    #[test]
    fn the_language_is_the_readers() {
        let headers = HeaderMap::from_iter([(ACCEPT_LANGUAGE, HeaderValue::from_static("ja-JP, en;q=0.5"))]);
        assert_eq!(lang(&headers), Lang::Ja);
        assert_eq!(lang(&HeaderMap::new()), Lang::En);
    }
}
