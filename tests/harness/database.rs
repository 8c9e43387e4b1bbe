//! A database per test. On PostgreSQL it is a copy of a template that is migrated once per run.

use crate::fixture::{self, Fixture, Table};
use crate::node::{Node, Setup};
use anyhow::{Context, Result, bail};
use masterorder_server::clock::Clock;
use masterorder_server::store::dialect::Target;
use masterorder_server::store::{Db, ledger, migrate};
use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection, QueryResult, Statement, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::sync::Mutex;
use uuid::Uuid;

/// Which database a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// A migrated database with two shops in it.
pub struct Database {
    /// Which kind.
    pub backend: Backend,
    /// Where it is, as `--database-url` takes it.
    pub url: String,
    /// Who orders what.
    pub fixture: Fixture,
    /// A connection of the test's own, to read rows by SQL.
    pub sql: DatabaseConnection,
    directory: Option<TempDir>,
    name: Option<String>,
}

/// The template is copied by one test at a time: PostgreSQL refuses to copy a database that is in use.
static TEMPLATE: Mutex<Option<String>> = Mutex::const_new(None);

/// Runs a test on a fresh database; afterwards the ledger check must hold.
pub fn run(backend: Backend, name: &str, body: impl AsyncFnOnce(&Database) -> Result<()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let result: Result<()> = runtime.block_on(async {
        let database = Database::create(backend).await.context("creating a database")?;
        let outcome = match body(&database).await {
            Ok(()) => database.ledger_holds().await,
            Err(error) => Err(error),
        };
        database.drop_it().await;
        outcome
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    if let Err(error) = result {
        panic!("{name} on {backend:?}: {error:?}");
    }
}

impl Database {
    /// Makes one.
    pub async fn create(backend: Backend) -> Result<Self> {
        let empty = match backend {
            Backend::Sqlite => {
                let empty = Empty::create(backend).await?;
                migrate_at(&empty.url).await?;
                empty
            }
            Backend::Postgres => {
                let name = copy_template().await?;
                Empty {
                    backend,
                    url: at(&server()?, &name),
                    directory: None,
                    name: Some(name),
                }
            }
        };
        empty.furnish().await
    }

    /// Starts a server on it, inside this process.
    pub async fn node(&self) -> Result<Node> {
        self.node_with(Setup::default()).await
    }

    /// Starts a server on it, inside this process.
    pub async fn node_with(&self, setup: Setup) -> Result<Node> {
        Node::start(self, setup).await
    }

    /// The directory of a SQLite database.
    pub fn directory(&self) -> Option<PathBuf> {
        self.directory.as_ref().map(|d| d.path().to_owned())
    }

    /// Runs a query with `?` for values, and returns its rows.
    pub async fn query(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Result<Vec<QueryResult>> {
        Ok(self.sql.query_all_raw(self.statement(sql, values)).await?)
    }

    /// Runs a query whose first column of the first row is an integer.
    pub async fn int(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Result<i64> {
        let rows = self.query(sql, values).await?;
        let row = rows.first().with_context(|| format!("no row: {sql}"))?;
        Ok(row.try_get_by_index(0)?)
    }

    /// Runs a statement with `?` for values, and returns how many rows it changed.
    pub async fn execute(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Result<u64> {
        Ok(self.sql.execute_raw(self.statement(sql, values)).await?.rows_affected())
    }

    /// Orders of a table session, cancelled ones included.
    pub async fn orders(&self, table: &Table) -> Result<i64> {
        self.int(
            "SELECT count(*) FROM orders WHERE table_session_id = ?",
            [table.id.into()],
        )
        .await
    }

    /// All orders.
    pub async fn all_orders(&self) -> Result<i64> {
        self.int("SELECT count(*) FROM orders", []).await
    }

    /// Claims of a key, of whatever tenant.
    pub async fn claims(&self, key: &str) -> Result<i64> {
        let sql = "SELECT count(*) FROM idempotency_requests WHERE idempotency_key = ?";
        self.int(sql, [Uuid::parse_str(key)?.into()]).await
    }

    /// Rows of a table.
    pub async fn rows(&self, table: &str) -> Result<i64> {
        self.int(&format!("SELECT count(*) FROM {table}"), []).await
    }

    /// Counts the rows of every table but the audit trail, and the pieces in stock: whatever a refused request may not
    /// change.
    pub async fn census(&self) -> Result<BTreeMap<String, i64>> {
        let tables = match self.backend {
            Backend::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
            Backend::Postgres => "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = 'public'",
        };
        let mut census = BTreeMap::new();
        for row in self.query(tables, []).await? {
            let table: String = row.try_get_by_index(0)?;
            if !["audit_entries", "pin_guesses", "seated_devices"].contains(&table.as_str()) {
                let rows = self.rows(&table).await?;
                census.insert(table, rows);
            }
        }
        anyhow::ensure!(census.contains_key("orders"), "no tables were found: {census:?}");
        let pieces = "SELECT CAST(coalesce(sum(quantity), 0) AS BIGINT) FROM stock_levels";
        census.insert("pieces in stock".into(), self.int(pieces, []).await?);
        Ok(census)
    }

    /// What is left of an item or topping.
    pub async fn stock(&self, subject: Uuid) -> Result<i64> {
        self.int(
            "SELECT quantity FROM stock_levels WHERE subject_id = ?",
            [subject.into()],
        )
        .await
    }

    /// Sets what is left, as if that much had been supplied.
    pub async fn set_stock(&self, subject: Uuid, quantity: i64) -> Result<()> {
        let sql = "UPDATE stock_levels SET supplied = supplied - quantity + ?, quantity = ? WHERE subject_id = ?";
        self.execute(sql, [quantity.into(), quantity.into(), subject.into()])
            .await?;
        Ok(())
    }

    /// Changes the menu by SQL and its version with it, as every writer of the menu does.
    pub async fn change_menu(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Result<()> {
        anyhow::ensure!(self.execute(sql, values).await? > 0, "nothing changed: {sql}");
        self.execute("UPDATE shops SET catalogue_version = catalogue_version + 1", [])
            .await?;
        Ok(())
    }

    /// Changes the policy of all shops, as in `content_window_ms = 0`.
    pub async fn set_policy(&self, assignments: &str) -> Result<()> {
        self.execute(&format!("UPDATE shops SET {assignments}"), []).await?;
        Ok(())
    }

    /// Closes a table session, as a checkout does.
    pub async fn close(&self, table: &Table, closed_at_ms: i64) -> Result<()> {
        let sql = "UPDATE table_sessions SET status = 'CLOSED', closed_at_ms = ? WHERE id = ?";
        self.execute(sql, [closed_at_ms.into(), table.id.into()]).await?;
        Ok(())
    }

    /// Fails unless orders, tickets, events, outcomes and stock agree: the code of `masterorder doctor`.
    pub async fn ledger_holds(&self) -> Result<()> {
        let db = open(&self.url).await?;
        let report = ledger::check(&db).await?;
        db.close().await;
        anyhow::ensure!(
            report.findings.is_empty(),
            "the ledger does not hold: {:#?}",
            report.findings
        );
        Ok(())
    }

    fn statement(&self, sql: &str, values: impl IntoIterator<Item = Value>) -> Statement {
        let backend = self.sql.get_database_backend();
        let sql = match self.backend {
            Backend::Sqlite => sql.to_owned(),
            Backend::Postgres => numbered(sql),
        };
        Statement::from_sql_and_values(backend, sql, values)
    }

    /// Opens more tables of A.
    pub async fn more_tables(&self, count: usize) -> Result<Vec<Table>> {
        let db = open(&self.url).await?;
        let tables = fixture::more_tables(&db, self.fixture.tenant, count).await?;
        db.close().await;
        Ok(tables)
    }

    /// Makes another staff key of A.
    pub async fn another_staff_key(&self) -> Result<String> {
        let db = open(&self.url).await?;
        let key = fixture::another_staff_key(&db, self.fixture.tenant).await?;
        db.close().await;
        Ok(key)
    }

    /// Removes it. Whoever called `create` calls this; `run` does it by itself.
    pub async fn drop_it(self) {
        let _ = self.sql.close().await;
        drop_database(self.name).await;
    }
}

/// A database in which nothing has been migrated yet.
pub struct Empty {
    /// Which kind.
    pub backend: Backend,
    /// Where it is, as `--database-url` takes it.
    pub url: String,
    directory: Option<TempDir>,
    name: Option<String>,
}

impl Empty {
    /// Makes one. On SQLite not even the file is there.
    pub async fn create(backend: Backend) -> Result<Self> {
        if backend == Backend::Sqlite {
            let directory = tempfile::tempdir()?;
            return Ok(Self {
                backend,
                url: format!("sqlite://{}", directory.path().join("masterorder.db").display()),
                directory: Some(directory),
                name: None,
            });
        }
        let server = server()?;
        let name = format!("masterorder_test_{}", Uuid::now_v7().simple());
        let connection = connect(&server).await?;
        connection
            .execute_unprepared(&format!("CREATE DATABASE \"{name}\""))
            .await?;
        connection.close().await?;
        Ok(Self {
            backend,
            url: at(&server, &name),
            directory: None,
            name: Some(name),
        })
    }

    /// A connection of the test's own; on SQLite it makes the file.
    pub async fn sql(&self) -> Result<DatabaseConnection> {
        match self.backend {
            Backend::Sqlite => connect(&format!("{}?mode=rwc", self.url)).await,
            Backend::Postgres => connect(&self.url).await,
        }
    }

    /// Opens the two shops in it. It must be migrated by now.
    pub async fn furnish(self) -> Result<Database> {
        let db = open(&self.url).await?;
        let fixture = fixture::create(&db).await?;
        db.close().await;
        Ok(Database {
            backend: self.backend,
            fixture,
            sql: connect(&self.url).await?,
            url: self.url,
            directory: self.directory,
            name: self.name,
        })
    }

    /// Removes it.
    pub async fn drop_it(self) {
        drop_database(self.name).await;
        drop(self.directory);
    }
}

async fn drop_database(name: Option<String>) {
    if let (Some(name), Ok(server)) = (name, server())
        && let Ok(connection) = connect(&server).await
    {
        let _ = connection
            .execute_unprepared(&format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)"))
            .await;
        let _ = connection.close().await;
    }
}

/// The PostgreSQL that `cargo xtask test` starts, or that a developer names. A missing database fails, it never skips.
fn server() -> Result<String> {
    match std::env::var("TEST_POSTGRES_URL") {
        Ok(url) => Ok(url),
        Err(_) => {
            bail!("TEST_POSTGRES_URL is not set: run `cargo xtask test --only suite`, or start `cargo xtask postgres`")
        }
    }
}

/// The same server, another database.
fn at(server: &str, name: &str) -> String {
    let (base, query) = server.split_once('?').map_or((server, None), |(b, q)| (b, Some(q)));
    let authority_end = base.find("://").map_or(0, |i| i + 3);
    let base = match base[authority_end..].find('/') {
        Some(slash) => &base[..authority_end + slash],
        None => base,
    };
    match query {
        Some(query) => format!("{base}/{name}?{query}"),
        None => format!("{base}/{name}"),
    }
}

async fn copy_template() -> Result<String> {
    let server = server()?;
    let mut template = TEMPLATE.lock().await;
    let connection = connect(&server).await?;
    let source = match &*template {
        Some(name) => name.clone(),
        None => {
            let name = format!("masterorder_template_{}", Uuid::now_v7().simple());
            connection
                .execute_unprepared(&format!("CREATE DATABASE \"{name}\""))
                .await?;
            migrate_at(&at(&server, &name)).await?;
            *template = Some(name.clone());
            name
        }
    };
    let name = format!("masterorder_test_{}", Uuid::now_v7().simple());
    connection
        .execute_unprepared(&format!("CREATE DATABASE \"{name}\" TEMPLATE \"{source}\""))
        .await?;
    connection.close().await?;
    Ok(name)
}

async fn migrate_at(url: &str) -> Result<()> {
    let db = open(url).await?;
    migrate::up(&db).await?;
    db.close().await;
    Ok(())
}

/// Opens a database with the product's own pools.
pub async fn open(url: &str) -> Result<Db> {
    let target = Target::parse(url).map_err(anyhow::Error::msg)?;
    Ok(Db::open(target, 4, Clock::default()).await?)
}

async fn connect(url: &str) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(2).sqlx_logging(false);
    Ok(sea_orm::Database::connect(options).await?)
}

fn numbered(sql: &str) -> String {
    let mut parts = sql.split('?');
    let mut numbered = parts.next().unwrap_or_default().to_owned();
    for (i, part) in parts.enumerate() {
        numbered.push_str(&format!("${}{part}", i + 1));
    }
    numbered
}
