//! What the database said, classified once. Callers match on this and never on driver errors.

use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr};
use std::sync::Arc;

/// A failed database operation.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// A unique constraint that has a meaning was violated.
    #[error("unique constraint {0:?} violated")]
    Unique(UniqueKey),
    /// The database broke a deadlock at our cost (40P01).
    #[error("deadlock")]
    Deadlock,
    /// The transaction can not be serialised (40001).
    #[error("serialization failure")]
    Serialization,
    /// Another process holds SQLite's write lock (5, 261, 517).
    #[error("database is busy")]
    Busy,
    /// A lock was not granted within the wait bound (55P03).
    #[error("lock timeout")]
    LockTimeout,
    /// The statement ran into its time limit (57014).
    #[error("statement timeout")]
    StatementTimeout,
    /// The connection broke; before COMMIT nothing was written.
    #[error("connection lost")]
    ConnectionLost,
    /// COMMIT got no answer: it may or may not have happened.
    #[error("commit unknown")]
    CommitUnknown,
    /// No connection, or no turn to write, within the bound.
    #[error("no connection within the bound")]
    Overloaded,
    /// A claim could not be read or taken because its row kept vanishing.
    #[error("claim kept vanishing")]
    ClaimVanished,
    /// A stored value makes no sense. A bug, or somebody else's hand in the database.
    #[error("inconsistent {table}.{column} of row {row}")]
    Inconsistent {
        /// Which table.
        table: &'static str,
        /// Which column.
        column: &'static str,
        /// Which row.
        row: String,
    },
    /// Anything else the driver reports.
    #[error("unexpected database error: {0}")]
    Unexpected(Arc<DbErr>),
}

/// Unique constraints whose violation means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueKey {
    /// `orders (tenant_id, checkout_id)`: a twin placed this cart.
    Checkout,
}

impl Failure {
    /// The whole transaction may be run again at once: nothing was written, or the claim will tell.
    pub fn is_retried_inside(&self) -> bool {
        match self {
            Self::Unique(UniqueKey::Checkout)
            | Self::Deadlock
            | Self::Serialization
            | Self::Busy
            | Self::LockTimeout
            | Self::ConnectionLost
            | Self::CommitUnknown
            | Self::ClaimVanished => true,
            Self::StatementTimeout | Self::Overloaded | Self::Inconsistent { .. } | Self::Unexpected(_) => false,
        }
    }

    /// A fault of ours rather than of the weather.
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::Inconsistent { .. } | Self::Unexpected(_))
    }
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        use sea_orm::SqlxError as Sqlx;
        let runtime = match &error {
            DbErr::ConnectionAcquire(ConnAcquireErr::Timeout) => return Self::Overloaded,
            DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed) => return Self::ConnectionLost,
            DbErr::Conn(e) | DbErr::Exec(e) | DbErr::Query(e) => e,
            _ => return Self::Unexpected(Arc::new(error)),
        };
        let RuntimeErr::SqlxError(driver) = runtime else {
            return Self::Unexpected(Arc::new(error));
        };
        match &**driver {
            Sqlx::Database(reported) => {
                super::dialect::classify(&**reported).unwrap_or_else(|| Self::Unexpected(Arc::new(error)))
            }
            Sqlx::Io(_) | Sqlx::WorkerCrashed | Sqlx::PoolClosed | Sqlx::BeginFailed => Self::ConnectionLost,
            Sqlx::PoolTimedOut => Self::Overloaded,
            _ => Self::Unexpected(Arc::new(error)),
        }
    }
}

/// The result of a database operation.
pub type Result<T> = std::result::Result<T, Failure>;
