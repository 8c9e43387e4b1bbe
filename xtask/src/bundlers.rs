//! The SDK's npm package in the bundlers that people have, opened in a real browser.

use anyhow::Result;

use crate::tally::Tally;
use crate::{browser, npm, sdk};

/// Its tools have a lock file of their own: nobody else waits for them to install.
const FOLDER: &str = "tests/bundlers";

/// Builds the package, and runs every `*.test.mjs` of `tests/bundlers/`.
///
/// *Errors*: a test failed, or something around it did.
pub fn run(tally: &mut Tally) -> Result<()> {
    npm::install()?;
    npm::install_in(FOLDER)?;
    sdk::build()?;
    browser::run_tests(FOLDER, tally)
}
