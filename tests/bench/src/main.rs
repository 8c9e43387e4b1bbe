//! The benchmark: what MasterOrder does, and what its databases do alone with the same rows, in one run on one machine. After
//! every measure the ledger is checked: a fast system that makes one duplicate has failed.

mod options;
mod world;
mod database;
mod sqlite;
mod fill;
mod server;
mod http;
mod socket;
mod requests;
mod load;
mod limit;
mod run;
mod measures;
mod profile;
mod figures;
mod targets;
mod machine;
mod report;
mod plot;

use anyhow::{Context, Result};
use clap::Parser;
use database::{Backend, Tools};
use options::{Measure, Options};
use run::Run;

fn main() -> Result<()> {
    let options = Options::parse();
    let backends = options.backends();
    let folder = tempfile::Builder::new().prefix("masterorder-bench-").tempdir()?;
    let mut run = Run {
        tools: Tools {
            server: options.server.canonicalize().context("find the server")?,
            folder: folder.path().to_owned(),
            postgres: options.postgres.clone(),
            psql: options.psql.clone(),
            pgbench: options.pgbench.clone(),
        },
        options,
        figures: figures::Figures::default(),
        runtime: tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?,
        curves: Vec::new(),
        ledgers: Vec::new(),
    };
    for backend in &backends {
        measure(&mut run, *backend)?;
    }
    let databases = backends
        .iter()
        .map(|backend| run.tools.version(*backend))
        .collect::<Result<_>>()?;
    let targets = targets::judge(&run.figures, &backends, run.options.quick);
    println!("\n{}", report::table(&run.figures, &targets, &backends));
    let file = run.options.output.join("figures.json");
    report::write(&run, &targets, databases, &file)?;
    plot::draw(&run.curves, &run.options.output)?;
    println!("written: {}, and the plots beside it", file.display());
    Ok(())
}

fn measure(run: &mut Run, backend: Backend) -> Result<()> {
    let together = [Measure::Limit, Measure::Place, Measure::Replay, Measure::Floor];
    if together.iter().any(|measure| run.options.wants(*measure)) {
        measures::throughput::run(run, backend)?;
    }
    if run.options.wants(Measure::Peak) {
        measures::peak::run(run, backend)?;
    }
    if run.options.wants(Measure::Storm) {
        measures::storm::run(run, backend)?;
    }
    if run.options.wants(Measure::Size) {
        measures::size::run(run, backend)?;
    }
    if run.options.wants(Measure::Idle) {
        measures::idle::run(run, backend)?;
    }
    Ok(())
}
