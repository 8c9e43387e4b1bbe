//! What PostgreSQL spent its time on.

use crate::database::Database;
use anyhow::{Context, Result};

/// Starts to count.
pub fn begin(database: &Database) -> Result<()> {
    database
        .run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()")
        .context("pg_stat_statements must be in shared_preload_libraries")
}

/// Prints the statements that took longest together since then.
pub fn print(database: &Database) -> Result<()> {
    let top = database.texts(
        "SELECT format('%10s calls %9s ms %8s ms each  %s', calls, round(total_exec_time::numeric, 0),
             round(mean_exec_time::numeric, 3), left(regexp_replace(query, '\\s+', ' ', 'g'), 160))
           FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
           ORDER BY total_exec_time DESC LIMIT 25",
    )?;
    println!("what PostgreSQL spent its time on:");
    for line in top {
        println!("{line}");
    }
    Ok(())
}
