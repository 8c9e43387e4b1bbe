//! Closing a table session when its party has paid. It starts at the table session's lock, as a placement does: an order that got
//! the lock first is in, and one that comes later is told `SESSION_CLOSED`.

use super::TableSession;
use crate::app::App;
use crate::audit::Entry;
use crate::live::Change;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store::txn::Runs;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure, Txn};
use masterorder_protocol::ids::TableSessionId;

/// What a checkout came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    /// The table session as it is now.
    pub session: TableSession,
    /// It was closed by this call; a second tap changes nothing.
    pub changed: bool,
}

/// Closes a table session. Its guests may read and replay their orders for another 24 h, and its table is free. Staff only.
pub async fn checkout(app: &App, principal: &Principal, id: TableSessionId) -> Result<CheckedOut, Refusal> {
    principal.staff_only("tables are checked out with staff keys")?;
    let (db, by) = (app.db.clone(), principal.clone());
    let changed = app
        .detach(async move {
            let mut runs = Runs::default();
            loop {
                let run = store::txn::write(&db, Priority::Request, async |txn| close(txn, &by, id).await);
                match run.await {
                    Err(failure) if runs.again_after(&failure) => {}
                    ended => return ended,
                }
            }
        })
        .await??;
    let changed = changed.ok_or(Refusal::NotFound("table session"))?;
    let session = super::find(app, principal, id).await?;
    let session = session.ok_or(Refusal::NotFound("table session"))?;
    if changed {
        app.live.changed(Change {
            tenant: principal.tenant,
            table_session: id,
        });
    }
    Ok(CheckedOut { session, changed })
}

/// Answers whether this call closed it; `None` for what this shop has not.
async fn close(txn: &Txn, by: &Principal, id: TableSessionId) -> Result<Option<bool>, Failure> {
    let locked = store::tables::lock(txn, &[id]).await?;
    if locked.get(&id).is_none_or(|party| party.tenant != by.tenant) {
        return Ok(None);
    }
    let now_ms = txn.now_ms().await?;
    let changed = store::tables::close(txn, id, now_ms).await?;
    if changed {
        let entry = Entry {
            table_session: Some(id),
            ..Entry::by(by, "checkout", "CLOSED", now_ms)
        };
        store::audit::append(txn, &[entry]).await?;
    }
    Ok(Some(changed))
}
