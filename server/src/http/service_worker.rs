//! `/service-worker.js`: lets the guest's page open without a network. What it does is `web-demo/service-worker.js`; above that
//! stands which files the page is made of, each with its SHA-256. A change to any of them makes another script, which is how
//! a browser learns that there is another set of files.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use axum::response::Response;
use sha2::{Digest, Sha256};

use super::pages::{self, Content};
use super::sdk;

const SCRIPT: &str = "service-worker.js";

/// What the page loads on its way to the menu, by the beginnings of its files. Pictures of dishes are left out: they are many,
/// and there are drawings for the time without them.
const PARTS: [&str; 8] = [
    "base.css",
    "guest.css",
    "guest/",
    "icon.svg",
    "menu/placeholder-",
    "menu/scan.svg",
    "menu/thanks.svg",
    "shared/",
];

/// Answers the route.
pub async fn serve(headers: HeaderMap) -> Response {
    pages::answer(script(), "text/javascript; charset=utf-8", &headers)
}

fn script() -> Option<Content> {
    let written = pages::find(SCRIPT)?;
    let files = serde_json::to_string(&files()).ok()?;
    let whole = Sha256::new().chain_update(&files).chain_update(&written.data);
    let version: [u8; 32] = whole.finalize().into();
    let version = hexadecimal(&version);
    let mut data = format!("const VERSION = '{version}';\nconst FILES = {files};\n\n").into_bytes();
    data.extend_from_slice(&written.data);
    let hash = Sha256::digest(&data).into();
    let data = data.into();
    Some(Content { data, hash })
}

/// *Shape*: addresses on this server, each with the SHA-256 of what is there, in lower-case hexadecimal. A server without the
/// SDK leaves it out: that page can not order either way.
fn files() -> BTreeMap<String, String> {
    let page = pages::find(pages::GUEST).map(|page| ("/".to_owned(), page.hash));
    let parts = pages::names().filter(|name| PARTS.iter().any(|part| name.starts_with(part)));
    let assets = parts.filter_map(|name| Some((format!("/assets/{name}"), pages::find(&name)?.hash)));
    let all = assets.chain(page).chain(sdk::imported());
    all.map(|(address, hash)| (address, hexadecimal(&hash))).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        let data = pages::find(name).map(|file| file.data).unwrap_or_default();
        String::from_utf8_lossy(&data).into_owned()
    }

    #[test]
    fn everything_that_the_page_names_is_in_the_set() {
        let files = files();
        let page = text(pages::GUEST);
        let named = page.split('"').filter(|part| part.starts_with("/assets/"));
        // icons and what is installed are the browser's business
        let loaded: Vec<&str> = named
            .filter(|address| !address.ends_with(".webmanifest") && !address.ends_with(".png"))
            .collect();
        assert!(loaded.len() > 30, "{loaded:?}");
        for address in loaded {
            assert!(files.contains_key(address), "{address}");
        }
        for address in files.keys() {
            assert!(
                !address.ends_with(".js") || page.contains(&format!("\"{address}\"")),
                "{address} is not loaded at once"
            );
        }
    }

    #[test]
    fn nothing_else_is_in_the_set() {
        for address in files().keys() {
            let is_ours = address == "/" || address.starts_with("/sdk/") || address.starts_with("/assets/");
            assert!(is_ours, "{address}");
            assert!(!address.contains("staff") && !address.contains("/lab/"), "{address}");
        }
    }

    #[test]
    fn the_script_says_what_is_in_each_file() {
        let script = script().map(|script| script.data).unwrap_or_default();
        let script = String::from_utf8_lossy(&script).into_owned();
        let digest: [u8; 32] = Sha256::digest(text("guest/main.js")).into();
        let entry = format!("\"/assets/guest/main.js\":\"{}\"", hexadecimal(&digest));
        assert!(script.contains(&entry), "{script}");
        assert!(script.ends_with(&text(SCRIPT)));
    }
}
