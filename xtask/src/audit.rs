//! Holds the GraphQL endpoint against the GraphQL-over-HTTP draft, with graphql-http's audits.

use std::process::Command;

use anyhow::Result;

use crate::server::Server;
use crate::tally::{self, Tally};
use crate::{npm, workspace};

/// Installs the npm tools if need be, starts the server and runs the audits against it.
///
/// *Errors*: an audit with the word MUST failed, or something around it did.
pub fn run(tally: &mut Tally) -> Result<()> {
    npm::install()?;
    let server = Server::start(&workspace::build_server()?)?;
    let mut audit = Command::new("node");
    audit
        .arg("tests/http/audit.mjs")
        .arg(format!("{}/graphql", server.url()))
        .current_dir(workspace::root());
    let result = tally::run(&mut audit, tally::script_closing_line, tally);
    if result.is_err() {
        println!("The server's log:\n{}", server.log());
    }
    result
}
