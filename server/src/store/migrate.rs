//! Schema upkeep. Under a lock, so that two nodes that start at once do not collide.

use super::db::Db;
use super::dialect;
use masterorder_migrations::{Migrator, MigratorTrait};

/// Applies what is pending. Returns how many migrations that were.
pub async fn up(db: &Db) -> anyhow::Result<usize> {
    let lock = dialect::lock_migrations(&db.target, &db.reader).await?;
    let pending = Migrator::get_pending_migrations(&db.writer).await?.len();
    Migrator::up(&db.writer, None).await?;
    lock.release().await?;
    Ok(pending)
}

/// Names what is pending, oldest first.
pub async fn pending(db: &Db) -> anyhow::Result<Vec<String>> {
    Ok(Migrator::get_pending_migrations(&db.writer)
        .await?
        .iter()
        .map(|m| m.name().to_owned())
        .collect())
}
