//! `cargo xtask demo`: builds the server, which plays the proof itself.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, bail};

use crate::preflight::{self, Need};
use crate::{npm, workspace};

/// What `cargo xtask demo` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Exit after the proof instead of serving
    #[arg(long)]
    once: bool,
    /// Start from an empty database: removes the SQLite file first
    #[arg(long)]
    fresh: bool,
    /// Listen here instead of on the server's default address
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Use this database instead of masterorder.db in the target folder's demo/
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

/// Builds the server and becomes `masterorder demo`: Ctrl-C and the exit status need no forwarding.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    preflight::check(&[Need::CCompiler])?;
    let database_url = match &arguments.database_url {
        Some(url) => url.clone(),
        None => default_database_url()?,
    };
    let unwanted = if arguments.fresh {
        database_files(&database_url)?.to_vec()
    } else {
        Vec::new()
    };
    if !arguments.once {
        prepare_playground();
    }
    let binary = workspace::build_server()?;
    remove(&unwanted)?;
    let mut server = Command::new(&binary);
    server.args(["demo", "--database-url", &database_url]);
    if arguments.once {
        server.arg("--once");
    }
    if let Some(address) = &arguments.listen {
        server.args(["--listen", address]);
    }
    // Answers only if the server could not be started.
    Err(server.exec()).with_context(|| format!("start {}", binary.display()))
}

/// Fetches the playground's files. Ordering needs none of them: what is missing is said, and the demo goes on.
fn prepare_playground() {
    let result = match preflight::on_path("npm") {
        Some(_) => npm::install(),
        None => Err(anyhow!("npm is not there")),
    };
    if let Err(error) = result {
        println!("The playground stays closed: {error:#}. Its page says how to open it.");
    }
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
