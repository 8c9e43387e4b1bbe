//! The server under test: the release build, with the settings that it comes with.

use crate::database::Database;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A start or an end that takes longer fails the run.
const DEADLINE: Duration = Duration::from_secs(60);
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Whether placements that come at the same time share a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupCommit {
    /// As the server comes.
    On,
    /// One transaction per order.
    Off,
}

impl GroupCommit {
    /// For tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::On => "group commit on",
            Self::Off => "group commit off",
        }
    }
}

/// A running `masterorder serve`. Dropping it kills it.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// From the start of the process until it listens, the database opened.
    pub started_in: Duration,
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts one and waits until it answers.
    pub fn start(program: &Path, folder: &Path, database: &Database, group_commit: GroupCommit) -> Result<Self> {
        let log = folder.join("server.log");
        let file = File::create(&log).context("make the server's log")?;
        let begun = Instant::now();
        let mut command = Command::new(program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &database.url])
            // everybody here has one address; guests and keys have the limits that they always have
            .args(["--rate-limit-address", "0"])
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file);
        if group_commit == GroupCommit::Off {
            command.env("MASTERORDER_GROUP_COMMIT", "off");
        }
        let mut child = command
            .spawn()
            .with_context(|| format!("start {}", program.display()))?;
        let address = loop {
            let said = fs::read_to_string(&log).unwrap_or_default();
            if let Some(address) = address_in(&said) {
                break address;
            }
            if let Some(status) = child.try_wait()? {
                bail!("the server ended with {status}\n{said}");
            }
            ensure!(begun.elapsed() < DEADLINE, "the server did not start in time\n{said}");
            sleep(BETWEEN_LOOKS);
        };
        Ok(Self {
            address,
            started_in: begun.elapsed(),
            child,
            log,
        })
    }

    /// Its resident memory. *Units*: bytes.
    pub fn resident(&self) -> Result<u64> {
        let id = self.child.id().to_string();
        let output = Command::new("ps")
            .args(["-o", "rss=", "-p", &id])
            .output()
            .context("run ps")?;
        let kib: u64 = String::from_utf8_lossy(&output.stdout)
            .trim()
            .parse()
            .context("read what ps says")?;
        Ok(kib * 1024)
    }

    /// Asks it to end, and waits until it has.
    ///
    /// *Errors*: it did not end well.
    pub fn stop(mut self) -> Result<()> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().context("run kill")?;
        ensure!(sent.success(), "kill -TERM {id} ended with {sent}");
        let status = self.ended()?;
        ensure!(status.success(), "the server ended with {status}\n{}", self.log());
        Ok(())
    }

    fn ended(&mut self) -> Result<ExitStatus> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(
                begun.elapsed() < DEADLINE,
                "the server did not end in time\n{}",
                self.log()
            );
            sleep(BETWEEN_LOOKS);
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // fails only when it has ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address_in(log: &str) -> Option<SocketAddr> {
    let (_, rest) = log.split_once("server.address=")?;
    rest.split(|c: char| c.is_whitespace())
        .next()?
        .trim_matches('"')
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_the_log() {
        let log = "2026-11-30T00:00:00Z INFO masterorder: listening server.address=127.0.0.1:4242\n";
        assert_eq!(address_in(log), Some(SocketAddr::from(([127, 0, 0, 1], 4242))));
        assert_eq!(address_in("nothing yet"), None);
    }
}
