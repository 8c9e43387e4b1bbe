//! What the databases alone do with the rows of a placement: the scripts in `limit/`, run in the very database that the server
//! runs on, so that they can not drift from its schema.

/// PostgreSQL, by pgbench.
pub mod postgres;
/// SQLite, in a plain loop.
pub mod sqlite;

use crate::database::Database;
use anyhow::{Result, ensure};

/// What a placement writes.
const TABLES: [&str; 9] = [
    "audit_entries",
    "idempotency_requests",
    "kitchen_tickets",
    "order_line_toppings",
    "order_lines",
    "orders",
    "outbox_events",
    "stock_levels",
    "table_sessions",
];

/// What it only reads, or what was written before: the rest of those tables' columns.
const NOT_WRITTEN: [&str; 8] = [
    "kind",
    "supplied",
    "pin",
    "opened_at_ms",
    // these are NULL until later
    "cancelled_at_ms",
    "outcome_purged_at_ms",
    "dispatched_at_ms",
    "lease_until_ms",
];

/// What a database did alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alone {
    /// Orders per second.
    pub per_second: f64,
    /// Orders at all.
    pub orders: u64,
    /// The average time of one. *Units*: ms.
    pub average_ms: f64,
}

/// Holds a script against the schema. A column without a default that is missing makes the script itself fail; this finds the others.
///
/// *Errors*: a column of a table that a placement writes is not in the script.
fn check_level(database: &Database, script: &str) -> Result<()> {
    for table in TABLES {
        let sql = match database.file() {
            Some(_) => format!("SELECT name FROM pragma_table_info('{table}')"),
            None => format!("SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'"),
        };
        check_columns(table, &database.texts(&sql)?, script)?;
    }
    Ok(())
}

fn check_columns(table: &str, columns: &[String], script: &str) -> Result<()> {
    ensure!(
        !columns.is_empty(),
        "tests/bench/limit is behind the schema: there is no table {table}"
    );
    for column in columns {
        ensure!(
            NOT_WRITTEN.contains(&column.as_str()) || words(script).any(|word| word == column),
            "tests/bench/limit is behind the schema: nothing is written to {table}.{column}"
        );
    }
    Ok(())
}

fn words(script: &str) -> impl Iterator<Item = &str> {
    script.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_column_leaves_the_scripts_behind() {
        let script = "INSERT INTO orders (id, note) VALUES (:order, :note)";
        let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(check_columns("orders", &columns(&["id", "note", "cancelled_at_ms"]), script).is_ok());
        assert!(check_columns("orders", &columns(&["id", "note", "tip_minor"]), script).is_err());
        assert!(check_columns("orders", &columns(&[]), script).is_err());
    }
}
