//! Every difference between SQLite and PostgreSQL. Nothing else in the server names a database.

use super::bulk::Kind;
use super::failure::{Failure, UniqueKey};
use super::writes;
use crate::clock::Clock;
use sea_orm::sea_query::{ArrayType, Expr, SimpleExpr};
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgListener, PgPoolOptions};
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sea_orm::sqlx::{Connection as _, Executor as _};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode,
    SqlxPostgresConnector, SqlxSqliteConnector, Statement, TransactionOptions, TransactionTrait, Value,
};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tokio::time::timeout;

/// How long a request waits for a connection or for its turn to write before it is told `UNAVAILABLE`.
pub const QUEUE_BOUND: Duration = Duration::from_secs(2);
/// PostgreSQL's own bounds: for one statement above every wait bound and below the SDK's attempt timeout; and a transaction whose
/// server process hangs must not hold its locks for long. Said after connecting, since poolers refuse or drop what is said in the
/// startup message.
///
/// And all statements look rows up by an index and come again and again. Planning each anew takes longer than running it; a plan that was
/// made while the tables were empty, or had not been analysed yet, would read them whole until they are.
const CONNECTION_SETTINGS: &str = "SET statement_timeout = '8s'; SET idle_in_transaction_session_timeout = '10s'; \
                                   SET plan_cache_mode = force_generic_plan; SET jit = off; \
                                   SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";
/// For who reads everything.
const UNHURRIED_SETTINGS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL plan_cache_mode TO DEFAULT; SET LOCAL jit TO DEFAULT; \
                                  SET LOCAL enable_seqscan TO DEFAULT; SET LOCAL enable_hashjoin TO DEFAULT; \
                                  SET LOCAL enable_mergejoin TO DEFAULT";
/// Tables of ours that have at least doubled since PostgreSQL counted them.
pub(super) const DOUBLED_TABLES: &str = "SELECT quote_ident(s.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid \
                                         WHERE s.schemaname = current_schema() AND pg_has_role(c.relowner, 'USAGE') \
                                         AND s.n_mod_since_analyze > GREATEST(c.reltuples, 100)";
/// Longer without any answer, and PostgreSQL is not there: above its own bound for a statement, below the SDK's attempt timeout.
pub(crate) const SILENCE_BOUND: Duration = Duration::from_secs(9);
/// SQLite: how long its log is, and how much of it is in the file.
pub(super) const LOG_LENGTH: &str = "PRAGMA wal_checkpoint(NOOP)";
/// Copies as much of the log into the file as goes without a wait of anybody's. Answers as `LOG_LENGTH` does.
pub(super) const COPY_LOG: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// The log is copied beside the writer (`checkpoint`). It starts at its beginning again only when all of it is copied, which happens
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
    pub(super) fn server(&self) -> Option<&PgConnectOptions> {
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

/// How long to wait for an answer that may never come. Differs because a file is in this machine: nothing between it and us can
/// vanish without a word.
pub fn silence_bound(db: &DatabaseConnection) -> Option<Duration> {
    (db.get_database_backend() == DbBackend::Postgres).then_some(SILENCE_BOUND)
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

/// Only one transaction can write at a time, so writers queue in process.
pub fn has_single_writer(db: &DatabaseConnection) -> bool {
    db.get_database_backend() == DbBackend::Sqlite
}

/// Begins a write transaction.
///
/// Differs because SQLite must take its write lock at BEGIN (a read-then-write DEFERRED transaction fails at once with
/// BUSY_SNAPSHOT), while PostgreSQL runs READ COMMITTED: REPEATABLE READ turns the polite wait at a claim into 40001.
pub async fn begin(db: &DatabaseConnection, wait_bound_ms: i64) -> Result<DatabaseTransaction, DbErr> {
    match db.get_database_backend() {
        DbBackend::Sqlite => {
            db.begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..Default::default()
            })
            .await
        }
        _ => {
            let txn = db.begin().await?;
            txn.execute_unprepared(&format!("SET LOCAL lock_timeout = {wait_bound_ms}"))
                .await?;
            Ok(txn)
        }
    }
}

/// The present as PostgreSQL knows it. *Units*: ms since the Unix epoch.
pub(super) const NOW_MS: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// The present as this node knows it, where that counts; `None`: ask the database.
///
/// Differs because nodes that share a PostgreSQL must share one clock, its own; SQLite has none that is better than ours. A clock
/// that tests inject wins on both.
pub(super) fn own_now_ms(db: &impl ConnectionTrait, clock: &Clock) -> Option<i64> {
    match (db.get_database_backend(), clock) {
        (DbBackend::Postgres, Clock::System { .. }) => None,
        _ => Some(clock.now_ms()),
    }
}

/// The present, in SQL.
pub(super) fn now_ms(own_now_ms: Option<i64>) -> SimpleExpr {
    own_now_ms.map_or_else(|| Expr::cust(NOW_MS), Expr::val)
}

/// How a SELECT locks its rows. Differs because SQLite has one writer, which locks everything.
pub(super) fn lock(db: &impl ConnectionTrait, rows: RowLock) -> &'static str {
    match (db.get_database_backend(), rows) {
        (DbBackend::Sqlite, _) => "",
        (_, RowLock::Update) => "FOR UPDATE",
        (_, RowLock::NoKeyUpdate) => "FOR NO KEY UPDATE",
    }
}

/// What a lock keeps others from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowLock {
    /// Writing and deleting a row, and referring to it.
    Update,
    /// The same, but not referring to it.
    NoKeyUpdate,
}

/// Runs statements that write. Returns how many rows each of them wrote.
///
/// Differs because the way to PostgreSQL and back takes longer than most of them: there they are one statement, in which no part
/// sees what another writes. SQLite has no INSERT inside a WITH, and is no way off.
pub(super) async fn write(db: &impl ConnectionTrait, statements: &[writes::Statement]) -> Result<Vec<u64>, DbErr> {
    if db.get_database_backend() == DbBackend::Sqlite {
        let mut written = Vec::with_capacity(statements.len());
        for writes::Statement { text, values, .. } in statements {
            let done = db.execute_raw(bound(db, text.clone(), values.clone())).await?;
            written.push(done.rows_affected());
        }
        return Ok(written);
    }
    let (mut parts, mut counts, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (i, writes::Statement { text, values, .. }) in statements.iter().enumerate() {
        parts.push(format!("w{i} AS ({text} RETURNING 1)"));
        counts.push(format!("(SELECT count(*) FROM w{i})"));
        all.extend(values.iter().cloned());
    }
    let text = format!("WITH {} SELECT {}", parts.join(", "), counts.join(", "));
    let Some(row) = db.query_one_raw(bound(db, text, all)).await? else {
        return Err(DbErr::RecordNotFound("how many rows were written".into()));
    };
    let written = (0..statements.len()).map(|i| row.try_get_by_index::<i64>(i).map(i64::unsigned_abs));
    written.collect()
}

/// How many values of earlier statements are before a statement's own, where there are so many before it.
///
/// Differs as `write` does.
pub(super) fn values_before(db: &impl ConnectionTrait, values: usize) -> usize {
    match db.get_database_backend() {
        DbBackend::Sqlite => 0,
        _ => values,
    }
}

/// A table of rows, as the inside of a WITH; the rows are added to the values of the statement, before which others may be numbered.
///
/// Differs because PostgreSQL takes a column as one array, so that the text (and with it the plan) is the same for one row and
/// for a hundred; SQLite has no arrays.
pub(super) fn rows<const N: usize>(
    db: &impl ConnectionTrait,
    columns: [Kind; N],
    rows: impl IntoIterator<Item = [Value; N]>,
    values: &mut Vec<Value>,
    before: usize,
) -> String {
    match db.get_database_backend() {
        DbBackend::Sqlite => {
            let mut text = String::from("VALUES ");
            for (i, row) in rows.into_iter().enumerate() {
                text.push_str(if i == 0 { "(" } else { ", (" });
                for (j, (value, kind)) in row.into_iter().zip(columns).enumerate() {
                    values.push(match value {
                        Value::Uuid(Some(id)) if kind == Kind::UuidOrNull && id.is_nil() => Value::Uuid(None),
                        value => value,
                    });
                    // without a number: SQLite looks for a numbered one in a list
                    text.push_str(if j == 0 { "?" } else { ", ?" });
                }
                text.push(')');
            }
            text
        }
        _ => {
            let mut arrays: [Vec<Value>; N] = std::array::from_fn(|_| Vec::new());
            for row in rows {
                for (array, value) in arrays.iter_mut().zip(row) {
                    array.push(value);
                }
            }
            let (mut selected, mut unnested) = (Vec::new(), Vec::new());
            for (i, (array, kind)) in arrays.into_iter().zip(columns).enumerate() {
                let (kind_of_array, name) = match kind {
                    Kind::Uuid | Kind::UuidOrNull => (ArrayType::Uuid, "uuid"),
                    Kind::Text => (ArrayType::String, "text"),
                    Kind::Int => (ArrayType::BigInt, "bigint"),
                    Kind::Bytes => (ArrayType::Bytes, "bytea"),
                };
                values.push(Value::Array(kind_of_array, Some(Box::new(array))));
                unnested.push(format!("${}::{name}[]", before + values.len()));
                selected.push(match kind {
                    // an array has no place for NULL here: nil stands for it
                    Kind::UuidOrNull => format!("NULLIF(u.c{i}, '00000000-0000-0000-0000-000000000000')"),
                    _ => format!("u.c{i}"),
                });
            }
            let columns: Vec<String> = (0..N).map(|i| format!("c{i}")).collect();
            format!(
                "SELECT {} FROM UNNEST({}) AS u ({})",
                selected.join(", "),
                unnested.join(", "),
                columns.join(", ")
            )
        }
    }
}

/// Joins the rows of a table whose ids a subquery finds for each row before.
///
/// Differs because SQLite has no LATERAL, and PostgreSQL looks through the whole table for an IN that depends on another row.
pub(super) fn join_ids(db: &impl ConnectionTrait, table: &str, ids: &str) -> String {
    match db.get_database_backend() {
        DbBackend::Sqlite => format!("JOIN {table} ON {table}.id IN ({ids})"),
        _ => format!("CROSS JOIN LATERAL ({ids}) AS found JOIN {table} ON {table}.id = found.id"),
    }
}

/// Begins a transaction that only reads, and may take its time: nobody waits for it.
///
/// Differs because only PostgreSQL was told to stop long statements, and how to plan the short ones.
pub async fn begin_unhurried(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let txn = db.begin().await?;
    if db.get_database_backend() == DbBackend::Postgres {
        txn.execute_unprepared(UNHURRIED_SETTINGS).await?;
    }
    Ok(txn)
}

/// A statement with its values.
pub(super) fn bound(db: &impl ConnectionTrait, text: String, values: Vec<Value>) -> Statement {
    Statement::from_sql_and_values(db.get_database_backend(), text, values)
}

/// A statement of fixed text.
pub fn statement(db: &impl ConnectionTrait, sql: &str) -> Statement {
    Statement::from_string(db.get_database_backend(), sql)
}

/// Takes the lock under which migrations run, and holds it until the guard is dropped.
///
/// Differs because PostgreSQL has advisory locks, while a SQLite file may be opened by two processes at once that know
/// of each other only through the file system.
pub async fn lock_migrations(target: &Target, db: &DatabaseConnection) -> anyhow::Result<MigrationLock> {
    /// Any constant will do; it only has to be ours.
    const LOCK: i64 = 0x6d61_7374_6572;
    match target {
        Target::Sqlite(path) => {
            let mut lock_path = path.clone().into_os_string();
            lock_path.push(".migrate-lock");
            let file = std::fs::File::create(&lock_path)?;
            let file = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await??;
            Ok(MigrationLock {
                _file: Some(file),
                advisory: None,
            })
        }
        Target::Postgres(_) => {
            let txn = db.begin().await?;
            txn.execute_raw(Statement::from_sql_and_values(
                DbBackend::Postgres,
                "SELECT pg_advisory_xact_lock($1)",
                [LOCK.into()],
            ))
            .await?;
            Ok(MigrationLock {
                _file: None,
                advisory: Some(txn),
            })
        }
    }
}

/// Held while migrating.
pub struct MigrationLock {
    _file: Option<std::fs::File>,
    advisory: Option<DatabaseTransaction>,
}

impl MigrationLock {
    /// Lets go. (A lock that is dropped instead goes with its connection or file handle.)
    pub async fn release(self) -> Result<(), DbErr> {
        match self.advisory {
            Some(txn) => txn.rollback().await,
            None => Ok(()),
        }
    }
}

/// Wake-ups between nodes.
///
/// Differs because only PostgreSQL is shared, and brings LISTEN/NOTIFY. NOTIFY runs outside of any placement: inside one it
/// would make every commit wait for its turn.
pub struct Bus {
    listener: PgListener,
    sender: PgConnection,
}

/// Opens the wire; `None` on a database that is not shared.
pub async fn connect_bus(target: &Target) -> Result<Option<Bus>, DbErr> {
    let Target::Postgres(options) = target else {
        return Ok(None);
    };
    let options = (**options).clone().application_name("masterorder wake-ups");
    let open = |e| DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(QUEUE_BOUND)
        .connect_with(options.clone())
        .await
        .map_err(open)?;
    let mut listener = PgListener::connect_with(&pool).await.map_err(open)?;
    listener.listen(Bus::CHANNEL).await.map_err(open)?;
    let sender = PgConnection::connect_with(&options).await.map_err(open)?;
    Ok(Some(Bus { listener, sender }))
}

impl Bus {
    const CHANNEL: &str = "masterorder_live";

    /// Tells all nodes, this one included.
    pub async fn send(&mut self, text: &str) -> Result<(), Failure> {
        let open = |e| DbErr::Exec(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
        let sent = sea_orm::sqlx::query("SELECT pg_notify($1, $2)")
            .bind(Self::CHANNEL)
            .bind(text)
            .execute(&mut self.sender);
        match timeout(SILENCE_BOUND, sent).await {
            Ok(sent) => sent.map(drop).map_err(|e| open(e).into()),
            Err(_) => Err(Failure::ConnectionLost),
        }
    }

    /// Waits for a wake-up.
    ///
    /// *Errors*: the connection broke; wake-ups were lost, and the polls of the feeds make up for them.
    pub async fn hear(&mut self) -> Result<String, Failure> {
        match self.listener.try_recv().await {
            Ok(Some(heard)) => Ok(heard.payload().to_owned()),
            Ok(None) => Err(Failure::ConnectionLost),
            Err(error) => Err(DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(error))).into()),
        }
    }
}

/// Classifies what the database reported, by SQLSTATE or SQLite result code. `None`: nothing we expect.
pub fn classify(reported: &dyn DatabaseError) -> Option<Failure> {
    let code = reported.code().unwrap_or_default();
    // SQLite names the columns of a violated unique constraint, PostgreSQL the constraint
    let checkout = reported.constraint() == Some("orders_checkout_key")
        || reported.message().contains("orders.tenant_id, orders.checkout_id");
    match &*code {
        "23505" | "2067" | "1555" if checkout => Some(Failure::Unique(UniqueKey::Checkout)),
        "40P01" => Some(Failure::Deadlock),
        "40001" => Some(Failure::Serialization),
        "5" | "6" | "261" | "262" | "517" => Some(Failure::Busy),
        "55P03" => Some(Failure::LockTimeout),
        "57014" => Some(Failure::StatementTimeout),
        // administrator shut the session down, server going away or not yet there
        "57P01" | "57P02" | "57P03" => Some(Failure::ConnectionLost),
        // 25P03: idle-in-transaction timeout closed the connection
        "25P03" => Some(Failure::ConnectionLost),
        // too many connections
        "53300" => Some(Failure::Overloaded),
        code if code.starts_with("08") => Some(Failure::ConnectionLost),
        _ => None,
    }
}

/// Raises a real database error, for tests of what happens then. `None`: this database can not raise that one.
#[cfg(debug_assertions)]
pub async fn raise(txn: &impl ConnectionTrait, sqlstate: &str) -> Option<Failure> {
    if txn.get_database_backend() != DbBackend::Postgres {
        return None;
    }
    let sql = match sqlstate {
        "08006" => "SELECT pg_terminate_backend(pg_backend_pid())".to_owned(),
        code => format!("DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '{code}'; END $$"),
    };
    txn.execute_unprepared(&sql).await.err().map(Failure::from)
}
