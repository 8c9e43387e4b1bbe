//! Table sessions: one party at one table.

/// Closing.
pub mod checkout;

use crate::app::App;
use crate::ordering::command::InputError;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store;
use crate::store::writer_queue::Priority;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use subtle::ConstantTimeEq;

/// How long a closed table session still knows its PIN, to read and replay its own orders. *Units*: ms.
pub const READABLE_AFTER_CLOSE_MS: i64 = 24 * 3_600_000;
/// Characters of a table's label.
const MAX_LABEL: usize = 40;

/// A party at a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSession {
    /// Its id.
    pub id: TableSessionId,
    /// Its account.
    pub tenant: TenantId,
    /// The table's label.
    pub table: String,
    /// 4 digits; for staff and whoever sits there.
    pub pin: String,
    /// *Units*: ms since the Unix epoch.
    pub opened_at_ms: i64,
    /// *Units*: ms since the Unix epoch; `None` while open.
    pub closed_at_ms: Option<i64>,
}

/// What opening came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The table's open session.
    pub session: TableSession,
    /// It was open before: a second tap opens no second one.
    pub already_open: bool,
}

/// Finds the guest that a table session and its PIN stand for.
///
/// *Errors*: one and the same for an unknown session, a wrong PIN and a session closed too long ago.
pub async fn guest(app: &App, session: TableSessionId, pin: &str, device: &str) -> Result<Principal, Refusal> {
    const REFUSED: Refusal = Refusal::Unauthenticated("X-Session-Id and X-Session-PIN do not fit together");
    let (found, now_ms) = store::tables::find(&app.db, session).await?;
    let Some(found) = found else {
        return Err(REFUSED);
    };
    let principal = Principal {
        tenant: found.tenant,
        role: Role::Guest(found.id),
        device: device.to_owned(),
    };
    if !bool::from(found.pin.as_bytes().ct_eq(pin.as_bytes())) {
        app.metrics.wrong_pins.inc();
        app.audit.note(crate::audit::Entry {
            tenant: found.tenant,
            at_ms: now_ms,
            action: "authenticate".into(),
            result: "WRONG_PIN".into(),
            caller: principal.caller(),
            device: principal.device,
            request: None,
            table_session: Some(found.id),
            order: None,
        });
        return Err(REFUSED);
    }
    match found.closed_at_ms {
        Some(closed) if now_ms - closed > READABLE_AFTER_CLOSE_MS => Err(REFUSED),
        _ => Ok(principal),
    }
}

/// Opens a table for a party, or finds the one that sits there. Staff only.
///
/// *Errors*: a label that is empty or longer than 40 characters.
pub async fn open(app: &App, principal: &Principal, table: &str) -> Result<Opened, Refusal> {
    principal.staff_only("tables are opened with staff keys")?;
    let table = table.trim().to_owned();
    let length = table.chars().count();
    if !(1..=MAX_LABEL).contains(&length) || table.chars().any(char::is_control) {
        return Err(InputError::new("table", format!("must be 1 to {MAX_LABEL} printable characters")).into());
    }
    let (db, tenant, id) = (app.db.clone(), principal.tenant, TableSessionId(app.new_id()));
    let opened = app
        .detach(async move {
            store::txn::write(&db, Priority::Request, async |txn| {
                let opened_at_ms = txn.now_ms().await?;
                let session = TableSession {
                    id,
                    tenant,
                    table,
                    pin: new_pin(),
                    opened_at_ms,
                    closed_at_ms: None,
                };
                let stands = store::tables::open(txn, &session).await?;
                Ok(Opened {
                    already_open: stands.id != session.id,
                    session: stands,
                })
            })
            .await
        })
        .await??;
    Ok(opened)
}

/// Finds a table session that the caller may read.
pub async fn find(app: &App, principal: &Principal, id: TableSessionId) -> Result<Option<TableSession>, Refusal> {
    if !principal.may_read(id) {
        return Ok(None);
    }
    let (found, _) = store::tables::find(&app.db, id).await?;
    Ok(found.filter(|s| s.tenant == principal.tenant))
}

/// A PIN of 4 digits.
pub fn new_pin() -> String {
    format!("{:04}", rand::random_range(0..10_000))
}
