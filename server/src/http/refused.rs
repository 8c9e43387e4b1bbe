//! The answer to a request that never ran: an HTTP error with a body in the form of GraphQL, without `data`.

use super::media::Media;
use crate::graphql::error::{self, Errors};
use crate::graphql::messages;
use crate::lang::Lang;
use crate::refusal::Refusal;
use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use masterorder_protocol::codes::Code;
use std::any::Any;

/// Why a request never ran.
#[derive(Debug)]
pub struct Refused {
    /// The code's own, unless HTTP knows a closer one.
    pub status: StatusCode,
    /// Why.
    pub code: Code,
    /// For people.
    pub message: String,
    /// When to come back. *Units*: ms.
    pub retry_after_ms: Option<i64>,
}

impl Refused {
    /// The request itself does not fit, in a way that HTTP has a status for.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            code: Code::BadUserInput,
            message: message.into(),
            retry_after_ms: None,
        }
    }

    /// A use case refused it.
    pub fn because(refusal: &Refusal, lang: Lang) -> Self {
        let code = refusal.code();
        Self {
            status: StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            message: error::text(refusal, lang),
            retry_after_ms: refusal.retry_after_ms(),
        }
    }

    /// Writes the answer.
    pub fn respond(self, media: Media) -> Response {
        let errors = [error::refused(
            self.message,
            self.code,
            self.status.as_u16(),
            self.retry_after_ms,
        )];
        let mut response = (self.status, Json(Errors { errors: &errors })).into_response();
        response.headers_mut().insert(CONTENT_TYPE, media.content_type());
        dress(&mut response, self.retry_after_ms);
        response
    }
}

/// Gives an answer that says "no" the headers of its status, whatever its body is written as.
pub fn dress(response: &mut Response, retry_after_ms: Option<i64>) {
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(after_ms) = retry_after_ms {
        headers.insert(RETRY_AFTER, retry_after(after_ms));
    }
    if let StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT = status {
        // the rest of the body is not waited for: nobody may send a next request after it
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// The value of the `Retry-After` header: whole seconds, never too early.
pub fn retry_after(after_ms: i64) -> HeaderValue {
    HeaderValue::from((after_ms.max(0) as u64).div_ceil(1_000))
}

/// The answer to a request whose handler panicked. The panic itself goes to the log and nowhere else.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    log(&*panic);
    let refused = Refused {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        code: Code::Internal,
        message: messages::sentence(Code::Internal, Lang::default()).to_owned(),
        retry_after_ms: None,
    };
    refused.respond(Media::Json)
}

/// Writes a panic to the log.
pub fn log(panic: &(dyn Any + Send)) {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text");
    tracing::error!(panic = text, "a request panicked");
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    async fn parts(response: Response) -> (StatusCode, Option<String>, Option<String>, serde_json::Value) {
        let header = |name| {
            response
                .headers()
                .get(name)
                .and_then(|v| v.to_str().ok())
                .map(str::to_owned)
        };
        let (status, asks, after) = (response.status(), header(WWW_AUTHENTICATE), header(RETRY_AFTER));
        let body = to_bytes(response.into_body(), 10_000).await.unwrap_or_default();
        (status, asks, after, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn a_refused_request_has_an_error_with_its_code_and_no_data() {
        let refusal = Refusal::Unauthenticated("say who you are");
        let (status, asks, _, body) = parts(Refused::because(&refusal, Lang::En).respond(Media::Json)).await;
        assert_eq!(status, 401);
        assert_eq!(asks.as_deref(), Some("Bearer"));
        let extensions = serde_json::json!({
            "code": "UNAUTHENTICATED", "status": 401, "retryable": false, "retryAfterMs": null
        });
        let errors = serde_json::json!([{ "message": "say who you are", "extensions": extensions }]);
        assert_eq!(body, serde_json::json!({ "errors": errors }));
    }

    #[tokio::test]
    async fn http_knows_a_closer_status() {
        let refused = Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "too large");
        let (status, _, after, body) = parts(refused.respond(Media::GraphqlResponse)).await;
        assert_eq!((status, after), (StatusCode::PAYLOAD_TOO_LARGE, None));
        assert_eq!(body["errors"][0]["extensions"]["status"], 413);
        assert_eq!(body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
    }

    #[tokio::test]
    async fn unavailable_says_when_to_come_back() {
        let refused = Refused::because(&Refusal::Unavailable, Lang::Ja);
        let (status, _, after, body) = parts(refused.respond(Media::Json)).await;
        assert_eq!((status.as_u16(), after.as_deref()), (503, Some("1")));
        assert_eq!(body["errors"][0]["extensions"]["retryAfterMs"], 1_000);
        assert_eq!(retry_after(1_001), "2");
        assert_eq!(retry_after(-1), "0");
    }

    #[tokio::test]
    async fn a_panic_tells_nothing_of_its_cause() {
        for panic in [
            Box::new("secret") as Box<dyn Any + Send>,
            Box::new(String::from("secret")),
            Box::new(7),
        ] {
            let (status, _, _, body) = parts(panicked(panic)).await;
            assert_eq!(status, 500);
            assert_eq!(body["errors"][0]["extensions"]["code"], "INTERNAL");
            assert!(!body.to_string().contains("secret"));
        }
    }
}
