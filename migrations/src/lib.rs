//! The schema history. One table family per file, up and down, frozen after a release; never today's entities.
//!
//! Every migration is one transaction on both databases. Whoever runs them holds a lock (see the server's store).

pub use sea_orm_migration::prelude::{MigratorTrait, SchemaManager};

use sea_orm_migration::prelude::*;

/// The column types of the two databases.
mod column;
mod m0001_tenants;
mod m0002_catalogue;
mod m0003_table_sessions;
mod m0004_orders;
mod m0005_idempotency;
mod m0006_kitchen;
mod m0007_outbox;
mod m0008_audit;
mod m0009_ordering_switch;
mod m0010_retention;
mod m0011_guessing;
mod m0012_finished_tickets;

/// All migrations, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_tenants::Migration),
            Box::new(m0002_catalogue::Migration),
            Box::new(m0003_table_sessions::Migration),
            Box::new(m0004_orders::Migration),
            Box::new(m0005_idempotency::Migration),
            Box::new(m0006_kitchen::Migration),
            Box::new(m0007_outbox::Migration),
            Box::new(m0008_audit::Migration),
            Box::new(m0009_ordering_switch::Migration),
            Box::new(m0010_retention::Migration),
            Box::new(m0011_guessing::Migration),
            Box::new(m0012_finished_tickets::Migration),
        ]
    }
}
