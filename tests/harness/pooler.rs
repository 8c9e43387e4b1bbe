//! PgBouncer in front of the tests' PostgreSQL.

use anyhow::{Context, Result};
use masterorder_server::store::dialect::Target;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A running PgBouncer. Dropping it ends it.
pub struct Pooler {
    /// The database behind it, as `--database-url` takes it.
    pub url: String,
    _child: Child,
    _directory: TempDir,
}

impl Pooler {
    /// Starts one in a pooling mode (`session`, `transaction` or `statement`) in front of the database with this URL. Its other
    /// settings are PgBouncer's own.
    pub async fn start(mode: &str, url: &str) -> Result<Self> {
        let Target::Postgres(server) = Target::parse(url).map_err(anyhow::Error::msg)? else {
            anyhow::bail!("there is no pooler in front of a file");
        };
        let (authority, database) = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .context("no database in the URL")?;
        let password = authority
            .rsplit_once('@')
            .and_then(|(login, _)| login.split_once(':'))
            .map_or(String::new(), |(_, password)| format!("password={password}"));
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let settings = format!(
            "[databases]\n* = host={} port={} user={} {password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = any\npool_mode = {mode}\n",
            server.get_host(),
            server.get_port(),
            server.get_username(),
        );
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("pgbouncer.ini");
        std::fs::write(&file, settings)?;
        let mut command = Command::new(program());
        // it refuses to run as root, and gives the right up itself
        if is_root().await? {
            command.args(["--user", "nobody"]);
        }
        let child = command
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("pgbouncer: `cargo xtask test --only suite` names the line that gets it")?;
        crate::eventually("PgBouncer listens", async || {
            Ok(TcpStream::connect(("127.0.0.1", port)).await.is_ok())
        })
        .await?;
        Ok(Self {
            url: format!("postgres://{}@127.0.0.1:{port}/{database}", server.get_username()),
            _child: child,
            _directory: directory,
        })
    }
}

/// Distributions put servers where a user's PATH does not look.
fn program() -> &'static str {
    let hidden = "/usr/sbin/pgbouncer";
    if Path::new(hidden).is_file() {
        hidden
    } else {
        "pgbouncer"
    }
}

async fn is_root() -> Result<bool> {
    let id = Command::new("id").arg("-u").output().await?;
    Ok(id.stdout.trim_ascii() == b"0")
}
