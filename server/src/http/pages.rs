//! The pages: plain files of `web-demo/`, without a build step. A release carries them inside; a debug build reads the
//! folder anew for every request, so that a reload shows a change.

use std::borrow::Cow;

use axum::Router;
use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

use super::service_worker;

#[derive(RustEmbed)]
#[folder = "../web-demo/"]
// no pages of the server's, and `npm install` may have run in there
#[exclude = "examples/*"]
struct Files;

/// The guest's page.
pub(super) const GUEST: &str = "guest.html";

/// What is sent, and its SHA-256.
pub(super) struct Content {
    pub data: Cow<'static, [u8]>,
    pub hash: [u8; 32],
}

/// Finds a file of the folder.
pub(super) fn find(name: &str) -> Option<Content> {
    let file = Files::get(name)?;
    let hash = file.metadata.sha256_hash();
    Some(Content { data: file.data, hash })
}

/// Names all files of the folder.
pub(super) fn names() -> impl Iterator<Item = Cow<'static, str>> {
    Files::iter()
}

/// What a page may do: own files only, no inline script and no form that leaves. `ws:` and `wss:` because older
/// Safaris do not count a socket to the own host as `'self'`; the socket's door checks the origin anyway.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The guest's page runs the SDK, which is WebAssembly, shows pictures from wherever the shop keeps them, and can be installed.
const GUEST_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data: https:; manifest-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The routes. Nothing here knows who asks: a page is the same for everybody, and its fragment never gets here.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(guest))
        .route("/staff", get(staff))
        .route("/service-worker.js", get(service_worker::serve))
        .route("/assets/{*path}", get(asset))
}

async fn guest(headers: HeaderMap) -> Response {
    let mut response = page(GUEST, &headers);
    let policy = HeaderValue::from_static(GUEST_POLICY);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

async fn staff(headers: HeaderMap) -> Response {
    page("staff.html", &headers)
}

/// A page, by its file.
fn page(file: &str, headers: &HeaderMap) -> Response {
    answer(find(file), "text/html; charset=utf-8", headers)
}

/// What pages load. A page itself has one address only, and is none of these.
async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    match content_type(&path) {
        Some(content_type) => answer(find(&path), content_type, &headers),
        None => answer(None, "", &headers),
    }
}

/// *Shape*: the kinds of files that pages are made of. Anything else in the folder is not served.
fn content_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "webp" => Some("image/webp"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}

/// `no-cache` asks before each use: after an update no page runs with half of its old modules.
pub(super) fn answer(content: Option<Content>, content_type: &'static str, headers: &HeaderMap) -> Response {
    let Some(content) = content else {
        return (shielded(), (StatusCode::NOT_FOUND, "there is nothing here")).into_response();
    };
    let etag = etag(&content.hash);
    let kept = [
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (ETAG, etag.clone()),
    ];
    if is_current(headers, &etag) {
        return (shielded(), kept, StatusCode::NOT_MODIFIED).into_response();
    }
    let content_type = [(CONTENT_TYPE, HeaderValue::from_static(content_type))];
    (shielded(), kept, content_type, content.data).into_response()
}

/// Headers of every answer, the refusals included.
fn shielded() -> [(HeaderName, HeaderValue); 3] {
    [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]
}

/// The beginning of the SHA-256: 64 bits tell the versions of one file apart.
fn etag(hash: &[u8; 32]) -> HeaderValue {
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{hex}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// The browser has this version. Proxies that compress weaken the tag, which changes nothing here.
fn is_current(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|v| v.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .any(|tag| tag.trim().trim_start_matches("W/").as_bytes() == etag.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get_asset(path: &str, known: Option<HeaderValue>) -> Response {
        let headers = known.map(|tag| (IF_NONE_MATCH, tag)).into_iter().collect();
        asset(Path(path.to_owned()), headers).await
    }

    #[tokio::test]
    async fn a_page_is_shielded_and_asked_for_anew() {
        let response = page("staff.html", &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::OK);
        let header = |name: HeaderName| response.headers().get(name).and_then(|v| v.to_str().ok());
        assert_eq!(header(CONTENT_TYPE), Some("text/html; charset=utf-8"));
        assert_eq!(header(CACHE_CONTROL), Some("no-cache"));
        assert_eq!(header(X_CONTENT_TYPE_OPTIONS), Some("nosniff"));
        assert_eq!(header(REFERRER_POLICY), Some("no-referrer"));
        assert!(header(CONTENT_SECURITY_POLICY).is_some_and(|policy| !policy.contains("unsafe")));
    }

    #[test]
    fn no_example_is_among_the_pages() {
        assert!(Files::iter().any(|path| path == "guest.html"));
        assert!(Files::get("examples/react/package.json").is_none());
        assert!(!Files::iter().any(|path| path.starts_with("examples/")));
    }

    #[tokio::test]
    async fn the_guests_page_may_run_webassembly_and_nothing_else_that_is_unsafe() {
        let response = guest(HeaderMap::new()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let policy = response.headers().get(CONTENT_SECURITY_POLICY);
        let policy = policy.and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert!(policy.contains("'wasm-unsafe-eval'"), "{policy}");
        assert!(!policy.replace("'wasm-unsafe-eval'", "").contains("unsafe"), "{policy}");
    }

    #[tokio::test]
    async fn a_file_that_the_browser_has_is_not_sent_again() {
        let first = get_asset("staff/main.js", None).await;
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers().get(ETAG).cloned();
        assert!(tag.is_some());
        assert_eq!(
            get_asset("staff/main.js", tag.clone()).await.status(),
            StatusCode::NOT_MODIFIED
        );
        assert_eq!(get_asset("staff/board.js", tag.clone()).await.status(), StatusCode::OK);
        let weak =
            tag.and_then(|t| HeaderValue::from_str(&format!("\"x\", W/{}", t.to_str().unwrap_or_default())).ok());
        assert_eq!(
            get_asset("staff/main.js", weak).await.status(),
            StatusCode::NOT_MODIFIED
        );
    }

    #[tokio::test]
    async fn only_what_pages_are_made_of_is_served() {
        for path in [
            "staff.html",
            "staff/none.js",
            "staff",
            "",
            "../Cargo.toml",
            "../server/src/lib.rs",
            "../node_modules/graphql/index.js",
            "/etc/passwd.css",
        ] {
            let response = get_asset(path, None).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
        }
    }
}
