//! Load: a closed loop for throughput, an open one for latency.
//!
//! In the open loop every request has a time at which it is meant to be sent, and its latency counts from then: one that could
//! not be sent because the server was slow has waited all the same (no coordinated omission).

use crate::http::Connection;
use crate::requests::{Told, Work};
use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinSet;
use uuid::Uuid;

/// The longest latency that is told from longer ones. *Units*: µs.
const LONGEST_US: u64 = 120_000_000;

/// How long a load lasts.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Not measured.
    pub warm_up: Duration,
    /// Measured.
    pub measured: Duration,
}

/// What came of a load.
#[derive(Debug, Clone)]
pub struct Load {
    /// Answers per second while it was measured.
    pub per_second: f64,
    /// *Units*: µs.
    pub latency: Histogram<u64>,
    /// Orders that were told of, warm-up included.
    pub acknowledged: Vec<Uuid>,
    /// Numbers of requests that were turned away.
    pub turned_away: Vec<u64>,
}

impl Load {
    /// A quantile of the latency. *Units*: ms.
    pub fn quantile_ms(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1000.0
    }
}

struct Tally {
    latency: Histogram<u64>,
    acknowledged: Vec<Uuid>,
    turned_away: Vec<u64>,
}

impl Tally {
    fn new() -> Result<Self> {
        Ok(Self {
            latency: Histogram::new_with_bounds(1, LONGEST_US, 3)?,
            acknowledged: Vec::new(),
            turned_away: Vec::new(),
        })
    }

    /// Takes what an answer told; `latency` where it was measured.
    fn take(&mut self, number: u64, told: Told, latency: Option<Duration>) {
        match told {
            Told::Busy => return self.turned_away.push(number),
            Told::Order(id) => self.acknowledged.push(id),
            Told::Nothing => {}
        }
        if let Some(latency) = latency {
            self.record(latency);
        }
    }

    fn record(&mut self, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(LONGEST_US);
        self.latency.saturating_record(us.max(1));
    }
}

/// Sends on each connection the next request as soon as the last one is answered. `next` gives the requests their numbers.
///
/// *Errors*: an answer that is not what was asked for.
pub async fn closed(
    address: SocketAddr,
    connections: usize,
    pace: Pace,
    next: &Arc<AtomicU64>,
    work: Arc<dyn Work>,
) -> Result<Load> {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        open.push(Connection::open(address).await?);
    }
    let from = Instant::now() + pace.warm_up;
    let until = from + pace.measured;
    let mut guests = JoinSet::new();
    for mut connection in open {
        let (next, work) = (next.clone(), work.clone());
        guests.spawn(async move {
            let mut tally = Tally::new()?;
            let mut request = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                work.write(number, &mut request)?;
                let sent = Instant::now();
                if sent >= until {
                    return Ok(tally);
                }
                let answer = connection.ask(&request).await?;
                let answered = Instant::now();
                let measured = answered >= from && answered < until;
                tally.take(number, work.read(number, answer)?, measured.then(|| answered - sent));
            }
        });
    }
    gather(guests, pace.measured).await
}

/// Sends requests at random moments, so many a second on the average, over at most so many connections.
///
/// *Errors*: an answer that is not what was asked for.
pub async fn open(
    address: SocketAddr,
    connections: usize,
    per_second: f64,
    pace: Pace,
    next: &Arc<AtomicU64>,
    work: Arc<dyn Work>,
) -> Result<Load> {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        open.push(Connection::open(address).await?);
    }
    let from = Instant::now() + pace.warm_up;
    let until = from + pace.measured;
    let due = Arc::new(Mutex::new(clock(per_second, until)));
    let mut guests = JoinSet::new();
    for mut connection in open {
        let (next, work, due) = (next.clone(), work.clone(), due.clone());
        guests.spawn(async move {
            let mut tally = Tally::new()?;
            let mut request = Vec::new();
            loop {
                let Some(meant) = due.lock().await.recv().await else {
                    return Ok(tally);
                };
                let number = next.fetch_add(1, Ordering::Relaxed);
                work.write(number, &mut request)?;
                let answer = connection.ask(&request).await?;
                let answered = Instant::now();
                tally.take(
                    number,
                    work.read(number, answer)?,
                    (meant >= from).then(|| answered - meant),
                );
            }
        });
    }
    // what was meant for the measured time and answered after it counts for latency, and against throughput
    let begun = from;
    let mut load = gather(guests, pace.measured).await?;
    let took = begun.elapsed().max(pace.measured);
    load.per_second = load.latency.len() as f64 / took.as_secs_f64();
    Ok(load)
}

/// Gives every request its moment. A thread of its own: the timers of the runtime know milliseconds only.
fn clock(per_second: f64, until: Instant) -> UnboundedReceiver<Instant> {
    let (due, moments) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut meant = Instant::now();
        loop {
            // independent guests: the gaps between them are exponentially distributed
            let uniform: f64 = rand::random();
            meant += Duration::from_secs_f64(-(1.0 - uniform).ln() / per_second);
            if meant >= until {
                return;
            }
            std::thread::sleep(meant.saturating_duration_since(Instant::now()));
            if due.send(meant).is_err() {
                return;
            }
        }
    });
    moments
}

async fn gather(mut guests: JoinSet<Result<Tally>>, measured: Duration) -> Result<Load> {
    let mut all = Tally::new()?;
    while let Some(ended) = guests.join_next().await {
        let tally = ended.context("a guest panicked")??;
        all.latency.add(&tally.latency)?;
        all.acknowledged.extend(tally.acknowledged);
        all.turned_away.extend(tally.turned_away);
    }
    Ok(Load {
        per_second: all.latency.len() as f64 / measured.as_secs_f64(),
        latency: all.latency,
        acknowledged: all.acknowledged,
        turned_away: all.turned_away,
    })
}

/// Sends these requests, each once, as fast as so many connections can.
///
/// *Errors*: an answer that is not what was asked for.
pub async fn all(address: SocketAddr, connections: usize, numbers: Vec<u64>, work: Arc<dyn Work>) -> Result<Vec<Uuid>> {
    let numbers = Arc::new(numbers);
    let next = Arc::new(AtomicUsize::new(0));
    let mut guests = JoinSet::new();
    for _ in 0..connections {
        let mut connection = Connection::open(address).await?;
        let (next, numbers, work) = (next.clone(), numbers.clone(), work.clone());
        guests.spawn(async move {
            let mut tally = Tally::new()?;
            let mut request = Vec::new();
            loop {
                let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)).copied() else {
                    return Ok(tally);
                };
                work.write(number, &mut request)?;
                let answer = connection.ask(&request).await?;
                tally.take(number, work.read(number, answer)?, None);
            }
        });
    }
    Ok(gather(guests, Duration::from_secs(1)).await?.acknowledged)
}
