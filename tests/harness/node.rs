//! A server inside the test's process: the whole product behind a real socket, with its clock and its faults at hand.

use crate::client::{Client, Credentials};
use crate::database::Database;
use crate::fixture::Table;
use anyhow::Result;
use masterorder_server::app::{App, RateLimits, Settings};
use masterorder_server::clock::Clock;
use masterorder_server::faults::Faults;
use masterorder_server::store::Db;
use masterorder_server::store::dialect::Target;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// How a node is set up.
#[derive(Clone)]
pub struct Setup {
    /// Its clock.
    pub clock: Clock,
    /// Its bounds.
    pub settings: Settings,
    /// Connections for writing on PostgreSQL.
    pub connections: u32,
    /// Its way to the database, when it is another than the test's own.
    pub url: Option<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            clock: Clock::default(),
            settings: Settings {
                // a test is quicker than any guest
                rate_limits: RateLimits::NONE,
                ..Settings::default()
            },
            connections: 16,
            url: None,
        }
    }
}

impl Setup {
    /// With a clock that stands until it is moved.
    pub fn manual_clock() -> Self {
        Self {
            clock: Clock::manual(1_795_000_000_000),
            ..Self::default()
        }
    }
}

/// A running node.
pub struct Node {
    /// The application.
    pub app: Arc<App>,
    /// Where it listens.
    pub address: SocketAddr,
    /// Its clock.
    pub clock: Clock,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Node {
    /// Starts one on a database.
    pub async fn start(database: &Database, setup: Setup) -> Result<Self> {
        let target = Target::parse(setup.url.as_ref().unwrap_or(&database.url)).map_err(anyhow::Error::msg)?;
        let db = Db::open(target, setup.connections, setup.clock.clone()).await?;
        let app = App::start(db, setup.settings, Faults::default());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = app.clone();
        let server = tokio::spawn(async move {
            masterorder_server::serve::serve(serving, listener, &[], async {
                let _ = stopped.await;
            })
            .await
        });
        Ok(Self {
            app,
            address,
            clock: setup.clock,
            stop: Some(stop),
            server,
        })
    }

    /// A guest's phone at a table.
    pub fn guest(&self, table: &Table) -> Client {
        Client::new(self.address, Credentials::guest(table, Uuid::new_v4()))
    }

    /// Whoever holds an API key.
    pub fn key(&self, key: &str) -> Client {
        Client::new(self.address, Credentials::key(key))
    }

    /// Somebody without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(self.address, Credentials::default())
    }

    /// Arms faults, as in `claim=sleep:500*3`.
    pub fn arm(&self, faults: &str) {
        self.app.faults.arm(faults).expect("a fault");
    }

    /// Waits until a placement has met a fault that was armed once: it sleeps there, or is past it.
    pub async fn reached(&self, step: &str) -> Result<()> {
        crate::eventually(&format!("a placement came to {step}"), async || {
            Ok(!self.app.faults.is_armed(step))
        })
        .await
    }

    /// Stops it and waits until everything in flight has ended.
    pub async fn stop(mut self) -> Result<()> {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        Ok(self.server.await??)
    }
}
