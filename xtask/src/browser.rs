//! The pages and the SDK in a real browser, against the real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::preflight::on_path;
use crate::tally::{self, Tally};
use crate::{npm, sdk, workspace};

/// The environment variable that names another browser.
const VARIABLE: &str = "MASTERORDER_CHROMIUM";
/// Names under which distributions install it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Where macOS keeps it, which is on no `PATH`.
const APPLICATIONS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const FOLDER: &str = "tests/browser";

/// Finds a Chromium that can be driven.
pub fn find() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    named
        .or_else(|| NAMES.into_iter().find_map(on_path))
        .or_else(|| APPLICATIONS.into_iter().map(PathBuf::from).find(|file| file.is_file()))
}

/// Builds the SDK, holds it against the lints, and runs the tests of `tests/browser/`.
///
/// *Errors*: a test failed, or something around it did.
pub fn run(tally: &mut Tally) -> Result<()> {
    npm::install()?;
    sdk::check()?;
    sdk::build()?;
    run_tests(FOLDER, tally)
}

/// Builds the SDK, and runs what it promises of several tabs and of pages that die, more often than `run` does.
///
/// *Errors*: a test failed, or something around it did.
pub fn run_tabs(rounds: u64, deaths: u64, tally: &mut Tally) -> Result<()> {
    npm::install()?;
    sdk::build()?;
    let mut tests = tests(&["tabs", "deaths"].map(|name| format!("{FOLDER}/sdk-{name}.test.mjs")))?;
    tests
        .env("SDK_TABS_ROUNDS", rounds.to_string())
        .env("SDK_DEATHS", deaths.to_string());
    tally::run(&mut tests, tally::node_closing_line, tally)
}

/// Builds the SDK, and measures what it costs a guest.
///
/// *Errors*: it is too slow, or something around it failed.
pub fn run_speed(tally: &mut Tally) -> Result<()> {
    npm::install()?;
    sdk::build()?;
    let mut tests = tests(&[format!("{FOLDER}/sdk-speed.mjs")])?;
    tally::run(&mut tests, tally::node_closing_line, tally)
}

/// Runs every `*.test.mjs` of a folder.
pub fn run_tests(folder: &str, tally: &mut Tally) -> Result<()> {
    let mut tests = tests(&files(&workspace::root(), folder)?)?;
    tally::run(&mut tests, tally::node_closing_line, tally)
}

/// Prepares tests, one file after the other: a browser and a server each are enough for two cores.
fn tests(files: &[String]) -> Result<Command> {
    let binary = workspace::build_server()?;
    let chromium = find().context("no Chromium")?;
    let mut tests = Command::new("node");
    tests
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(files)
        .env("MASTERORDER_BIN", binary)
        .env(VARIABLE, chromium)
        // colours would hide the closing lines
        .env("NO_COLOR", "1")
        .env_remove("FORCE_COLOR")
        .current_dir(workspace::root());
    Ok(tests)
}

/// Named one by one: what Node makes of a folder differs between its versions.
fn files(root: &Path, folder: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(root.join(folder)).with_context(|| format!("list {folder}"))?;
    let mut files = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") {
            files.push(format!("{folder}/{name}"));
        }
    }
    if files.is_empty() {
        bail!("{folder} holds no test");
    }
    files.sort();
    Ok(files)
}
