//! What SQLite's log holds, copied into the file beside the writer. The writer would do it itself, in a commit, whenever the log is
//! a thousand pages long: every few commits of a busy hour, and everybody would wait for it.

use super::db::Db;
use super::dialect;
use super::failure::Result;
use sea_orm::ConnectionTrait;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// At least between two looks, of which there is none while nobody writes.
const EVERY: Duration = Duration::from_millis(10);
/// A shorter log can wait; a longer one keeps the disk for so long that commits feel it. *Units*: pages of 4 KiB.
const WORTH_IT: i64 = 500;

/// Copies the log while others write, until the node stops.
pub async fn run(db: Db, stopping: CancellationToken) {
    let Some(queue) = db.queue.clone() else { return };
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            () = queue.written() => {}
        }
        // the next look tries again, and a log that has grown too long is the writer's
        if let Err(error) = look(&db).await {
            tracing::debug!(error = %error, "could not copy the log into the file");
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = sleep(EVERY) => {}
        }
    }
}

async fn look(db: &Db) -> Result<()> {
    if log_length(db, dialect::LOG_LENGTH).await? >= WORTH_IT {
        log_length(db, dialect::COPY_LOG).await?;
    }
    Ok(())
}

/// How much of the log is not copied yet. *Units*: pages.
async fn log_length(db: &Db, statement: &str) -> Result<i64> {
    let Some(row) = db
        .reader
        .query_one_raw(dialect::statement(&db.reader, statement))
        .await?
    else {
        return Ok(0);
    };
    let (written, copied): (i64, i64) = (row.try_get_by_index(1)?, row.try_get_by_index(2)?);
    Ok(written - copied)
}
