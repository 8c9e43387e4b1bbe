//! Asking what became of a key.

use crate::app::App;
use crate::idempotency::PLACE_ORDER;
use crate::ordering::command;
use crate::ordering::outcome::Outcome;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store;
use crate::store::idempotency::Scope;
use masterorder_protocol::codes::Code;
use masterorder_protocol::ids::OrderId;

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// Nothing is committed *yet*: resend the same id. Also the answer to who may not know.
    Unknown,
    /// Its owner is at work.
    InProgress,
    /// It became an order, or is an alias of one.
    Placed,
    /// It was refused for good.
    Rejected,
    /// Its order exists, its retention is over.
    Expired,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Where it stands.
    pub state: KeyState,
    /// The order, when placed or expired.
    pub order: Option<OrderId>,
    /// The code, when rejected.
    pub code: Option<Code>,
}

impl Status {
    const UNKNOWN: Self = Self {
        state: KeyState::Unknown,
        order: None,
        code: None,
    };
}

/// Tells what became of a key, to who may read the order or made the claim.
///
/// *Errors*: a text that is no key.
pub async fn status(app: &App, principal: &Principal, request_id: &str) -> Result<Status, Refusal> {
    let request = command::parse_request_id(request_id)?;
    let scope = Scope {
        tenant: principal.tenant,
        operation: PLACE_ORDER,
        key: request,
    };
    let stored = store::idempotency::find(&app.db, scope).await?;
    if let Some(stored) = stored.filter(|s| !s.expired) {
        let own = stored.claim.caller == principal.caller();
        return Ok(match stored.outcome {
            Some(Outcome::Placed { receipt } | Outcome::Alias { receipt, .. })
                if own || principal.may_read(receipt.table_session_id) =>
            {
                Status {
                    state: KeyState::Placed,
                    order: Some(receipt.order_id),
                    code: None,
                }
            }
            Some(Outcome::Rejected { rejection }) if own => Status {
                state: KeyState::Rejected,
                order: None,
                code: Some(rejection.code()),
            },
            None if own => Status {
                state: KeyState::InProgress,
                ..Status::UNKNOWN
            },
            _ => Status::UNKNOWN,
        });
    }
    // the order outlives its outcome
    let order = store::history::by_request(&app.db, principal.tenant, request).await?;
    if let Some(order) = order.filter(|o| principal.may_read(o.receipt.table_session_id)) {
        return Ok(Status {
            state: KeyState::Expired,
            order: Some(order.receipt.order_id),
            code: None,
        });
    }
    if app.inflight.led_by(scope, &principal.caller()) {
        return Ok(Status {
            state: KeyState::InProgress,
            ..Status::UNKNOWN
        });
    }
    Ok(Status::UNKNOWN)
}
