//! Where a placement commits, and nowhere else: before this nothing happened, after it everything did.

use crate::app::App;
use crate::store::{Failure, Txn};

/// Commits a slice.
///
/// *Errors*: `CommitUnknown` when no answer came. The caller claims again in a new transaction: the claim tells whether this
/// attempt's outcome is there. A COMMIT is never sent again blindly.
pub async fn commit(app: &App, txn: Txn) -> Result<(), Failure> {
    app.faults.at("commit", Some(&txn)).await?;
    txn.commit().await?;
    if app.faults.loses_commit() {
        return Err(Failure::CommitUnknown);
    }
    app.faults.at("committed", None).await
}
