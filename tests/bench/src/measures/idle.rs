//! `idle`: what a server costs that does nothing, and what guests cost who only watch.

use crate::database::Backend;
use crate::figures::Unit;
use crate::requests::Guest;
use crate::run::Run;
use crate::server::GroupCommit;
use crate::socket::Socket;
use anyhow::{Context, Result};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;
use uuid::Builder;

/// Until what is done at the start and after a crowd has come is done.
const SETTLE: Duration = Duration::from_secs(3);
/// Guests who come at the same time.
const AT_ONCE: usize = 32;
const WATCH: &str = "subscription { tableSessionOrders { snapshot removed orders { id number status version } } }";

/// Memory of a server that was just started.
pub const RESIDENT: &str = "resident";
/// Memory that each watching guest costs.
pub const PER_GUEST: &str = "resident, per guest who watches";

/// Runs it on one database.
pub fn run(run: &mut Run, backend: Backend) -> Result<()> {
    let shop = run.open(backend, "idle")?;
    let program = std::fs::metadata(&run.tools.server)
        .context("measure the program")?
        .len();
    run.note("idle", backend, "size of the program", Unit::Mib, mib(program));
    for _ in 0..run.options.rounds() {
        let server = run.serve(&shop, GroupCommit::On)?;
        run.note(
            "idle",
            backend,
            "start",
            Unit::Ms,
            server.started_in.as_secs_f64() * 1000.0,
        );
        sleep(SETTLE);
        let alone = server.resident()?;
        run.note("idle", backend, RESIDENT, Unit::Mib, mib(alone));
        let mut sockets = Vec::new();
        for crowd in crowds(run.options.quick) {
            let more = watch(server.address, sockets.len() as u64..crowd);
            sockets.extend(run.runtime.block_on(more)?);
            sleep(SETTLE);
            let resident = server.resident()?;
            run.note(
                "idle",
                backend,
                &format!("resident, {crowd} guests watch"),
                Unit::Mib,
                mib(resident),
            );
            if crowd == crowds(run.options.quick)[1] {
                let each = resident.saturating_sub(alone) as f64 / crowd as f64 / 1024.0;
                run.note("idle", backend, PER_GUEST, Unit::Kib, each);
            }
        }
        drop(sockets);
        server.stop()?;
    }
    run.close(shop)
}

fn crowds(quick: bool) -> [u64; 2] {
    if quick { [100, 1_000] } else { [1_000, 10_000] }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}

/// One guest at each of these table sessions watches its orders.
async fn watch(address: SocketAddr, sessions: std::ops::Range<u64>) -> Result<Vec<Socket>> {
    stream::iter(sessions)
        .map(async |session| {
            let guest = Guest {
                session,
                device: Builder::from_random_bytes(rand::random()).into_uuid(),
            };
            let mut socket = Socket::open(address, guest.credentials()).await?;
            socket.subscribe(WATCH).await?;
            socket.hear().await?;
            Ok(socket)
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}
