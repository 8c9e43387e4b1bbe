//! Says in one second, and all at once, which tools are missing and which line gets each.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::{browser, postgres, workspace};

/// What the scripts under `tests/` are written for.
const NODE_MAJOR: u32 = 20;

/// A tool that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Compiles SQLite and the cryptography.
    CCompiler,
    /// `cargo fmt`.
    Rustfmt,
    /// `cargo clippy`.
    Clippy,
    /// initdb, pg_ctl and postgres, unless `TEST_POSTGRES_URL` names a server.
    Postgres,
    /// A server of our own, with psql and pgbench.
    PgBench,
    /// Node.js, recent enough.
    Node,
    /// npm.
    Npm,
    /// A browser to drive.
    Chromium,
    /// A pooler to stand before the database.
    PgBouncer,
    /// Python with its virtual environments.
    Python,
    /// A reverse proxy to stand behind.
    Nginx,
    /// Makes its certificate.
    OpenSsl,
}

/// The line that gets a tool.
enum Source {
    /// A package for each package manager.
    Packages {
        apt: &'static str,
        dnf: &'static str,
        brew: &'static str,
        or: &'static str,
    },
    /// A component of the Rust toolchain.
    Component(&'static str),
}

/// A tool that is not there, or not the way it is needed.
struct Missing {
    need: Need,
    /// What is there in its place.
    found: Option<String>,
}

/// Makes sure that every needed tool is there. As root on Debian it installs what is missing,
/// printing each command.
///
/// *Errors*: the missing tools, all of them, with the lines that get them.
pub fn check(needs: &[Need]) -> Result<()> {
    let mut missing = find_missing(needs);
    if !missing.is_empty() && may_install() {
        install(&missing);
        missing = find_missing(needs);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let instructions: String = missing.iter().map(instructions).collect();
    bail!("missing tools\n{}", instructions.trim_end())
}

/// Answers whether a tool is there, and the way it is needed.
pub fn is_there(need: Need) -> bool {
    look_for(need).is_ok()
}

fn find_missing(needs: &[Need]) -> Vec<Missing> {
    needs.iter().filter_map(|&need| look_for(need).err()).collect()
}

fn look_for(need: Need) -> Result<(), Missing> {
    let mut found = None;
    let is_there = match need {
        Need::CCompiler => env::var_os("CC").is_some() || on_path("cc").is_some(),
        // rustup puts a stand-in on PATH for every component, installed or not: only running it
        // tells.
        Need::Rustfmt => output(&mut workspace::cargo("fmt --version")).is_some(),
        Need::Clippy => output(&mut workspace::cargo("clippy --version")).is_some(),
        Need::Postgres => postgres::configured_url().is_some() || postgres::find_binaries().is_some(),
        Need::PgBench => ["initdb", "psql", "pgbench"]
            .iter()
            .all(|name| postgres::find_program(name).is_some()),
        Need::Npm => on_path("npm").is_some(),
        Need::Chromium => browser::find().is_some(),
        // distributions pack what a virtual environment is made of apart
        Need::Python => output(Command::new("python3").args(["-c", "import ensurepip, venv"])).is_some(),
        Need::PgBouncer => is_server("pgbouncer"),
        Need::Nginx => is_server("nginx"),
        Need::OpenSsl => on_path("openssl").is_some(),
        Need::Node => {
            found = output(Command::new("node").arg("--version"));
            let version = found.as_deref().and_then(major);
            version.is_some_and(|major| major >= NODE_MAJOR)
        }
    };
    is_there.then_some(()).ok_or(Missing { need, found })
}

/// Reads the 20 of `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Answers what a command prints, if it runs and succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Finds a program on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Answers whether a server's program is there; distributions put them where a user's PATH does not look.
fn is_server(program: &str) -> bool {
    on_path(program).is_some() || Path::new("/usr/sbin").join(program).is_file()
}

/// Answers whether this process runs as root.
pub fn is_root() -> bool {
    output(Command::new("id").arg("-u")).as_deref() == Some("0")
}

fn may_install() -> bool {
    Path::new("/etc/debian_version").exists() && on_path("apt-get").is_some() && is_root()
}

/// Installs what it can. What fails is shown by the command itself, and what is missing afterwards
/// by the caller.
fn install(missing: &[Missing]) {
    let mut packages = vec!["install", "-y", "--no-install-recommends"];
    let mut components = vec!["component", "add"];
    let (no_packages, no_components) = (packages.len(), components.len());
    for Missing { need, .. } in missing {
        match need.source() {
            Source::Packages { apt, .. } => packages.extend(apt.split(' ')),
            Source::Component(component) => components.push(component),
        }
    }
    if packages.len() > no_packages {
        announce_and_run("apt-get", &["update"]);
        announce_and_run("apt-get", &packages);
    }
    if components.len() > no_components {
        announce_and_run("rustup", &components);
    }
}

fn announce_and_run(program: &str, arguments: &[&str]) {
    println!("+ {program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    if let Err(error) = workspace::run(&mut command) {
        println!("{error:#}");
    }
}

fn instructions(missing: &Missing) -> String {
    let mut lines = format!("  {}", missing.need.name());
    if let Some(found) = &missing.found {
        lines += &format!(" (found {found})");
    }
    match missing.need.source() {
        Source::Component(component) => {
            lines += &format!("\n    rustup component add {component}\n");
        }
        Source::Packages { apt, dnf, brew, or } => {
            lines += &format!("\n    apt-get install -y {apt}");
            lines += &format!("\n    dnf install -y {dnf}");
            lines += &format!("\n    brew install {brew}\n");
            if !or.is_empty() {
                lines += &format!("    or {or}\n");
            }
        }
    }
    lines
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::CCompiler => "a C compiler",
            Self::Rustfmt => "rustfmt",
            Self::Clippy => "clippy",
            Self::Postgres => "PostgreSQL's server programs (initdb, pg_ctl, postgres)",
            Self::PgBench => "PostgreSQL's programs with psql and pgbench",
            Self::Node => "Node.js 20 or newer",
            Self::Npm => "npm",
            Self::Chromium => "Chromium or Chrome",
            Self::Python => "Python 3 with venv",
            Self::PgBouncer => "PgBouncer",
            Self::Nginx => "nginx",
            Self::OpenSsl => "openssl",
        }
    }

    fn source(self) -> Source {
        match self {
            Self::Rustfmt => Source::Component("rustfmt"),
            Self::Clippy => Source::Component("clippy"),
            Self::CCompiler => Source::Packages {
                apt: "build-essential",
                dnf: "gcc",
                brew: "llvm",
                or: "xcode-select --install, on macOS",
            },
            Self::Postgres => Source::Packages {
                apt: "postgresql",
                dnf: "postgresql-server",
                brew: "postgresql@17",
                or: "set TEST_POSTGRES_URL to a server that tests may use",
            },
            Self::PgBench => Source::Packages {
                apt: "postgresql postgresql-contrib",
                dnf: "postgresql-server postgresql-contrib",
                brew: "postgresql@17",
                or: "",
            },
            Self::Node => Source::Packages {
                apt: "nodejs",
                dnf: "nodejs",
                brew: "node",
                or: "take it from nodejs.org, where the distribution's is older",
            },
            Self::Npm => Source::Packages {
                apt: "npm",
                dnf: "npm",
                brew: "node",
                or: "",
            },
            Self::Chromium => Source::Packages {
                apt: "chromium",
                dnf: "chromium",
                brew: "--cask chromium",
                or: "set MASTERORDER_CHROMIUM to the program of one",
            },
            Self::Python => Source::Packages {
                apt: "python3-venv",
                dnf: "python3",
                brew: "python",
                or: "",
            },
            Self::PgBouncer => Source::Packages {
                apt: "pgbouncer",
                dnf: "pgbouncer",
                brew: "pgbouncer",
                or: "",
            },
            Self::Nginx => Source::Packages {
                apt: "nginx-light",
                dnf: "nginx",
                brew: "nginx",
                or: "",
            },
            Self::OpenSsl => Source::Packages {
                apt: "openssl",
                dnf: "openssl",
                brew: "openssl",
                or: "",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_s_version_is_read() {
        assert_eq!(major("v20.11.1\n"), Some(20));
        assert_eq!(major("20"), None);
    }

    #[test]
    fn a_missing_tool_comes_with_a_line_per_package_manager() {
        let found = Some("v18.19.0".to_owned());
        let lines = instructions(&Missing {
            need: Need::Node,
            found,
        });
        let apt = "  Node.js 20 or newer (found v18.19.0)\n    apt-get install -y nodejs\n";
        assert!(lines.starts_with(apt), "{lines}");
        assert!(lines.contains("dnf install -y nodejs"), "{lines}");
        assert!(lines.contains("brew install node"), "{lines}");
    }

    #[test]
    fn a_missing_component_comes_with_its_rustup_line() {
        let lines = instructions(&Missing {
            need: Need::Clippy,
            found: None,
        });
        assert_eq!(lines, "  clippy\n    rustup component add clippy\n");
    }
}
