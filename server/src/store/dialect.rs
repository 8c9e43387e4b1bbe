//! Every difference between SQLite and PostgreSQL. Nothing else in the server names a database.

mod bus;
mod connect;

pub use bus::{Bus, connect_bus};
pub use connect::{PoolUse, Pools, Target, pool_use, replaced};

use super::bulk::Kind;
use super::failure::{Failure, UniqueKey};
use crate::clock::Clock;
use sea_orm::sea_query::{ArrayType, Expr, SimpleExpr};
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait, Value,
};
use std::time::Duration;

/// How long a request waits for a connection or for its turn to write before it is told `UNAVAILABLE`.
pub const QUEUE_BOUND: Duration = Duration::from_secs(2);
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

/// How long to wait for an answer that may never come. Differs because a file is in this machine: nothing between it and us can
/// vanish without a word.
pub fn silence_bound(db: &DatabaseConnection) -> Option<Duration> {
    (db.get_database_backend() == DbBackend::Postgres).then_some(SILENCE_BOUND)
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
pub(super) async fn write(db: &impl ConnectionTrait, statements: Vec<(String, Vec<Value>)>) -> Result<Vec<u64>, DbErr> {
    if db.get_database_backend() == DbBackend::Sqlite {
        let mut written = Vec::with_capacity(statements.len());
        for (text, values) in statements {
            let done = db.execute_raw(bound(db, text, values)).await?;
            written.push(done.rows_affected());
        }
        return Ok(written);
    }
    let (mut parts, mut counts, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (text, values)) in statements.into_iter().enumerate() {
        parts.push(format!("w{i} AS ({text} RETURNING 1)"));
        counts.push(format!("(SELECT count(*) FROM w{i})"));
        all.extend(values);
    }
    let text = format!("WITH {} SELECT {}", parts.join(", "), counts.join(", "));
    let Some(row) = db.query_one_raw(bound(db, text, all)).await? else {
        return Err(DbErr::RecordNotFound("how many rows were written".into()));
    };
    let written = (0..counts.len()).map(|i| row.try_get_by_index::<i64>(i).map(i64::unsigned_abs));
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
