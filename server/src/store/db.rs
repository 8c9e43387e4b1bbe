//! The open database.

use super::dialect::{self, PoolUse, Target};
use super::failure::Result;
use super::idempotency::{Scope, Stored};
use super::pool::{self, Pool};
use super::tables::Door;
use super::together::Together;
use super::writer_queue::WriterQueue;
use crate::clock::Clock;
use crate::metrics::waits::Waits;
use crate::ordering::history::Order;
use crate::tables::guessing::Guesses;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::{Query, SimpleExpr};
use std::sync::Arc;

/// Pools, the writer queue of SQLite, and the clock by which rows are judged.
#[derive(Clone)]
pub struct Db {
    pub(super) reader: Pool,
    pub(super) writer: Pool,
    pub(super) queue: Option<WriterQueue>,
    pub(super) target: Target,
    pub(super) waits: Waits,
    pub(super) shared_reads: Arc<SharedReads>,
    clock: Clock,
}

/// What every placement reads before its transaction, and what live feeds read.
#[derive(Default)]
pub(super) struct SharedReads {
    pub(super) doors: Together<(TableSessionId, String), Option<Door>>,
    pub(super) guesses: Together<(TableSessionId, String), Vec<Guesses>>,
    pub(super) outcomes: Together<Scope, Option<Stored>>,
    pub(super) parties: Together<(TenantId, TableSessionId), Vec<Order>>,
}

/// How the two pools are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolsUse {
    /// For reading outside of write transactions.
    pub reader: PoolUse,
    /// For write transactions.
    pub writer: PoolUse,
}

impl Db {
    /// Opens the database; the schema is left as it is.
    pub async fn open(target: Target, connections: u32, clock: Clock) -> Result<Self> {
        let pools = target.open(connections).await?;
        let waits = Waits::default();
        let queue = dialect::has_single_writer(&pools.writer).then(|| WriterQueue::new(waits.clone()));
        let (reader, writer) = pool::pair(pools);
        Ok(Self {
            queue,
            reader,
            writer,
            target,
            waits,
            shared_reads: Arc::default(),
            clock,
        })
    }

    /// The database answers.
    pub async fn ping(&self) -> Result<()> {
        Ok(self.reader.ping().await?)
    }

    /// Several nodes may share it.
    pub fn is_shared(&self) -> bool {
        self.target.is_shared()
    }

    /// Transactions that are worth running at once when many want to write: on PostgreSQL one may compute while the other
    /// commits; more would wait for one another's rows.
    pub fn writers(&self) -> usize {
        if self.queue.is_some() { 1 } else { 2 }
    }

    /// What work waits for here.
    pub fn waits(&self) -> &Waits {
        &self.waits
    }

    /// How the pools are used now.
    pub fn pools(&self) -> PoolsUse {
        PoolsUse {
            reader: dialect::pool_use(&self.reader.current()),
            writer: dialect::pool_use(&self.writer.current()),
        }
    }

    /// Requests that wait for their turn to write; none where writers need no turns.
    pub fn writers_waiting(&self) -> usize {
        self.queue.as_ref().map_or(0, WriterQueue::waiting)
    }

    /// The node's own clock. Rows are judged by `now_sql` instead wherever a statement is at hand.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(super) fn now_sql(&self) -> SimpleExpr {
        dialect::now_ms(self.own_now_ms())
    }

    pub(super) fn own_now_ms(&self) -> Option<i64> {
        dialect::own_now_ms(&self.writer, &self.clock)
    }

    /// The present by which rows are judged. *Units*: ms since the Unix epoch.
    pub async fn now_ms(&self) -> Result<i64> {
        let row = self
            .reader
            .query_one(Query::select().expr_as(self.now_sql(), "now_ms"))
            .await?;
        match row {
            Some(row) => Ok(row.try_get("", "now_ms")?),
            None => Ok(self.clock.now_ms()),
        }
    }

    /// Closes the pools, waiting for connections that are in use.
    pub async fn close(self) {
        for pool in [self.reader, self.writer] {
            if let Err(error) = pool.current().close().await {
                tracing::warn!(error = %error, "could not close a database pool");
            }
        }
    }
}
