//! `/sdk/`: the browser SDK, each entry in one file, and the socket under its live orders, by which our own pages watch, too.
//! A debug build reads them from sdk-wasm, a release build carries them.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use rust_embed::{EmbeddedFile, RustEmbed};
use tower_http::compression::CompressionLayer;

/// What `cargo xtask sdk` builds; a clean clone has the empty folder. It has to be there when the server is compiled: a debug
/// build compares later paths with it.
#[derive(RustEmbed)]
#[folder = "../sdk-wasm/dist/"]
struct Files;

/// What is served as it is written: our pages must not wait for a build of the SDK.
#[derive(RustEmbed)]
#[folder = "../sdk-wasm/js/"]
#[include = "socket.js"]
struct Written;

/// The SDK itself.
const SDK: &str = "masterorder.js";
/// What waits for the network.
const OFFLINE: &str = "offline.js";
/// What a page without a bundler may import. Nothing else in the folder is served.
const FILES: [&str; 5] = [SDK, "menu.js", "live.js", "messages.js", OFFLINE];
const SOCKET: &str = "socket.js";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Served as a script, so that whoever imports it reads it in the console instead of "failed to load".
const NOT_BUILT: &str =
    "throw new Error(\"the MasterOrder server was built without the browser SDK: run `cargo xtask sdk`\");\n";

/// Answers what the guest's page imports, if it is there: addresses, each with its SHA-256.
pub(super) fn imported() -> impl Iterator<Item = (String, [u8; 32])> {
    [
        (SDK, Files::get(SDK)),
        (OFFLINE, Files::get(OFFLINE)),
        (SOCKET, Written::get(SOCKET)),
    ]
    .into_iter()
    .filter_map(|(name, file)| Some((format!("/sdk/{name}"), file?.metadata.sha256_hash())))
}

/// Answers the route, whose only parameter is the file.
pub fn route<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    get(serve).layer(CompressionLayer::new())
}

async fn serve(Path(file): Path<String>, headers: HeaderMap) -> Response {
    match file.as_str() {
        SOCKET => answer(&headers, Written::get(SOCKET)),
        name if FILES.contains(&name) => answer(&headers, Files::get(name)),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn answer(headers: &HeaderMap, file: Option<EmbeddedFile>) -> Response {
    let fixed = [(CONTENT_TYPE, JAVASCRIPT), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    let Some(file) = file else {
        return (fixed, [(CACHE_CONTROL, "no-store")], NOT_BUILT).into_response();
    };
    // asked for again with every page, and sent again only after an update
    let tag = format!("W/\"{}\"", hexadecimal(&file.metadata.sha256_hash()[..16]));
    let cached = [(CACHE_CONTROL, "no-cache".to_owned()), (ETAG, tag.clone())];
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    (fixed, cached, file.data).into_response()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::http::HeaderValue;
    use rust_embed::Metadata;

    fn file() -> EmbeddedFile {
        EmbeddedFile {
            data: b"export {};".as_slice().into(),
            metadata: Metadata::__rust_embed_new([7; 32], None, None),
        }
    }

    fn header<'r>(response: &'r Response, name: &str) -> &'r str {
        response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    #[test]
    fn the_sdk_is_a_script_that_is_sent_again_only_when_it_changed() {
        let first = answer(&HeaderMap::new(), Some(file()));
        assert_eq!(first.status(), StatusCode::OK);
        assert_eq!(header(&first, "content-type"), JAVASCRIPT);
        assert_eq!(header(&first, "cache-control"), "no-cache");
        let tag = HeaderValue::from_str(header(&first, "etag")).unwrap_or(HeaderValue::from_static(""));
        let again = answer(&HeaderMap::from_iter([(IF_NONE_MATCH, tag)]), Some(file()));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        let other = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static("W/\"00\""))]);
        assert_eq!(answer(&other, Some(file())).status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn nothing_but_the_entries_is_served() {
        for (file, status) in FILES.map(|file| (file, StatusCode::OK)).into_iter().chain([
            (SOCKET, StatusCode::OK),
            ("masterorder.d.ts", StatusCode::NOT_FOUND),
            (".gitignore", StatusCode::NOT_FOUND),
            ("../js/menu.js", StatusCode::NOT_FOUND),
            ("lease.js", StatusCode::NOT_FOUND),
            ("", StatusCode::NOT_FOUND),
        ]) {
            let response = serve(Path(file.to_owned()), HeaderMap::new()).await;
            assert_eq!(response.status(), status, "{file}");
        }
    }

    #[tokio::test]
    async fn the_socket_is_served_as_it_is_written_whether_the_sdk_was_built_or_not() {
        let response = serve(Path(SOCKET.to_owned()), HeaderMap::new()).await;
        let body = to_bytes(response.into_body(), 65_536).await.unwrap_or_default();
        let written = include_bytes!("../../../sdk-wasm/js/socket.js");
        assert_eq!(String::from_utf8_lossy(&body), String::from_utf8_lossy(written));
    }

    #[tokio::test]
    async fn without_a_build_the_console_says_how_to_make_one() {
        let response = answer(&HeaderMap::new(), None);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, "content-type"), JAVASCRIPT);
        assert_eq!(header(&response, "cache-control"), "no-store");
        let body = to_bytes(response.into_body(), 4096).await.unwrap_or_default();
        assert!(String::from_utf8_lossy(&body).contains("cargo xtask sdk"));
    }
}
