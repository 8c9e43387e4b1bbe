//! Runs the tests that see the product from outside, with the server they start and a PostgreSQL to test against.

use std::process::Command;

use anyhow::Result;

use crate::postgres::{self, Durability, Postgres};
use crate::workspace;

/// The suite's tests.
pub const COMMAND: &str = "test --package masterorder-tests --locked";

/// The command, ready to run, with what it needs while it does.
pub struct Suite {
    /// Takes more arguments.
    pub command: Command,
    _throw_away: Option<Postgres>,
}

impl Suite {
    /// Builds the server and starts a PostgreSQL, unless the environment names one.
    pub fn prepare() -> Result<Self> {
        let mut command = workspace::cargo(COMMAND);
        command.env("MASTERORDER_BIN", workspace::build_server()?);
        let _throw_away = match postgres::configured_url() {
            Some(_) => None,
            None => {
                let postgres = Postgres::start(Durability::None)?;
                command.env(postgres::URL_VARIABLE, postgres.url());
                Some(postgres)
            }
        };
        Ok(Self { command, _throw_away })
    }
}
