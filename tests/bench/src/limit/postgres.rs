//! PostgreSQL alone, by pgbench.

use super::{Alone, check_level};
use crate::database::Database;
use anyhow::{Context, Result, ensure};

const ONE_CALL_SCHEMA: &str = include_str!("../../limit/one_call.schema.sql");
const ONE_CALL: &str = include_str!("../../limit/one_call.sql");
const STATEMENTS: &str = include_str!("../../limit/statements.sql");

/// Prepares a database, and holds the scripts against its schema.
pub fn prepare(database: &Database) -> Result<()> {
    check_level(database, ONE_CALL_SCHEMA)?;
    check_level(database, STATEMENTS)?;
    database.run(ONE_CALL_SCHEMA)?;
    database.run("CREATE TABLE bench_commits (n bigint)")
}

/// One function of the server per order.
pub fn one_call(database: &Database, clients: usize, seconds: u64) -> Result<Alone> {
    measure(database, ONE_CALL, clients, seconds)
}

/// One round trip per statement: what a careful hand would write.
pub fn statements(database: &Database, clients: usize, seconds: u64) -> Result<Alone> {
    measure(database, STATEMENTS, clients, seconds)
}

/// The smallest transaction that there is, one after the other.
pub fn commit(database: &Database, seconds: u64) -> Result<Alone> {
    let said = database.pgbench("INSERT INTO bench_commits VALUES (1);", 1, seconds)?;
    read(&said)
}

/// Runs a script. Every transaction is an order, or the run is worth nothing.
fn measure(database: &Database, script: &str, clients: usize, seconds: u64) -> Result<Alone> {
    let before = database.orders()?;
    let alone = read(&database.pgbench(script, clients, seconds)?)?;
    let placed = database.orders()? - before;
    ensure!(
        placed == alone.orders,
        "pgbench counts {} transactions, and {placed} orders were placed",
        alone.orders
    );
    Ok(alone)
}

/// Reads what pgbench prints.
fn read(said: &str) -> Result<Alone> {
    let value = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|rest| rest.split_whitespace().find(|word| *word != "="));
        word.and_then(|word| word.parse::<f64>().ok())
    };
    ensure!(
        value("number of failed transactions:").unwrap_or(0.0) == 0.0,
        "transactions failed\n{said}"
    );
    let missing = || format!("can not read what pgbench prints\n{said}");
    Ok(Alone {
        per_second: value("tps").with_context(missing)?,
        orders: value("number of transactions actually processed:").with_context(missing)? as u64,
        average_ms: value("latency average").with_context(missing)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pgbench_prints_is_read() {
        let said = "scaling factor: 1\nnumber of transactions actually processed: 12345\n\
            number of failed transactions: 0 (0.000%)\nlatency average = 5.5 ms\n\
            initial connection time = 20.1 ms\ntps = 1234.5 (without initial connection time)\n";
        let alone = Alone {
            per_second: 1234.5,
            orders: 12_345,
            average_ms: 5.5,
        };
        assert_eq!(read(said).ok(), Some(alone));
    }

    #[test]
    fn failed_transactions_are_no_result() {
        let said = "number of transactions actually processed: 1\nnumber of failed transactions: 1 (50.000%)\n\
            latency average = 5.5 ms\ntps = 1234.5\n";
        assert!(read(said).is_err());
        assert!(read("nothing").is_err());
    }
}
