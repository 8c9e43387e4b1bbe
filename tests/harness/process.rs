//! A server process of its own, to be killed with SIGKILL.

use crate::client::{Client, Credentials};
use crate::database::Database;
use crate::fixture::Table;
use anyhow::{Context, Result, bail};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;
use uuid::Uuid;

/// A start or a fault that takes longer fails the test.
const DEADLINE: Duration = Duration::from_secs(30);

/// A running `masterorder serve`.
pub struct Process {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
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
        let mut log = BufReader::new(stderr).lines();
        let line = wait_for(&mut log, "server.address=").await?;
        let address = line
            .split("server.address=")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|text| text.parse().ok())
            .with_context(|| format!("no address in {line:?}"))?;
        Ok(Self { address, child, log })
    }

    /// Waits until it says that it paused at a step.
    pub async fn paused_at(&mut self, step: &str) -> Result<()> {
        wait_for(&mut self.log, &format!("paused at {step}")).await?;
        Ok(())
    }

    /// SIGKILL.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// SIGKILL; returns what it logged and nobody waited for.
    pub async fn kill_and_read_log(mut self) -> Result<Vec<String>> {
        self.child.kill().await?;
        let mut lines = Vec::new();
        while let Some(line) = self.log.next_line().await? {
            lines.push(line);
        }
        Ok(lines)
    }

    /// A guest's phone at a table.
    pub fn guest(&self, table: &Table) -> Client {
        Client::new(self.address, Credentials::guest(table, Uuid::new_v4()))
    }

    /// Whoever holds an API key.
    pub fn key(&self, key: &str) -> Client {
        Client::new(self.address, Credentials::key(key))
    }
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

async fn wait_for(log: &mut Lines<BufReader<ChildStderr>>, words: &str) -> Result<String> {
    let search = async {
        while let Some(line) = log.next_line().await? {
            if line.contains(words) {
                return Ok(line);
            }
        }
        bail!("the server ended before it said {words:?}")
    };
    timeout(DEADLINE, search)
        .await
        .with_context(|| format!("the server did not say {words:?} in time"))?
}
