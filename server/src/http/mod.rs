//! HTTP: the doors, and what stands around all of them.

/// The GraphQL endpoint.
pub mod graphql;
/// The REST door.
pub mod rest;
/// Live feeds.
pub mod socket;
/// The pages for people.
pub mod pages;
/// What lets the guest's page open without a network.
mod service_worker;
/// GraphiQL.
pub mod playground;
/// The browser SDK.
pub mod sdk;
/// Liveness and readiness.
pub mod health;
/// What an operator can measure.
pub mod metrics;

/// Names of our headers, and the `Idempotency-Key`.
pub mod headers;
/// The body of a request.
pub mod body;
/// Media types.
pub mod media;
/// Who asks, from headers.
pub mod principal;
/// Where a request comes from.
pub mod peer;
/// How many requests one caller may send.
pub mod limiter;

/// Which pages may call from a browser.
pub mod cors;
/// The answer to a request that never ran.
pub mod refused;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::header::AUTHORIZATION;
use axum::routing::{get, post};
use graphql::Door;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

/// Puts the server's routes together.
pub fn router(door: Door) -> Router {
    let cors = cors::layer(&door.allowed_origins);
    let endpoint = post(graphql::execute)
        .get(playground::page)
        .fallback(graphql::method_not_allowed)
        .layer(DefaultBodyLimit::max(body::MAX_BYTES));
    let mut router = Router::new()
        .route("/graphql", endpoint)
        .route("/graphql/ws", get(socket::open))
        .route("/playground/{file}", get(playground::file))
        .route("/schema.graphql", get(graphql::schema))
        .route("/sdk/{file}", sdk::route())
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .merge(rest::routes())
        .route("/metrics", get(metrics::at_home))
        .merge(pages::routes())
        .with_state(door)
        .layer(CatchPanicLayer::custom(refused::panicked));
    // outside of the panics: a page may read those answers too
    if let Some(cors) = cors {
        router = router.layer(cors);
    }
    router
        .layer(TraceLayer::new_for_http().make_span_with(span))
        .layer(SetSensitiveRequestHeadersLayer::new([
            AUTHORIZATION,
            headers::SESSION_PIN,
        ]))
}

/// The route and not the address: whatever a caller writes into an address stays out of the log.
fn span(request: &Request) -> Span {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("", MatchedPath::as_str);
    tracing::info_span!("http", http.method = %request.method(), http.route = route)
}
