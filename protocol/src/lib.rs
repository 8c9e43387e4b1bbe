//! The words that both sides of MasterOrder agree on: pure data, no I/O, no clock, no randomness, `no_std`.
//!
//! The server and the browser SDK read a request the same way because they read it with this crate.
#![no_std]

extern crate alloc;

/// Identifiers, each its own type.
pub mod ids;
/// The idempotency key.
pub mod request_id;
/// Money as integers of minor units.
pub mod money;
/// Free text, compared in one form and stored as sent.
pub mod text;
/// Order lines and their canonical form.
pub mod lines;
/// The codes of every "no", with what a client may do about each.
pub mod codes;
