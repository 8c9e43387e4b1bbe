//! The measures.

/// Throughput, side by side: limit, place, replay and floor.
pub mod throughput;
/// Latency at rising rates.
pub mod peak;
/// Bad thumbs and bad networks.
pub mod storm;
/// With many orders there already.
pub mod size;
/// Doing nothing.
pub mod idle;

use crate::http::Connection;
use crate::requests;
use anyhow::{Context, Result};
use std::net::SocketAddr;

/// Reads a number from a server's metrics.
async fn metric(address: SocketAddr, name: &str) -> Result<f64> {
    let mut connection = Connection::open(address).await?;
    let answer = connection.ask(requests::METRICS).await?;
    let text = std::str::from_utf8(answer.body)?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.with_context(|| format!("no {name} at /metrics ({})", answer.status))
}
