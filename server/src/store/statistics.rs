//! What PostgreSQL knows of its tables. It counts their rows again about once a minute, and until then looks up a table that was
//! empty as if it still were: by reading all of it, for every order. A shop's first minute, or a first load test, would be slow.

use super::db::Db;
use super::dialect;
use super::failure::Result;
use sea_orm::ConnectionTrait;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(2);

/// For one transaction. That another node or PostgreSQL itself is counting a table already is no warning to an operator; and a look
/// at 3,000 rows tells how many there are, where PostgreSQL's own rounds look at ten times as many, for up to half a second.
const QUIETLY: &str = "SET LOCAL client_min_messages = error; SET LOCAL default_statistics_target = 10";

/// Has tables counted that have doubled, until the node stops. Smaller changes can wait for the database's own rounds.
pub async fn run(db: Db, stopping: CancellationToken) {
    if !db.is_shared() {
        return;
    }
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            () = sleep(EVERY) => {}
        }
        // the next look tries again
        if let Err(error) = refresh(&db).await {
            tracing::debug!(error = %error, "could not have the tables counted");
        }
    }
}

async fn refresh(db: &Db) -> Result<()> {
    let doubled = dialect::statement(&db.reader, dialect::DOUBLED_TABLES);
    for row in db.reader.query_all_raw(doubled).await? {
        let table: String = row.try_get_by_index(0)?;
        let count = format!("{QUIETLY}; ANALYZE (SKIP_LOCKED) {table}");
        db.reader.execute_unprepared(&count).await?;
    }
    Ok(())
}
