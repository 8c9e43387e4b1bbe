//! What work waits for, and how long. The store counts here too: its `Db` holds a clone.

use super::labelled::Labelled;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Instant;

/// Something to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitOn {
    /// The first request with the same key, in this process.
    Twin,
    /// The turn to write, on a database with one writer.
    WriterTurn,
    /// A connection, and the beginning of a transaction on it.
    Begin,
    /// The claim's INSERT: behind a twin in another process.
    Claim,
    /// The lock of the table session: behind another order of the same table.
    TableSession,
    /// The locks of stock: behind another order of the same dish.
    Stock,
}

impl WaitOn {
    const ALL: [Self; 6] = [
        Self::Twin,
        Self::WriterTurn,
        Self::Begin,
        Self::Claim,
        Self::TableSession,
        Self::Stock,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Twin => "twin",
            Self::WriterTurn => "writer_turn",
            Self::Begin => "begin",
            Self::Claim => "claim",
            Self::TableSession => "table_session",
            Self::Stock => "stock",
        }
    }
}

/// Waits and timeouts.
#[derive(Debug, Clone)]
pub struct Waits {
    seconds: Labelled<Histogram>,
    timeouts: Labelled<Counter>,
}

impl Default for Waits {
    fn default() -> Self {
        let values = || WaitOn::ALL.map(WaitOn::as_str);
        Self {
            seconds: Labelled::durations("on", values()),
            timeouts: Labelled::counters("on", values()),
        }
    }
}

impl Waits {
    /// A wait ended, well or not.
    pub fn waited(&self, on: WaitOn, since: Instant) {
        self.seconds.took(on.as_str(), since.elapsed());
    }

    /// A wait ended at its bound.
    pub fn timed_out(&self, on: WaitOn) {
        self.timeouts.count(on.as_str());
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "wait",
            "How long work waited. Claims, table sessions and stock: the whole statement that takes the lock",
            Unit::Seconds,
            self.seconds.family(),
        );
        registry.register(
            "wait_timeouts",
            "Waits that ended at their bound",
            self.timeouts.family(),
        );
    }
}
