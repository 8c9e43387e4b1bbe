use super::*;
use crate::ordering::outcome::{Conflict, Rejection, Verdict};
use crate::ordering::step::Step;
use crate::refusal::Refusal;
use placements::End;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use waits::WaitOn;

fn text(metrics: &Metrics) -> String {
    let mut text = String::new();
    match prometheus_text::encode(&mut text, &metrics.registry) {
        Ok(()) => text,
        Err(error) => panic!("{error}"),
    }
}

fn value<'t>(text: &'t str, series: &str) -> Option<&'t str> {
    text.lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))
}

#[test]
fn every_metric_has_a_help_text_a_type_and_a_base_unit() {
    let text = text(&Metrics::new(Waits::default()));
    let mut described: BTreeMap<&str, [bool; 2]> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("#"), Some("HELP"), Some(name)) => described.entry(name).or_default()[0] = words.next().is_some(),
            (Some("#"), Some("TYPE"), Some(name)) => described.entry(name).or_default()[1] = words.next().is_some(),
            _ => {}
        }
    }
    assert!(described.len() > 20, "{text}");
    for (name, both) in &described {
        assert_eq!(both, &[true, true], "{name}");
        assert!(name.starts_with("masterorder_"), "{name}");
        for unit in ["_ms", "_milliseconds", "_minutes", "_kib", "_percent"] {
            assert!(!name.ends_with(unit), "{name} is not in a base unit");
        }
    }
    let counters = text
        .lines()
        .filter(|l| l.starts_with("# TYPE") && l.ends_with(" counter"));
    for line in counters {
        assert!(line.contains("_total "), "{line}");
    }
}

#[test]
fn every_series_stands_at_zero_before_its_first_event() {
    let text = text(&Metrics::new(Waits::default()));
    for series in [
        "masterorder_claims_total",
        "masterorder_placed_total",
        "masterorder_replays_total{reason=\"CHECKOUT\"}",
        "masterorder_rejections_total{code=\"SOLD_OUT\"}",
        "masterorder_conflicts_total{code=\"IDEMPOTENCY_KEY_REUSED\"}",
        "masterorder_failures_total{code=\"INTERNAL\"}",
        "masterorder_inner_retries_total{step=\"stock\"}",
        "masterorder_wait_timeouts_total{on=\"twin\"}",
        "masterorder_wait_seconds_count{on=\"claim\"}",
        "masterorder_placement_duration_seconds_count{result=\"placed\"}",
        "masterorder_transaction_duration_seconds_count{end=\"committed\"}",
        "masterorder_rollbacks_total{cause=\"stuck\"}",
        "masterorder_audit_entries_dropped_total{reason=\"queue_full\"}",
    ] {
        assert_eq!(value(&text, series), Some("0"), "{series}\n{text}");
    }
}

#[test]
fn each_answer_is_counted_once_and_where_it_belongs() {
    let metrics = Metrics::new(Waits::default());
    let took = Duration::from_millis(3);
    let rejected = |replay| {
        Ok(Verdict::Rejected {
            rejection: Rejection::SessionClosed,
            replay,
        })
    };
    metrics.placements.answered(&rejected(false), took);
    metrics.placements.answered(&rejected(true), took);
    metrics
        .placements
        .answered(&Ok(Verdict::Conflict(Conflict::SessionBusy)), took);
    metrics.placements.answered(&Err(Refusal::Unavailable), took);
    let text = text(&metrics);
    for (series, expected) in [
        ("masterorder_rejections_total{code=\"SESSION_CLOSED\"}", "1"),
        ("masterorder_replays_total{reason=\"KEY\"}", "1"),
        ("masterorder_conflicts_total{code=\"SESSION_BUSY\"}", "1"),
        ("masterorder_failures_total{code=\"UNAVAILABLE\"}", "1"),
        ("masterorder_placed_total", "0"),
        ("masterorder_placement_duration_seconds_count{result=\"rejected\"}", "1"),
        ("masterorder_placement_duration_seconds_count{result=\"replayed\"}", "1"),
        ("masterorder_placement_duration_seconds_count{result=\"failed\"}", "1"),
    ] {
        assert_eq!(value(&text, series), Some(expected), "{series}");
    }
}

#[test]
fn transactions_waits_and_guards_are_counted() {
    let metrics = Metrics::new(Waits::default());
    metrics.placements.claimed(2);
    metrics.placements.retried(Step::Stock);
    for end in [End::Committed, End::NothingToKeep, End::Stuck] {
        metrics.placements.transaction_ended(end, Duration::from_millis(1));
    }
    metrics.waits.waited(WaitOn::Twin, Instant::now());
    metrics.waits.timed_out(WaitOn::Twin);
    metrics.audit.dropped(Dropped::QueueFull, 3);
    metrics.audit.dropped(Dropped::WriteFailed, 4);
    assert_eq!(metrics.audit.dropped_so_far(), 7);
    let at_work = metrics.placements.at_work();
    let (socket, gone) = (metrics.live.socket(), metrics.live.socket());
    drop(gone);
    let text = text(&metrics);
    for (series, expected) in [
        ("masterorder_claims_total", "2"),
        ("masterorder_inner_retries_total{step=\"stock\"}", "1"),
        ("masterorder_rollbacks_total{cause=\"nothing_to_keep\"}", "1"),
        (
            "masterorder_transaction_duration_seconds_count{end=\"rolled_back\"}",
            "2",
        ),
        ("masterorder_wait_seconds_count{on=\"twin\"}", "1"),
        ("masterorder_wait_timeouts_total{on=\"twin\"}", "1"),
        ("masterorder_placements_in_flight", "1"),
        ("masterorder_sockets_open", "1"),
    ] {
        assert_eq!(value(&text, series), Some(expected), "{series}\n{text}");
    }
    drop((at_work, socket));
    assert_eq!(metrics.placements.in_flight(), 0);
}

#[test]
fn labels_come_from_closed_sets() {
    let text = text(&Metrics::new(Waits::default()));
    let labels: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('{')?.1.split_once('=').map(|(label, _)| label))
        .collect();
    let known = BTreeSet::from([
        "cause", "code", "end", "le", "on", "pool", "reason", "result", "step", "version",
    ]);
    assert_eq!(labels, known);
}
