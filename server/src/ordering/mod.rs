//! The heart: placing an order exactly once.
//!
//! Reading order: `command` (what was asked) → `decide` (what shall happen, pure) → `place_order` (the use case) →
//! `group_commit` (who comes together) → `transaction` → `slice` (claim, replay, lock, decide, write) → `commit`.

/// Untrusted input to a validated command. Pure.
pub mod command;
/// What was decided, and how it is stored.
pub mod outcome;
/// The immutable snapshot of a placed order.
pub mod receipt;
/// Prices. Pure.
pub mod pricing;
/// The content window and the checkout rule. Pure.
pub mod duplicates;
/// How soon one order may follow another.
pub mod gates;
/// Everything else that is decided under the locks. Pure.
pub mod decide;
/// Twins that wait for one another in this process.
pub mod inflight;
/// The use case `placeOrder`.
pub mod place_order;
/// Placements that arrive together share a transaction.
pub mod group_commit;
/// One transaction around a slice.
pub mod transaction;
/// What is told about one attempt.
pub mod account;
/// One transaction for a slice of commands.
pub mod slice;
/// Its steps.
pub mod step;
/// The rows that a decision becomes.
pub(crate) mod write;
/// Where a placement commits, and nowhere else.
pub mod commit;
/// Giving a key up.
pub mod withdraw;
/// Asking what became of a key.
pub mod status;
/// Cancelling a placed order.
pub mod cancel;
/// Reading orders.
pub mod history;

/// A small shop for the tests of the pure rooms.
#[cfg(test)]
pub(crate) mod fixtures;
