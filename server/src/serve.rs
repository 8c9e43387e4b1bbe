//! Composition root of a serving process.

use crate::app::App;
use crate::http;
use crate::http::graphql::Door;
use crate::http::limiter::Limiter;
use axum::serve::ListenerExt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::net::TcpListener;

/// How long open connections may take to end at a shutdown: the answer budget twice. Placements are waited for however
/// long they take.
const DRAIN: Duration = Duration::from_secs(10);

/// Between two times that callers who have gone are forgotten.
const TIDY: Duration = Duration::from_secs(60);

async fn tidy(limiter: Weak<Limiter>) {
    loop {
        tokio::time::sleep(TIDY).await;
        let Some(limiter) = limiter.upgrade() else { return };
        limiter.tidy();
    }
}

/// Serves until `shutdown` comes, then lets requests in flight end, waits for placements, and closes the database.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    allowed_origins: &[String],
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let door = Door::new(app.clone(), allowed_origins);
    tokio::spawn(tidy(Arc::downgrade(&door.limiter)));
    let router = http::router(door).into_make_service_with_connect_info::<SocketAddr>();
    // answers are small and somebody waits for each
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "could not set TCP_NODELAY");
        }
    });
    // sockets close when this is cancelled
    let stopping = app.stopping.clone();
    let stopped = stopping.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        shutdown.await;
        tracing::info!("shutting down");
        stopped.cancel();
    });
    let served = tokio::select! {
        served = server.into_future() => served,
        () = async { stopping.cancelled().await; tokio::time::sleep(DRAIN).await } => {
            tracing::warn!("some connections did not end in time");
            Ok(())
        }
    };
    app.shut_down().await;
    served
}
