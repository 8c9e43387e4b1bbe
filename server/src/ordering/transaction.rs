//! One transaction around a slice of commands: begin, run the slice, commit or roll back, wake the feeds.

use super::command::PlaceOrder;
use super::commit;
use super::slice::{self, Ending};
use super::step::{Step, Stuck};
use crate::app::App;
use crate::live::Change;
use crate::metrics::placements::End;
use crate::store::txn;
use crate::store::writer_queue::Priority;
use std::sync::Arc;
use std::time::Instant;

/// Runs a slice in a transaction of its own. Returns how each command ended, in order.
///
/// *Errors*: the step and the failure, the same for all of them; after `CommitUnknown` their claims tell what happened.
pub async fn run(app: &App, commands: &[Arc<PlaceOrder>], wait_bound_ms: i64) -> Result<Vec<Ending>, Stuck> {
    let txn = txn::begin(&app.db, Priority::Request, wait_bound_ms)
        .await
        .map_err(Stuck::at(Step::Begin))?;
    let since = Instant::now();
    let ended = |end| app.metrics.placements.transaction_ended(end, since.elapsed());
    let slice = match slice::run(app, &txn, commands).await {
        Ok(slice) => slice,
        Err(stuck) => {
            txn.rollback().await;
            ended(End::Stuck);
            return Err(stuck);
        }
    };
    if slice.written.is_empty() {
        txn.rollback().await;
        ended(End::NothingToKeep);
        return Ok(slice.endings);
    }
    let committed = commit::commit(app, txn).await;
    ended(if committed.is_ok() { End::Committed } else { End::Stuck });
    committed.map_err(Stuck::at(Step::Commit))?;
    app.metrics.placements.shared(slice.written.len());
    for command in slice.written.iter().map(|i| &commands[*i]) {
        app.live.changed(Change {
            tenant: command.principal.tenant,
            table_session: command.table_session,
        });
    }
    Ok(slice.endings)
}
