//! The playground: GraphiQL for whoever opens the endpoint in a browser. Everything comes from this server, and the policy
//! below forbids the rest. GraphiQL and React are not ours to commit: `npm ci` fetches them, a release build carries them, a
//! debug build reads them from the working copy. Without them a page says how to get them.

use super::graphql::method_not_allowed;
use super::{headers, media};
use crate::lang::Lang;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rust_embed::Embed;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;

const PAGE: &str = include_str!("playground/page.html");
const MISSING: &str = include_str!("playground/missing.html");
const SCRIPT: &str = include_str!("playground/playground.js");
const STYLE: &str = include_str!("playground/playground.css");

/// GraphiQL and React, compressed. Empty until `npm ci` has run.
#[derive(Embed)]
#[folder = "src/http/playground/vendor/"]
#[allow_missing = true]
struct Vendor;

/// What the page loads of it.
const VENDOR: [&str; 4] = ["react.js", "react-dom.js", "graphiql.js", "graphiql.css"];

/// A year: the page names its files with their version.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// An operation as a file, with its variables.
macro_rules! operation {
    ($name:literal) => {
        Operation {
            name: $name,
            query: include_str!(concat!("../../../protocol/operations/playground/", $name, ".graphql")),
            variables: None,
        }
    };
    ($name:literal, with variables) => {
        Operation {
            variables: Some(include_str!(concat!(
                "../../../protocol/operations/playground/",
                $name,
                ".json"
            ))),
            ..operation!($name)
        }
    };
}

/// A prepared operation.
pub struct Operation {
    /// Its file.
    pub name: &'static str,
    /// The document.
    pub query: &'static str,
    /// A JSON object. *Shape*: what stands in angle brackets is filled in by the page, or by whoever runs it.
    pub variables: Option<&'static str>,
}

/// A tab each, in this order.
pub const OPERATIONS: [Operation; 7] = [
    operation!("kitchen-tickets", with variables),
    operation!("menu"),
    operation!("open-table", with variables),
    operation!("place-order", with variables),
    operation!("placement-status", with variables),
    operation!("audit-trail", with variables),
    operation!("live-kitchen"),
];

/// What the page itself asks when it is given a key.
pub const CHECK_KEY: Operation = operation!("check-key");

/// The page, for a browser; a GET of anybody else is no operation.
pub async fn page(headers: HeaderMap) -> Response {
    if !media::takes_html(&headers) {
        return method_not_allowed().await;
    }
    let lang = headers::lang(&headers);
    match version() {
        Some(version) => html(StatusCode::OK, PAGE, lang, &version),
        None => html(StatusCode::NOT_FOUND, MISSING, lang, ""),
    }
}

/// A file of the page.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let own = match name.as_str() {
        "playground.js" => Some(SCRIPT),
        "playground.css" => Some(STYLE),
        _ => None,
    };
    let shared = [
        (CONTENT_TYPE, content_type(&name)),
        (CACHE_CONTROL, FOR_GOOD),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    if let Some(own) = own {
        return (shared, own).into_response();
    }
    let Some(packed) = vendor(&name) else {
        return (StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    if !takes_gzip(&headers) {
        return (StatusCode::NOT_ACCEPTABLE, "this file comes in gzip only").into_response();
    }
    let bytes = match packed.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    (shared, [(CONTENT_ENCODING, "gzip")], bytes).into_response()
}

fn vendor(name: &str) -> Option<rust_embed::EmbeddedFile> {
    VENDOR.contains(&name).then(|| Vendor::get(&format!("{name}.gz")))?
}

/// Names all files of the page at once; `None` if one is missing.
fn version() -> Option<String> {
    let mut hash = Sha256::new();
    hash.update(SCRIPT);
    hash.update(STYLE);
    for name in VENDOR {
        hash.update(vendor(name)?.metadata.sha256_hash());
    }
    let mut version = String::new();
    for byte in &hash.finalize()[..8] {
        // writing to a string can not fail
        let _ = write!(version, "{byte:02x}");
    }
    Some(version)
}

fn content_type(name: &str) -> &'static str {
    if name.ends_with(".css") {
        "text/css; charset=utf-8"
    } else {
        "text/javascript; charset=utf-8"
    }
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    headers::text(headers, &ACCEPT_ENCODING).is_none_or(|accepted| accepted.contains("gzip"))
}

fn html(status: StatusCode, template: &str, lang: Lang, version: &str) -> Response {
    let nonce = STANDARD.encode(rand::random::<[u8; 16]>());
    let lang = match lang {
        Lang::Ja => "ja",
        Lang::En => "en",
    };
    let body = template
        .replace("{{nonce}}", &nonce)
        .replace("{{lang}}", lang)
        .replace("{{version}}", version)
        .replace("{{operations}}", &operations());
    let headers = [
        (CONTENT_SECURITY_POLICY, policy(&nonce)),
        (CONTENT_TYPE, "text/html; charset=utf-8".into()),
        (CACHE_CONTROL, "no-store".into()),
        (REFERRER_POLICY, "no-referrer".into()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".into()),
    ];
    (status, headers, body).into_response()
}

/// Nothing but what the page names itself, and this server. GraphiQL's style sheet carries its fonts.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; font-src data:; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// The operations as JSON inside a page, where nothing may look like a tag.
fn operations() -> String {
    let tabs: Vec<Value> = OPERATIONS
        .iter()
        .map(|operation| json!({ "query": operation.query, "variables": operation.variables }))
        .collect();
    json!({ "operations": tabs, "checkKey": CHECK_KEY.query })
        .to_string()
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::http::HeaderValue;
    use axum::http::header::{ACCEPT, ACCEPT_LANGUAGE, ALLOW};
    use std::collections::BTreeSet;

    fn header(response: &Response, name: axum::http::HeaderName) -> String {
        let value = response.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    }

    async fn body(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), 10_000_000).await.unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn nonce(policy: &str) -> &str {
        let rest = policy.split_once("'nonce-").map_or("", |(_, rest)| rest);
        rest.split_once('\'').map_or("", |(nonce, _)| nonce)
    }

    #[tokio::test]
    async fn the_page_runs_nothing_but_what_it_names() {
        for (status, template) in [(StatusCode::OK, PAGE), (StatusCode::NOT_FOUND, MISSING)] {
            let response = html(status, template, Lang::Ja, "v1");
            let policy = header(&response, CONTENT_SECURITY_POLICY);
            assert!(policy.starts_with("default-src 'none';"), "{policy}");
            assert!(
                !policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'),
                "{policy}"
            );
            assert_eq!(header(&response, CACHE_CONTROL), "no-store");
            let (nonce, body) = (nonce(&policy).to_owned(), body(response).await);
            assert!(body.contains("<html lang=\"ja\">") && !body.contains("{{"), "{body}");
            assert!(!body.contains("http://") && !body.contains("https://"), "{body}");
            for tag in ["<script", "<link rel=\"stylesheet\"", "<style"] {
                for (at, _) in body.match_indices(tag) {
                    let tag = body[at..].split('>').next().unwrap_or_default();
                    let data = tag.contains("application/json");
                    assert_eq!(tag.contains(&format!("nonce=\"{nonce}\"")), !data, "{tag}");
                }
            }
        }
    }

    #[tokio::test]
    async fn a_nonce_is_used_once() {
        let nonce = || {
            nonce(&header(
                &html(StatusCode::OK, PAGE, Lang::En, ""),
                CONTENT_SECURITY_POLICY,
            ))
            .to_owned()
        };
        assert!(nonce().len() == 24 && nonce() != nonce());
    }

    #[tokio::test]
    async fn only_a_browser_gets_the_page() {
        for accept in ["*/*", "application/json", "text/html;q=0", ""] {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            let response = page(headers).await;
            assert_eq!(
                (response.status().as_u16(), header(&response, ALLOW).as_str()),
                (405, "POST"),
                "{accept}"
            );
        }
        let headers = HeaderMap::from_iter([
            (
                ACCEPT,
                HeaderValue::from_static("text/html,application/xml;q=0.9,*/*;q=0.8"),
            ),
            (ACCEPT_LANGUAGE, HeaderValue::from_static("ja,en;q=0.5")),
        ]);
        let response = page(headers).await;
        assert!([200, 404].contains(&response.status().as_u16()));
        assert!(body(response).await.contains("<html lang=\"ja\">"));
    }

    #[tokio::test]
    async fn the_page_s_files_are_there_and_no_others() {
        for (name, media) in [
            ("playground.js", "text/javascript; charset=utf-8"),
            ("playground.css", "text/css; charset=utf-8"),
        ] {
            let response = file(Path(name.into()), HeaderMap::new()).await;
            assert_eq!(
                (response.status().as_u16(), header(&response, CONTENT_TYPE).as_str()),
                (200, media)
            );
        }
        for name in ["", "page.html", "react.js.gz", "../Cargo.toml", ".gitignore"] {
            let response = file(Path(name.into()), HeaderMap::new()).await;
            assert_eq!(response.status(), 404, "{name}");
        }
        for name in VENDOR {
            let response = file(Path(name.into()), HeaderMap::new()).await;
            let packed = header(&response, CONTENT_ENCODING) == "gzip";
            assert_eq!(packed, response.status() == 200, "{name}");
            assert!(PAGE.contains(&format!("/playground/{name}?")), "{name}");
        }
    }

    #[test]
    fn every_prepared_operation_is_used() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/operations/playground");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files: BTreeSet<String> = files
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .collect();
        let mut used = BTreeSet::new();
        for operation in OPERATIONS.iter().chain([&CHECK_KEY]) {
            used.insert(format!("{}.graphql", operation.name));
            used.extend(operation.variables.map(|_| format!("{}.json", operation.name)));
        }
        assert_eq!(files, used);
    }

    #[test]
    fn operations_can_not_end_their_element() {
        let operations = operations();
        assert!(!operations.contains('<') && operations.contains("\\u003crequestId>"));
        let read: Value = serde_json::from_str(&operations).unwrap_or_default();
        assert_eq!(read["operations"].as_array().map(Vec::len), Some(OPERATIONS.len()));
    }
}
