//! Gauges that are read when somebody asks.

use super::labelled::Labelled;
use crate::app::App;
use crate::store;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// How long the one query may take: a scraper that waits longer has given up.
const PATIENCE: Duration = Duration::from_secs(2);
const READER: &str = "reader";
const WRITER: &str = "writer";

/// The gauges.
#[derive(Debug)]
pub struct Readings {
    outbox_age: Gauge<f64, AtomicU64>,
    audit_queued: Gauge,
    writers_waiting: Gauge,
    open: Labelled<Gauge>,
    idle: Labelled<Gauge>,
    max: Labelled<Gauge>,
    boards: Gauge,
    parties: Gauge,
}

impl Default for Readings {
    fn default() -> Self {
        let pools = || Labelled::gauges("pool", [READER, WRITER]);
        Self {
            outbox_age: Gauge::default(),
            audit_queued: Gauge::default(),
            writers_waiting: Gauge::default(),
            open: pools(),
            idle: pools(),
            max: pools(),
            boards: Gauge::default(),
            parties: Gauge::default(),
        }
    }
}

impl Readings {
    /// Reads all of them. A database that does not answer leaves the outbox's age unknown (NaN), never at its last value.
    pub(super) async fn refresh(&self, app: &App) {
        self.audit_queued.set(app.audit.queued() as i64);
        self.writers_waiting.set(app.db.writers_waiting() as i64);
        self.boards.set(app.live.boards.watched() as i64);
        self.parties.set(app.live.parties.watched() as i64);
        let pools = app.db.pools();
        for (name, pool) in [(READER, pools.reader), (WRITER, pools.writer)] {
            for (gauge, value) in [(&self.open, pool.open), (&self.idle, pool.idle), (&self.max, pool.max)] {
                if let Some(gauge) = gauge.of(name) {
                    gauge.set(i64::from(value));
                }
            }
        }
        let age_ms = tokio::time::timeout(PATIENCE, store::outbox::oldest_open_age_ms(&app.db)).await;
        self.outbox_age.set(match age_ms {
            Ok(Ok(age_ms)) => age_ms.unwrap_or(0) as f64 / 1_000.0,
            Ok(Err(_)) | Err(_) => f64::NAN,
        });
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "outbox_oldest_open_event_age",
            "Age of the oldest event that was not dispatched yet; 0 if there is none, NaN if the database does not answer",
            Unit::Seconds,
            self.outbox_age.clone(),
        );
        registry.register(
            "audit_entries_queued",
            "Audit entries that wait to be written",
            self.audit_queued.clone(),
        );
        registry.register(
            "writer_queue_waiting",
            "Requests that wait for their turn to write; 0 on PostgreSQL",
            self.writers_waiting.clone(),
        );
        registry.register(
            "database_connections_open",
            "Connections of the pool, idle or at work",
            self.open.family(),
        );
        registry.register(
            "database_connections_idle",
            "Connections of the pool that nobody uses",
            self.idle.family(),
        );
        registry.register(
            "database_connections_max",
            "Connections that the pool may open",
            self.max.family(),
        );
        registry.register(
            "feeds_kitchen",
            "Kitchen boards that are kept for watchers",
            self.boards.clone(),
        );
        registry.register(
            "feeds_table_session",
            "Table sessions that are kept for watchers",
            self.parties.clone(),
        );
    }
}
