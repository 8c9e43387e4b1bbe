//! The command line. Every flag is also an environment variable `MASTERORDER_…`.

/// `demo`: the proof, then a server to try it on.
mod demo;
/// `doctor`: the ledger check.
mod doctor;
/// `key create | list | revoke`.
mod key;
/// `menu import`.
mod menu;
/// The proof that `demo` plays.
mod proof;
/// `seed-demo`.
mod seed;

use crate::app::{App, RateLimits, Settings};
use crate::catalog::Shop;
use crate::clock::Clock;
use crate::faults::Faults;
use crate::store::dialect::Target;
use crate::store::{self, Db, migrate};
use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// A mobile-order API that places every order exactly once.
#[derive(Parser)]
#[command(name = "masterorder", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
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
        rate_limits: RateLimits,
        /// A proxy (or its network, as in 10.0.0.0/8) whose X-Forwarded-For is believed; may be repeated.
        #[arg(long, env = "MASTERORDER_TRUSTED_PROXY", value_name = "NET", value_delimiter = ',', value_parser = network)]
        trusted_proxy: Vec<IpNet>,
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

/// Runs the command line.
pub async fn run() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Serve {
            database,
            listen,
            allow_origin,
            rate_limits,
            trusted_proxy,
        } => {
            let settings = Settings {
                rate_limits,
                trusted_proxies: trusted_proxy,
                ..Settings::default()
            };
            let app = start_with(&database, settings).await?;
            let listener = TcpListener::bind(listen.listen)
                .await
                .with_context(|| format!("can not listen on {}: choose another --listen", listen.listen))?;
            serve(app, listener, &allow_origin).await
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

async fn serve(app: Arc<App>, listener: TcpListener, origins: &[String]) -> anyhow::Result<()> {
    tracing::info!(server.address = %listener.local_addr()?, "listening");
    crate::serve::serve(app, listener, origins, stop_signal()).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn stop_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
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
