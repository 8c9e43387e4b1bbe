//! What the suite stands on: real databases, real servers, real sockets.
//!
//! A test is written once with `on_both_databases!` and runs on SQLite and on PostgreSQL, each on a database of its own;
//! afterwards the ledger check must hold.

/// Guests, staff and integrators at the wire.
pub mod client;
/// What `/openapi.json` says, to hold answers against.
pub mod description;
/// A database per test.
pub mod database;
/// The shops that the tests order from.
pub mod fixture;
/// A server inside the test's process.
pub mod node;
/// PgBouncer in front of the database.
pub mod pooler;
/// A page that watches.
pub mod socket;
/// A server process of its own, to be killed.
pub mod process;
/// A wire that can be cut.
pub mod wire;
/// Swarms of guests in bad weather.
#[path = "../storm/mod.rs"]
pub mod storm;

pub use client::{Client, Reply};
pub use database::{Backend, Database, Empty};
pub use description::Description;
pub use fixture::{Fixture, Table};
pub use node::{Node, Setup};
pub use process::Process;
pub use socket::Socket;
pub use wire::Wire;

/// Steps of the transaction of a placement at which a fault can be injected, in order. Steps aside: `replay` is met only
/// where an outcome stands under the key, `committed` comes after the COMMIT.
pub const STEPS: [&str; 8] = [
    "claim",
    "checkout",
    "lock",
    "read",
    "stock",
    "write_orders",
    "complete",
    "commit",
];

/// Writes tests that run on both databases and end with the ledger check.
#[macro_export]
macro_rules! on_both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident) $body:block)*) => {
        $(
            $(#[$meta])*
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                async fn body($db: &$crate::Database) -> anyhow::Result<()> {
                    $body
                    #[allow(unreachable_code)]
                    Ok(())
                }

                #[test]
                fn sqlite() {
                    $crate::database::run($crate::Backend::Sqlite, stringify!($name), async |db| body(db).await);
                }

                #[test]
                fn postgres() {
                    $crate::database::run($crate::Backend::Postgres, stringify!($name), async |db| body(db).await);
                }
            }
        )*
    };
}

/// Waits until a predicate holds.
///
/// *Errors*: it did not within the deadline.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    while !holds().await? {
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Ok(())
}
