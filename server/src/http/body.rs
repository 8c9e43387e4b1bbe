//! The body of a request.

use super::media::is_json;
use super::refused::Refused;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use std::time::Duration;

/// Bytes of a request's body.
pub const MAX_BYTES: usize = 64 * 1024;
/// How long a body may take to arrive: as long as the SDK waits for an attempt.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a body that is to be JSON. What is in it is for the door to judge.
///
/// *Errors*: another content type, too many bytes, or too slow.
pub async fn json(request: Request) -> Result<Bytes, Refused> {
    if !is_json(request.headers()) {
        return Err(Refused::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the content type must be application/json in UTF-8",
        ));
    }
    match tokio::time::timeout(TIMEOUT, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(Refused::new(
            rejection.status(),
            format!("the body must be at most {MAX_BYTES} bytes"),
        )),
        Ok(Err(rejection)) => Err(Refused::new(rejection.status(), "the body could not be read")),
        Err(_) => Err(Refused::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body took too long to arrive",
        )),
    }
}
