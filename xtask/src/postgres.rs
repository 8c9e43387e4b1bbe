//! A throw-away PostgreSQL: a fresh cluster in a temporary folder, gone with the process that asked
//! for it.

mod installation;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::{env, thread};

use anyhow::{Context, Result, bail};

use installation::{Installation, run_quietly};
pub use installation::{find_binaries, find_program};

use crate::preflight::{self, Need};
use crate::scratch::Scratch;

/// Names a server that the suite uses instead of a throw-away one.
pub const URL_VARIABLE: &str = "TEST_POSTGRES_URL";

/// Waits for the end of its standard input, which comes when the process that started it closes it
/// or dies in any way, Ctrl-C and SIGKILL included; then stops the server and removes its folder.
const JANITOR: &str = r#"cat >/dev/null; "$1" -D "$2/data" -m immediate stop >/dev/null 2>&1; rm -rf "$2""#;

/// What a server has to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: tests kill our server, never the database.
    None,
    /// Whatever PostgreSQL survives with the settings that it comes with: what is measured must be what is run.
    Default {
        /// Counts what its statements cost.
        profiled: bool,
    },
}

/// A running throw-away server. Dropping it stops the server and removes its folder.
pub struct Postgres {
    janitor: Child,
    port: u16,
    /// Dropped after the janitor has ended, who may lack the right to remove the folder itself from
    /// its parent.
    folder: Scratch,
}

impl Postgres {
    /// Makes and starts a cluster on a free port of 127.0.0.1.
    ///
    /// *Errors*: no server programs, or they failed; the message carries what they said.
    pub fn start(durability: Durability) -> Result<Self> {
        let installation = Installation::find()?;
        let folder = Scratch::new("pg")?;
        if let Some(account) = installation.account() {
            chown(folder.path(), Some(account.uid), Some(account.gid)).context("hand over the cluster's folder")?;
        }
        // The janitor comes first, so that a start which fails halfway is cleaned up too.
        let janitor = start_janitor(&installation, folder.path())?;
        let server = Self {
            janitor,
            port: free_port()?,
            folder,
        };
        server.initialise(&installation, durability)?;
        server.launch(&installation)?;
        Ok(server)
    }

    /// The server's address, with the right to create databases.
    pub fn url(&self) -> String {
        format!("{}/postgres", self.base_url())
    }

    /// The same, without the name of a database.
    pub fn base_url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}", self.port)
    }

    fn initialise(&self, installation: &Installation, durability: Durability) -> Result<()> {
        let folder = self.folder.path();
        let mut initdb = installation.command(installation.path("initdb"), folder);
        initdb.args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "-D",
            "data",
        ]);
        run_quietly(&mut initdb)?;
        let mut file = OpenOptions::new()
            .append(true)
            .open(folder.join("data/postgresql.conf"))?;
        file.write_all(settings(self.port, folder, durability).as_bytes())
            .context("write postgresql.conf")
    }

    fn launch(&self, installation: &Installation) -> Result<()> {
        let folder = self.folder.path();
        let mut pg_ctl = installation.command(installation.path("pg_ctl"), folder);
        pg_ctl.args(["-D", "data", "-l", "log", "--wait", "--timeout=60", "start"]);
        let log = || fs::read_to_string(folder.join("log")).unwrap_or_default();
        run_quietly(&mut pg_ctl).with_context(|| format!("the server did not start\n{}", log()))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.janitor.stdin.take());
        // A janitor that can not be waited for has gone, and its work is done or lost.
        let _ = self.janitor.wait();
    }
}

fn start_janitor(installation: &Installation, folder: &Path) -> Result<Child> {
    let mut janitor = installation.command("/bin/sh", Path::new("/"));
    janitor
        .arg("-c")
        .arg(JANITOR)
        .arg("janitor")
        .arg(installation.path("pg_ctl"))
        .arg(folder);
    // Its own process group: Ctrl-C in the terminal must not take it along. No output: whoever
    // reads ours must not have to wait for it.
    janitor
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    janitor.spawn().context("start the janitor")
}

fn settings(port: u16, folder: &Path, durability: Durability) -> String {
    let rest = match durability {
        Durability::None => {
            "
# Every test has a pool of its own, and the storms have several.
max_connections = 300
shared_buffers = 128MB
# Tests kill our server, never the database: this cluster needs to survive nothing.
fsync = off
full_page_writes = off
"
        }
        Durability::Default { profiled: false } => "",
        Durability::Default { profiled: true } => "shared_preload_libraries = 'pg_stat_statements'\n",
    };
    format!(
        "
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{}'
{rest}",
        folder.display()
    )
}

/// Answers the server that the environment names, if it does.
pub fn configured_url() -> Option<String> {
    env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty())
}

/// Answers a port that was free a moment ago.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("find a free port")?;
    Ok(listener.local_addr()?.port())
}

/// `cargo xtask postgres`: starts a throw-away server, prints how to use it, and keeps it until
/// Ctrl-C.
pub fn keep() -> Result<ExitCode> {
    if configured_url().is_some() {
        bail!("{URL_VARIABLE} names a server already");
    }
    preflight::check(&[Need::Postgres])?;
    let server = Postgres::start(Durability::None)?;
    println!("export {URL_VARIABLE}={}", server.url());
    println!("# Ctrl-C stops this server and removes its data.");
    loop {
        // Ctrl-C ends this process; the janitor does the rest.
        thread::park();
    }
}
