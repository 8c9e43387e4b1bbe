//! The planner of the browser SDK: a synchronous state machine, `Core::handle(event, moment) → effects`.
//!
//! It decides; the shell does. There is no I/O, no clock and no randomness in here: time and random bytes come in with
//! every event, requests, timers and storage go out as effects. So every rule runs natively in tests, and the order that a
//! guest confirms is placed exactly once whatever the shell, the network or the page does between two events.
//! README.md draws the line between core and shell and lists what the shell must drive.
#![no_std]

extern crate alloc;

#[cfg(test)]
extern crate std;

/// What the shell keeps and the core only names.
pub mod handle;
/// How a key is made and recognised.
pub mod key;
/// Order lines as the guest sees them.
pub mod line;
/// The cart.
pub mod cart;
/// What the server says "no" with.
pub mod code;
/// The one unsettled confirmation, as it is stored.
pub mod slot;
/// What comes in.
pub mod event;
/// What goes out.
pub mod effect;
/// The numbers: how often, how long, until when.
pub mod policy;
/// The machine and what can be read off it.
pub mod machine;

mod run;
mod turn;

#[cfg(test)]
mod tests;

pub use crate::machine::Core;
