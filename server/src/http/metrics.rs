//! `GET /metrics`. It tells no tenant's data, but how much a business sells is nobody's business either: at the public address it
//! answers the machine itself only, and everybody else as if it were not there.

use crate::app::App;
use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// What proxies add: with one of them the peer is a proxy, and whoever asks is somewhere else.
const FORWARDED: [HeaderName; 6] = [
    HeaderName::from_static("forwarded"),
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-real-ip"),
    HeaderName::from_static("via"),
];

/// The routes of an address of its own.
pub fn router(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(everybody)).with_state(app)
}

/// At the public address.
pub async fn at_home(
    State(app): State<Arc<App>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    match app.settings.metrics_at_home && is_at_home(peer.ip(), &headers) {
        true => tell(&app).await,
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn everybody(State(app): State<Arc<App>>) -> Response {
    tell(&app).await
}

async fn tell(app: &App) -> Response {
    match app.metrics.text(app).await {
        Ok(text) => (
            [
                (CONTENT_TYPE, crate::metrics::CONTENT_TYPE),
                (CACHE_CONTROL, "no-store"),
            ],
            text,
        )
            .into_response(),
        Err(error) => {
            tracing::error!(error = %error, "metrics could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A program on this machine that asked by an address of this machine, and through no proxy that says so. The host keeps pages
/// out that somebody else's DNS points here.
fn is_at_home(peer: IpAddr, headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let named = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    peer.to_canonical().is_loopback() && named && !FORWARDED.iter().any(|header| headers.contains_key(header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn answers(peer: &str, host: &str, more: Option<(HeaderName, &'static str)>) -> bool {
        let mut headers = HeaderMap::new();
        if let Ok(host) = HeaderValue::from_str(host) {
            headers.insert(HOST, host);
        }
        if let Some((name, value)) = more {
            headers.insert(name, HeaderValue::from_static(value));
        }
        peer.parse().is_ok_and(|peer| is_at_home(peer, &headers))
    }

    #[test]
    fn the_machine_itself_may_read_metrics_at_the_public_address() {
        for (peer, host) in [
            ("127.0.0.1", "127.0.0.1:8080"),
            ("127.0.0.1", "localhost:8080"),
            ("::1", "[::1]:8080"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
        ] {
            assert!(answers(peer, host, None), "{peer} {host}");
        }
    }

    #[test]
    fn nobody_else_may() {
        for (peer, host) in [
            ("192.0.2.7", "127.0.0.1:8080"),
            ("10.0.0.1", "localhost"),
            ("2001:db8::1", "[::1]"),
            // a page whose name was pointed at this machine
            ("127.0.0.1", "evil.example:8080"),
            ("127.0.0.1", "127.0.0.1.evil.example"),
            ("127.0.0.1", ""),
        ] {
            assert!(!answers(peer, host, None), "{peer} {host}");
        }
        // a proxy on this machine
        for header in FORWARDED {
            assert!(
                !answers("127.0.0.1", "localhost", Some((header.clone(), "192.0.2.7"))),
                "{header}"
            );
        }
    }
}
