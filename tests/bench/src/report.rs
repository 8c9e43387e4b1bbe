//! What a run says at its end: a table for people, a file for machines.

use crate::database::Backend;
use crate::figures::{Figure, Figures};
use crate::machine::Machine;
use crate::run::{Curve, Ledger, Run};
use crate::targets::{Bound, Target};
use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The whole run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page<'r> {
    measured_at_unix: u64,
    commit: &'r str,
    machine: Machine,
    databases: Vec<String>,
    seconds_per_sample: u64,
    warm_up_seconds: u64,
    rounds: usize,
    targets: &'r [Target],
    figures: &'r [Figure],
    curves: &'r [Curve],
    ledgers: &'r [Ledger],
}

/// Writes `figures.json`.
pub fn write(run: &Run, targets: &[Target], databases: Vec<String>, file: &Path) -> Result<()> {
    let page = Page {
        measured_at_unix: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs(),
        commit: &run.options.commit,
        machine: Machine::find(&run.tools.folder),
        databases,
        seconds_per_sample: run.options.sample().as_secs(),
        warm_up_seconds: run.options.warm_up().as_secs(),
        rounds: run.options.rounds(),
        targets,
        figures: run.figures.all(),
        curves: &run.curves,
        ledgers: &run.ledgers,
    };
    let json = serde_json::to_string_pretty(&page)? + "\n";
    fs::write(file, json).with_context(|| format!("write {}", file.display()))
}

/// The figures side by side, then what is asked of them.
pub fn table(figures: &Figures, targets: &[Target], backends: &[Backend]) -> String {
    let mut head = vec!["measure".to_owned(), String::new()];
    head.extend(backends.iter().map(|b| b.name().to_owned()));
    head.push("unit".into());
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut seen = Vec::new();
    for figure in figures.all() {
        let name = (figure.measure, &figure.what);
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let mut row = vec![figure.measure.to_owned(), figure.what.clone()];
        for backend in backends {
            let value = figures.median(figure.measure, Some(*backend), &figure.what);
            row.push(value.map_or_else(|| "–".into(), number));
        }
        row.push(figure.unit.label().into());
        rows.push(row);
    }
    // in the order in which the measures came first
    let measures: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
    rows.sort_by_key(|row| measures.iter().position(|measure| *measure == row[0]));
    let mut text = aligned(&head, &rows, 2..2 + backends.len());
    let head = ["asked for", "database", "is", "must be", "aim", ""].map(str::to_owned);
    let rows: Vec<_> = targets.iter().map(row).collect();
    text.push('\n');
    text += &aligned(&head, &rows, 2..5);
    text
}

fn row(target: &Target) -> Vec<String> {
    let required = match target.required {
        Bound::AtLeast(bound) => format!("≥ {}", number(bound)),
        Bound::AtMost(bound) => format!("≤ {}", number(bound)),
    };
    let verdict = match target.is_met() {
        None => "not measured",
        Some(true) => "✓",
        Some(false) => "MISSED",
    };
    vec![
        target.name.to_owned(),
        target.database.to_owned(),
        target.value.map_or_else(|| "–".into(), number),
        required,
        target.aim.map_or_else(String::new, number),
        verdict.to_owned(),
    ]
}

/// Three digits that count.
fn number(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Columns in a row; those in `right` end under each other.
fn aligned(head: &[String], rows: &[Vec<String>], right: std::ops::Range<usize>) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| &row[column]).chain([&head[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    for row in [head, &rule].into_iter().chain(rows.iter().map(Vec::as_slice)) {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // a String takes what is written to it
            let _ = if right.contains(&column) {
                write!(line, "{cell:>width$}  ")
            } else {
                write!(line, "{cell:<width$}  ")
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Unit;

    #[test]
    fn the_databases_stand_side_by_side() {
        let mut figures = Figures::default();
        figures.note("place", Some(Backend::Postgres), "64", Unit::Orders, 1234.5);
        figures.note("limit", Some(Backend::Postgres), "one call", Unit::Orders, 99.94);
        figures.note("place", Some(Backend::Sqlite), "64", Unit::Orders, 8.0);
        figures.note("place", Some(Backend::Sqlite), "1", Unit::Orders, 25.0);
        let table = table(&figures, &[], &[Backend::Postgres, Backend::Sqlite]);
        let lines: Vec<&str> = table.lines().take(5).collect();
        assert_eq!(
            lines,
            [
                "measure            PostgreSQL  SQLite  unit",
                "───────  ────────  ──────────  ──────  ────────",
                "place    64              1234    8.00  orders/s",
                "place    1                  –    25.0  orders/s",
                "limit    one call        99.9       –  orders/s",
            ]
        );
    }
}
