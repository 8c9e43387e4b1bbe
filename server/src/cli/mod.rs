//! The command line. Every flag is also an environment variable `MASTERORDER_…`.

/// `demo`: the proof, then a server to try it on.
mod demo;
/// `doctor`: the ledger check.
mod doctor;
/// `key create | list | revoke`.
mod key;
/// The log.
mod log;
/// `menu import`.
mod menu;
/// The proof that `demo` plays.
mod proof;
/// `seed-demo`.
mod seed;
/// SIGTERM and Ctrl-C.
mod signals;

use crate::app::{App, RateLimits, Settings};
use crate::catalog::Shop;
use crate::clock::Clock;
use crate::faults::Faults;
use crate::store::dialect::Target;
use crate::store::{self, Db, migrate, pooler};
use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// A mobile-order API that places every order exactly once.
#[derive(Parser)]
#[command(name = "masterorder", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How the log looks; it goes to standard error.
    #[arg(
        long,
        global = true,
        env = "MASTERORDER_LOG_FORMAT",
        value_enum,
        default_value = "text"
    )]
    log_format: log::Format,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API (on SQLite, pending migrations are applied first).
    Serve {
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        listen: Listen,
        /// An origin whose pages may call the API from a browser; may be repeated.
        #[arg(long, env = "MASTERORDER_ALLOW_ORIGIN", value_delimiter = ',')]
        allow_origin: Vec<String>,
        #[command(flatten)]
        operating: Operating,
    },
    /// Apply pending migrations.
    Migrate {
        #[command(flatten)]
        database: Database,
    },
    /// Bring a demo shop with a menu, open tables and fresh keys.
    SeedDemo(seed::Seed),
    /// Bring a menu from a file.
    Menu(menu::Menu),
    /// Make, list and revoke API keys.
    Key(key::Key),
    /// Check that orders, tickets, events, outcomes and stock agree.
    Doctor(doctor::Doctor),
    /// Print the GraphQL schema.
    Schema,
    /// Play the proof on a demo shop, then serve it.
    Demo(demo::Demo),
}

#[derive(Args, Clone)]
struct Database {
    /// sqlite://PATH or postgres://USER@HOST/NAME
    #[arg(long, env = "MASTERORDER_DATABASE_URL", default_value = "sqlite://./masterorder.db")]
    database_url: String,
    /// Connections for writing on PostgreSQL, and for reading.
    #[arg(long, env = "MASTERORDER_DATABASE_CONNECTIONS", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=500))]
    database_connections: u32,
}

#[derive(Args, Clone)]
struct Listen {
    /// Where to listen.
    #[arg(long, env = "MASTERORDER_LISTEN", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

#[derive(Args, Clone)]
struct Operating {
    /// Where /metrics is served, to whoever can reach it. Without it /metrics answers this machine only, at --listen.
    #[arg(long, env = "MASTERORDER_METRICS_LISTEN")]
    metrics_listen: Option<SocketAddr>,
    /// Seconds in which a node that is asked to end still accepts connections, while /readyz says that it is not ready: longer than
    /// the load balancer takes to notice.
    #[arg(long, env = "MASTERORDER_SHUTDOWN_GRACE", default_value_t = 0, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(0..=600))]
    shutdown_grace: u64,
    /// Seconds in which a node that is asked to end must have ended, the grace included; then it exits with an error.
    #[arg(long, env = "MASTERORDER_SHUTDOWN_DEADLINE", default_value_t = 15, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    shutdown_deadline: u64,
    /// Whether placements that arrive together share a transaction: on, or off to compare.
    #[arg(long, env = "MASTERORDER_GROUP_COMMIT", value_name = "on|off", default_value = "on", value_parser = on_or_off,
          action = clap::ArgAction::Set)]
    group_commit: bool,
    #[command(flatten)]
    rate_limits: RateLimits,
    /// A proxy (or its network, as in 10.0.0.0/8) whose X-Forwarded-For is believed; may be repeated.
    #[arg(long, env = "MASTERORDER_TRUSTED_PROXY", value_name = "NET", value_delimiter = ',', value_parser = network)]
    trusted_proxy: Vec<IpNet>,
}

impl Operating {
    fn settings(&self) -> anyhow::Result<Settings> {
        if self.shutdown_grace >= self.shutdown_deadline {
            bail!(
                "--shutdown-grace ({} s) must be shorter than --shutdown-deadline ({} s)",
                self.shutdown_grace,
                self.shutdown_deadline
            );
        }
        Ok(Settings {
            shutdown_grace: Duration::from_secs(self.shutdown_grace),
            shutdown_deadline: Duration::from_secs(self.shutdown_deadline),
            metrics_at_home: self.metrics_listen.is_none(),
            group_commit: self.group_commit,
            rate_limits: self.rate_limits,
            trusted_proxies: self.trusted_proxy.clone(),
            ..Settings::default()
        })
    }
}

/// Runs the command line.
pub async fn run() -> anyhow::Result<()> {
    let cli = Cli::parse();
    log::init(cli.log_format);
    match cli.command {
        Command::Serve {
            database,
            listen,
            allow_origin,
            operating,
        } => {
            let app = start_with(&database, operating.settings()?).await?;
            let metrics = match operating.metrics_listen {
                Some(address) => Some(bind(address, "--metrics-listen").await?),
                None => None,
            };
            let listener = bind(listen.listen, "--listen").await?;
            serve(app, listener, metrics, &allow_origin).await
        }
        Command::Migrate { database } => {
            let db = open(&database).await?;
            match migrate::up(&db).await? {
                0 => println!("nothing to migrate"),
                n => println!("{n} migrations applied"),
            }
            db.close().await;
            Ok(())
        }
        Command::SeedDemo(seed) => seed.run().await,
        Command::Menu(menu) => menu.run().await,
        Command::Key(key) => key.run().await,
        Command::Doctor(doctor) => doctor.run().await,
        Command::Schema => {
            print!("{}", crate::graphql::sdl());
            Ok(())
        }
        Command::Demo(demo) => demo.run().await,
    }
}

async fn open(database: &Database) -> anyhow::Result<Db> {
    let target = Target::parse(&database.database_url).map_err(anyhow::Error::msg)?;
    pooler::check(&target)
        .await
        .with_context(|| format!("can not use {}", without_password(&database.database_url)))?;
    Db::open(target, database.database_connections, clock()?)
        .await
        .with_context(|| format!("can not open {}", without_password(&database.database_url)))
}

/// Opens a database whose schema is up to date: migrates a SQLite file, refuses a PostgreSQL with pending migrations, where
/// other nodes may still run the old schema.
async fn start(database: &Database) -> anyhow::Result<Arc<App>> {
    start_with(database, Settings::default()).await
}

async fn start_with(database: &Database, settings: Settings) -> anyhow::Result<Arc<App>> {
    let db = open(database).await?;
    if db.is_shared() {
        let pending = migrate::pending(&db).await?;
        if !pending.is_empty() {
            bail!(
                "migrations are pending ({}): run `masterorder migrate` first",
                pending.join(", ")
            );
        }
    } else {
        migrate::up(&db).await?;
    }
    Ok(App::start(db, settings, faults()?))
}

/// Finds the shop that a command is about: by its name, or the only one.
async fn find_shop(app: &App, name: Option<&str>) -> anyhow::Result<Shop> {
    let mut shops = store::catalog::all_shops(&app.db).await?;
    match name {
        Some(name) => shops
            .into_iter()
            .find(|s| s.name.ja == name || s.name.en == name)
            .with_context(|| format!("no shop is called {name:?}")),
        None if shops.len() == 1 => shops.pop().context("no shop"),
        None if shops.is_empty() => bail!("there is no shop yet: `masterorder seed-demo` brings one"),
        None => {
            let names: Vec<_> = shops.iter().map(|s| s.name.ja.as_str()).collect();
            bail!("name one of the shops with --shop: {}", names.join(", "))
        }
    }
}

async fn bind(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("can not listen on {address}: choose another {flag}"))
}

async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    metrics: Option<TcpListener>,
    origins: &[String],
) -> anyhow::Result<()> {
    let stop = signals::stop()?;
    // to the end: how a node drains is worth watching
    let metrics = match metrics {
        Some(listener) => {
            tracing::info!(metrics.address = %listener.local_addr()?, "serving metrics");
            Some(tokio::spawn(crate::serve::serve_metrics(app.clone(), listener)))
        }
        None => None,
    };
    tracing::info!(server.address = %listener.local_addr()?, "listening");
    let served = crate::serve::serve(app, listener, origins, stop).await;
    if let Some(metrics) = metrics {
        metrics.abort();
    }
    served?;
    tracing::info!("stopped");
    Ok(())
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("on or off".into()),
    }
}

/// A network, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    text.parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| "an address or network, as in 10.0.0.1 or 10.0.0.0/8".into())
}

/// The URL as it may be shown.
fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, rest)), Some((_, host))) => {
            let user = rest.split([':', '@']).next().unwrap_or_default();
            format!("{scheme}://{user}@{host}")
        }
        _ => url.to_owned(),
    }
}

/// The clock; a debug build may be told to run it wrong, to test nodes that disagree about the time.
#[cfg(debug_assertions)]
fn clock() -> anyhow::Result<Clock> {
    let offset_ms = match std::env::var("MASTERORDER_DEBUG_CLOCK_OFFSET_MS") {
        Ok(text) => text
            .parse()
            .context("MASTERORDER_DEBUG_CLOCK_OFFSET_MS: an integer of ms")?,
        Err(_) => 0,
    };
    Ok(Clock::System { offset_ms })
}

#[cfg(not(debug_assertions))]
fn clock() -> anyhow::Result<Clock> {
    Ok(Clock::default())
}

/// Faults that a test of a debug build asks for.
#[cfg(debug_assertions)]
fn faults() -> anyhow::Result<Faults> {
    let faults = Faults::default();
    if let Ok(text) = std::env::var("MASTERORDER_DEBUG_FAULTS") {
        faults.arm(&text)?;
    }
    Ok(faults)
}

#[cfg(not(debug_assertions))]
fn faults() -> anyhow::Result<Faults> {
    Ok(Faults::default())
}
