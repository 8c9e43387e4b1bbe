//! SQLite has one writer at a time. Ours wait here, in order, instead of in the database's busy loop: placements and
//! other work that somebody waits for before upkeep (audit, purge).

use super::dialect::QUEUE_BOUND;
use super::failure::{Failure, Result};
use crate::metrics::waits::{WaitOn, Waits};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Who is waiting for the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// A guest, a cook, a waiter.
    Request,
    /// Nobody.
    Upkeep,
}

/// The queue. *Shape*: at most one turn is out at a time.
#[derive(Clone)]
pub struct WriterQueue {
    turn: Arc<Semaphore>,
    requests: Arc<AtomicUsize>,
    calm: Arc<Notify>,
    written: Arc<Notify>,
    waits: Waits,
}

/// The right to write, until dropped.
pub struct Turn {
    _permit: OwnedSemaphorePermit,
    written: Arc<Notify>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.written.notify_one();
    }
}

struct Waiting<'a>(&'a WriterQueue);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.calm.notify_waiters();
        }
    }
}

impl WriterQueue {
    /// Makes one; it tells how long requests waited.
    pub fn new(waits: Waits) -> Self {
        Self {
            turn: Arc::new(Semaphore::new(1)),
            requests: Arc::default(),
            calm: Arc::default(),
            written: Arc::default(),
            waits,
        }
    }

    /// Requests that wait now.
    pub fn waiting(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until a turn has ended since the last such wait. One task may wait.
    pub async fn written(&self) {
        self.written.notified().await;
    }

    fn given(&self, permit: OwnedSemaphorePermit) -> Turn {
        Turn {
            _permit: permit,
            written: self.written.clone(),
        }
    }

    /// Waits for the turn, in order of arrival within a priority.
    ///
    /// *Errors*: `Overloaded` when a request did not get it within `QUEUE_BOUND`. Upkeep waits as long as it takes.
    pub async fn turn(&self, priority: Priority) -> Result<Turn> {
        match priority {
            Priority::Request => {
                self.requests.fetch_add(1, Ordering::SeqCst);
                let _waiting = Waiting(self);
                let since = Instant::now();
                let turn = tokio::time::timeout(QUEUE_BOUND, self.turn.clone().acquire_owned()).await;
                self.waits.waited(WaitOn::WriterTurn, since);
                match turn {
                    Ok(Ok(permit)) => Ok(self.given(permit)),
                    _ => {
                        self.waits.timed_out(WaitOn::WriterTurn);
                        Err(Failure::Overloaded)
                    }
                }
            }
            Priority::Upkeep => loop {
                let calm = self.calm.notified();
                if self.requests.load(Ordering::SeqCst) == 0 {
                    match self.turn.clone().try_acquire_owned() {
                        Ok(permit) => return Ok(self.given(permit)),
                        // the turn is out and nobody else waits: join the queue for this one turn
                        Err(_) => {
                            let permit = self.turn.clone().acquire_owned().await;
                            return permit.map(|permit| self.given(permit)).map_err(|_| Failure::Overloaded);
                        }
                    }
                }
                calm.await;
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_request_that_waits_goes_before_upkeep_that_came_earlier() {
        let queue = WriterQueue::new(Waits::default());
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let first = queue.turn(Priority::Request).await;
        let spawn = |name: &'static str, priority| {
            let (queue, order) = (queue.clone(), order.clone());
            tokio::spawn(async move {
                let _turn = queue.turn(priority).await;
                if let Ok(mut order) = order.lock() {
                    order.push(name);
                }
            })
        };
        let request = spawn("request", Priority::Request);
        while queue.requests.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let upkeep = spawn("upkeep", Priority::Upkeep);
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(first);
        let _ = tokio::join!(request, upkeep);
        assert_eq!(
            order.lock().map(|o| o.clone()).unwrap_or_default(),
            ["request", "upkeep"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_gives_up_at_the_bound() {
        let queue = WriterQueue::new(Waits::default());
        let _held = queue.turn(Priority::Request).await;
        assert!(matches!(queue.turn(Priority::Request).await, Err(Failure::Overloaded)));
    }
}
