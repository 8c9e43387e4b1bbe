//! Where things are: the repository, Cargo's target directory, the server binary.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Variables that `cargo run` sets for this program and that a nested Cargo must not see: some
/// build scripts (ring's) declare them as inputs, and would run again on every change between
/// `cargo build` and `cargo xtask`.
const SET_BY_CARGO_RUN: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// Answers the repository's root folder.
pub fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

/// Prepares a Cargo command in the repository's root. The arguments are separated by blanks.
pub fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace()).current_dir(root());
    for (name, _) in env::vars_os() {
        let leaked = name
            .to_str()
            .is_some_and(|name| SET_BY_CARGO_RUN.iter().any(|prefix| name.starts_with(prefix)));
        if leaked {
            command.env_remove(name);
        }
    }
    command
}

/// Answers the short name of the commit that is checked out, with a mark when files differ from it.
pub fn commit() -> Result<String> {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty", "--exclude=*"])
        .current_dir(root())
        .output()
        .context("run git describe")?;
    if !output.status.success() {
        bail!(
            "git describe failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command to its end with its output shown.
///
/// *Errors*: it could not start, or ended with another status than 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("start {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Writes a command the way a person would type it, for messages.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Answers the absolute path of Cargo's target directory, wherever the environment or a
/// configuration file puts it.
pub fn target_dir() -> Result<PathBuf> {
    let output = cargo("metadata --format-version 1 --no-deps")
        .output()
        .context("run cargo metadata")?;
    if !output.status.success() {
        bail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("read cargo metadata")?;
    let directory = metadata["target_directory"]
        .as_str()
        .context("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(directory))
}

/// Builds the server (dev profile, Cargo's progress visible) and answers the binary's absolute
/// path.
pub fn build_server() -> Result<PathBuf> {
    run(&mut cargo(
        "build --package masterorder-server --bin masterorder --locked",
    ))?;
    Ok(target_dir()?.join("debug").join("masterorder"))
}
