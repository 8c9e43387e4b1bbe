//! Wrong PINs, and the devices that once gave the right one.

use super::db::Db;
use super::entity::{pin_guess, seated_device};
use super::failure::Result;
use super::txn::Txn;
use crate::tables::guessing::{Guesses, Scope};
use masterorder_protocol::ids::TableSessionId;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};

/// Stands for all addresses together.
const EVERYBODY: &str = "*";

/// Reads the wrong PINs of a table session: of this address, and of everybody.
pub async fn find(db: &Db, session: TableSessionId, address: &str) -> Result<Vec<Guesses>> {
    use pin_guess::Column as C;
    let rows = pin_guess::Entity::find()
        .filter(C::TableSessionId.eq(session.0))
        .filter(C::Address.is_in([address, EVERYBODY]))
        .all(&db.reader)
        .await?;
    let guesses = rows.into_iter().map(|row| Guesses {
        scope: match row.address.as_str() {
            EVERYBODY => Scope::Session,
            _ => Scope::Address,
        },
        wrong: row.wrong,
        last_wrong_at_ms: row.last_wrong_at_ms,
    });
    Ok(guesses.collect())
}

/// Counts a wrong PIN, for its address and for everybody.
pub async fn count(txn: &Txn, session: TableSessionId, address: &str, now_ms: i64) -> Result<()> {
    use pin_guess::Column as C;
    // sorted, as all rows are that are locked together
    let mut scopes = [address, EVERYBODY];
    scopes.sort_unstable();
    pin_guess::Entity::insert_many(scopes.map(|address| pin_guess::ActiveModel {
        table_session_id: Set(session.0),
        address: Set(address.into()),
        wrong: Set(1),
        last_wrong_at_ms: Set(now_ms),
    }))
    .on_conflict(
        OnConflict::columns([C::TableSessionId, C::Address])
            .value(C::Wrong, Expr::col((pin_guess::Entity, C::Wrong)).add(1))
            .update_column(C::LastWrongAtMs)
            .to_owned(),
    )
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Remembers devices that gave the right PIN.
pub async fn seat(txn: &Txn, devices: &[(TableSessionId, String)], now_ms: i64) -> Result<()> {
    use seated_device::Column as C;
    seated_device::Entity::insert_many(devices.iter().map(|(session, device)| seated_device::ActiveModel {
        table_session_id: Set(session.0),
        device: Set(device.clone()),
        seated_at_ms: Set(now_ms),
    }))
    .on_conflict(
        OnConflict::columns([C::TableSessionId, C::Device])
            .do_nothing()
            .to_owned(),
    )
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Forgets wrong PINs that are older than this. Returns how many rows that were.
pub async fn forget(txn: &Txn, before_ms: i64) -> Result<u64> {
    let forgotten = pin_guess::Entity::delete_many()
        .filter(pin_guess::Column::LastWrongAtMs.lt(before_ms))
        .exec(txn.conn())
        .await?;
    Ok(forgotten.rows_affected)
}
