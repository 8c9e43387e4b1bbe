//! Write transactions. Holding a `Txn` proves being inside of one.
//!
//! A dropped sqlx BEGIN can poison its connection, so whoever calls `begin` runs in a spawned, tracked task that no
//! guest can cancel by hanging up (see `App::detach`).

use super::db::Db;
use super::dialect::{self, RowLock};
use super::failure::{Failure, Result};
use super::pool::Transaction;
use super::writer_queue::{Priority, Turn};
use crate::metrics::waits::WaitOn;
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::{Query, SimpleExpr};
use std::time::Instant;

/// Default bound for waiting at a row lock when no shop's policy applies. *Units*: ms.
pub const DEFAULT_WAIT_BOUND_MS: i64 = 2_000;

/// Runs of a transaction when the database asks for another.
const MAX_RUNS: usize = 5;

/// A write transaction; rolled back when dropped.
pub struct Txn {
    inner: Transaction,
    own_now_ms: Option<i64>,
    // after `inner`: the next writer's turn begins when this transaction has ended
    _turn: Option<Turn>,
}

/// Begins a write transaction.
///
/// *Errors*: `Overloaded` when there is no connection or turn within the bound; `Busy` when another process holds
/// SQLite's write lock.
pub async fn begin(db: &Db, priority: Priority, wait_bound_ms: i64) -> Result<Txn> {
    let turn = match &db.queue {
        Some(queue) => Some(queue.turn(priority).await?),
        None => None,
    };
    let since = Instant::now();
    let begun = db.writer.begin(wait_bound_ms).await.map_err(Failure::from);
    db.waits.waited(WaitOn::Begin, since);
    if matches!(begun, Err(Failure::Overloaded)) {
        db.waits.timed_out(WaitOn::Begin);
    }
    Ok(Txn {
        inner: begun?,
        own_now_ms: db.own_now_ms(),
        _turn: turn,
    })
}

/// Runs a closure in a transaction of its own and commits it; rolls back on an error.
///
/// For every writer but placements, which commit in `ordering::commit`.
pub async fn write<T, F>(db: &Db, priority: Priority, work: F) -> Result<T>
where
    F: AsyncFnOnce(&Txn) -> Result<T>,
{
    let txn = begin(db, priority, DEFAULT_WAIT_BOUND_MS).await?;
    let result = work(&txn).await?;
    txn.commit().await?;
    Ok(result)
}

/// Counts the runs of a transaction that meets other writers at a lock.
#[derive(Debug, Default)]
pub struct Runs(usize);

impl Runs {
    /// Answers whether to run again after this failure.
    pub fn again_after(&mut self, failure: &Failure) -> bool {
        self.0 += 1;
        self.0 < MAX_RUNS && failure.is_retried_inside()
    }
}

impl Txn {
    pub(super) fn conn(&self) -> &Transaction {
        &self.inner
    }

    pub(super) fn now_sql(&self) -> SimpleExpr {
        dialect::now_ms(self.own_now_ms)
    }

    pub(super) fn own_now_ms(&self) -> Option<i64> {
        self.own_now_ms
    }

    pub(super) fn lock(&self, rows: RowLock) -> &'static str {
        dialect::lock(&self.inner, rows)
    }

    /// The transaction's clock, asked now. *Units*: ms since the Unix epoch.
    pub async fn now_ms(&self) -> Result<i64> {
        let row = self
            .inner
            .query_one(Query::select().expr_as(self.now_sql(), "now_ms"))
            .await?;
        match row {
            Some(row) => Ok(row.try_get("", "now_ms")?),
            None => Ok(crate::clock::Clock::default().now_ms()),
        }
    }

    /// Commits.
    ///
    /// *Errors*: `CommitUnknown` when no answer came; anything else means that nothing was written.
    pub async fn commit(self) -> Result<()> {
        let committed = self.inner.end(|inner| inner.commit()).await;
        committed.map_err(|error| match Failure::from(error) {
            Failure::ConnectionLost | Failure::Unexpected(_) | Failure::StatementTimeout => Failure::CommitUnknown,
            known => known,
        })
    }

    /// Raises a real database error, for tests; `None` where this database can not.
    #[cfg(debug_assertions)]
    pub async fn raise(&self, sqlstate: &str) -> Option<Failure> {
        dialect::raise(&self.inner, sqlstate).await
    }

    /// Rolls back and waits for it, so that the next reader sees the claim gone.
    pub async fn rollback(self) {
        if let Err(error) = self.inner.rollback().await {
            tracing::debug!(error = %error, "rollback failed; the connection is gone and the transaction with it");
        }
    }
}
