//! `storm`: guests who tap twice, forget their keys and hang up, while others read what they ordered and kitchens watch. Every
//! wish becomes one order, whatever was sent for it.

use crate::database::Backend;
use crate::figures::Unit;
use crate::http::{Answer, Connection, find};
use crate::load::Pace;
use crate::requests::{Door, Placing, Told, Work};
use crate::run::{Run, Shop};
use crate::server::GroupCommit;
use crate::socket::Socket;
use crate::world::{self, Order, Purpose};
use anyhow::{Context, Result, bail, ensure};
use hdrhistogram::Histogram;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

/// Guests who order at the same time.
const GUESTS: usize = 64;
/// Kitchens that watch, of as many shops.
const KITCHENS: u64 = 20;
/// Guests who look at what they ordered, each every so often.
const READERS: usize = 8;
const READ_EVERY: Duration = Duration::from_millis(50);
/// Of a hundred wishes.
const DOUBLE_TAPS: u64 = 30;
const NEW_KEYS: u64 = 10;
const HANG_UPS: u64 = 5;
/// Times that a guest tries again when told to.
const TRIES: usize = 20;

const KITCHEN: &str = "subscription { kitchen { snapshot removed tickets { id orderId state version } } }";
const HISTORY: &str = "{ orders(first: 10) { nodes { id number status total { amountMinor } } } }";

/// A wish's answer, as throughput.
pub const WISHES: &str = "wishes, each one order";

/// Runs it on one database.
pub fn run(run: &mut Run, backend: Backend) -> Result<()> {
    let mut shop = run.open(backend, "storm")?;
    let server = run.serve(&shop, GroupCommit::On)?;
    for _ in 0..run.options.rounds() {
        let blow = blow(server.address, run.pace(), &shop);
        let storm = run.runtime.block_on(blow)?;
        shop.book(&storm.orders)?;
        let seconds = run.options.sample().as_secs_f64();
        run.note(
            "storm",
            backend,
            WISHES,
            Unit::Orders,
            storm.latency.len() as f64 / seconds,
        );
        for (quantile, name) in [(0.5, "p50"), (0.99, "p99")] {
            let ms = storm.latency.value_at_quantile(quantile) as f64 / 1000.0;
            run.note("storm", backend, &format!("a wish, {name}"), Unit::Ms, ms);
        }
    }
    server.stop()?;
    run.close(shop)
}

struct Storm {
    orders: Vec<Uuid>,
    latency: Histogram<u64>,
}

impl Storm {
    fn new() -> Result<Self> {
        Ok(Self {
            orders: Vec::new(),
            latency: Histogram::new_with_bounds(1, 120_000_000, 3)?,
        })
    }
}

async fn blow(address: SocketAddr, pace: Pace, shop: &Shop) -> Result<Storm> {
    let mut watching = JoinSet::new();
    for kitchen in 0..KITCHENS {
        let key = world::staff_key(kitchen);
        let mut socket = Socket::open(address, json!({ "Authorization": format!("Bearer {key}") })).await?;
        socket.subscribe(KITCHEN).await?;
        watching.spawn(async move {
            loop {
                socket.hear().await?;
            }
        });
    }
    let placing = Arc::new(Placing::new(shop.ids, Door::GraphQl)?);
    for _ in 0..READERS {
        watching.spawn(read(address, placing.clone()));
    }
    let from = Instant::now() + pace.warm_up;
    let until = from + pace.measured;
    let mut guests = JoinSet::new();
    for _ in 0..GUESTS {
        let guest = GuestInTheStorm::new(address, &placing).await?;
        guests.spawn(guest.order(shop.next.clone(), from, until));
    }
    let mut all = Storm::new()?;
    while let Some(ended) = guests.join_next().await {
        let storm = ended.context("a guest panicked")??;
        all.orders.extend(storm.orders);
        all.latency.add(&storm.latency)?;
    }
    // whoever watches has seen all of it without a complaint
    if let Some(ended) = watching.try_join_next() {
        ended.context("somebody who watched panicked")??;
    }
    Ok(all)
}

/// Looks at the orders of random table sessions, for ever.
async fn read(address: SocketAddr, placing: Arc<Placing>) -> Result<()> {
    let mut connection = Connection::open(address).await?;
    loop {
        let order = Order::number(rand::random_range(0..world::SESSIONS));
        let answer = connection.ask(&placing.guest(&order).query(HISTORY)?).await?;
        let good = answer.status == 200 && find(answer.body, br#""nodes":["#).is_some();
        ensure!(good, "no history: {}", String::from_utf8_lossy(answer.body));
        sleep(READ_EVERY).await;
    }
}

struct GuestInTheStorm {
    address: SocketAddr,
    /// A phone has two connections at hand.
    one: Connection,
    two: Connection,
    placing: Placing,
    /// The same carts under other keys.
    again: Placing,
}

impl GuestInTheStorm {
    async fn new(address: SocketAddr, placing: &Placing) -> Result<Self> {
        Ok(Self {
            address,
            one: Connection::open(address).await?,
            two: Connection::open(address).await?,
            placing: placing.clone().under(Purpose::Request),
            again: placing.clone().under(Purpose::SecondRequest),
        })
    }

    async fn order(mut self, next: Arc<AtomicU64>, from: Instant, until: Instant) -> Result<Storm> {
        let mut storm = Storm::new()?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let begun = Instant::now();
            if begun >= until {
                return Ok(storm);
            }
            storm.orders.push(self.wish(number).await?);
            let done = Instant::now();
            if done >= from && done < until {
                let us = u64::try_from((done - begun).as_micros()).unwrap_or(u64::MAX);
                storm.latency.saturating_record(us.max(1));
            }
        }
    }

    /// One wish. Returns the order that it became, by every answer that came.
    async fn wish(&mut self, number: u64) -> Result<Uuid> {
        let weather = world::mix(number) % 100;
        if weather < DOUBLE_TAPS + NEW_KEYS {
            let second = if weather < DOUBLE_TAPS {
                &self.placing
            } else {
                &self.again
            };
            let both = tokio::join!(
                insist(&mut self.one, &self.placing, number),
                insist(&mut self.two, second, number)
            );
            let (first, second) = (both.0?, both.1?);
            ensure!(first == second, "wish {number} became two orders: {first} and {second}");
            return Ok(first);
        }
        if weather < DOUBLE_TAPS + NEW_KEYS + HANG_UPS {
            let mut request = Vec::new();
            self.placing.write(number, &mut request)?;
            Connection::open(self.address).await?.hang_up_after(&request).await?;
        }
        insist(&mut self.one, &self.placing, number).await
    }
}

/// Sends a request, and again for as long as the answer says that this helps.
async fn insist(connection: &mut Connection, placing: &Placing, number: u64) -> Result<Uuid> {
    let mut request = Vec::new();
    placing.write(number, &mut request)?;
    for _ in 0..TRIES {
        let answer = connection.ask(&request).await?;
        if !is_retryable(answer) {
            return match placing.read(number, answer)? {
                Told::Order(id) => Ok(id),
                other => bail!("request {number} was told {other:?}"),
            };
        }
        sleep(Duration::from_millis(50)).await;
    }
    bail!("request {number} was put off {TRIES} times")
}

fn is_retryable(answer: Answer<'_>) -> bool {
    [&br#""code":"IDEMPOTENCY_IN_PROGRESS""#[..], br#""code":"SESSION_BUSY""#]
        .iter()
        .any(|code| find(answer.body, code).is_some())
}
