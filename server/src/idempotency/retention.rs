//! Retention: outcomes are kept for as long as the shop's policy says, and then purged in small batches behind everything that
//! somebody waits for. An expired outcome is dead at once, purged or not; its order remembers the `requestId` for good.

use crate::app::App;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use crate::tables;
use std::sync::Weak;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Claims per transaction: some milliseconds of writing, so that a placement that waits behind it on SQLite does not feel it.
const BATCH: u64 = 200;
/// At least between two batches: room for everybody else.
const PAUSE: Duration = Duration::from_millis(20);
/// As many times longer than a batch is the pause after it: purging takes at most a tenth of a busy database.
const SHARE: u32 = 9;

/// Purges from time to time until the node stops.
pub async fn run(app: Weak<App>, every: Duration, stopping: CancellationToken) {
    loop {
        let pause = every.mul_f64(rand::random_range(0.67..1.33));
        tokio::select! {
            () = stopping.cancelled() => return,
            () = sleep(pause) => {}
        }
        let Some(app) = app.upgrade() else { return };
        // the next round tries again
        match purge(&app).await {
            Ok(0) => {}
            Ok(purged) => tracing::info!(purged, "purged outcomes whose retention is over"),
            Err(error) => tracing::warn!(error = %error, "could not purge"),
        }
        if let Err(error) = tables::guessing::forget(&app).await {
            tracing::warn!(error = %error, "could not forget old wrong PINs and guests");
        }
    }
}

/// Purges everything whose retention is over. Returns how many keys that were.
pub async fn purge(app: &App) -> Result<u64, Failure> {
    let mut purged = 0;
    loop {
        let mut begun = Instant::now();
        let batch = store::txn::write(&app.db, Priority::Upkeep, async |txn| {
            begun = Instant::now();
            store::idempotency::purge(txn, BATCH).await
        })
        .await?;
        purged += batch;
        app.metrics.purged_keys.inc_by(batch);
        let pause = sleep(PAUSE.max(begun.elapsed() * SHARE));
        if batch < BATCH || app.stopping.run_until_cancelled(pause).await.is_none() {
            return Ok(purged);
        }
    }
}
