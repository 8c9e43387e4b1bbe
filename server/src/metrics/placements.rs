//! Placements: what came in, what became of it, and how long it took.

use super::Gauged;
use super::labelled::Labelled;
use crate::ordering::outcome::{ReplayReason, Verdict};
use crate::ordering::step::Step;
use crate::refusal::Refusal;
use masterorder_protocol::codes::{Code, Kind};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

const REASONS: [ReplayReason; 3] = [ReplayReason::Key, ReplayReason::Payload, ReplayReason::Checkout];
const RESULTS: [&str; 6] = ["placed", "replayed", "rejected", "conflict", "refused", "failed"];
const COMMITTED: &str = "committed";
const ROLLED_BACK: &str = "rolled_back";
const NOTHING_TO_KEEP: &str = "nothing_to_keep";
const STUCK: &str = "stuck";

/// How a transaction of a placement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Committed.
    Committed,
    /// Rolled back, because there was nothing to write: a replay, a conflict, bad input.
    NothingToKeep,
    /// Rolled back, because the database said no at some step.
    Stuck,
}

/// The metrics of placements.
#[derive(Debug)]
pub struct Placements {
    claims: Counter,
    placed: Counter,
    replays: Labelled<Counter>,
    rejections: Labelled<Counter>,
    conflicts: Labelled<Counter>,
    failures: Labelled<Counter>,
    rollbacks: Labelled<Counter>,
    retries: Labelled<Counter>,
    transaction: Labelled<Histogram>,
    duration: Labelled<Histogram>,
    shared: Histogram,
    in_flight: Gauge,
}

impl Default for Placements {
    fn default() -> Self {
        let codes = |kind| Code::ALL.iter().filter(move |c| c.kind() == kind).map(|c| c.as_str());
        Self {
            claims: Counter::default(),
            placed: Counter::default(),
            replays: Labelled::counters("reason", REASONS.map(ReplayReason::as_str)),
            rejections: Labelled::counters("code", codes(Kind::Rejection)),
            conflicts: Labelled::counters("code", codes(Kind::Conflict)),
            failures: Labelled::counters("code", codes(Kind::Failure)),
            rollbacks: Labelled::counters("cause", [NOTHING_TO_KEEP, STUCK]),
            retries: Labelled::counters("step", Step::ALL.map(Step::as_str)),
            transaction: Labelled::durations("end", [COMMITTED, ROLLED_BACK]),
            duration: Labelled::durations("result", RESULTS),
            shared: Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
            in_flight: Gauge::default(),
        }
    }
}

impl Placements {
    /// Keys were claimed; a rollback gives them back.
    pub fn claimed(&self, keys: usize) {
        self.claims.inc_by(keys as u64);
    }

    /// A transaction ended.
    pub fn transaction_ended(&self, end: End, duration: Duration) {
        let word = match end {
            End::Committed => COMMITTED,
            End::NothingToKeep => {
                self.rollbacks.count(NOTHING_TO_KEEP);
                ROLLED_BACK
            }
            End::Stuck => {
                self.rollbacks.count(STUCK);
                ROLLED_BACK
            }
        };
        self.transaction.took(word, duration);
    }

    /// A transaction committed the outcomes of this many placements.
    pub fn shared(&self, placements: usize) {
        #[expect(clippy::cast_precision_loss, reason = "a few dozens")]
        self.shared.observe(placements as f64);
    }

    /// A transaction is run again after it got stuck at a step.
    pub fn retried(&self, step: Step) {
        self.retries.count(step.as_str());
    }

    /// A placement ended with an answer, read by somebody or not.
    pub fn answered(&self, answer: &Result<Verdict, Refusal>, duration: Duration) {
        let result = match answer {
            Ok(Verdict::Placed { replay: None, .. }) => {
                self.placed.inc();
                "placed"
            }
            Ok(Verdict::Placed { replay: Some(by), .. }) => {
                self.replays.count(by.as_str());
                "replayed"
            }
            Ok(Verdict::Rejected { replay: true, .. }) => {
                self.replays.count(ReplayReason::Key.as_str());
                "replayed"
            }
            Ok(Verdict::Rejected { rejection, .. }) => {
                self.rejections.count(rejection.code().as_str());
                "rejected"
            }
            Ok(Verdict::Conflict(conflict)) => {
                self.conflicts.count(conflict.code().as_str());
                "conflict"
            }
            Err(refusal) => {
                self.failures.count(refusal.code().as_str());
                match refusal {
                    Refusal::Unavailable | Refusal::Internal => "failed",
                    Refusal::Input(_)
                    | Refusal::RateLimited(_)
                    | Refusal::Unauthenticated(_)
                    | Refusal::Forbidden(_)
                    | Refusal::NotFound(_) => "refused",
                }
            }
        };
        self.duration.took(result, duration);
    }

    /// A placement is at work for as long as this is held.
    pub fn at_work(&self) -> Gauged {
        Gauged::new(&self.in_flight)
    }

    /// Placements at work now.
    pub fn in_flight(&self) -> i64 {
        self.in_flight.get()
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "claims",
            "Idempotency keys claimed by placements, those that were given back included",
            self.claims.clone(),
        );
        registry.register("placed", "Orders placed", self.placed.clone());
        registry.register(
            "replays",
            "Answers from a stored outcome, by what it was recognised",
            self.replays.family(),
        );
        registry.register(
            "rejections",
            "Stored refusals, by code; replays of them are in replays",
            self.rejections.family(),
        );
        registry.register(
            "conflicts",
            "Placements that conflicted and stored nothing, by code",
            self.conflicts.family(),
        );
        registry.register(
            "failures",
            "Placements that ended in an error and stored nothing, by code",
            self.failures.family(),
        );
        registry.register(
            "rollbacks",
            "Transactions of placements that were rolled back, or whose COMMIT got no answer",
            self.rollbacks.family(),
        );
        registry.register(
            "inner_retries",
            "Transactions of placements run again, by the step that got stuck",
            self.retries.family(),
        );
        registry.register_with_unit(
            "transaction_duration",
            "Transactions of placements, from BEGIN to their end",
            Unit::Seconds,
            self.transaction.family(),
        );
        registry.register(
            "placements_per_commit",
            "Placements whose outcomes one COMMIT stored",
            self.shared.clone(),
        );
        registry.register_with_unit(
            "placement_duration",
            "Placements as a whole, by what became of them",
            Unit::Seconds,
            self.duration.family(),
        );
        registry.register(
            "placements_in_flight",
            "Placements at work, also those of guests who hung up",
            self.in_flight.clone(),
        );
    }
}
