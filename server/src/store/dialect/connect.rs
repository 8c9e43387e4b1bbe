//! Connecting: which database, and its pools.

use super::{QUEUE_BOUND, classify};
use crate::store::failure::Failure;
use sea_orm::sqlx::Executor as _;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sea_orm::{DatabaseConnection, DbBackend, DbErr, SqlxPostgresConnector, SqlxSqliteConnector};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// PostgreSQL's own bounds: for one statement above every wait bound and below the SDK's attempt timeout; and a transaction whose
/// server process hangs must not hold its locks for long. Said after connecting, since poolers refuse or drop what is said in the
/// startup message.
///
/// And all statements look rows up by an index and come again and again. Planning each anew takes longer than running it; a plan that was
/// made while the tables were empty, or had not been analysed yet, would read them whole until they are.
const CONNECTION_SETTINGS: &str = "SET statement_timeout = '8s'; SET idle_in_transaction_session_timeout = '10s'; \
                                   SET plan_cache_mode = force_generic_plan; SET jit = off; \
                                   SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";
/// SQLite: its log is copied beside the writer (`checkpoint`). It starts at its beginning again only when all of it is copied, which happens
/// of itself when nobody writes for a moment; longer than this, and the writer copies what is left. *Units*: pages, 64 MiB together.
const LONGEST_LOG: &str = "16000";
/// What the writer keeps of the file. A slice of thirty orders writes some three hundred pages, and what does not fit is written twice.
/// *Units*: KiB, which SQLite writes as a negative number.
const WRITER_CACHE: &str = "-16384";
/// SQLite: guards against other processes only; our own writers queue in process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Which database, and where.
#[derive(Debug, Clone)]
pub enum Target {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(Box<PgConnectOptions>),
}

/// The two pools. SQLite's writer holds one connection.
pub struct Pools {
    /// For reading outside of write transactions.
    pub reader: DatabaseConnection,
    /// For write transactions.
    pub writer: DatabaseConnection,
}

impl Target {
    /// Parses `sqlite://PATH` or `postgres://…`.
    pub fn parse(url: &str) -> Result<Self, String> {
        if let Some(path) = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")) {
            let path = path.split('?').next().unwrap_or_default();
            if path.is_empty() || path.contains(":memory:") {
                return Err("database url: name a file, as in sqlite://./masterorder.db".into());
            }
            return Ok(Self::Sqlite(path.into()));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return PgConnectOptions::from_str(url)
                // poolers refuse it in the startup message, and we store no floats
                .map(|o| Self::Postgres(Box::new(o.extra_float_digits(None))))
                .map_err(|e| format!("database url: {e}"));
        }
        Err("database url: must begin with sqlite:// or postgres://".into())
    }

    /// Several nodes may share it, so migrating is a step of its own; a SQLite file is migrated by `serve`.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// How to reach the server; `None` for a file.
    pub(crate) fn server(&self) -> Option<&PgConnectOptions> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(options) => Some(options),
        }
    }

    /// Opens the pools. `connections` bounds the write pool on PostgreSQL, and the readers on both.
    pub async fn open(&self, connections: u32) -> Result<Pools, DbErr> {
        match self {
            Self::Sqlite(path) => {
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY_TIMEOUT);
                let pool = |max| {
                    SqlitePoolOptions::new()
                        .max_connections(max)
                        .acquire_timeout(QUEUE_BOUND)
                };
                let open = |e| DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
                // the writer first: it creates the file and turns WAL on before any reader looks
                let writes = options.clone().pragma("cache_size", WRITER_CACHE);
                let writes = writes.pragma("wal_autocheckpoint", LONGEST_LOG);
                let writer = first_connection(pool(1), &writes).await.map_err(open)?;
                let reader = pool(connections.clamp(1, 8)).connect_lazy_with(options);
                Ok(Pools {
                    reader: SqlxSqliteConnector::from_sqlx_sqlite_pool(reader),
                    writer: SqlxSqliteConnector::from_sqlx_sqlite_pool(writer),
                })
            }
            Self::Postgres(options) => {
                let options = (**options).clone().application_name("masterorder");
                let pool = |max: u32| {
                    PgPoolOptions::new()
                        .max_connections(max.max(1))
                        .acquire_timeout(QUEUE_BOUND)
                        .max_lifetime(Duration::from_secs(30 * 60))
                        .after_connect(|connection, _| {
                            Box::pin(async { connection.execute(CONNECTION_SETTINGS).await.map(drop) })
                        })
                };
                let open = |e| DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
                let writer = pool(connections).connect_with(options.clone()).await.map_err(open)?;
                let reader = pool(connections.div_ceil(2)).connect_lazy_with(options);
                Ok(Pools {
                    reader: SqlxPostgresConnector::from_sqlx_postgres_pool(reader),
                    writer: SqlxPostgresConnector::from_sqlx_postgres_pool(writer),
                })
            }
        }
    }
}

/// Opens a SQLite file. Two processes that open a new one at once both want to turn WAL on; SQLite tells one of them "locked"
/// at once, whatever `busy_timeout` says.
async fn first_connection(
    pool: SqlitePoolOptions,
    options: &SqliteConnectOptions,
) -> Result<sea_orm::sqlx::SqlitePool, sea_orm::SqlxError> {
    let deadline = tokio::time::Instant::now() + BUSY_TIMEOUT;
    loop {
        match pool.clone().connect_with(options.clone()).await {
            Err(sea_orm::SqlxError::Database(reported))
                if matches!(classify(&*reported), Some(Failure::Busy)) && tokio::time::Instant::now() < deadline =>
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            opened => return opened,
        }
    }
}

/// How a pool is used. *Units*: connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// Idle or at work.
    pub open: u32,
    /// That nobody uses.
    pub idle: u32,
    /// That may be opened.
    pub max: u32,
}

/// Reads how a pool is used. Differs because each database has a pool of its own type.
pub fn pool_use(db: &DatabaseConnection) -> PoolUse {
    let (open, idle, max) = match db.get_database_backend() {
        DbBackend::Sqlite => {
            let pool = db.get_sqlite_connection_pool();
            (pool.size(), pool.num_idle(), pool.options().get_max_connections())
        }
        _ => {
            let pool = db.get_postgres_connection_pool();
            (pool.size(), pool.num_idle(), pool.options().get_max_connections())
        }
    };
    PoolUse {
        open,
        idle: u32::try_from(idle).unwrap_or(u32::MAX),
        max,
    }
}

/// Closes a pool, whose connections are closed as they are given back, and answers one like it, which connects anew.
pub fn replaced(db: &DatabaseConnection) -> DatabaseConnection {
    if db.get_database_backend() != DbBackend::Postgres {
        return db.clone();
    }
    let old = db.get_postgres_connection_pool().clone();
    let options = PgConnectOptions::clone(&old.connect_options());
    let new = old.options().clone().connect_lazy_with(options);
    // closed as of the call; its idle connections end as it is awaited
    drop(old.close());
    tokio::spawn(async move { old.close().await });
    SqlxPostgresConnector::from_sqlx_postgres_pool(new)
}
