//! Composition root of a serving process, and how it ends.
//!
//! Asked to end, a node first says at `/readyz` that it is not ready, for as long as its grace lasts; then it accepts no more
//! connections, closes sockets, lets requests in flight end, waits for placements (also of guests who hung up), flushes the audit
//! queue and closes the database. Each order either is in the database then, or nothing of it is.

use crate::app::App;
use crate::http;
use crate::http::graphql::Door;
use crate::http::limiter::Limiter;
use axum::serve::ListenerExt;
use std::future::{Future, IntoFuture};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout_at};

/// Thirds of what is left of the deadline that open connections may take to end; the last one is for placements whose guests
/// hung up, the audit queue and the database.
const CONNECTION_THIRDS: u32 = 2;

/// Between two times that callers who have gone are forgotten.
const TIDY: Duration = Duration::from_secs(60);

async fn tidy(limiter: Weak<Limiter>) {
    loop {
        sleep(TIDY).await;
        let Some(limiter) = limiter.upgrade() else { return };
        limiter.tidy();
    }
}

/// What a node could not end in time.
#[derive(Debug, thiserror::Error)]
#[error(
    "the shutdown deadline passed with {placements} placements and {tasks} tasks at work, and {audit_entries} audit entries \
     not written; what was not committed is rolled back, and its key can be used again"
)]
pub struct Unfinished {
    /// Placements at work.
    pub placements: i64,
    /// Everything at work that no guest can cancel, placements included.
    pub tasks: usize,
    /// Audit entries that were not written.
    pub audit_entries: usize,
}

/// Serves until `shutdown` comes, and ends as the settings say.
///
/// *Errors*: the deadline passed; the text says what was left.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    allowed_origins: &[String],
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let door = Door::new(app.clone(), allowed_origins);
    tokio::spawn(tidy(Arc::downgrade(&door.limiter)));
    let router = http::router(door);
    // answers are small and somebody waits for each
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "could not set TCP_NODELAY");
        }
    });
    let server = axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(app.stopping.clone().cancelled_owned());
    let mut server = pin!(server.into_future());
    tokio::select! {
        served = &mut server => return served,
        () = shutdown => {}
    }
    tracing::info!("shutting down");
    let deadline = Instant::now() + app.settings.shutdown_deadline;
    app.draining.cancel();
    tokio::select! {
        served = &mut server => return served,
        () = sleep(app.settings.shutdown_grace) => {}
    }
    app.stopping.cancel();
    let for_connections = deadline.saturating_duration_since(Instant::now()) * CONNECTION_THIRDS / 3;
    match timeout_at(Instant::now() + for_connections, &mut server).await {
        Ok(served) => served?,
        Err(_) => tracing::warn!("some connections did not end in time"),
    }
    timeout_at(deadline, app.shut_down()).await.map_err(|_| {
        io::Error::other(Unfinished {
            placements: app.metrics.placements.in_flight(),
            tasks: app.tasks.len(),
            audit_entries: app.audit.queued(),
        })
    })
}

/// Serves `/metrics` at an address of its own, to whoever can reach it, until it is dropped.
pub async fn serve_metrics(app: Arc<App>, listener: TcpListener) -> io::Result<()> {
    axum::serve(listener, http::metrics::router(app)).await
}
