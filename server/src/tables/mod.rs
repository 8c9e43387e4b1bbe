//! Table sessions: one party at one table.

/// Closing.
pub mod checkout;
/// How often a PIN may be guessed.
pub mod guessing;
/// Who has just sat down.
pub mod seats;

use crate::app::App;
use crate::audit::Entry;
use crate::ordering::command::InputError;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store;
use crate::store::writer_queue::Priority;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use std::net::IpAddr;
use subtle::ConstantTimeEq;

/// How long a closed table session still knows its PIN, to read and replay its own orders. *Units*: ms.
pub const READABLE_AFTER_CLOSE_MS: i64 = 24 * 3_600_000;
const REFUSED: Refusal = Refusal::Unauthenticated("X-Session-Id and X-Session-PIN do not fit together");
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
/// *Errors*: one and the same for an unknown session, a wrong PIN and a session closed too long ago; `RateLimited` after too
/// many wrong PINs, unless the device sits there already.
pub async fn guest(
    app: &App,
    session: TableSessionId,
    pin: &str,
    device: &str,
    address: IpAddr,
) -> Result<Principal, Refusal> {
    let Some(door) = store::tables::door(&app.db, session, device).await? else {
        return Err(REFUSED);
    };
    let principal = Principal {
        tenant: door.session.tenant,
        role: Role::Guest(session),
        device: device.to_owned(),
    };
    let right = bool::from(door.session.pin.as_bytes().ct_eq(pin.as_bytes()));
    if !(right && (door.seated || app.seats.has(session, device))) {
        let address = guessing::network(address);
        let _turn = app.seats.turn(session).await;
        let guesses = store::guesses::find(&app.db, session, &address).await?;
        if let Some(left_ms) = guesses.iter().filter_map(|g| g.locked_for_ms(door.now_ms)).max() {
            return Err(Refusal::RateLimited(left_ms));
        }
        if !right {
            note_wrong_pin(app, &principal, session, &address, door.now_ms).await?;
            return Err(REFUSED);
        }
        app.seats.take(session, device);
    }
    match door.session.closed_at_ms {
        Some(closed) if door.now_ms - closed > READABLE_AFTER_CLOSE_MS => Err(REFUSED),
        _ => Ok(principal),
    }
}

/// Counts before the answer leaves: whoever guesses in parallel is counted too.
async fn note_wrong_pin(
    app: &App,
    guest: &Principal,
    session: TableSessionId,
    address: &str,
    now_ms: i64,
) -> Result<(), Refusal> {
    let (db, address) = (app.db.clone(), address.to_owned());
    app.metrics.wrong_pins.inc();
    app.audit.note(Entry::by(guest, "authenticate", "WRONG_PIN", now_ms));
    app.detach(async move {
        store::txn::write(&db, Priority::Request, async |txn| {
            store::guesses::count(txn, session, &address, now_ms).await
        })
        .await
    })
    .await??;
    Ok(())
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
    let found = store::tables::find(&app.db, id).await?;
    Ok(found.filter(|s| s.tenant == principal.tenant))
}

/// A PIN of 4 digits.
pub fn new_pin() -> String {
    format!("{:04}", rand::random_range(0..10_000))
}
