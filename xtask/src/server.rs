//! The server under test, as a child process on a throw-away SQLite file.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::postgres::free_port;
use crate::scratch::Scratch;

/// Includes the migrations of a fresh database, on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// A running server. Dropping it ends the server and removes its database.
pub struct Server {
    child: Child,
    address: SocketAddr,
    scratch: Scratch,
}

impl Server {
    /// Starts the server and waits until `GET /healthz` answers 200.
    ///
    /// *Errors*: it ended or was not ready in time; the message carries its log.
    pub fn start(binary: &Path) -> Result<Self> {
        Self::start_with(binary, &[])
    }

    /// The same with more of the program's options.
    pub fn start_with(binary: &Path, options: &[&str]) -> Result<Self> {
        let scratch = Scratch::new("server")?;
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let log = File::create(scratch.path().join("log")).context("make the server's log")?;
        let child = Command::new(binary)
            .args(["serve", "--listen", &address.to_string(), "--database-url"])
            .arg(format!("sqlite://{}", scratch.path().join("masterorder.db").display()))
            .args(options)
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("start {}", binary.display()))?;
        let mut server = Self {
            child,
            address,
            scratch,
        };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The server's base address, without a final slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its database, as `--database-url` takes it.
    pub fn database_url(&self) -> String {
        format!("sqlite://{}", self.folder().join("masterorder.db").display())
    }

    /// A folder that goes with the server.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// Everything that the server has written so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.scratch.path().join("log")).unwrap_or_default()
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let started = Instant::now();
        while !is_healthy(self.address) {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended with {status}\n{}", self.log());
            }
            if started.elapsed() > READY_WITHIN {
                bail!(
                    "the server was not ready within {} s\n{}",
                    READY_WITHIN.as_secs(),
                    self.log()
                );
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only when the server has ended already; its database is thrown away in any case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks `/healthz` by hand: one request is not worth an HTTP client.
fn is_healthy(address: SocketAddr) -> bool {
    let ask = || -> Result<String> {
        let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        write!(
            stream,
            "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut status_line = String::new();
        BufReader::new(stream).read_line(&mut status_line)?;
        Ok(status_line)
    };
    ask().is_ok_and(|status_line| status_line.starts_with("HTTP/1.1 200"))
}
