//! A wire between the nodes that share a database.

use super::db::Db;
use super::dialect;
use super::failure::{Failure, Result};
use tokio::time::timeout;

pub use dialect::Bus;

/// Opens the wire, on connections of its own. `None`: the database is not shared, and there is nobody to wake.
pub async fn connect(db: &Db) -> Result<Option<Bus>> {
    match timeout(dialect::SILENCE_BOUND, dialect::connect_bus(&db.target)).await {
        Ok(opened) => Ok(opened?),
        Err(_) => Err(Failure::ConnectionLost),
    }
}
