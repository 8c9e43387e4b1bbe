//! A shell and a server in a few lines each: what the core is proved against.

/// What is ordered here.
pub(crate) mod dishes;
/// What the shell does with effects, and what must hold whenever it does.
pub(crate) mod shell;
/// Random numbers that a seed gives again.
pub(crate) mod chance;
/// Remembers what guests were told, and holds it against what the server knows.
pub(crate) mod witness;
/// Tabs that share storage and a lock.
pub(crate) mod browser;
/// The server's rules, as far as a guest can see them.
pub(crate) mod server;
