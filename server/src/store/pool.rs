//! Pools that survive a database which goes silent: a pulled cable or a frozen host sends no FIN and no RST, and a driver that
//! waits for an answer waits until TCP gives up, which takes a quarter of an hour. PostgreSQL itself ends a statement after 8 s;
//! whoever hears nothing for longer has lost it. Then both pools are replaced by fresh ones, since other connections are as deaf,
//! and the old ones are closed first: a closed pool takes no connection back, so that what was given up in the middle of a BEGIN
//! is used by nobody.

use super::dialect;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr,
    SqlxError, Statement,
};
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// The two pools as they are now.
struct Pools {
    reader: DatabaseConnection,
    writer: DatabaseConnection,
    /// Counts replacements.
    generation: u64,
}

/// One of the two pools. A statement goes to whichever connections are the current ones.
#[derive(Clone)]
pub struct Pool {
    pools: Arc<Mutex<Pools>>,
    pick: fn(&Pools) -> &DatabaseConnection,
    backend: DbBackend,
    bound: Option<Duration>,
}

/// Pools that are replaced together: for reading, and for writing.
pub fn pair(pools: dialect::Pools) -> (Pool, Pool) {
    let backend = pools.writer.get_database_backend();
    let bound = dialect::silence_bound(&pools.writer);
    let pools = Arc::new(Mutex::new(Pools {
        reader: pools.reader,
        writer: pools.writer,
        generation: 0,
    }));
    let pool = |pick| Pool {
        pools: pools.clone(),
        pick,
        backend,
        bound,
    };
    (pool(|pools| &pools.reader), pool(|pools| &pools.writer))
}

impl Pool {
    /// The connections as they are now, for work that has bounds of its own or needs none.
    pub fn current(&self) -> DatabaseConnection {
        (self.pick)(&self.pools()).clone()
    }

    /// Asks for a connection and waits for its answer.
    pub async fn ping(&self) -> Result<(), DbErr> {
        let (generation, connection) = self.seen();
        self.served(generation, connection.ping()).await
    }

    /// Begins a write transaction.
    pub async fn begin(&self, wait_bound_ms: i64) -> Result<Transaction, DbErr> {
        let (generation, connection) = self.seen();
        let begun = self.served(generation, dialect::begin(&connection, wait_bound_ms));
        Ok(Transaction {
            inner: begun.await?,
            pool: self.clone(),
            generation,
        })
    }

    /// Waits for a connection and then for an answer.
    async fn served<T>(&self, generation: u64, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let bound = self.bound.map(|bound| dialect::QUEUE_BOUND + bound);
        self.within(bound, generation, work).await
    }

    /// Waits for an answer.
    async fn answered<T>(&self, generation: u64, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        self.within(self.bound, generation, work).await
    }

    /// Waits for as long as there can be an answer, and then replaces the pools.
    async fn within<T>(
        &self,
        bound: Option<Duration>,
        generation: u64,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let Some(bound) = bound else { return work.await };
        let mut work = pin!(work);
        if let Ok(answer) = timeout(bound, work.as_mut()).await {
            return answer;
        }
        // before `work` is dropped: its connection must find the pool closed
        self.replace(generation);
        let silent = SqlxError::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer from the database"));
        Err(DbErr::Conn(RuntimeErr::SqlxError(Arc::new(silent))))
    }

    /// Replaces the pools, unless somebody has done so since.
    fn replace(&self, generation: u64) {
        let mut pools = self.pools();
        if pools.generation != generation {
            return;
        }
        tracing::warn!("the database has gone silent; connecting anew");
        pools.generation += 1;
        pools.reader = dialect::replaced(&pools.reader);
        pools.writer = dialect::replaced(&pools.writer);
    }

    fn seen(&self) -> (u64, DatabaseConnection) {
        let pools = self.pools();
        (pools.generation, (self.pick)(&pools).clone())
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write transaction; rolled back when dropped.
pub struct Transaction {
    inner: DatabaseTransaction,
    pool: Pool,
    generation: u64,
}

impl Transaction {
    /// Ends it with a last statement. When that has no answer, it may have happened.
    pub async fn end<F>(self, last: impl FnOnce(DatabaseTransaction) -> F) -> Result<(), DbErr>
    where
        F: Future<Output = Result<(), DbErr>>,
    {
        self.pool.answered(self.generation, last(self.inner)).await
    }

    /// Rolls back. On a connection that was given up there is nothing to wait for: it is closed, and the database notices.
    pub async fn rollback(self) -> Result<(), DbErr> {
        if self.pool.pools().generation != self.generation {
            return Ok(());
        }
        self.pool.answered(self.generation, self.inner.rollback()).await
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Pool {
    fn get_database_backend(&self) -> DbBackend {
        self.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let (generation, connection) = self.seen();
        self.served(generation, connection.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let (generation, connection) = self.seen();
        self.served(generation, connection.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let (generation, connection) = self.seen();
        self.served(generation, connection.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let (generation, connection) = self.seen();
        self.served(generation, connection.query_all_raw(statement)).await
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.pool.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.pool
            .answered(self.generation, self.inner.execute_raw(statement))
            .await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.pool
            .answered(self.generation, self.inner.execute_unprepared(sql))
            .await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.pool
            .answered(self.generation, self.inner.query_one_raw(statement))
            .await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.pool
            .answered(self.generation, self.inner.query_all_raw(statement))
            .await
    }
}
