//! PostgreSQL's programs on this machine, and the account that may run them.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{preflight, workspace};

/// The server's programs, with the account to run them as.
pub struct Installation {
    binaries: PathBuf,
    /// Unset: our own.
    account: Option<Account>,
}

/// Ids of a user and its group.
pub struct Account {
    /// The user.
    pub uid: u32,
    /// Its primary group.
    pub gid: u32,
}

impl Installation {
    /// Finds what [`Installation::command`] needs.
    ///
    /// *Errors*: no programs; or we are root, as which PostgreSQL refuses to run, and there is no
    /// other account.
    pub fn find() -> Result<Self> {
        let binaries = find_binaries().context("PostgreSQL's server programs are not installed")?;
        let account = if preflight::is_root() {
            Some(Account::for_root()?)
        } else {
            None
        };
        Ok(Self { binaries, account })
    }

    /// The account that everything must belong to, unless it is ours.
    pub fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// The path of one of PostgreSQL's programs.
    pub fn path(&self, program: &str) -> PathBuf {
        self.binaries.join(program)
    }

    /// Prepares any program to run in `folder` under the server's account.
    pub fn command(&self, program: impl AsRef<Path>, folder: &Path) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(folder).stdin(Stdio::null());
        if let Some(account) = &self.account {
            command.uid(account.uid).gid(account.gid);
        }
        command
    }
}

impl Account {
    /// `postgres` comes with PostgreSQL's packages, `nobody` with the system.
    fn for_root() -> Result<Self> {
        let account = ["postgres", "nobody"].iter().find_map(|name| Self::find(name));
        account.context("neither a user postgres nor a user nobody to run PostgreSQL as")
    }

    fn find(name: &str) -> Option<Self> {
        let id = |flag| {
            let output = Command::new("id")
                .args([flag, name])
                .stderr(Stdio::null())
                .output()
                .ok()?;
            String::from_utf8_lossy(&output.stdout).trim().parse().ok()
        };
        Some(Self {
            uid: id("-u")?,
            gid: id("-g")?,
        })
    }
}

/// Finds the folder with the server's programs: on `PATH`, then where distributions hide it, newest
/// version first.
pub fn find_binaries() -> Option<PathBuf> {
    let is_complete = |folder: &PathBuf| {
        ["initdb", "pg_ctl", "postgres"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    let on_path = preflight::on_path("initdb").and_then(|file| file.parent().map(Path::to_path_buf));
    if let Some(folder) = on_path.filter(is_complete) {
        return Some(folder);
    }
    let mut candidates = versioned("/usr/lib/postgresql", "");
    candidates.extend(versioned("/usr", "pgsql-"));
    for homebrew in ["/opt/homebrew/opt", "/usr/local/opt", "/home/linuxbrew/.linuxbrew/opt"] {
        candidates.extend(versioned(homebrew, "postgresql@"));
        candidates.push(Path::new(homebrew).join("postgresql/bin"));
    }
    candidates.into_iter().find(is_complete)
}

/// Finds one of PostgreSQL's programs: beside the server's, then on `PATH`, where clients may be alone.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let beside = find_binaries().map(|folder| folder.join(name));
    beside
        .filter(|file| file.is_file())
        .or_else(|| preflight::on_path(name))
}

/// Lists `parent/<prefix><version>/bin`, highest version first.
fn versioned(parent: &str, prefix: &str) -> Vec<PathBuf> {
    let names = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let version = |name: &str| name.strip_prefix(prefix)?.parse::<f32>().ok();
    let mut found: Vec<_> = names
        .filter_map(|name| Some((version(name.to_str()?)?, Path::new(parent).join(name).join("bin"))))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, path)| path).collect()
}

/// Runs a program quietly.
///
/// *Errors*: it failed; the message carries what it said.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let name = workspace::shown(command);
    let output = command.output().with_context(|| format!("start {name}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!(
            "{name} ended with {}\n{}",
            output.status,
            String::from_utf8_lossy(&said).trim()
        );
    }
    Ok(())
}
