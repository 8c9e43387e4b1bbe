//! `demo`: a demo shop, the proof, and a server to try it on.

use super::{Database, Listen};
use crate::app::App;
use crate::catalog::demo::{self, Seeded};
use anyhow::Context;
use clap::Args;
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
    /// Exit after the proof.
    #[arg(long)]
    once: bool,
}

impl Demo {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let app = super::start(&self.database).await?;
        let seeded = demo::seed(&app, None, TABLES).await?;
        let listener = bind(self.listen.listen).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (once, asked_to_stop) = (self.once, super::signals::stop()?);
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
        if once || proved.is_err() {
            let _ = stop.send(());
            server.await??;
            return proved;
        }
        links(address, &seeded);
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

fn links(address: SocketAddr, seeded: &Seeded) {
    println!();
    println!("{} is open on http://{address}", seeded.shop.name.en);
    println!("  GraphQL    POST http://{address}/graphql   (schema: http://{address}/schema.graphql)");
    println!("  playground http://{address}/graphql   (in a browser; paste the staff key)");
    for session in &seeded.sessions {
        println!(
            "  table {}   X-Session-Id: {}   X-Session-PIN: {}",
            session.table, session.id, session.pin
        );
    }
    println!("  kitchen    http://{address}/staff#k={}", seeded.staff_key.0);
    println!("  staff      Authorization: Bearer {}", seeded.staff_key.0);
    println!("  integrator Authorization: Bearer {}", seeded.integrator_key.0);
    println!("Ctrl-C stops it.");
}
