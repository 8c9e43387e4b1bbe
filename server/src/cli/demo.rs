//! `demo`: a demo shop, the proof, and a server to try it on.

/// Where the demo listens, and under which address others find it.
mod place;
/// What people need to try it.
mod links;
/// A link for a phone's camera.
mod qr;

use super::{Database, Listen};
use crate::app::App;
use crate::catalog::demo;
use anyhow::Context;
use clap::Args;
use place::Place;
use std::io::{IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Tables that the demo opens.
const TABLES: usize = 4;
/// Ports tried after a busy one.
const MORE_PORTS: u16 = 20;

/// Play the proof on a demo shop, then serve it.
#[derive(Args)]
pub(super) struct Demo {
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    listen: Listen,
    /// Open it to phones in the same network, and print a QR code. --listen then says the port, and on a machine with
    /// several addresses which one.
    #[arg(long)]
    lan: bool,
    /// Exit after the proof.
    #[arg(long)]
    once: bool,
}

impl Demo {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let place = if self.lan {
            Place::in_the_network(self.listen.listen)?
        } else {
            Place::on(self.listen.listen)
        };
        let app = super::start(&self.database).await?;
        let seeded = demo::seed(&app, None, TABLES).await?;
        let listener = bind(place.bind).await?;
        let address = SocketAddr::new(place.shown, listener.local_addr()?.port());
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let asked_to_stop = super::signals::stop()?;
        let server = tokio::spawn(serve(app.clone(), listener, async move {
            let asked = async {
                // a sender that is gone asks for nothing
                if stopped.await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = asked_to_stop => {}
                () = asked => {}
            }
        }));
        let proved = super::proof::play(&app, address, &seeded).await;
        if self.once || proved.is_err() {
            let _ = stop.send(());
            server.await??;
            return proved;
        }
        let mut text = links::text(address, &seeded);
        if let Some(table) = seeded.sessions.first().filter(|_| self.lan) {
            let surface = if stdout().is_terminal() {
                qr::Surface::Terminal
            } else {
                qr::Surface::Plain
            };
            text += &format!("\n  {} on a phone\n", table.table);
            text += &qr::draw(&links::guest(address, table), surface)?;
        }
        if !place.bind.ip().is_loopback() {
            text += links::IN_THE_NETWORK;
        }
        text += links::LAST_LINE;
        stdout().write_all(text.as_bytes()).context("print the links")?;
        server.await??;
        Ok(())
    }
}

async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    crate::serve::serve(app, listener, &[], stop).await
}

/// Takes the address, or the next free port after it.
async fn bind(wanted: SocketAddr) -> anyhow::Result<TcpListener> {
    for port in wanted.port()..=wanted.port().saturating_add(MORE_PORTS) {
        match TcpListener::bind(SocketAddr::new(wanted.ip(), port)).await {
            Ok(listener) => {
                if port != wanted.port() {
                    println!("port {} is busy, taking {port}", wanted.port());
                }
                return Ok(listener);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error).context(format!("can not listen on {wanted}: choose another --listen")),
        }
    }
    anyhow::bail!("no free port from {} on: choose another --listen", wanted.port())
}
