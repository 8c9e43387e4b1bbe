//! Wrong PINs, and the devices that once gave the right one.

use super::bulk::{Bulk, Kind};
use super::db::Db;
use super::entity::pin_guess;
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
    let reader = db.clone();
    let load = move |keys| find_all(reader.clone(), keys);
    db.shared_reads.guesses.get((session, address.to_owned()), load).await
}

async fn find_all(db: Db, keys: Vec<(TableSessionId, String)>) -> Result<Vec<Vec<Guesses>>> {
    let mut bulk = Bulk::reading(&db);
    let columns = [
        ("position", Kind::Int),
        ("session", Kind::Uuid),
        ("address", Kind::Text),
    ];
    let rows = (0_i64..).zip(&keys);
    bulk.rows(
        "r",
        columns,
        rows.map(|(i, (session, address))| [i.into(), session.0.into(), address.clone().into()]),
    );
    let everybody = bulk.value(EVERYBODY);
    let rows = bulk
        .query(&format!(
            "SELECT r.position, g.address, g.wrong, g.last_wrong_at_ms FROM r
             JOIN pin_guesses g ON g.table_session_id = r.session AND g.address IN (r.address, {everybody})"
        ))
        .await?;
    let mut found = vec![Vec::new(); keys.len()];
    for row in &rows {
        let guesses = Guesses {
            scope: match row.try_get_by_index::<String>(1)?.as_str() {
                EVERYBODY => Scope::Session,
                _ => Scope::Address,
            },
            wrong: row.try_get_by_index(2)?,
            last_wrong_at_ms: row.try_get_by_index(3)?,
        };
        let position = usize::try_from(row.try_get_by_index::<i64>(0)?).unwrap_or(usize::MAX);
        if let Some(found) = found.get_mut(position) {
            found.push(guesses);
        }
    }
    Ok(found)
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
    let mut bulk = Bulk::new(txn);
    let columns = [
        ("table_session_id", Kind::Uuid),
        ("device", Kind::Text),
        ("seated_at_ms", Kind::Int),
    ];
    let rows = devices
        .iter()
        .map(|(session, device)| [session.0.into(), device.clone().into(), now_ms.into()]);
    bulk.rows("r", columns, rows);
    // WHERE: without it SQLite takes ON for the beginning of a join
    bulk.execute(
        "INSERT INTO seated_devices (table_session_id, device, seated_at_ms)
         SELECT table_session_id, device, seated_at_ms FROM r WHERE TRUE ON CONFLICT DO NOTHING",
    )
    .await?;
    Ok(())
}

/// Forgets wrong PINs that are older than this. *Units*: ms since the Unix epoch.
pub async fn forget(txn: &Txn, before_ms: i64) -> Result<()> {
    pin_guess::Entity::delete_many()
        .filter(pin_guess::Column::LastWrongAtMs.lt(before_ms))
        .exec(txn.conn())
        .await?;
    Ok(())
}

/// Forgets the devices of table sessions that were closed before this. *Units*: ms since the Unix epoch.
pub async fn unseat(txn: &Txn, before_ms: i64) -> Result<()> {
    let mut bulk = Bulk::new(txn);
    let before = bulk.value(before_ms);
    // device by device, of which there are few: a join could read every party that ever was
    bulk.execute(&format!(
        "DELETE FROM seated_devices
         WHERE (SELECT t.closed_at_ms FROM table_sessions t WHERE t.id = table_session_id) < {before}"
    ))
    .await?;
    Ok(())
}
