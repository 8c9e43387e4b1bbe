//! The crash matrix: whatever is struck at whatever step, the guest's retry finds or makes exactly one order.
//!
//! In every cell a phone acts at a server process that stops at one step of the transaction. There the process is killed by
//! SIGKILL, or all its connections to PostgreSQL are cut, with the next statement unsent or its answer lost. Then the same
//! request comes again, as the SDK repeats it, and a second phone of the table asks what became of it. A claim that outlived its
//! transaction would burn the key, a lock outside of the database would close the table, a ticket written after the COMMIT would
//! be lost, and a COMMIT sent again blindly would cook twice.
//!
//! `cargo xtask soak crash-matrix` runs every cell many times and writes docs/crash-matrix.md.

mod cells;
mod report;
mod round;

use anyhow::{Context, Result, ensure};
use cells::Cell;
use futures_util::{StreamExt, stream};
use harness::Backend;
use round::{Figures, Roughness};
use std::path::{Path, PathBuf};

/// Cells that are lived through at once: each is two processes that mostly wait.
const AT_ONCE: usize = 4;
/// Rounds of each cell in a soak.
const ROUNDS: usize = 20;

/// Lives through all cells, `rounds` times each, and adds up the rounds of each cell.
///
/// *Errors*: the broken cells, all of them by name.
fn live(cells: &[Cell], rounds: usize, roughness: Roughness) -> Result<Vec<Figures>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut sums = vec![Figures::default(); cells.len()];
    let mut broken = Vec::new();
    runtime.block_on(async {
        for done in 1..=rounds {
            let mut lived = stream::iter(cells.iter().enumerate())
                .map(|(i, cell)| async move { (i, round::live(cell, roughness).await) })
                .buffer_unordered(AT_ONCE);
            while let Some((i, result)) = lived.next().await {
                match result {
                    Ok(figures) => sums[i].add(figures),
                    Err(error) => {
                        eprintln!("{error:#}");
                        broken.push(format!("{error:#}"));
                    }
                }
            }
            if rounds > 1 {
                println!("round {done} of {rounds}: {} cells broken", broken.len());
            }
        }
    });
    ensure!(broken.is_empty(), "broken cells:\n{}", broken.join("\n"));
    Ok(sums)
}

fn once(backend: Backend) {
    let roughness = Roughness {
        neighbours: 1,
        jitter_ms: 0,
    };
    if let Err(error) = live(&cells::on(backend), 1, roughness) {
        panic!("{error:#}");
    }
}

#[test]
fn whatever_is_struck_there_is_exactly_one_order_on_sqlite() {
    once(Backend::Sqlite);
}

#[test]
fn whatever_is_struck_there_is_exactly_one_order_on_postgres() {
    once(Backend::Postgres);
}

/// A step that is added to the server must be struck here too.
#[test]
fn every_step_of_the_server_is_in_the_matrix() {
    let cells = cells::on(Backend::Postgres);
    let mut steps = Vec::new();
    steps_below(&root().join("server/src"), &mut steps).expect("the server's source");
    assert!(steps.len() > harness::STEPS.len(), "only {steps:?} were found");
    for step in steps {
        assert!(cells.iter().any(|c| c.step() == step), "no cell strikes at {step:?}");
    }
}

#[test]
fn the_committed_table_has_every_cell() {
    let table = std::fs::read_to_string(report::path()).expect("docs/crash-matrix.md");
    for cell in [Backend::Sqlite, Backend::Postgres].map(cells::on).iter().flatten() {
        let row = report::row_begins(cell);
        assert!(
            table.contains(&row),
            "no row {row:?}: run `cargo xtask soak crash-matrix`"
        );
    }
}

/// `cargo xtask soak crash-matrix` runs this.
#[test]
#[ignore = "minutes; run by `cargo xtask soak crash-matrix`"]
fn soak() {
    let rounds = match std::env::var("CRASH_MATRIX_ROUNDS") {
        Ok(text) => text.parse().expect("CRASH_MATRIX_ROUNDS: a number"),
        Err(_) => ROUNDS,
    };
    let roughness = Roughness {
        neighbours: 3,
        jitter_ms: 40,
    };
    let cells = [Backend::Sqlite, Backend::Postgres].map(cells::on).concat();
    let figures = live(&cells, rounds, roughness).expect("an unbroken matrix");
    let commit = std::env::var("CRASH_MATRIX_COMMIT").unwrap_or_else(|_| "unknown".into());
    let table = report::write(&cells, &figures, &commit);
    std::fs::write(report::path(), table).expect("docs/crash-matrix.md");
}

/// Finds the names in `faults.at("…")`.
fn steps_below(directory: &Path, steps: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(directory).context("a directory of sources")? {
        let path = entry?.path();
        if path.is_dir() {
            steps_below(&path, steps)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let names = text
                .split("faults.at(\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            steps.extend(names.map(str::to_owned));
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
