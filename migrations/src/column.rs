//! DDL is written once, in SQL, with the column types left open: `{uuid}`, `{int}`, `{bool}`, `{bytes}`, `{strict}`.
//!
//! SQLite tables are STRICT, so that a text can not slip into a column of integers there either.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

/// Runs statements separated by `;`, with the types of the database at hand filled in.
pub async fn run(manager: &SchemaManager<'_>, ddl: &str) -> Result<(), DbErr> {
    let types = match manager.get_database_backend() {
        DbBackend::Sqlite => [
            ("{uuid}", "BLOB"),
            ("{int}", "INTEGER"),
            ("{bool}", "INTEGER"),
            ("{bytes}", "BLOB"),
            ("{strict}", "STRICT"),
        ],
        _ => [
            ("{uuid}", "UUID"),
            ("{int}", "BIGINT"),
            ("{bool}", "BOOLEAN"),
            ("{bytes}", "BYTEA"),
            ("{strict}", ""),
        ],
    };
    let ddl = types
        .iter()
        .fold(ddl.to_owned(), |ddl, (open, filled)| ddl.replace(open, filled));
    for statement in ddl.split(';').filter(|s| !s.trim().is_empty()) {
        manager.get_connection().execute_unprepared(statement).await?;
    }
    Ok(())
}

/// Declares a migration of the given name from its two texts.
macro_rules! migration {
    ($name:literal, $up:expr, $down:expr) => {
        pub struct Migration;

        impl sea_orm_migration::prelude::MigrationName for Migration {
            fn name(&self) -> &str {
                $name
            }
        }

        #[async_trait::async_trait]
        impl sea_orm_migration::prelude::MigrationTrait for Migration {
            async fn up(
                &self,
                manager: &sea_orm_migration::prelude::SchemaManager,
            ) -> Result<(), sea_orm_migration::prelude::DbErr> {
                crate::column::run(manager, $up).await
            }

            async fn down(
                &self,
                manager: &sea_orm_migration::prelude::SchemaManager,
            ) -> Result<(), sea_orm_migration::prelude::DbErr> {
                crate::column::run(manager, $down).await
            }

            fn use_transaction(&self) -> Option<bool> {
                Some(true)
            }
        }
    };
}
pub(crate) use migration;
