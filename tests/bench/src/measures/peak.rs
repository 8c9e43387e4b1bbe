//! `peak`: latency at rising rates, until no more orders go through.

use crate::database::Backend;
use crate::figures::Unit;
use crate::load::{self, Load};
use crate::requests::{Door, Placing};
use crate::run::{Run, Shop};
use crate::server::{GroupCommit, Server};
use crate::world::Purpose;
use anyhow::{Result, ensure};
use std::sync::Arc;

/// Orders on their way at most: more guests than a server can have at once wait at home.
const CONNECTIONS: usize = 256;
/// Rates, as shares of what a closed loop gets through.
const SHARES: [f64; 8] = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.15];
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// The highest rate that went through.
pub const SATURATION: &str = "saturation";
/// What the latency is judged by.
pub const HALF_P99: &str = "at half the saturation rate, p99";

/// Runs it on one database.
pub fn run(run: &mut Run, backend: Backend) -> Result<()> {
    let mut shop = run.open(backend, "peak")?;
    let server = run.serve(&shop, GroupCommit::On)?;
    let work = Arc::new(Placing::new(shop.ids, Door::GraphQl)?);
    let closed = run.closed(&mut shop, &server, CONNECTIONS, work)?;
    shop.book(&closed.acknowledged)?;

    let latency = match backend {
        Backend::Sqlite => "latency-sqlite",
        Backend::Postgres => "latency-postgres",
    };
    let mut saturation: f64 = 0.0;
    for share in SHARES {
        let rate = closed.per_second * share;
        let load = open(run, &mut shop, &server, rate)?;
        saturation = saturation.max(load.per_second);
        println!(
            "  {:<10} peak    {rate:>7.0} orders/s meant, {:>7.0} went through, {} turned away, p50 {:.1} ms, p99 {:.1} ms",
            backend.name(),
            load.per_second,
            load.turned_away.len(),
            load.quantile_ms(0.5),
            load.quantile_ms(0.99)
        );
        run.point("throughput", backend.name(), rate, load.per_second);
        for (quantile, name) in QUANTILES {
            run.point(latency, name, rate, load.quantile_ms(quantile));
        }
    }
    run.note("peak", backend, SATURATION, Unit::Orders, saturation);
    for _ in 0..run.options.rounds() {
        let load = open(run, &mut shop, &server, saturation / 2.0)?;
        ensure!(
            load.turned_away.is_empty(),
            "orders were turned away at half the saturation rate"
        );
        for (quantile, name) in QUANTILES {
            let what = format!("at half the saturation rate, {name}");
            run.note("peak", backend, &what, Unit::Ms, load.quantile_ms(quantile));
        }
    }
    server.stop()?;
    run.close(shop)
}

/// Sends orders at a rate. Who is turned away comes again afterwards, and gets one order like everybody else.
fn open(run: &Run, shop: &mut Shop, server: &Server, per_second: f64) -> Result<Load> {
    let placing = Placing::new(shop.ids, Door::GraphQl)?;
    let next = shop.next.clone();
    let work = Arc::new(placing.clone().overloading());
    let load = load::open(server.address, CONNECTIONS, per_second, run.pace(), &next, work);
    let load = run.runtime.block_on(load)?;
    shop.book(&load.acknowledged)?;
    let work = Arc::new(placing.under(Purpose::Request));
    let late = load::all(server.address, CONNECTIONS, load.turned_away.clone(), work);
    shop.book(&run.runtime.block_on(late)?)?;
    Ok(load)
}
