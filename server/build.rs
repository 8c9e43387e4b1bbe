//! Tells Cargo what a release build carries: it is built again when `npm ci` has brought the playground's files, or
//! `cargo xtask sdk` the SDK. A debug build reads them when they are asked for.

fn main() {
    let embeds = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let watched: &[&str] = if embeds {
        &["src/http/playground/vendor", "../sdk-wasm/dist"]
    } else {
        &["build.rs"]
    };
    for path in watched {
        println!("cargo::rerun-if-changed={path}");
    }
}
