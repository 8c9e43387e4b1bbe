//! Orders that are there already: written in bulk, and such that the ledger check holds.

use crate::database::{Backend, Database};
use crate::sqlite::now_ms;
use anyhow::{Context, Result};

const SCRIPT: &str = include_str!("../seed/fill.sql");
const RETENTION_MS: i64 = 72 * 3_600_000;
/// 250 orders a day, of 200 shops, on 20 days.
pub const MOST: u64 = 1_000_000;

/// Whether the keys of those orders are still kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// For three days from now.
    Kept,
    /// They may be purged.
    Expired,
}

/// Fills a database that has no orders yet.
pub fn fill(database: &Database, count: u64, keys: Keys) -> Result<()> {
    anyhow::ensure!(count <= MOST, "at most {MOST} orders");
    let now = now_ms();
    let expires = match keys {
        Keys::Kept => now + RETENTION_MS,
        Keys::Expired => now - RETENTION_MS,
    };
    let script = SCRIPT
        .replace("{count}", &count.to_string())
        .replace("{now}", &now.to_string())
        .replace("{expires}", &expires.to_string());
    // the rows are right, and nobody loses them here
    let script = match database.backend {
        Backend::Sqlite => format!("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN; {script} COMMIT"),
        Backend::Postgres => format!("BEGIN; SET LOCAL session_replication_role = replica; {script} COMMIT"),
    };
    database.run(&script).context("fill the database")?;
    database.settle()
}
