//! Schema upkeep. Under a lock, so that two nodes that start at once do not collide.

use super::db::Db;
use super::dialect;
use masterorder_migrations::{Migrator, MigratorTrait, SchemaManager};

/// Applies what is pending. Returns how many migrations that were.
pub async fn up(db: &Db) -> anyhow::Result<usize> {
    let lock = dialect::lock_migrations(&db.target, &db.reader.current()).await?;
    let writer = db.writer.current();
    let pending = Migrator::get_pending_migrations(&writer).await?.len();
    Migrator::up(&writer, None).await?;
    lock.release().await?;
    Ok(pending)
}

/// Names what is pending, oldest first. Reads only: asking the migrator would create its table where there is none, and two
/// nodes that create it at once collide.
pub async fn pending(db: &Db) -> anyhow::Result<Vec<String>> {
    let table = Migrator::migration_table_name().to_string();
    let writer = db.writer.current();
    if !SchemaManager::new(&writer).has_table(table).await? {
        return Ok(Migrator::migrations().iter().map(|m| m.name().to_owned()).collect());
    }
    Ok(Migrator::get_pending_migrations(&writer)
        .await?
        .iter()
        .map(|m| m.name().to_owned())
        .collect())
}
