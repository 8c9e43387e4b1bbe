//! The database, and the only place that knows sea-orm. Every difference between SQLite and PostgreSQL is in `dialect`.

/// Statements over many rows.
mod bulk;
/// SQLite's log, copied into the file beside the writer.
pub mod checkpoint;
/// Opens the pools.
pub mod db;
/// Every difference between the two databases.
pub mod dialect;
/// What the database said, classified once.
pub mod failure;
/// Schema upkeep, under a lock.
pub mod migrate;
/// Pools that survive a database which goes silent.
pub(crate) mod pool;
/// A pooler between us and the database.
pub mod pooler;
/// Reads that become one statement.
mod together;
/// Write transactions.
pub mod txn;
/// Statements that write together.
pub mod writes;
/// What PostgreSQL knows of its tables.
pub mod statistics;
/// A wire between the nodes that share a database.
pub mod wake;
/// SQLite's single writer, behind a queue of our own.
pub mod writer_queue;

/// Rows as they are.
pub(crate) mod entity;

/// The audit trail.
pub mod audit;
/// Shops, and the menu of each as a whole.
pub mod catalog;
/// A menu as rows, both ways.
pub mod menu_rows;
/// Writing a menu: the rows that differ.
pub mod menu_writer;
/// Wrong PINs and seated devices.
pub mod guesses;
/// Claims and stored outcomes.
pub mod idempotency;
/// Orders as they are now.
pub mod history;
/// API keys.
pub mod keys;
/// The ledger check.
pub mod ledger;
/// Writing orders, and finding duplicates.
pub mod orders;
/// Outbox events.
pub mod outbox;
/// Stock levels.
pub mod stock;
/// Table sessions.
pub mod tables;
/// Kitchen tickets.
pub mod tickets;

pub use db::Db;
pub use failure::Failure;
pub use txn::Txn;
pub use writes::Writes;
