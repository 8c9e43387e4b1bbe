//! `cargo xtask demo`: builds the browser SDK and the server, which plays the proof itself.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::preflight::{self, Need};
use crate::report::seconds;
use crate::{npm, sdk, workspace};

/// What `cargo xtask demo` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Exit after the proof instead of serving; needs neither Node.js nor a browser
    #[arg(long)]
    once: bool,
    /// Start from an empty database: removes the SQLite file first
    #[arg(long)]
    fresh: bool,
    /// Listen here instead of on the server's default address
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Open the demo to phones in the same network, and print a QR code. --listen then says the port, and on a machine with
    /// several addresses which one
    #[arg(long)]
    lan: bool,
    /// Use this database instead of masterorder.db in the target folder's demo/
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

/// Builds what the demo needs and becomes `masterorder demo`: Ctrl-C and the exit status need no forwarding.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let started = Instant::now();
    let are_current = npm::are_current() && sdk::is_current();
    let builds_pages = !arguments.once && !are_current;
    let can_build_pages = check_tools(builds_pages)?;
    let database_url = match &arguments.database_url {
        Some(url) => url.clone(),
        None => default_database_url()?,
    };
    let unwanted = if arguments.fresh {
        database_files(&database_url)?.to_vec()
    } else {
        Vec::new()
    };
    if builds_pages && can_build_pages {
        let about = "npm's tools, rustc for WebAssembly, wasm-opt; minutes the first time";
        if let Err(error) = step("the browser SDK", about, build_pages) {
            println!("{error:#}\n{}", what_is_left());
        }
    } else if are_current {
        println!("-- the browser SDK: up to date");
    }
    let binary = step("the server", "rustc; minutes the first time", workspace::build_server)?;
    remove(&unwanted)?;
    println!("-- ready in {}\n", seconds(started.elapsed()));

    let mut server = Command::new(&binary);
    server.args(["demo", "--database-url", &database_url]);
    for (flag, wanted) in [("--once", arguments.once), ("--lan", arguments.lan)] {
        if wanted {
            server.arg(flag);
        }
    }
    if let Some(address) = &arguments.listen {
        server.args(["--listen", address]);
    }
    // Answers only if the server could not be started.
    Err(server.exec()).with_context(|| format!("start {}", binary.display()))
}

/// Looks for all tools at once. Answers whether those for the pages are there; who can not have them gets the rest of the demo.
///
/// *Errors*: without a C compiler there is no server.
fn check_tools(builds_pages: bool) -> Result<bool> {
    if !builds_pages {
        preflight::check(&[Need::CCompiler])?;
        return Ok(false);
    }
    match preflight::check(&[Need::CCompiler, Need::Node, Need::Npm]) {
        Ok(()) => Ok(true),
        Err(missing) if preflight::is_there(Need::CCompiler) => {
            println!("{missing:#}\n{}", what_is_left());
            Ok(false)
        }
        Err(missing) => Err(missing),
    }
}

/// Says what the demo is without what could not be built.
fn what_is_left() -> &'static str {
    if sdk::is_built() {
        "The demo goes on with the pages as they were built last."
    } else {
        "The demo goes on without: the guests' pages can not order, and the playground stays closed."
    }
}

/// Fetches the playground's files and builds the SDK, as far as they are not there.
fn build_pages() -> Result<()> {
    npm::install()?;
    if !sdk::is_current() {
        sdk::build()?;
    }
    Ok(())
}

/// Says what it does, does it, and says how long it took.
fn step<T>(name: &str, about: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("== {name}: {about}");
    let started = Instant::now();
    let result = body();
    let took = seconds(started.elapsed());
    match &result {
        Ok(_) => println!("-- {name}: ok in {took}"),
        Err(_) => println!("-- {name}: FAILED after {took}"),
    }
    result
}

fn default_database_url() -> Result<String> {
    let folder = workspace::target_dir()?.join("demo");
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    Ok(format!("sqlite://{}", folder.join("masterorder.db").display()))
}

fn remove(files: &[PathBuf]) -> Result<()> {
    for file in files {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("remove {}", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names a SQLite database's file and the two that SQLite keeps beside it.
fn database_files(url: &str) -> Result<[PathBuf; 3]> {
    let Some(path) = url.strip_prefix("sqlite://") else {
        bail!("--fresh removes SQLite files only; the database is not one");
    };
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    Ok(["", "-wal", "-shm"].map(|suffix| PathBuf::from(format!("{path}{suffix}"))))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn fresh_removes_the_database_with_its_companions() {
        let files = database_files("sqlite://demo/a.db?mode=rwc").unwrap_or_default();
        assert_eq!(
            files,
            ["demo/a.db", "demo/a.db-wal", "demo/a.db-shm"].map(|file| Path::new(file).to_path_buf())
        );
    }

    #[test]
    fn fresh_refuses_to_touch_another_database() {
        assert!(database_files("postgres://localhost/shop").is_err());
    }
}
