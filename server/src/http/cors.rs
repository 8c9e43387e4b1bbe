//! Which pages may call from a browser. None by default. Nothing here is a cookie, so that no origin is trusted with more
//! than it knows by itself.

use super::headers::{CLIENT_ID, IDEMPOTENCY_KEY, REPLAY, SESSION_ID, SESSION_PIN};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, Method};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser remembers: the answer changes with a restart only.
const MAX_AGE: Duration = Duration::from_secs(3_600);

/// Builds the layer; `None` if nobody is allowed. `*` allows every page.
pub fn layer(allowed_origins: &[String]) -> Option<CorsLayer> {
    let origins = origins(allowed_origins)?;
    let layer = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            ACCEPT_LANGUAGE,
            AUTHORIZATION,
            CONTENT_TYPE,
            CLIENT_ID,
            IDEMPOTENCY_KEY,
            SESSION_ID,
            SESSION_PIN,
        ])
        .expose_headers([LOCATION, REPLAY, RETRY_AFTER])
        .max_age(MAX_AGE);
    Some(layer)
}

fn origins(allowed: &[String]) -> Option<AllowOrigin> {
    if allowed.iter().any(|origin| origin == "*") {
        return Some(AllowOrigin::any());
    }
    let mut origins = Vec::with_capacity(allowed.len());
    for origin in allowed {
        // people copy it from the address bar, browsers send it without the slash
        match HeaderValue::from_str(origin.trim().trim_end_matches('/')) {
            Ok(value) if !value.is_empty() => origins.push(value),
            _ => tracing::warn!(origin, "an allowed origin is no origin like https://shop.example"),
        }
    }
    (!origins.is_empty()).then(|| AllowOrigin::list(origins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_allowed_by_default() {
        assert!(layer(&[]).is_none());
        assert!(layer(&[String::new(), "\n".into()]).is_none());
        assert!(layer(&["https://shop.example/".into()]).is_some());
        assert!(layer(&["https://shop.example".into(), "*".into()]).is_some());
    }
}
