//! The servers of a storm: two where a database can be shared. Each stays at its address, whatever happens to its process.

use anyhow::{Context, Result};
use harness::{Backend, Database, Process, Wire};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::sleep;

/// All servers.
pub struct Fleet {
    url: String,
    ships: Vec<Ship>,
    strokes: BTreeMap<String, u64>,
    next: usize,
}

struct Ship {
    wire: Wire,
    process: Option<Process>,
}

impl Fleet {
    /// Starts them.
    pub async fn launch(db: &Database) -> Result<Self> {
        let mut ships = Vec::new();
        let how_many = if db.backend == Backend::Postgres { 2 } else { 1 };
        for _ in 0..how_many {
            let process = Process::start(db, &[]).await?;
            ships.push(Ship {
                wire: Wire::to(process.address).await?,
                process: Some(process),
            });
        }
        Ok(Self {
            url: db.url.clone(),
            ships,
            strokes: BTreeMap::new(),
            next: 0,
        })
    }

    /// Where they can be reached, through everything.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.ships.iter().map(|ship| ship.wire.address).collect()
    }

    /// Strikes one of them, each way in turn.
    pub async fn strike(&mut self) -> Result<()> {
        let turn = self.next;
        self.next += 1;
        let at = rand::random_range(0..self.ships.len());
        let ship = &mut self.ships[at];
        let stroke = match turn % 3 {
            0 => {
                ship.process.take().context("no process")?.kill().await?;
                "servers killed"
            }
            1 => {
                end(ship.process.take().context("no process")?).await?;
                "servers restarted"
            }
            _ => {
                ship.wire.cut();
                "wires cut"
            }
        };
        *self.strokes.entry(stroke.to_owned()).or_default() += 1;
        if ship.process.is_none() {
            sleep(Duration::from_millis(rand::random_range(0..300))).await;
            let process = Process::start_at(&self.url, &[]).await?;
            ship.wire.lead_to(process.address);
            ship.process = Some(process);
        }
        Ok(())
    }

    /// Stops all of them; returns how often they were struck, by kind.
    pub async fn land(mut self) -> Result<BTreeMap<String, u64>> {
        for ship in &mut self.ships {
            if let Some(process) = ship.process.take() {
                end(process).await?;
            }
        }
        Ok(self.strokes)
    }
}

/// SIGTERM, and a graceful end.
async fn end(process: Process) -> Result<()> {
    process.terminate().await?;
    let (code, _) = process.ended().await?;
    anyhow::ensure!(code == Some(0), "it ended with {code:?}");
    Ok(())
}
