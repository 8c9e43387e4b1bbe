//! SQLite's log is copied into the file beside the writer, long before a commit would have to do it.

use anyhow::Result;
use harness::client::{key, line, order};
use harness::database::run;
use harness::{Backend, Database, eventually};
use serde_json::json;

/// The log of the file. *Shape*: pages written, pages of them that are copied.
async fn log(db: &Database) -> Result<(i64, i64)> {
    let rows = db.query("PRAGMA wal_checkpoint(NOOP)", []).await?;
    Ok((rows[0].try_get_by_index(1)?, rows[0].try_get_by_index(2)?))
}

#[test]
fn a_log_is_copied_beside_the_writer() {
    run(Backend::Sqlite, "a_log_is_copied_beside_the_writer", async |db| {
        let node = db.node().await?;
        db.set_policy("content_window_ms = 0, cooldown_ms = 0, burst_ms = 0")
            .await?;
        let mut longest = 0;
        'orders: for _ in 0..100 {
            for table in &db.fixture.tables {
                let cart = order(&key(), json!([line(db.fixture.tea, 1)]));
                node.guest(table).place(cart).await?.order_id()?;
                let (written, copied) = log(db).await?;
                longest = longest.max(written);
                if copied >= 500 || written < longest || written > 1_000 {
                    break 'orders;
                }
            }
        }
        assert!(longest >= 500, "a log of {longest} pages can wait");
        eventually("the log was copied", async || {
            let (written, copied) = log(db).await?;
            Ok(copied >= 500 || written < longest)
        })
        .await?;
        node.stop().await
    });
}

/// SQLite up to 3.51.2 could lose pages when one connection copied a log that another began anew at that moment: what happens here
/// all day.
#[test]
fn this_sqlite_can_copy_a_log_that_begins_anew() {
    run(
        Backend::Sqlite,
        "this_sqlite_can_copy_a_log_that_begins_anew",
        async |db| {
            let rows = db.query("SELECT sqlite_version()", []).await?;
            let version: String = rows[0].try_get_by_index(0)?;
            let parts: Vec<u32> = version.split('.').map(str::parse).collect::<Result<_, _>>()?;
            assert!(parts >= vec![3, 51, 3], "SQLite {version}");
            Ok(())
        },
    );
}
