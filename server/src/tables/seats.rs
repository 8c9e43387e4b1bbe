//! The devices of this node's guests that just gave the right PIN: seated at once here, and in the database within a second.

use super::TableSessionId;
use crate::store::writer_queue::Priority;
use crate::store::{self, Db};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::MutexGuard as Turn;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Devices that wait to be written at most; who does not fit gives the PIN once more.
const WAITING: usize = 10_000;
/// Devices per transaction.
const BATCH: usize = 256;
/// How long a device waits for company.
const EVERY: Duration = Duration::from_millis(500);
/// Table sessions that look at PINs at the same time.
const TURNS: usize = 64;

type Waiting = Arc<Mutex<HashSet<(TableSessionId, String)>>>;

/// Who has just sat down.
pub struct Seats {
    waiting: Waiting,
    turns: Vec<tokio::sync::Mutex<()>>,
    hasher: RandomState,
}

impl Seats {
    /// Starts the writer; it writes what waits when `stop` comes, and ends.
    pub fn start(db: Db, tasks: &TaskTracker, stop: CancellationToken) -> Self {
        let waiting = Waiting::default();
        tasks.spawn(write(db, waiting.clone(), stop));
        Self {
            waiting,
            turns: (0..TURNS).map(|_| tokio::sync::Mutex::default()).collect(),
            hasher: RandomState::new(),
        }
    }

    /// A turn to look at a PIN: one after the other, so that a wrong one is counted before the next is looked at.
    pub async fn turn(&self, session: TableSessionId) -> Turn<'_, ()> {
        let index = usize::try_from(self.hasher.hash_one(session)).unwrap_or_default() % TURNS;
        self.turns[index].lock().await
    }

    /// Takes a device in.
    pub fn take(&self, session: TableSessionId, device: &str) {
        let mut waiting = lock(&self.waiting);
        if waiting.len() < WAITING {
            waiting.insert((session, device.to_owned()));
        }
    }

    /// Has been taken in and is not written yet.
    pub fn has(&self, session: TableSessionId, device: &str) -> bool {
        lock(&self.waiting).contains(&(session, device.to_owned()))
    }
}

fn lock<T>(waiting: &Mutex<T>) -> MutexGuard<'_, T> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn write(db: Db, waiting: Waiting, stop: CancellationToken) {
    loop {
        let stopping = tokio::select! {
            () = stop.cancelled() => true,
            () = tokio::time::sleep(EVERY) => false,
        };
        loop {
            // they stay where they are until they are written: nobody is unseated in between
            let batch: Vec<_> = lock(&waiting).iter().take(BATCH).cloned().collect();
            if batch.is_empty() {
                break;
            }
            let written = store::txn::write(&db, Priority::Upkeep, async |txn| {
                let now_ms = txn.now_ms().await?;
                store::guesses::seat(txn, &batch, now_ms).await
            })
            .await;
            if let Err(error) = written {
                tracing::warn!(error = %error, devices = batch.len(), "seated devices were not written");
                if stopping {
                    return;
                }
                break;
            }
            let mut waiting = lock(&waiting);
            for device in &batch {
                waiting.remove(device);
            }
        }
        if stopping {
            return;
        }
    }
}
