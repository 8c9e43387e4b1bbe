//! Cancelling a placed order: stock goes back exactly once, the kitchen sees it at once.

use crate::app::App;
use crate::audit::Entry;
use crate::kitchen::ticket::State;
use crate::live::Change;
use crate::ordering::decide::needs;
use crate::ordering::duplicates::Standing;
use crate::ordering::history::Order;
use crate::outbox;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store::txn::Runs;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure, Txn, Writes};
use masterorder_protocol::codes::Code;
use masterorder_protocol::ids::{OrderId, TableSessionId};
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// The action in the audit trail.
const CANCEL: &str = "cancelOrder";

/// What a cancellation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancelled {
    /// The order as it is now.
    pub order: Order,
    /// It was cancelled by this call; a second call changes nothing.
    pub changed: bool,
}

/// Cancels an order: staff until it is served, guests of its table session until cooking starts.
///
/// *Errors*: what the caller can not see is `NOT_FOUND`; too late is `FORBIDDEN`.
pub async fn cancel(app: &Arc<App>, principal: &Principal, order: OrderId) -> Result<Cancelled, Refusal> {
    let found = super::history::find(app, principal, &[order]).await?;
    let Some(found) = found.into_iter().next() else {
        return Err(Refusal::NotFound("order"));
    };
    let from: &[State] = match principal.role {
        Role::Guest(_) => &[State::Received],
        Role::Staff(_) => &[State::Received, State::Cooking, State::Ready],
        Role::Integrator(_) => return Err(Refusal::Forbidden("orders are cancelled by staff or their guests")),
    };
    let (task_app, task_principal, session) = (app.clone(), principal.clone(), found.receipt.table_session_id);
    let done = app
        .detach(async move {
            let mut runs = Runs::default();
            let mut may_have_cancelled = false;
            loop {
                let run = store::txn::write(&task_app.db, Priority::Request, async |txn| {
                    write(&task_app, txn, &task_principal, session, order, from).await
                });
                match run.await {
                    Err(failure) if runs.again_after(&failure) => {
                        may_have_cancelled |= matches!(failure, Failure::CommitUnknown);
                    }
                    // the COMMIT that got no answer did it
                    Ok(Done::Already) if may_have_cancelled => return Ok(Done::Cancelled),
                    ended => return ended,
                }
            }
        })
        .await??;
    app.faults.at("cancelled", None).await?;
    if !matches!(done, Done::Cancelled) {
        let result = match done {
            Done::Already => "ALREADY_CANCELLED",
            _ => Code::Forbidden.as_str(),
        };
        app.audit.note(Entry {
            request: Some(found.receipt.request_id),
            table_session: Some(session),
            order: Some(order),
            ..Entry::by(principal, CANCEL, result, app.db.clock().now_ms())
        });
    }
    let order = super::history::find(app, principal, &[order]).await?;
    let order = order.into_iter().next().ok_or(Refusal::NotFound("order"))?;
    match done {
        Done::Cancelled => {
            app.live.changed(Change {
                tenant: principal.tenant,
                table_session: order.receipt.table_session_id,
            });
            Ok(Cancelled { order, changed: true })
        }
        Done::Already => Ok(Cancelled { order, changed: false }),
        Done::Paid => Err(Refusal::Forbidden("the bill is paid; please ask the staff")),
        Done::TooLate => Err(Refusal::Forbidden(match principal.role {
            Role::Guest(_) => "the kitchen has started; please ask the staff",
            _ => "a served order is not cancelled",
        })),
    }
}

enum Done {
    Cancelled,
    Already,
    TooLate,
    Paid,
}

/// Lock order: table session → order → stock → ticket.
async fn write(
    app: &App,
    txn: &Txn,
    principal: &Principal,
    session: TableSessionId,
    id: OrderId,
    from: &[State],
) -> Result<Done, Failure> {
    let tenant = principal.tenant;
    let parties = store::tables::lock(txn, &[session]).await?;
    let open = parties.get(&session).is_some_and(|p| p.open);
    match store::orders::lock(txn, tenant, id).await? {
        // whoever has paid may read on, and no more
        Some(Standing::Placed) if !open && matches!(principal.role, Role::Guest(_)) => return Ok(Done::Paid),
        Some(Standing::Placed) => {}
        Some(Standing::Cancelled) => return Ok(Done::Already),
        Some(Standing::Pending) | None => return Ok(Done::TooLate),
    }
    let order = store::history::find_in_txn(txn, tenant, &[id]).await?;
    let Some(order) = order.into_iter().next() else {
        return Ok(Done::TooLate);
    };
    let returned: BTreeMap<Uuid, i64> = needs(&order.receipt.lines)
        .into_iter()
        .map(|(subject, taken)| (subject.id(), taken))
        .collect();
    if !returned.is_empty() {
        store::stock::lock(txn, returned.keys().copied()).await?;
    }
    let now_ms = txn.now_ms().await?;
    // the ticket decides: a cook may have taken it up a moment ago
    if !store::tickets::cancel(txn, id, from, now_ms).await? {
        return Ok(Done::TooLate);
    }
    if !store::orders::cancel(txn, id, now_ms).await? {
        return Err(Failure::Serialization);
    }
    let mut writes = Writes::new(txn);
    store::stock::add(&mut writes, &returned);
    store::outbox::add(&mut writes, &[outbox::cancelled(app.new_id(), tenant, id, now_ms)]);
    store::audit::add(
        &mut writes,
        &[Entry {
            request: Some(order.receipt.request_id),
            table_session: Some(session),
            order: Some(id),
            ..Entry::by(principal, CANCEL, "CANCELLED", now_ms)
        }],
    );
    writes.run().await?;
    app.faults.at("cancel", Some(txn)).await?;
    Ok(Done::Cancelled)
}
