//! What an operator can measure, in the text format of Prometheus. Names, units and help texts are here; the rest of the house
//! calls small methods. Nothing of a tenant is in it: labels come from closed sets, and no set holds an id.
//!
//! One registry per `App` and no global one, because several nodes may live in one process.

/// Metrics by a closed set.
pub mod labelled;
/// Placements.
pub mod placements;
/// Gauges that are read when somebody asks.
pub mod readings;
/// What work waits for.
pub mod waits;

use crate::app::App;
use labelled::Labelled;
use placements::Placements;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use readings::Readings;
use waits::Waits;

/// The media type of `Metrics::text`.
pub const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// Why an audit entry was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// More came than could be written.
    QueueFull,
    /// The database did not take it.
    WriteFailed,
}

impl Dropped {
    const fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::WriteFailed => "write_failed",
        }
    }
}

/// The metrics of one node.
pub struct Metrics {
    /// Placements.
    pub placements: Placements,
    /// What work waits for.
    pub waits: Waits,
    /// Outcomes whose retention is over, purged.
    pub purged_keys: Counter,
    /// Wrong PINs.
    pub wrong_pins: Counter,
    /// Sockets and subscriptions.
    pub live: Live,
    /// Audit entries.
    pub audit: Audit,
    readings: Readings,
    registry: Registry,
}

/// Who watches.
#[derive(Debug, Clone, Default)]
pub struct Live {
    sockets: Gauge,
    subscriptions: Gauge,
}

impl Live {
    /// A socket is open for as long as this is held.
    pub fn socket(&self) -> Gauged {
        Gauged::new(&self.sockets)
    }

    /// A subscription is open for as long as this is held.
    pub fn subscription(&self) -> Gauged {
        Gauged::new(&self.subscriptions)
    }
}

/// What became of audit entries that were not written inside a transaction.
#[derive(Debug, Clone)]
pub struct Audit {
    dropped: Labelled<Counter>,
}

impl Default for Audit {
    fn default() -> Self {
        let reasons = [Dropped::QueueFull, Dropped::WriteFailed];
        Self {
            dropped: Labelled::counters("reason", reasons.map(Dropped::as_str)),
        }
    }
}

impl Audit {
    /// Entries were dropped.
    pub fn dropped(&self, why: Dropped, entries: usize) {
        if let Some(counter) = self.dropped.of(why.as_str()) {
            counter.inc_by(entries as u64);
        }
    }

    /// Entries dropped since the start, whatever for.
    pub fn dropped_so_far(&self) -> u64 {
        [Dropped::QueueFull, Dropped::WriteFailed]
            .iter()
            .filter_map(|why| self.dropped.of(why.as_str()))
            .map(|counter| counter.get())
            .sum()
    }
}

/// Counted in a gauge until dropped.
#[derive(Debug)]
pub struct Gauged(Gauge);

impl Gauged {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Gauged {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// Puts the registry together. The store brings its own waits.
    pub fn new(waits: Waits) -> Self {
        let mut metrics = Self {
            placements: Placements::default(),
            waits,
            purged_keys: Counter::default(),
            wrong_pins: Counter::default(),
            live: Live::default(),
            audit: Audit::default(),
            readings: Readings::default(),
            registry: Registry::with_prefix("masterorder"),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What runs here", version);
        self.placements.register(registry);
        self.waits.register(registry);
        self.readings.register(registry);
        registry.register(
            "purged_keys",
            "Idempotency keys whose retention was over and that were purged",
            self.purged_keys.clone(),
        );
        registry.register(
            "wrong_pins",
            "Requests and sockets with a wrong PIN for a table session that exists",
            self.wrong_pins.clone(),
        );
        registry.register(
            "audit_entries_dropped",
            "Audit entries that were dropped rather than slow an order down",
            self.audit.dropped.family(),
        );
        registry.register("sockets_open", "Open WebSockets", self.live.sockets.clone());
        registry.register(
            "subscriptions_open",
            "Subscriptions on all sockets",
            self.live.subscriptions.clone(),
        );
    }

    /// Everything as text.
    ///
    /// *Errors*: a metric could not be written; a bug.
    pub async fn text(&self, app: &App) -> Result<String, std::fmt::Error> {
        self.readings.refresh(app).await;
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
