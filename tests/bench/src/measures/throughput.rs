//! `limit`, `place`, `replay` and `floor`, in turns, so that whatever drifts drifts under all of them.

use crate::database::Backend;
use crate::figures::Unit;
use crate::limit::{self, Alone};
use crate::load;
use crate::options::Measure;
use crate::profile;
use crate::requests::{Door, Floor, Placing, Work};
use crate::run::{Run, Shop};
use crate::server::{GroupCommit, Server};
use anyhow::Result;
use std::sync::Arc;

/// How many guests order at the same time.
pub const CONNECTIONS: [usize; 4] = [1, 16, 64, 256];
/// At how many the databases are compared with us.
pub const COMPARED: usize = 64;
/// One function of PostgreSQL per order.
pub const ONE_CALL: &str = "one call per order";
/// One round trip per statement.
pub const STATEMENTS: &str = "hand-written statements";
/// SQLite without anything around it.
pub const PLAIN_LOOP: &str = "a plain loop";
/// The smallest transaction.
pub const COMMIT: &str = "one commit";
/// Receipts of orders that stand.
pub const REPLAY: &str = "receipt only";
/// Nothing.
pub const FLOOR: &str = "{ __typename }";
/// Orders that are replayed.
const REPLAYED: u64 = 5_000;

/// Runs them on one database.
pub fn run(run: &mut Run, backend: Backend) -> Result<()> {
    let mut shop = run.open(backend, "throughput")?;
    if run.options.wants(Measure::Limit) {
        match backend {
            Backend::Sqlite => limit::sqlite::prepare(&shop.database)?,
            Backend::Postgres => limit::postgres::prepare(&shop.database)?,
        }
    }
    for round in 1..=run.options.rounds() {
        println!("{}: round {round} of {}", backend.name(), run.options.rounds());
        if run.options.wants(Measure::Limit) {
            alone(run, &mut shop)?;
        }
        let profiled = run.options.profile && backend == Backend::Postgres;
        if profiled {
            profile::begin(&shop.database)?;
        }
        serve(run, &mut shop, GroupCommit::On)?;
        if profiled {
            profile::print(&shop.database)?;
        }
        if run.options.wants(Measure::Place) {
            serve(run, &mut shop, GroupCommit::Off)?;
        }
    }
    draw(run, backend);
    run.close(shop)
}

/// Throughput over connections, as medians.
fn draw(run: &mut Run, backend: Backend) {
    let (plot, limits) = match backend {
        Backend::Sqlite => ("connections-sqlite", &[(PLAIN_LOOP, "")][..]),
        Backend::Postgres => (
            "connections-postgres",
            &[(ONE_CALL, " (64 connections)"), (STATEMENTS, " (64 connections)")][..],
        ),
    };
    for group_commit in [GroupCommit::On, GroupCommit::Off] {
        for connections in CONNECTIONS {
            let what = what(Door::GraphQl, connections, group_commit);
            if let Some(placed) = run.figures.median("place", Some(backend), &what) {
                let name = format!("MasterOrder, {}", group_commit.label());
                run.point(plot, &name, connections as f64, placed);
            }
        }
    }
    for (limit, at) in limits {
        if let Some(alone) = run.figures.median("limit", Some(backend), limit) {
            let name = format!("{} alone, {limit}{at}", backend.name());
            run.level(plot, &name, [1.0, 256.0], alone);
        }
    }
}

/// What the database does without us.
fn alone(run: &mut Run, shop: &mut Shop) -> Result<()> {
    let backend = shop.database.backend;
    let seconds = run.options.sample().as_secs();
    let mut note = |run: &mut Run, what: &str, alone: Alone| {
        run.note("limit", backend, what, Unit::Orders, alone.per_second);
        shop.others += alone.orders;
    };
    let commit = match backend {
        Backend::Sqlite => {
            let alone = limit::sqlite::loop_of_orders(&shop.database, seconds)?;
            note(run, PLAIN_LOOP, alone);
            limit::sqlite::commit(&shop.database, seconds.min(3))?
        }
        Backend::Postgres => {
            let one_call = limit::postgres::one_call(&shop.database, COMPARED, seconds)?;
            note(run, ONE_CALL, one_call);
            let statements = limit::postgres::statements(&shop.database, COMPARED, seconds)?;
            note(run, STATEMENTS, statements);
            limit::postgres::commit(&shop.database, seconds.min(3))?
        }
    };
    run.note("limit", backend, COMMIT, Unit::Ms, commit.average_ms);
    Ok(())
}

fn serve(run: &mut Run, shop: &mut Shop, group_commit: GroupCommit) -> Result<()> {
    let server = run.serve(shop, group_commit)?;
    if run.options.wants(Measure::Place) {
        place(run, shop, &server, group_commit)?;
    }
    if group_commit == GroupCommit::On {
        if run.options.wants(Measure::Replay) {
            replay(run, shop, &server)?;
        }
        if run.options.wants(Measure::Floor) {
            let load = run.closed(shop, &server, COMPARED, Arc::new(Floor))?;
            run.note("floor", shop.database.backend, FLOOR, Unit::Requests, load.per_second);
        }
    }
    server.stop()
}

fn place(run: &mut Run, shop: &mut Shop, server: &Server, group_commit: GroupCommit) -> Result<()> {
    let mut plan: Vec<_> = CONNECTIONS.iter().map(|c| (Door::GraphQl, *c)).collect();
    if group_commit == GroupCommit::On {
        plan.extend(CONNECTIONS.iter().map(|c| (Door::Rest, *c)));
        plan.push((Door::Sdk, COMPARED));
    }
    for (door, connections) in plan {
        let work = Placing::new(shop.ids, door)?;
        let load = run.closed(shop, server, connections, Arc::new(work))?;
        shop.book(&load.acknowledged)?;
        let what = what(door, connections, group_commit);
        run.note("place", shop.database.backend, &what, Unit::Orders, load.per_second);
        run.note(
            "place",
            shop.database.backend,
            &format!("{what}, p50"),
            Unit::Ms,
            load.quantile_ms(0.5),
        );
        run.note(
            "place",
            shop.database.backend,
            &format!("{what}, p99"),
            Unit::Ms,
            load.quantile_ms(0.99),
        );
    }
    Ok(())
}

/// The name of a figure of `place`.
pub fn what(door: Door, connections: usize, group_commit: GroupCommit) -> String {
    let door = match door {
        Door::GraphQl => "GraphQL",
        Door::Rest => "REST",
        Door::Sdk => "GraphQL as the SDK",
    };
    let plural = if connections == 1 { "" } else { "s" };
    format!("{door}, {connections} connection{plural}, {}", group_commit.label())
}

fn replay(run: &mut Run, shop: &mut Shop, server: &Server) -> Result<()> {
    let first = shop.take(REPLAYED);
    let placing = Placing::new(shop.ids, Door::GraphQl)?;
    let work: Arc<dyn Work> = Arc::new(placing.clone());
    let placed = load::all(server.address, COMPARED, (first..first + REPLAYED).collect(), work);
    shop.book(&run.runtime.block_on(placed)?)?;
    let work = placing.again(first, REPLAYED);
    let load = run.closed(shop, server, COMPARED, Arc::new(work))?;
    run.note("replay", shop.database.backend, REPLAY, Unit::Requests, load.per_second);
    Ok(())
}
