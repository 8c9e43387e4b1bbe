//! The REST door, for gateways and integrators: the use cases of the GraphQL door with exact statuses. It decides nothing.
//!
//! Reading order: `input` (the body of an order) → `order` and `status` (the two operations) → `receipt` (orders on the
//! wire) → `problem` (every "no") → `openapi` (all of it, described).

/// The body of an order.
pub mod input;
/// Placing.
pub mod order;
/// Asking what became of a key.
pub mod status;

/// Every "no".
pub mod problem;
/// Orders on the wire.
pub mod receipt;

/// The description.
pub mod openapi;
/// One problem per code.
pub mod samples;

use super::body;
use super::graphql::Door;
use crate::lang::Lang;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use problem::Problem;
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;

/// The media type of an answer.
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Every operation there is, with its path as it is described.
fn operations() -> [(&'static str, MethodRouter<Door>); 3] {
    [
        ("/v1/orders", post(order::place)),
        ("/v1/placements/{requestId}", get(status::find)),
        ("/openapi.json", get(openapi::serve)),
    ]
}

/// The routes. Below `/v1` every answer is one of this door's, also where there is nothing.
pub fn routes() -> Router<Door> {
    let mut router = Router::new();
    for (path, operation) in operations() {
        router = router.route(path, operation.fallback(problem::method_not_allowed));
    }
    for path in ["/v1", "/v1/", "/v1/{*rest}"] {
        router = router.route(path, any(problem::nothing_here));
    }
    router
        .layer(DefaultBodyLimit::max(body::MAX_BYTES))
        .layer(CatchPanicLayer::custom(problem::panicked))
}

/// Writes an answer. Whoever asks later is to ask again: nothing on the way may keep it.
fn written(status: StatusCode, answer: &impl Serialize, lang: Lang) -> Response {
    let Ok(body) = serde_json::to_vec(answer) else {
        return Problem::fault(lang).respond();
    };
    let headers = [
        (CONTENT_TYPE, JSON),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, body).into_response()
}

fn answered(answer: Result<Response, Problem>) -> Response {
    answer.unwrap_or_else(Problem::respond)
}
