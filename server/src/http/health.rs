//! Liveness and readiness.

use crate::app::App;
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;
use std::time::Duration;

/// How long the database may take to answer: a load balancer that waits longer has turned away already.
const PATIENCE: Duration = Duration::from_secs(2);

/// The process answers. Asks nobody else: a restart does not mend a database.
pub async fn alive() -> &'static str {
    "ok"
}

/// The process can take orders, and will for a while.
pub async fn ready(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    if app.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down");
    }
    match tokio::time::timeout(PATIENCE, app.db.ping()).await {
        Ok(Ok(())) => (StatusCode::OK, "ok"),
        Ok(Err(error)) => {
            tracing::warn!(error = %error, "not ready: the database does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer")
        }
        Err(_) => {
            tracing::warn!("not ready: the database takes too long");
            (StatusCode::SERVICE_UNAVAILABLE, "the database takes too long")
        }
    }
}
