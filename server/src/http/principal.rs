//! Who asks, from headers: a guest by table session and PIN, staff and integrators by API key.

use super::graphql::Door;
use super::headers::{self, CLIENT_ID, SESSION_ID, SESSION_PIN};
use super::peer::Peer;
use crate::app::App;
use crate::ordering::command::InputError;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::{staff, tables};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use masterorder_protocol::ids::TableSessionId;
use uuid::Uuid;

/// What the headers claim. Nothing is looked up yet.
#[derive(Debug, PartialEq, Eq)]
enum Credentials<'h> {
    /// None: may read the schema.
    Anonymous,
    /// Somebody at a table.
    Guest {
        session: TableSessionId,
        pin: &'h str,
        device: String,
    },
    /// An API key.
    Key { token: &'h str, client: Option<String> },
}

/// Finds the caller, `None` for the anonymous, and counts the request.
///
/// *Errors*: `UNAUTHENTICATED` for credentials that are not valid; bad input for both kinds at once, and for a client id
/// that is missing where one is required; `RATE_LIMITED` after too many requests or wrong PINs.
pub async fn authenticate(door: &Door, headers: &HeaderMap, peer: Peer) -> Result<Option<Principal>, Refusal> {
    let found = find(&door.app, headers, peer).await;
    match &found {
        Ok(Some(principal)) => door.limiter.count(principal)?,
        Ok(None) | Err(Refusal::Unauthenticated(_)) => door.limiter.count_stranger(peer.0)?,
        Err(_) => {}
    }
    found
}

/// The same without counting.
pub async fn find(app: &App, headers: &HeaderMap, peer: Peer) -> Result<Option<Principal>, Refusal> {
    match Credentials::parse(headers)? {
        Credentials::Anonymous => Ok(None),
        Credentials::Guest { session, pin, device } => {
            tables::guest(app, session, pin, &device, peer.0).await.map(Some)
        }
        Credentials::Key { token, client } => staff::bearer(app, token, client.as_deref()).await.map(Some),
    }
}

/// Finds the caller where nobody may be anonymous.
///
/// *Errors*: those of [`authenticate`], and `UNAUTHENTICATED` for the anonymous.
pub async fn known(door: &Door, headers: &HeaderMap, peer: Peer) -> Result<Principal, Refusal> {
    authenticate(door, headers, peer).await?.ok_or(Refusal::ANONYMOUS)
}

impl<'h> Credentials<'h> {
    fn parse(headers: &'h HeaderMap) -> Result<Self, Refusal> {
        let guest = headers.contains_key(SESSION_ID) || headers.contains_key(SESSION_PIN);
        match (guest, headers.contains_key(AUTHORIZATION)) {
            (false, false) => Ok(Self::Anonymous),
            (true, false) => Self::guest(headers),
            (false, true) => Self::key(headers),
            (true, true) => Err(InputError::new(
                "Authorization",
                "must not come together with X-Session-Id and X-Session-PIN: be a guest or use a key",
            )
            .into()),
        }
    }

    fn guest(headers: &'h HeaderMap) -> Result<Self, Refusal> {
        let session = headers::text(headers, &SESSION_ID).and_then(hyphenated);
        let pin = headers::text(headers, &SESSION_PIN);
        let (Some(session), Some(pin)) = (session, pin) else {
            return Err(Refusal::Unauthenticated(
                "X-Session-Id (a UUID) and X-Session-PIN must come together",
            ));
        };
        let Some(device) = client(headers)? else {
            return Err(invalid_client("is required of guests").into());
        };
        Ok(Self::Guest {
            session: TableSessionId(session),
            pin,
            device,
        })
    }

    fn key(headers: &'h HeaderMap) -> Result<Self, Refusal> {
        let token = headers::text(headers, &AUTHORIZATION)
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim())
            .filter(|token| token.starts_with("mo_live_") || token.starts_with("mo_test_"))
            .ok_or(Refusal::Unauthenticated(
                "Authorization must be Bearer with an API key of mo_live_ or mo_test_",
            ))?;
        Ok(Self::Key {
            token,
            client: client(headers)?,
        })
    }
}

/// Reads the client id. *Shape*: `guest-` and a UUID, in lower case.
fn client(headers: &HeaderMap) -> Result<Option<String>, InputError> {
    if !headers.contains_key(CLIENT_ID) {
        return Ok(None);
    }
    let id = headers::text(headers, &CLIENT_ID)
        .and_then(|text| text.strip_prefix("guest-"))
        .and_then(hyphenated);
    id.map(|id| Some(format!("guest-{id}")))
        .ok_or_else(|| invalid_client("does not fit"))
}

fn invalid_client(what: &str) -> InputError {
    InputError::new(
        "X-MasterOrder-Client-Id",
        format!("{what}: guest-<uuid>, made once per device and kept"),
    )
}

fn hyphenated(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};
    use masterorder_protocol::codes::Code;

    const ID: &str = "0190a5d2-7c3e-7b1a-8f00-3c9a1e5c8f10";
    const CLIENT: &str = "guest-550e8400-e29b-41d4-a716-446655440000";
    const KEY: &str = "Bearer mo_live_abc";

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_bytes(text.as_bytes()).unwrap_or(HeaderValue::from_static(""));
        pairs.iter().map(|(name, text)| (name.clone(), value(text))).collect()
    }

    fn error(pairs: &[(HeaderName, &str)]) -> Option<(Code, String)> {
        let error = Credentials::parse(&headers(pairs)).err()?;
        Some((error.code(), error.to_string()))
    }

    fn code(pairs: &[(HeaderName, &str)]) -> Option<Code> {
        error(pairs).map(|(code, _)| code)
    }

    #[test]
    fn a_guest_has_a_table_session_a_pin_and_a_device() {
        let upper = CLIENT.replacen("550e8400", "550E8400", 1);
        let headers = headers(&[(SESSION_ID, ID), (SESSION_PIN, "0042"), (CLIENT_ID, &upper)]);
        let expected = Credentials::Guest {
            session: TableSessionId(Uuid::try_parse(ID).unwrap_or_default()),
            pin: "0042",
            device: CLIENT.into(),
        };
        assert_eq!(Credentials::parse(&headers).ok(), Some(expected));
    }

    #[test]
    fn a_guest_without_a_client_id_is_told_which_header_is_missing() {
        for client in [
            None,
            Some(""),
            Some("guest-"),
            Some("guest-1"),
            Some(ID),
            Some(&CLIENT[..41]),
        ] {
            let mut pairs = vec![(SESSION_ID, ID), (SESSION_PIN, "0042")];
            pairs.extend(client.map(|client| (CLIENT_ID, client)));
            let (code, message) = error(&pairs).unwrap_or((Code::Internal, String::new()));
            assert_eq!(code, Code::BadUserInput, "{client:?}");
            assert!(message.contains("X-MasterOrder-Client-Id"), "{message}");
        }
    }

    #[test]
    fn half_or_malformed_guest_credentials_are_no_credentials() {
        for pairs in [
            vec![(SESSION_ID, ID), (CLIENT_ID, CLIENT)],
            vec![(SESSION_PIN, "0042"), (CLIENT_ID, CLIENT)],
            vec![(SESSION_ID, "1"), (SESSION_PIN, "0042"), (CLIENT_ID, CLIENT)],
            vec![(SESSION_ID, ""), (SESSION_PIN, "0042"), (CLIENT_ID, CLIENT)],
            vec![(SESSION_ID, ID), (SESSION_PIN, "４２"), (CLIENT_ID, CLIENT)],
        ] {
            assert_eq!(code(&pairs), Some(Code::Unauthenticated), "{pairs:?}");
        }
    }

    #[test]
    fn a_key_is_a_bearer_of_ours() {
        let parsed = headers(&[(AUTHORIZATION, "bearer  mo_test_x"), (CLIENT_ID, CLIENT)]);
        let expected = Credentials::Key {
            token: "mo_test_x",
            client: Some(CLIENT.into()),
        };
        assert_eq!(Credentials::parse(&parsed).ok(), Some(expected));
        for value in [
            "",
            "Bearer",
            "Bearer ",
            "Basic mo_live_abc",
            "Bearer abc",
            "mo_live_abc",
        ] {
            assert_eq!(code(&[(AUTHORIZATION, value)]), Some(Code::Unauthenticated), "{value}");
        }
        assert_eq!(
            code(&[(AUTHORIZATION, KEY), (CLIENT_ID, "x")]),
            Some(Code::BadUserInput)
        );
    }

    #[test]
    fn nobody_is_both_and_nobody_is_nobody() {
        for guest in [(SESSION_ID, ID), (SESSION_PIN, "0042")] {
            assert_eq!(code(&[guest, (AUTHORIZATION, KEY)]), Some(Code::BadUserInput));
        }
        assert_eq!(
            Credentials::parse(&headers(&[(CLIENT_ID, CLIENT)])).ok(),
            Some(Credentials::Anonymous)
        );
    }
}
