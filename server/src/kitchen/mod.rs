//! The kitchen's side of an order.

/// Tickets and their states.
pub mod ticket;

use crate::app::App;
use crate::live::Change;
use crate::live::feed::Feed;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store;
use crate::store::writer_queue::Priority;
use masterorder_protocol::ids::TicketId;
use std::sync::Arc;
use ticket::{State, Ticket};

/// A ticket with its order's content.
pub use store::tickets::BoardTicket;

/// Tickets that the kitchen reads at once at most.
pub const MAX_TICKETS: u64 = 500;

/// Lists tickets in the given states, oldest first. Staff only.
pub async fn tickets(app: &App, principal: &Principal, states: &[State]) -> Result<Vec<BoardTicket>, Refusal> {
    principal.staff_only("the kitchen is for staff keys")?;
    Ok(store::tickets::board(&app.db, principal.tenant, states, MAX_TICKETS).await?)
}

/// How long a finished ticket stays on the board, to be called back. *Units*: ms.
const SHOWN_AFTER_END_MS: i64 = 10 * 60_000;

/// Watches the board: tickets that are not finished, and those that were finished a moment ago. Staff only.
pub fn watch(app: &Arc<App>, principal: &Principal) -> Result<Feed<BoardTicket>, Refusal> {
    principal.staff_only("the kitchen is for staff keys")?;
    let (db, tenant) = (app.db.clone(), principal.tenant);
    Ok(app.live.boards.watch(tenant.0, move || {
        let db = db.clone();
        async move {
            let since_ms = db.now_ms().await? - SHOWN_AFTER_END_MS;
            store::tickets::shown(&db, tenant, since_ms, MAX_TICKETS).await
        }
    }))
}

/// What an advance came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// The ticket as it is now.
    pub ticket: Ticket,
    /// It was moved by this call.
    pub changed: bool,
}

/// Moves a ticket from one state to another, as compare-and-set: two cooks who tap at once move it once.
///
/// *Errors*: a step that the states do not know is bad input; `NOT_FOUND`; `FORBIDDEN` for all but staff.
pub async fn advance(
    app: &App,
    principal: &Principal,
    ticket: TicketId,
    from: State,
    to: State,
) -> Result<Advanced, Refusal> {
    principal.staff_only("the kitchen is for staff keys")?;
    if !from.leads_to(to) {
        return Err(crate::ordering::command::InputError::new(
            "to",
            format!("must be one step from {}: {}", from.as_str(), from.steps_text()),
        )
        .into());
    }
    let (db, tenant) = (app.db.clone(), principal.tenant);
    let advanced = app
        .detach(async move {
            store::txn::write(&db, Priority::Request, async |txn| {
                let now_ms = txn.now_ms().await?;
                let changed = store::tickets::advance(txn, tenant, ticket, (from, to), now_ms).await?;
                let Some(ticket) = store::tickets::find(txn, tenant, ticket).await? else {
                    return Ok(None);
                };
                let party = store::orders::table_session(txn, ticket.order).await?;
                Ok(Some((Advanced { ticket, changed }, party)))
            })
            .await
        })
        .await??;
    let (advanced, party) = advanced.ok_or(Refusal::NotFound("ticket"))?;
    if let (true, Some(table_session)) = (advanced.changed, party) {
        app.live.changed(Change { tenant, table_session });
    }
    Ok(advanced)
}
