//! API keys.

use super::db::Db;
use super::entity::{api_key, tenant};
use super::failure::{Failure, Result};
use super::txn::Txn;
use crate::staff::{ApiKey, KeyKind, Secret};
use api_key::{ActiveModel, Column, Entity, Model};
use masterorder_protocol::ids::{KeyId, TenantId};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, Set};

/// Finds a key that is valid now, by the hash of its secret.
pub async fn find_valid(db: &Db, secret_sha256: &[u8]) -> Result<Option<ApiKey>> {
    Entity::find()
        .filter(Column::SecretSha256.eq(secret_sha256.to_vec()))
        .filter(Column::RevokedAtMs.is_null())
        .one(&db.reader)
        .await?
        .map(ApiKey::try_from)
        .transpose()
}

/// Stores a key.
pub async fn insert(txn: &Txn, key: &ApiKey, secret: &Secret) -> Result<()> {
    Entity::insert(ActiveModel {
        id: Set(key.id.0),
        tenant_id: Set(key.tenant.0),
        kind: Set(key.kind.as_str().into()),
        name: Set(key.name.clone()),
        secret_sha256: Set(secret.sha256().to_vec()),
        hint: Set(key.hint.clone()),
        created_at_ms: Set(key.created_at_ms),
        revoked_at_ms: Set(None),
    })
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Lists the keys of a tenant, oldest first.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<ApiKey>> {
    Entity::find()
        .filter(Column::TenantId.eq(tenant.0))
        .order_by_asc(Column::CreatedAtMs)
        .all(&db.reader)
        .await?
        .into_iter()
        .map(ApiKey::try_from)
        .collect()
}

/// Finds a key of a tenant.
pub async fn find(txn: &Txn, tenant: TenantId, key: KeyId) -> Result<Option<ApiKey>> {
    Entity::find_by_id(key.0)
        .filter(Column::TenantId.eq(tenant.0))
        .one(txn.conn())
        .await?
        .map(ApiKey::try_from)
        .transpose()
}

/// Revokes a key for good. Returns whether this call did.
pub async fn revoke(txn: &Txn, key: KeyId, now_ms: i64) -> Result<bool> {
    let changed = Entity::update_many()
        .col_expr(Column::RevokedAtMs, Expr::value(now_ms))
        .filter(Column::Id.eq(key.0))
        .filter(Column::RevokedAtMs.is_null())
        .exec(txn.conn())
        .await?;
    Ok(changed.rows_affected == 1)
}

/// Tells whether a tenant is marked as a test; its keys say so.
pub async fn is_test(db: &Db, tenant: TenantId) -> Result<bool> {
    let row = tenant::Entity::find_by_id(tenant.0).one(&db.reader).await?;
    Ok(row.is_some_and(|t| t.is_test))
}

impl TryFrom<Model> for ApiKey {
    type Error = Failure;

    fn try_from(row: Model) -> Result<Self> {
        let kind = match row.kind.as_str() {
            "STAFF" => KeyKind::Staff,
            "INTEGRATOR" => KeyKind::Integrator,
            _ => {
                return Err(Failure::Inconsistent {
                    table: "api_keys",
                    column: "kind",
                    row: row.id.to_string(),
                });
            }
        };
        Ok(Self {
            id: KeyId(row.id),
            tenant: TenantId(row.tenant_id),
            kind,
            name: row.name,
            hint: row.hint,
            created_at_ms: row.created_at_ms,
            revoked_at_ms: row.revoked_at_ms,
        })
    }
}
