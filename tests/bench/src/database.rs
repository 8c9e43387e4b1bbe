//! The databases under test: made, seeded, asked and checked.

use crate::sqlite;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Backend {
    /// A file.
    Sqlite,
    /// A server with the settings that it comes with.
    Postgres,
}

impl Backend {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// What is needed to make databases.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The program `masterorder`.
    pub server: PathBuf,
    /// Where SQLite files go.
    pub folder: PathBuf,
    /// The URL of PostgreSQL, without the name of a database.
    pub postgres: Option<String>,
    /// PostgreSQL's client.
    pub psql: PathBuf,
    /// PostgreSQL's load generator.
    pub pgbench: PathBuf,
}

/// A database with MasterOrder's schema and the benchmark's shops.
#[derive(Debug, Clone)]
pub struct Database {
    /// Which.
    pub backend: Backend,
    /// Where, for the server.
    pub url: String,
    tools: Tools,
}

impl Database {
    /// Makes one with this name: migrated by the program itself, and seeded.
    pub fn create(tools: &Tools, backend: Backend, name: &str) -> Result<Self> {
        let url = match backend {
            Backend::Sqlite => format!("sqlite://{}", tools.folder.join(format!("{name}.db")).display()),
            Backend::Postgres => {
                let server = tools.postgres.as_deref().context("no PostgreSQL")?;
                let name = format!("bench_{name}");
                let admin = format!("{server}/postgres");
                tools.psql(&admin, &format!("DROP DATABASE IF EXISTS {name}"))?;
                tools.psql(&admin, &format!("CREATE DATABASE {name}"))?;
                format!("{server}/{name}")
            }
        };
        let database = Self {
            backend,
            url,
            tools: tools.clone(),
        };
        database.masterorder("migrate")?;
        if backend == Backend::Postgres {
            database.run(&include_str!("../seed/postgres.sql").replace("{sample}", &sqlite::sample()))?;
        }
        database
            .run(include_str!("../seed/seed.sql"))
            .context("seed the shops")?;
        database.settle()?;
        Ok(database)
    }

    /// Removes it.
    pub fn drop(&self) -> Result<()> {
        match (self.file(), self.url.rsplit_once('/')) {
            (Some(file), _) => ["", "-wal", "-shm"].iter().try_for_each(|suffix| {
                let mut name = file.as_os_str().to_owned();
                name.push(suffix);
                match std::fs::remove_file(&name) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                    _ => Ok(()),
                }
            }),
            (None, Some((server, name))) => {
                let sql = format!("DROP DATABASE {name}");
                self.tools.psql(&format!("{server}/postgres"), &sql).map(drop)
            }
            (None, None) => Ok(()),
        }
    }

    /// The SQLite file.
    pub fn file(&self) -> Option<&Path> {
        self.url.strip_prefix("sqlite://").map(Path::new)
    }

    /// Runs statements.
    pub fn run(&self, sql: &str) -> Result<()> {
        match self.file() {
            Some(file) => Ok(sqlite::open(file)?.execute_batch(sql)?),
            None => self.tools.psql(&self.url, sql).map(drop),
        }
    }

    /// Asks for one number.
    pub fn number(&self, sql: &str) -> Result<u64> {
        match self.file() {
            Some(file) => {
                let number: i64 = sqlite::open(file)?.query_row(sql, [], |row| row.get(0))?;
                Ok(u64::try_from(number)?)
            }
            None => {
                let answer = self.tools.psql(&self.url, sql)?;
                answer.trim().parse().with_context(|| format!("{sql}: {answer:?}"))
            }
        }
    }

    /// Asks for a column of texts.
    pub fn texts(&self, sql: &str) -> Result<Vec<String>> {
        match self.file() {
            Some(file) => {
                let connection = sqlite::open(file)?;
                let mut statement = connection.prepare(sql)?;
                let rows = statement.query_map([], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            }
            None => Ok(self.tools.psql(&self.url, sql)?.lines().map(str::to_owned).collect()),
        }
    }

    /// Counts all orders.
    pub fn orders(&self) -> Result<u64> {
        self.number("SELECT count(*) FROM orders")
    }

    /// Lets the database finish what bulk writing left, so that no measure pays for it.
    pub fn settle(&self) -> Result<()> {
        match self.backend {
            Backend::Sqlite => self.run("PRAGMA wal_checkpoint(TRUNCATE)"),
            Backend::Postgres => self.run("VACUUM (ANALYZE); CHECKPOINT"),
        }
    }

    /// The ledger check. *Errors*: it finds something.
    pub fn check(&self) -> Result<()> {
        self.masterorder("doctor").map(drop)
    }

    /// Runs pgbench with a script for some seconds.
    pub fn pgbench(&self, script: &str, clients: usize, seconds: u64) -> Result<String> {
        let file = self.tools.folder.join("pgbench.sql");
        std::fs::write(&file, script)?;
        let mut command = Command::new(&self.tools.pgbench);
        command
            .args(["--no-vacuum", "--protocol=prepared", "--client", &clients.to_string()])
            .args(["--jobs", &clients.min(2).to_string(), "--time", &seconds.to_string()])
            .arg("--file")
            .arg(&file)
            .arg(&self.url);
        let output = command.stdin(Stdio::null()).output().context("start pgbench")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pgbench ended with {}\n{said}", output.status);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn masterorder(&self, command: &str) -> Result<String> {
        let output = Command::new(&self.tools.server)
            .args([command, "--database-url", &self.url])
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("start masterorder {command}"))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        ensure!(
            output.status.success(),
            "masterorder {command} ended with {}\n{said}",
            output.status
        );
        Ok(said)
    }
}

impl Tools {
    /// A database's name and version, for the report.
    pub fn version(&self, backend: Backend) -> Result<String> {
        let version = match backend {
            Backend::Sqlite => rusqlite::version().to_owned(),
            Backend::Postgres => {
                let server = self.postgres.as_deref().context("no PostgreSQL")?;
                self.psql(&format!("{server}/postgres"), "SHOW server_version")?
            }
        };
        Ok(format!("{} {}", backend.name(), version.trim()))
    }

    /// Runs statements by psql, stops at the first error, and returns what it printed.
    fn psql(&self, url: &str, sql: &str) -> Result<String> {
        let mut child = Command::new(&self.psql)
            .args([
                "--no-psqlrc",
                "--quiet",
                "--no-align",
                "--tuples-only",
                "--set",
                "ON_ERROR_STOP=1",
            ])
            .args(["--file", "-", url])
            .env("PGCLIENTENCODING", "UTF8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("start psql")?;
        // what is asked is far smaller than what a pipe takes, and answers come after it
        child
            .stdin
            .take()
            .context("no standard input")?
            .write_all(sql.as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("psql: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}
