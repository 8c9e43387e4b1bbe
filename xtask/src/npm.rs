//! The npm tools of `package.json`, pinned by `package-lock.json`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

/// Installs the tools, if they are not there as the lock file has them.
pub fn install() -> Result<()> {
    let root = workspace::root();
    if are_current(&root) {
        return Ok(());
    }
    workspace::run(Command::new("npm").arg("ci").current_dir(&root))
}

/// Answers whether `npm ci` has run since the lock file changed; npm leaves a lock file of its own
/// behind.
fn are_current(root: &Path) -> bool {
    let changed = |path: &str| fs::metadata(root.join(path)).and_then(|metadata| metadata.modified());
    match (changed("node_modules/.package-lock.json"), changed("package-lock.json")) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
    }
}
