//! A pooler between us and PostgreSQL (PgBouncer and its like) that leaves a connection of the server to its client for one
//! transaction or one statement only. What belongs to a connection then belongs to whoever has it next: prepared statements,
//! time limits, LISTEN.

use super::dialect::Target;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, Connection as _};
use std::time::Duration;
use tokio::time::timeout;

/// Times that two connections are compared: with other clients about, a shared connection is not met every time.
const ROUNDS: usize = 5;

/// How long the comparison may take; a pool of one connection does not even let it end.
const PATIENCE: Duration = Duration::from_secs(5);

/// The process that serves a connection, with the start of its server: behind a balancer two servers may use the same number.
const WHO_SERVES: &str = "SELECT pg_backend_pid()::text || ' ' || pg_postmaster_start_time()::text";

/// The pooler forgets what was prepared, or knows no transactions: nothing would work.
#[derive(Debug, thiserror::Error)]
#[error(
    "a pooler (PgBouncer?) gives the database's connections to another client after every transaction or statement, and our prepared \
     statements with them: set pool_mode = session there, or point --database-url at PostgreSQL itself"
)]
pub struct Unusable(#[source] sqlx::Error);

/// Looks for a pooler, and warns of one behind which orders can be placed, but not everything works.
///
/// *Errors*: nothing can work. A database that can not be reached is left to whoever opens it.
pub async fn check(target: &Target) -> Result<(), Unusable> {
    let Some(server) = target.server() else { return Ok(()) };
    let server = server.clone().application_name("masterorder start");
    let mut shared = false;
    let looked = timeout(PATIENCE, async {
        let (Ok(idle), Ok(busy)) = (
            PgConnection::connect_with(&server).await,
            PgConnection::connect_with(&server).await,
        ) else {
            return Ok(());
        };
        compare(idle, busy, &mut shared).await
    });
    match looked.await {
        Ok(Err(error)) if is_forgotten(&error) => return Err(Unusable(error)),
        Ok(Err(error)) => tracing::debug!(error = %error, "could not look for a pooler"),
        Err(_) => tracing::debug!("could not look for a pooler in time"),
        Ok(Ok(())) => {}
    }
    if shared {
        tracing::warn!(
            "a pooler (PgBouncer?) gives the database's connections to another client after every transaction. Orders are placed all \
             the same; but wake-ups between nodes do not arrive, so that what people watch is up to 3 s late, and statement_timeout \
             and idle_in_transaction_session_timeout hold by chance only. Set pool_mode = session there, or point --database-url at \
             PostgreSQL itself"
        );
    }
    Ok(())
}

/// Asks two connections who serves them: one that does nothing in between, and one inside a transaction, which a pooler that
/// shares connections lets have the idle one's. The same statement each time, so that it is prepared on one connection of the
/// server and used on another.
async fn compare(mut idle: PgConnection, mut busy: PgConnection, shared: &mut bool) -> Result<(), sqlx::Error> {
    let first = who_serves(&mut idle).await?;
    for _ in 0..ROUNDS {
        let mut transaction = busy.begin().await?;
        *shared |= who_serves(&mut transaction).await? == first;
        *shared |= who_serves(&mut idle).await? != first;
        transaction.rollback().await?;
    }
    idle.close().await?;
    busy.close().await
}

async fn who_serves(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar(WHO_SERVES).fetch_one(connection).await
}

/// A statement that was prepared is not there, or another client's is; or PgBouncer's own refusal of BEGIN.
fn is_forgotten(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|reported| reported.code());
    matches!(code.as_deref(), Some("26000" | "42P05" | "08P01"))
}
