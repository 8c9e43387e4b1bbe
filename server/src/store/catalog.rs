//! Shops and their menus.

use super::bulk::{Bulk, Kind};
use super::db::Db;
use super::entity::{shop, tenant};
use super::failure::{Failure, Result};
use super::menu_rows::MenuRows;
use super::menu_writer::{self, Difference};
use super::txn::Txn;
use crate::catalog::ordering::PolicyChange;
use crate::catalog::{Catalogue, OrderingPolicy, Shop};
use crate::lang::LocalText;
use masterorder_protocol::ids::TenantId;
use masterorder_protocol::money::Currency;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Set};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Reads the shops of tenants. Call it after the locking statement: it says which menu is valid now.
pub async fn shops(txn: &Txn, tenants: &[TenantId]) -> Result<HashMap<TenantId, Shop>> {
    let mut bulk = Bulk::new(txn);
    bulk.rows("r", [("id", Kind::Uuid)], tenants.iter().map(|t| [t.0.into()]));
    let rows = bulk
        .query("SELECT * FROM shops WHERE tenant_id IN (SELECT id FROM r)")
        .await?;
    rows.iter()
        .map(|row| Shop::try_from(shop::Model::from_query_result(row, "")?).map(|s| (s.tenant, s)))
        .collect()
}

/// Reads the shop of a tenant.
pub async fn shop(db: &Db, tenant: TenantId) -> Result<Option<Shop>> {
    shop::Entity::find_by_id(tenant.0)
        .one(&db.reader)
        .await?
        .map(Shop::try_from)
        .transpose()
}

/// Finds a shop by its (Japanese) name.
pub async fn shop_by_name(db: &Db, name: &str) -> Result<Option<Shop>> {
    shop::Entity::find()
        .filter(shop::Column::NameJa.eq(name))
        .one(&db.reader)
        .await?
        .map(Shop::try_from)
        .transpose()
}

/// Lists all shops, by name.
pub async fn all_shops(db: &Db) -> Result<Vec<Shop>> {
    shop::Entity::find()
        .order_by_asc(shop::Column::NameJa)
        .all(&db.reader)
        .await?
        .into_iter()
        .map(Shop::try_from)
        .collect()
}

/// Reads a tenant's menu.
///
/// *Errors*: `Serialization` when the menu kept changing while it was read.
pub async fn menu(db: &Db, tenant: TenantId) -> Result<Catalogue> {
    menu_rows(db, tenant).await?.catalogue()
}

/// Reads a tenant's menu as rows, to compare another one with.
///
/// *Errors*: `Serialization` when the menu kept changing while it was read.
pub async fn menu_rows(db: &Db, tenant: TenantId) -> Result<MenuRows> {
    consistent_rows(&db.reader, tenant).await
}

/// Reads a tenant's menu inside a transaction.
pub async fn menu_in_txn(txn: &Txn, tenant: TenantId) -> Result<Catalogue> {
    consistent_rows(txn.conn(), tenant).await?.catalogue()
}

/// Inserts a tenant with its shop.
pub async fn insert_shop(txn: &Txn, shop: &Shop, is_test: bool, now_ms: i64) -> Result<()> {
    tenant::Entity::insert(tenant::ActiveModel {
        id: Set(shop.tenant.0),
        is_test: Set(is_test),
        created_at_ms: Set(now_ms),
    })
    .exec_without_returning(txn.conn())
    .await?;
    shop::Entity::insert(shop::ActiveModel {
        tenant_id: Set(shop.tenant.0),
        id: Set(shop.id),
        name_ja: Set(shop.name.ja.clone()),
        name_en: Set(shop.name.en.clone()),
        currency: Set(shop.currency.as_str().into()),
        time_zone: Set(shop.time_zone.clone()),
        business_day_starts_min: Set(shop.business_day_starts_min),
        content_window_ms: Set(shop.policy.content_window_ms),
        cooldown_ms: Set(shop.policy.cooldown_ms),
        burst_ms: Set(shop.policy.burst_ms),
        wait_bound_ms: Set(shop.policy.wait_bound_ms),
        retention_ms: Set(shop.policy.retention_ms),
        lease_ms: Set(shop.policy.lease_ms),
        catalogue_version: Set(shop.catalogue_version),
        takes_orders: Set(shop.takes_orders),
    })
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Inserts the first menu of a shop that was inserted in this transaction, with its supply: tracked subjects and the pieces put
/// in.
pub async fn insert_menu(txn: &Txn, tenant: TenantId, menu: &Catalogue, supply: &BTreeMap<Uuid, i64>) -> Result<()> {
    let difference = Difference::between(tenant, &MenuRows::default(), menu, supply);
    menu_writer::write_first(txn, &difference).await
}

/// Starts or stops a shop's orders. Returns whether this call did.
pub async fn switch(txn: &Txn, tenant: TenantId, takes_orders: bool) -> Result<bool> {
    let switched = shop::Entity::update_many()
        .col_expr(shop::Column::TakesOrders, Expr::val(takes_orders))
        .filter(shop::Column::TenantId.eq(tenant.0))
        .filter(shop::Column::TakesOrders.ne(takes_orders))
        .exec(txn.conn())
        .await?;
    Ok(switched.rows_affected == 1)
}

/// Sets the given values of a shop's policy. Returns whether there were any.
pub async fn set_policy(txn: &Txn, tenant: TenantId, change: PolicyChange) -> Result<bool> {
    let values = [
        (shop::Column::ContentWindowMs, change.content_window_ms),
        (shop::Column::CooldownMs, change.cooldown_ms),
        (shop::Column::BurstMs, change.burst_ms),
        (shop::Column::WaitBoundMs, change.wait_bound_ms),
        (shop::Column::RetentionMs, change.retention_ms),
        (shop::Column::LeaseMs, change.lease_ms),
    ];
    let mut update = shop::Entity::update_many().filter(shop::Column::TenantId.eq(tenant.0));
    let mut any = false;
    for (column, value) in values {
        if let Some(value) = value {
            update = update.col_expr(column, Expr::val(value));
            any = true;
        }
    }
    if any {
        update.exec(txn.conn()).await?;
    }
    Ok(any)
}

/// Makes the menu at version `from` the next version, and says whether it was still at that one. Every writer of the menu does
/// this before it writes.
///
/// *Transaction*: waits for another writer of the menu up to the wait bound (`LockTimeout`).
pub(super) async fn advance_version(txn: &Txn, tenant: TenantId, from: i64) -> Result<bool> {
    let advanced = shop::Entity::update_many()
        .col_expr(shop::Column::CatalogueVersion, Expr::val(from + 1))
        .filter(shop::Column::TenantId.eq(tenant.0))
        .filter(shop::Column::CatalogueVersion.eq(from))
        .exec(txn.conn())
        .await?;
    Ok(advanced.rows_affected == 1)
}

async fn consistent_rows(db: &impl ConnectionTrait, tenant: TenantId) -> Result<MenuRows> {
    for _ in 0..3 {
        let before = version(db, tenant).await?;
        let rows = MenuRows::read(db, tenant, before).await?;
        if version(db, tenant).await? == before {
            return Ok(rows);
        }
    }
    Err(Failure::Serialization)
}

async fn version(db: &impl ConnectionTrait, tenant: TenantId) -> Result<i64> {
    let version = shop::Entity::find_by_id(tenant.0)
        .select_only()
        .column(shop::Column::CatalogueVersion)
        .into_tuple::<i64>()
        .one(db)
        .await?;
    version.ok_or_else(|| Failure::Inconsistent {
        table: "shops",
        column: "tenant_id",
        row: tenant.to_string(),
    })
}

impl TryFrom<shop::Model> for Shop {
    type Error = Failure;

    fn try_from(row: shop::Model) -> Result<Self> {
        let currency = Currency::parse(&row.currency).map_err(|_| Failure::Inconsistent {
            table: "shops",
            column: "currency",
            row: row.id.to_string(),
        })?;
        Ok(Self {
            id: row.id,
            tenant: TenantId(row.tenant_id),
            name: LocalText {
                ja: row.name_ja,
                en: row.name_en,
            },
            currency,
            time_zone: row.time_zone,
            business_day_starts_min: row.business_day_starts_min,
            policy: OrderingPolicy {
                content_window_ms: row.content_window_ms,
                cooldown_ms: row.cooldown_ms,
                burst_ms: row.burst_ms,
                wait_bound_ms: row.wait_bound_ms,
                retention_ms: row.retention_ms,
                lease_ms: row.lease_ms,
            },
            catalogue_version: row.catalogue_version,
            takes_orders: row.takes_orders,
        })
    }
}
