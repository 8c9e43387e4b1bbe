//! A server process of its own, to be killed with SIGKILL, or asked to end with SIGTERM.

use crate::client::{Client, Credentials};
use crate::database::Database;
use crate::fixture::Table;
use anyhow::{Context, Result, bail, ensure};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

/// A start, a fault or an end that takes longer fails the test.
const DEADLINE: Duration = Duration::from_secs(30);

/// A running `masterorder serve`.
pub struct Process {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    log: Log,
}

impl Process {
    /// Starts one on a database; `environment` may bring faults (`MASTERORDER_DEBUG_FAULTS`).
    pub async fn start(database: &Database, environment: &[(&str, &str)]) -> Result<Self> {
        Self::start_at(&database.url, environment).await
    }

    /// Starts one on the database with this URL.
    pub async fn start_at(url: &str, environment: &[(&str, &str)]) -> Result<Self> {
        let program = program()?;
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", url])
            .env("MASTERORDER_LOG", "info,sqlx=warn,sea_orm=warn,sea_orm_migration=warn")
            .env("NO_COLOR", "1")
            // a test is quicker than any guest
            .env("MASTERORDER_RATE_LIMIT_GUEST", "0")
            .env("MASTERORDER_RATE_LIMIT_KEY", "0")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stderr = child.stderr.take().context("no standard error")?;
        let mut log = Log::read(stderr);
        let line = log.wait_for("server.address").await?;
        let address = address_in(&line, "server.address").with_context(|| format!("no address in {line:?}"))?;
        Ok(Self { address, child, log })
    }

    /// Waits until it says that it paused at a step.
    pub async fn paused_at(&mut self, step: &str) -> Result<()> {
        self.log.wait_for(&format!("paused at {step}")).await?;
        Ok(())
    }

    /// Waits until its log has these words in a line, and returns it.
    pub async fn says(&mut self, words: &str) -> Result<String> {
        self.log.wait_for(words).await
    }

    /// An address that it said under this name, as in `metrics.address`.
    pub fn said_address(&self, field: &str) -> Result<SocketAddr> {
        let lines = self.log.lines();
        let found = lines.iter().find_map(|line| address_in(line, field));
        found.with_context(|| format!("it did not say {field}"))
    }

    /// SIGKILL.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// SIGKILL; returns everything that it logged.
    pub async fn kill_and_read_log(mut self) -> Result<Vec<String>> {
        self.child.kill().await?;
        self.log.end().await
    }

    /// SIGTERM. It goes on until `ended`.
    pub async fn terminate(&self) -> Result<()> {
        let id = self.child.id().context("it has ended already")?;
        let sent = Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        ensure!(sent.success(), "kill -TERM {id} ended with {sent}");
        Ok(())
    }

    /// Waits until it has ended; returns its exit code (none after a signal) and everything that it logged.
    pub async fn ended(mut self) -> Result<(Option<i32>, Vec<String>)> {
        let status = timeout(DEADLINE, self.child.wait())
            .await
            .context("the server did not end in time")??;
        Ok((status.code(), self.log.end().await?))
    }

    /// A guest's phone at a table.
    pub fn guest(&self, table: &Table) -> Client {
        Client::new(self.address, Credentials::guest(table, Uuid::new_v4()))
    }

    /// Whoever holds an API key.
    pub fn key(&self, key: &str) -> Client {
        Client::new(self.address, Credentials::key(key))
    }

    /// Somebody without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(self.address, Credentials::default())
    }

    /// The value of a series of its metrics.
    pub async fn metric(&self, series: &str) -> Result<f64> {
        self.anonymous().metric(series).await
    }
}

/// What a process says. It is read all the time: a full pipe would make it stand still.
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    news: watch::Receiver<()>,
    /// Lines that were waited for.
    heard: usize,
    reader: JoinHandle<std::io::Result<()>>,
}

impl Log {
    fn read(stderr: ChildStderr) -> Self {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let (said, news) = watch::channel(());
        let written = lines.clone();
        let reader = tokio::spawn(async move {
            let mut log = BufReader::new(stderr).lines();
            while let Some(line) = log.next_line().await? {
                written.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                said.send_replace(());
            }
            Ok(())
        });
        Self {
            lines,
            news,
            heard: 0,
            reader,
        }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a line with these words, after the one that was waited for before.
    async fn wait_for(&mut self, words: &str) -> Result<String> {
        let search = async {
            loop {
                self.news.mark_unchanged();
                let lines = self.lines();
                if let Some(at) = lines.iter().skip(self.heard).position(|line| line.contains(words)) {
                    self.heard += at + 1;
                    return Ok(lines[self.heard - 1].clone());
                }
                if self.news.changed().await.is_err() && self.lines().len() == lines.len() {
                    bail!("the server ended before it said {words:?}: {lines:#?}");
                }
            }
        };
        timeout(DEADLINE, search)
            .await
            .with_context(|| format!("the server did not say {words:?} in time"))?
    }

    /// Reads on to the end.
    async fn end(self) -> Result<Vec<String>> {
        timeout(DEADLINE, self.reader)
            .await
            .context("its log did not end")???;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut lines))
    }
}

/// Reads `FIELD=ADDRESS`, or `"FIELD":"ADDRESS"` of a line of JSON.
fn address_in(line: &str, field: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once(field)?;
    rest.trim_start_matches(['"', '=', ':'])
        .split([' ', '"'])
        .next()?
        .parse()
        .ok()
}

/// A running `masterorder demo`. Dropping it kills it.
pub struct Demo {
    /// What it printed until it was open.
    pub printed: String,
    _child: Child,
}

impl Demo {
    /// Starts one and waits until it is open.
    ///
    /// *Errors*: it ended before; with what it said.
    pub async fn open(url: &str, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new(program()?)
            .arg("demo")
            .args(arguments)
            .args(["--database-url", url])
            .env("MASTERORDER_LOG", "error")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("no standard output")?).lines();
        let mut printed = String::new();
        let read = async {
            while let Some(line) = lines.next_line().await? {
                printed += &format!("{line}\n");
                if line.starts_with("Ctrl-C") {
                    return anyhow::Ok(true);
                }
            }
            Ok(false)
        };
        let is_open = timeout(DEADLINE, read)
            .await
            .with_context(|| format!("the demo did not open in time: {url}"))??;
        if !is_open {
            let said = child.wait_with_output().await?.stderr;
            bail!("the demo ended: {printed}{}", String::from_utf8_lossy(&said));
        }
        Ok(Self { printed, _child: child })
    }
}

/// Runs the program to its end, and returns its exit code with what it printed.
pub async fn run(arguments: &[&str]) -> Result<(Option<i32>, String, String)> {
    let output = Command::new(program()?)
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .await?;
    Ok((
        output.status.code(),
        String::from_utf8(output.stdout)?,
        String::from_utf8(output.stderr)?,
    ))
}

fn program() -> Result<String> {
    std::env::var("MASTERORDER_BIN")
        .context("MASTERORDER_BIN is not set: run `cargo xtask test --only suite`, or name the built program")
}
