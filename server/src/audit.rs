//! The audit trail: who asked what under which key, and what became of it.
//!
//! Placed and rejected attempts are written in their own transaction. Everything else (replays, joins, conflicts,
//! failures, wrong PINs) goes through a bounded queue that is flushed within a second and at shutdown; what does not fit
//! is dropped and counted, so that writing about orders never stands in the way of orders.

use crate::app::App;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store::writer_queue::Priority;
use crate::store::{self, Db};
use masterorder_protocol::ids::{OrderId, TableSessionId, TenantId};
use masterorder_protocol::request_id::RequestId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Entries that wait at most: some seconds of a storm, a few MiB.
const QUEUE: usize = 8_192;
/// Entries per transaction: short enough not to be felt by a placement that waits behind it on SQLite.
const BATCH: usize = 256;
/// How long an entry waits for company.
const FLUSH_EVERY: Duration = Duration::from_millis(500);

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
    dropped: Arc<AtomicU64>,
    stop: CancellationToken,
}

impl Audit {
    /// Starts the writer.
    pub fn start(db: Db, tasks: &TaskTracker) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let stop = CancellationToken::new();
        tasks.spawn(write_batches(db, receiver, stop.clone()));
        Self {
            sender,
            dropped: Arc::default(),
            stop,
        }
    }

    /// Takes an entry, or counts it as dropped.
    pub fn note(&self, entry: Entry) {
        if self.sender.try_send(entry).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Entries dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Asks the writer to flush what is queued and end.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

async fn write_batches(db: Db, mut receiver: mpsc::Receiver<Entry>, stop: CancellationToken) {
    loop {
        let stopping = tokio::select! {
            () = stop.cancelled() => true,
            () = tokio::time::sleep(FLUSH_EVERY) => false,
        };
        loop {
            let mut batch = Vec::new();
            while batch.len() < BATCH {
                match receiver.try_recv() {
                    Ok(entry) => batch.push(entry),
                    Err(_) => break,
                }
            }
            if batch.is_empty() {
                break;
            }
            let written = store::txn::write(&db, Priority::Upkeep, async |txn| {
                store::audit::append(txn, &batch).await
            })
            .await;
            if let Err(error) = written {
                tracing::error!(error = %error, entries = batch.len(), "audit entries lost");
            }
        }
        if stopping {
            return;
        }
    }
}

/// Reads the trail of a key, oldest first. Staff only: it answers "did two tickets really arrive, or one shown twice?".
pub async fn trail(app: &App, principal: &Principal, request: RequestId) -> Result<Vec<Entry>, Refusal> {
    principal.staff_only("the audit trail is for staff keys")?;
    Ok(store::audit::by_request(&app.db, principal.tenant, request).await?)
}
