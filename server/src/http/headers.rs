//! Names of our headers, and the `Idempotency-Key`.

use crate::lang::Lang;
use crate::ordering::command::InputError;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, HeaderName};
use masterorder_protocol::request_id::{InvalidRequestId, RequestId};

/// A guest's table session.
pub const SESSION_ID: HeaderName = HeaderName::from_static("x-session-id");
/// Its PIN.
pub const SESSION_PIN: HeaderName = HeaderName::from_static("x-session-pin");
/// One device.
pub const CLIENT_ID: HeaderName = HeaderName::from_static("x-masterorder-client-id");
/// The key, for gateways that know nothing of GraphQL.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// [`IDEMPOTENCY_KEY`] as people write it.
pub const KEY: &str = "Idempotency-Key";
/// "This was answered before."
pub const REPLAY: HeaderName = HeaderName::from_static(crate::graphql::REPLAY_HEADER);

/// Finds a key in the `Idempotency-Key` header, bare or quoted. Anything but a UUID v4 is no key of ours: browsers may add
/// one of their own.
pub fn idempotency_key(headers: &HeaderMap) -> Option<RequestId> {
    RequestId::parse(bare(text(headers, &IDEMPOTENCY_KEY)?)).ok()
}

/// The text of the `Idempotency-Key` header where it is the key and nothing else: without its quotes, and not judged yet.
///
/// *Errors*: more than one, of which nobody could say which is meant; what is no ASCII.
pub fn written_key(headers: &HeaderMap) -> Result<Option<&str>, InputError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(InputError::new(KEY, "must be sent once"));
    }
    let text = value
        .to_str()
        .map_err(|_| InputError::new(KEY, InvalidRequestId::Form.to_string()))?;
    Ok(Some(bare(text)))
}

/// A key with its quotes taken off (RFC 8941 writes a string with them).
fn bare(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text)
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

    const ID: &str = "550e8400-e29b-41d4-a716-446655440000";

    fn key(header: &str) -> Option<RequestId> {
        let header = HeaderValue::from_bytes(header.as_bytes()).unwrap_or(HeaderValue::from_static(""));
        idempotency_key(&HeaderMap::from_iter([(IDEMPOTENCY_KEY, header)]))
    }

    #[test]
    fn bare_and_quoted_keys_are_one_key() {
        let expected = RequestId::parse(ID).ok();
        assert!(expected.is_some());
        for header in [
            ID.to_owned(),
            format!("\"{ID}\""),
            ID.to_uppercase(),
            format!(" \"{ID}\" "),
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
            &ID[1..],
            &format!("\"{ID}"),
            v1,
            "é",
        ] {
            assert_eq!(key(header), None, "{header}");
        }
        assert_eq!(idempotency_key(&HeaderMap::new()), None);
    }

    #[test]
    fn a_door_whose_key_it_is_takes_one_and_says_what_is_wrong() {
        let of = |values: &[&[u8]]| -> HeaderMap {
            let values = values.iter().filter_map(|value| HeaderValue::from_bytes(value).ok());
            values.map(|value| (IDEMPOTENCY_KEY, value)).collect()
        };
        assert_eq!(written_key(&of(&[])), Ok(None));
        for value in [ID.to_owned(), format!("\"{ID}\"")] {
            assert_eq!(written_key(&of(&[value.as_bytes()])), Ok(Some(ID)));
        }
        // what it is worth is judged with the rest of the order
        assert_eq!(written_key(&of(&[b"order-7"])), Ok(Some("order-7")));
        for headers in [of(&[ID.as_bytes(), ID.as_bytes()]), of(&["é".as_bytes()])] {
            assert_eq!(written_key(&headers).err().map(|e| e.path).as_deref(), Some(KEY));
        }
    }

    #[test]
    fn the_language_is_the_readers() {
        let headers = HeaderMap::from_iter([(ACCEPT_LANGUAGE, HeaderValue::from_static("ja-JP, en;q=0.5"))]);
        assert_eq!(lang(&headers), Lang::Ja);
        assert_eq!(lang(&HeaderMap::new()), Lang::En);
    }
}
