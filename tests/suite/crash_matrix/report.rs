//! docs/crash-matrix.md, written from what a soak came to.

use super::cells::{Cell, Kind};
use super::round::Figures;
use harness::Backend;
use std::path::PathBuf;

const HEAD: &str = "# Crash matrix

Written by `cargo xtask soak crash-matrix`, never by hand; run that to see it again (`--rounds N` for another number of rounds).
`cargo xtask test` lives through one round of every cell and checks that no row is missing here.

In every round a phone acts at a real server process that stops at the step, while three other tables order the same dishes.
Then comes the stroke, up to 40 ms later:

- **killed**: the process dies by SIGKILL and is started again.
- **cut**: all its connections to PostgreSQL are cut; the next statement is never sent.
- **answer lost**: the next statement (after `commit` it is the COMMIT) reaches PostgreSQL, its answer does not come back, and
  all connections are cut.

After a cut the process lives on and answers the struck request by itself: that answer says \"first\", because this very request
placed the order. Then the phone sends the same request again, as the SDK does. The retry does what was not done (*first*) or
finds it done (*replayed*), whichever the books say. A second phone of the table asks `placementStatus` before and after, and a
third time the same request is a replay. A round fails unless all of this holds, the neighbours have one order each, stock is
exact, no key is left in progress, and the ledger check finds nothing.

A withdrawal makes no order. A cancellation strikes an order that stands, and gives its stock back once.
";

/// Where it is.
pub fn path() -> PathBuf {
    super::root().join("docs/crash-matrix.md")
}

/// How the row of a cell begins.
pub fn row_begins(cell: &Cell) -> String {
    let backend = match cell.backend {
        Backend::Sqlite => "SQLite",
        Backend::Postgres => "PostgreSQL",
    };
    let kind = match cell.kind {
        Kind::Killed => "killed",
        Kind::Cut => "cut",
        Kind::AnswerLost => "answer lost",
    };
    format!("| {} | {backend} | {kind} |", cell.label())
}

/// Writes the page.
pub fn write(cells: &[Cell], figures: &[Figures], commit: &str) -> String {
    let mut sum = Figures::default();
    let mut rows = String::new();
    for (cell, of_cell) in cells.iter().zip(figures) {
        rows.push_str(&format!("{} {}\n", row_begins(cell), columns(of_cell)));
        sum.add(*of_cell);
    }
    format!(
        "{HEAD}
Run at commit {commit}: {} cells, {} rounds.

| step | database | stroke | rounds | answered all the same | retry: first | retry: replayed | orders | tickets | events | neighbours' orders | ledger |
| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |
{rows}| **all** | | | {}
",
        cells.len(),
        sum.rounds,
        columns(&sum)
    )
}

fn columns(f: &Figures) -> String {
    format!(
        "{} | {} | {} | {} | {} | {} | {} | {} | holds |",
        f.rounds, f.answered, f.first, f.replayed, f.orders, f.tickets, f.events, f.neighbours
    )
}
