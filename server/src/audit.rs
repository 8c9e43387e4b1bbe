//! The audit trail: who asked what under which key, and what became of it.
//!
//! Placed and rejected attempts are written in their own transaction. Everything else (replays, joins, conflicts,
//! failures, wrong PINs) goes through a bounded queue that is flushed within a second and at shutdown; what does not fit
//! is dropped and counted, so that writing about orders never stands in the way of orders. While the database is away a batch
//! is tried again for some seconds.

use crate::app::App;
use crate::metrics::{self, Dropped};
use crate::ordering::command::InputError;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store::writer_queue::Priority;
use crate::store::{self, Db, Failure};
use masterorder_protocol::ids::{OrderId, TableSessionId, TenantId};
use masterorder_protocol::request_id::RequestId;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Entries that wait at most: some seconds of a storm, a few MiB.
const QUEUE: usize = 8_192;
/// Entries per transaction: short enough not to be felt by a placement that waits behind it on SQLite.
const BATCH: usize = 256;
/// How long an entry waits for company, and a batch that could not be written for its next try.
const FLUSH_EVERY: Duration = Duration::from_millis(500);
/// Tries per batch: a database that restarts is back within them, and what comes meanwhile fits into the queue.
const TRIES: u32 = 10;
/// Entries that a reading may ask for.
pub const MAX_READ: i64 = 500;

/// One line of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The account.
    pub tenant: TenantId,
    /// *Units*: ms since the Unix epoch.
    pub at_ms: i64,
    /// The use case.
    pub action: String,
    /// What became of it: a code or `PLACED`, `REPLAYED_KEY`, …
    pub result: String,
    /// Table session or key.
    pub caller: String,
    /// Which device.
    pub device: String,
    /// The key that it came under.
    pub request: Option<RequestId>,
    /// The party that it was about.
    pub table_session: Option<TableSessionId>,
    /// The order that it was about.
    pub order: Option<OrderId>,
}

impl Entry {
    /// Something that a caller did.
    pub fn by(principal: &Principal, action: &str, result: &str, at_ms: i64) -> Self {
        Self {
            tenant: principal.tenant,
            at_ms,
            action: action.into(),
            result: result.into(),
            caller: principal.caller(),
            device: principal.device.clone(),
            request: None,
            table_session: match principal.role {
                Role::Guest(session) => Some(session),
                Role::Staff(_) | Role::Integrator(_) => None,
            },
            order: None,
        }
    }
}

/// The queue.
pub struct Audit {
    sender: mpsc::Sender<Entry>,
    stop: CancellationToken,
    writer: TaskTracker,
    metrics: metrics::Audit,
}

impl Audit {
    /// Starts the writer.
    pub fn start(db: Db, metrics: metrics::Audit) -> Self {
        let (sender, queue) = mpsc::channel(QUEUE);
        let stop = CancellationToken::new();
        let writer = TaskTracker::new();
        let work = Writer {
            db,
            queue,
            stop: stop.clone(),
            metrics: metrics.clone(),
        };
        writer.spawn(work.run());
        writer.close();
        Self {
            sender,
            stop,
            writer,
            metrics,
        }
    }

    /// Takes an entry, or counts it as dropped.
    pub fn note(&self, entry: Entry) {
        if self.sender.try_send(entry).is_err() {
            self.metrics.dropped(Dropped::QueueFull, 1);
        }
    }

    /// Entries dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.metrics.dropped_so_far()
    }

    /// Entries that wait to be written.
    pub fn queued(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }

    /// Flushes what is queued. Call it when nobody is left who notes anything.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.writer.wait().await;
    }
}

/// The one that writes.
struct Writer {
    db: Db,
    queue: mpsc::Receiver<Entry>,
    stop: CancellationToken,
    metrics: metrics::Audit,
}

impl Writer {
    async fn run(mut self) {
        loop {
            self.pause().await;
            let stopping = self.stop.is_cancelled();
            loop {
                let batch: Vec<Entry> = std::iter::from_fn(|| self.queue.try_recv().ok()).take(BATCH).collect();
                if batch.is_empty() {
                    break;
                }
                self.write(&batch).await;
            }
            if stopping {
                return;
            }
        }
    }

    async fn write(&self, batch: &[Entry]) {
        for tried in 1..=TRIES {
            let written = store::txn::write(&self.db, Priority::Upkeep, async |txn| {
                store::audit::append(txn, batch).await
            })
            .await;
            match written {
                Ok(()) => return,
                // a batch that may be there is not written again: an attempt must not look like two
                Err(error) if tried < TRIES && !error.is_internal() && !matches!(error, Failure::CommitUnknown) => {
                    self.pause().await;
                }
                Err(error) => {
                    tracing::error!(error = %error, entries = batch.len(), "audit entries lost");
                    return self.metrics.dropped(Dropped::WriteFailed, batch.len());
                }
            }
        }
    }

    /// Waits for a while, at a shutdown for a moment.
    async fn pause(&self) {
        tokio::select! {
            () = self.stop.cancelled() => tokio::time::sleep(FLUSH_EVERY / 10).await,
            () = tokio::time::sleep(FLUSH_EVERY) => {}
        }
    }
}

/// Whose trail is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A key's.
    Request(RequestId),
    /// An order's.
    Order(OrderId),
    /// A party's.
    TableSession(TableSessionId),
}

/// Reads the newest `first` entries of a trail, oldest first. Staff only: it answers "did two tickets really arrive, or one
/// shown twice?".
///
/// *Errors*: `first` is out of 1 to 500.
pub async fn trail(app: &App, principal: &Principal, of: Subject, first: i64) -> Result<Vec<Entry>, Refusal> {
    principal.staff_only("the audit trail is for staff keys")?;
    let limit = u64::try_from(first).ok().filter(|_| (1..=MAX_READ).contains(&first));
    let limit = limit.ok_or_else(|| InputError::new("first", format!("must be 1 to {MAX_READ}, not {first}")))?;
    Ok(store::audit::newest(&app.db, principal.tenant, of, limit).await?)
}
