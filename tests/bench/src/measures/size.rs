//! `size`: whether an order costs more when many are there already, and while the keys of old ones are purged.

use crate::database::Backend;
use crate::figures::Unit;
use crate::fill::{self, Keys};
use crate::requests::{Door, Placing};
use crate::run::{Run, Shop};
use crate::server::{GroupCommit, Server};
use crate::sqlite::now_ms;
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::throughput::COMPARED;

/// Keys that are purged per second at most: batches of 200, with a pause of 20 ms after each.
const PURGED_PER_SECOND: u64 = 9_000;
/// The purge begins at some time within 80 s after the start of a server, and not before 40 s.
const PURGE_BEGINS_WITHIN: Duration = Duration::from_secs(100);
/// What the purge is counted by.
const PURGED: &str = "masterorder_purged_keys_total";

/// How many orders are there already.
pub fn sizes(quick: bool) -> [u64; 3] {
    if quick {
        [1_000, 5_000, 20_000]
    } else {
        [10_000, 100_000, 1_000_000]
    }
}

/// The name of a figure.
pub fn what(orders: u64) -> String {
    format!("with {orders} orders there already")
}

/// Without the purge.
pub const NOT_PURGING: &str = "before the purge";
/// With it.
pub const PURGING: &str = "while the purge runs";

/// Runs it on one database.
pub fn run(run: &mut Run, backend: Backend) -> Result<()> {
    let sizes = sizes(run.options.quick);
    let mut shops = Vec::new();
    for (i, size) in sizes.into_iter().enumerate() {
        shops.push((size, filled(run, backend, &format!("size_{i}"), size, Keys::Kept)?));
    }
    for _ in 0..run.options.rounds() {
        for (size, shop) in &mut shops {
            let server = run.serve(shop, GroupCommit::On)?;
            let per_second = place(run, shop, &server)?;
            server.stop()?;
            run.note("size", backend, &what(*size), Unit::Orders, per_second);
        }
    }
    for (size, shop) in shops {
        if let Some(median) = run.figures.median("size", Some(backend), &what(size)) {
            run.point("size", backend.name(), size as f64, median);
        }
        run.close(shop)?;
    }
    purge(run, backend)
}

fn purge(run: &mut Run, backend: Backend) -> Result<()> {
    let pace = run.pace();
    let sample = (pace.warm_up + pace.measured).as_secs() + 3;
    let keys = (PURGED_PER_SECOND * sample * run.options.rounds() as u64).min(fill::MOST);
    let mut shop = filled(run, backend, "purge", keys, Keys::Expired)?;
    for _ in 0..run.options.rounds() {
        let server = run.serve(&shop, GroupCommit::On)?;
        let before = place(run, &mut shop, &server)?;
        ensure!(
            purged(run, &server)? == 0.0,
            "the purge began too early: shorter samples, please"
        );
        let since = Instant::now();
        while purged(run, &server)? == 0.0 {
            ensure!(since.elapsed() < PURGE_BEGINS_WITHIN, "nothing is purged");
            std::thread::sleep(Duration::from_millis(100));
        }
        let during = place(run, &mut shop, &server)?;
        let left = format!(
            "SELECT count(*) FROM idempotency_requests WHERE expires_at_ms < {}",
            now_ms()
        );
        ensure!(
            shop.database.number(&left)? > 0,
            "the purge ended while it was measured"
        );
        server.stop()?;
        run.note("size", backend, NOT_PURGING, Unit::Orders, before);
        run.note("size", backend, PURGING, Unit::Orders, during);
    }
    run.close(shop)
}

fn filled(run: &mut Run, backend: Backend, name: &str, orders: u64, keys: Keys) -> Result<Shop> {
    let mut shop = run.open(backend, name)?;
    let begun = Instant::now();
    fill::fill(&shop.database, orders, keys)?;
    println!(
        "{}: {orders} orders filled in, {:.0} s",
        backend.name(),
        begun.elapsed().as_secs_f64()
    );
    shop.others += orders;
    Ok(shop)
}

fn place(run: &Run, shop: &mut Shop, server: &Server) -> Result<f64> {
    let work = Placing::new(shop.ids, Door::GraphQl)?;
    let load = run.closed(shop, server, COMPARED, Arc::new(work))?;
    shop.book(&load.acknowledged)?;
    Ok(load.per_second)
}

fn purged(run: &Run, server: &Server) -> Result<f64> {
    run.runtime.block_on(super::metric(server.address, PURGED))
}
