//! The clock, passed in wherever time matters.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the present comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock. On PostgreSQL transactions ask the database instead, so that nodes share one clock.
    System {
        /// Added to every reading; tests of skewed nodes set it, nobody else.
        offset_ms: i64,
    },
    /// A clock that only moves when told to.
    Manual(Arc<AtomicI64>),
}

impl Default for Clock {
    fn default() -> Self {
        Self::System { offset_ms: 0 }
    }
}

impl Clock {
    /// A clock that stands at the given time.
    pub fn manual(now_ms: i64) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(now_ms)))
    }

    /// Moves a manual clock; others can not be moved.
    pub fn advance(&self, by_ms: i64) {
        if let Self::Manual(now) = self {
            now.fetch_add(by_ms, Ordering::SeqCst);
        }
    }

    /// *Units*: ms since the Unix epoch.
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System { offset_ms } => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(now.as_millis()).unwrap_or(i64::MAX) + offset_ms
            }
            Self::Manual(now) => now.load(Ordering::SeqCst),
        }
    }
}
