//! Holds the GraphQL endpoint against the GraphQL-over-HTTP draft, with graphql-http's audits.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::server::Server;
use crate::tally::{self, Tally};
use crate::workspace;

/// Installs the npm tools if need be, starts the server and runs the audits against it.
///
/// *Errors*: an audit with the word MUST failed, or something around it did.
pub fn run(tally: &mut Tally) -> Result<()> {
    let root = workspace::root();
    if !tools_are_current(&root) {
        workspace::run(Command::new("npm").arg("ci").current_dir(&root))?;
    }
    let server = Server::start(&workspace::build_server()?)?;
    let mut audit = Command::new("node");
    audit
        .arg("tests/http/audit.mjs")
        .arg(format!("{}/graphql", server.url()))
        .current_dir(&root);
    let result = tally::run(&mut audit, tally::script_closing_line, tally);
    if result.is_err() {
        println!("The server's log:\n{}", server.log());
    }
    result
}

/// Answers whether `npm ci` has run since the lock file changed; npm leaves a lock file of its own
/// behind.
fn tools_are_current(root: &Path) -> bool {
    let changed = |path: &str| fs::metadata(root.join(path)).and_then(|metadata| metadata.modified());
    match (changed("node_modules/.package-lock.json"), changed("package-lock.json")) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
    }
}
