//! The npm tools of `package.json`, pinned by `package-lock.json`; the playground's files come with them.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

/// What `npm ci` leaves behind: a lock file of its own, and the last of the playground's files.
const LEFT_BEHIND: [&str; 2] = [
    "node_modules/.package-lock.json",
    "server/src/http/playground/vendor/graphiql.css.gz",
];

/// Installs the tools, if they are not there as the lock file has them.
pub fn install() -> Result<()> {
    if are_current() {
        return Ok(());
    }
    workspace::run(Command::new("npm").arg("ci").current_dir(workspace::root()))
}

/// Installs the tools of a folder with a lock file of its own, if they are not there as it has them.
pub fn install_in(folder: &str) -> Result<()> {
    if is_installed_in(folder) {
        return Ok(());
    }
    workspace::run(
        Command::new("npm")
            .arg("ci")
            .current_dir(workspace::root().join(folder)),
    )
}

/// Prepares a program that came with the tools.
pub fn program(name: &str) -> Command {
    Command::new(workspace::root().join("node_modules/.bin").join(name))
}

/// Answers whether `npm ci` has run since the lock file changed.
pub fn are_current() -> bool {
    are_younger("package-lock.json", &LEFT_BEHIND)
}

fn is_installed_in(folder: &str) -> bool {
    let [installed, _] = LEFT_BEHIND;
    are_younger(
        &format!("{folder}/package-lock.json"),
        &[&format!("{folder}/{installed}")],
    )
}

fn are_younger(lock_file: &str, left_behind: &[&str]) -> bool {
    let root = workspace::root();
    let changed = |path: &str| fs::metadata(root.join(path)).and_then(|metadata| metadata.modified());
    let Ok(locked) = changed(lock_file) else {
        return false;
    };
    left_behind
        .iter()
        .all(|path| changed(path).is_ok_and(|installed| installed >= locked))
}
