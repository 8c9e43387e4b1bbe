//! A server process of its own, to be killed with SIGKILL.

use crate::client::{Client, Credentials};
use crate::database::Database;
use crate::fixture::Table;
use anyhow::{Context, Result, bail};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;
use uuid::Uuid;

/// A start or a fault that takes longer fails the test.
const DEADLINE: Duration = Duration::from_secs(30);

/// A running `masterorder serve`.
pub struct Process {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    log: mpsc::UnboundedReceiver<String>,
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
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stderr = child.stderr.take().context("no standard error")?;
        let (sender, mut log) = mpsc::unbounded_channel();
        // read on even if nobody listens: a full pipe would stop the server
        tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let _ = sender.send(line);
            }
        });
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

    /// SIGTERM, and waits for a graceful end.
    ///
    /// *Errors*: it did not end by itself, or not well.
    pub async fn terminate(mut self) -> Result<()> {
        let id = self.child.id().context("it has ended already")?;
        let told = Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        anyhow::ensure!(told.success(), "kill -TERM ended with {told}");
        let ended = timeout(DEADLINE, self.child.wait())
            .await
            .context("it did not end in time")??;
        anyhow::ensure!(ended.success(), "it ended with {ended}");
        Ok(())
    }

    /// SIGKILL; returns what it logged and nobody waited for.
    pub async fn kill_and_read_log(mut self) -> Result<Vec<String>> {
        self.child.kill().await?;
        let mut lines = Vec::new();
        while let Some(line) = self.log.recv().await {
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

async fn wait_for(log: &mut mpsc::UnboundedReceiver<String>, words: &str) -> Result<String> {
    let search = async {
        while let Some(line) = log.recv().await {
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
