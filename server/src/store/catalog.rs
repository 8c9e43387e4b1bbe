//! Shops and their menus.

use super::db::Db;
use super::entity::{item_topping_group, menu_item, menu_section, shop, stock_level, tenant, topping, topping_group};
use super::failure::{Failure, Result};
use super::txn::Txn;
use crate::catalog::{Catalogue, Item, OrderingPolicy, Section, Shop, Topping, ToppingGroup};
use crate::lang::LocalText;
use masterorder_protocol::ids::{MenuItemId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Reads the shops of tenants. Call it after the locking statement: it says which menu is valid now.
pub async fn shops(txn: &Txn, tenants: &[TenantId]) -> Result<HashMap<TenantId, Shop>> {
    shop::Entity::find()
        .filter(shop::Column::TenantId.is_in(tenants.iter().map(|t| t.0)))
        .all(txn.conn())
        .await?
        .into_iter()
        .map(|row| Shop::try_from(row).map(|s| (s.tenant, s)))
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
    consistent_menu(&db.reader, tenant).await
}

/// Reads a tenant's menu inside a transaction.
pub async fn menu_in_txn(txn: &Txn, tenant: TenantId) -> Result<Catalogue> {
    consistent_menu(txn.conn(), tenant).await
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
    })
    .exec_without_returning(txn.conn())
    .await?;
    Ok(())
}

/// Inserts a whole menu with its supply: tracked subjects and the pieces put in.
pub async fn insert_menu(txn: &Txn, tenant: TenantId, menu: &Catalogue, supply: &BTreeMap<Uuid, i64>) -> Result<()> {
    let tenant_id = Set(tenant.0);
    let position = |n: usize| Set(i64::try_from(n).unwrap_or(i64::MAX));
    let sections = menu
        .sections
        .iter()
        .enumerate()
        .map(|(i, section)| menu_section::ActiveModel {
            id: Set(section.id),
            tenant_id: tenant_id.clone(),
            source_key: Set(section.source_key.clone()),
            position: position(i),
            name_ja: Set(section.name.ja.clone()),
            name_en: Set(section.name.en.clone()),
        });
    menu_section::Entity::insert_many(sections)
        .exec_without_returning(txn.conn())
        .await?;
    let groups = menu.groups.values().map(|group| topping_group::ActiveModel {
        id: Set(group.id),
        tenant_id: tenant_id.clone(),
        source_key: Set(group.source_key.clone()),
        name_ja: Set(group.name.ja.clone()),
        name_en: Set(group.name.en.clone()),
        min_count: Set(group.min),
        max_count: Set(group.max),
    });
    topping_group::Entity::insert_many(groups)
        .exec_without_returning(txn.conn())
        .await?;
    let toppings = menu.groups.values().flat_map(|group| {
        let toppings = group.toppings.iter().filter_map(|id| menu.toppings.get(id));
        toppings.enumerate().map(|(i, topping)| topping::ActiveModel {
            id: Set(topping.id.0),
            tenant_id: Set(tenant.0),
            group_id: Set(topping.group),
            sku: Set(topping.sku.clone()),
            position: Set(i64::try_from(i).unwrap_or(i64::MAX)),
            name_ja: Set(topping.name.ja.clone()),
            name_en: Set(topping.name.en.clone()),
            price_minor: Set(topping.price_minor),
            available: Set(topping.available),
            archived: Set(topping.archived),
        })
    });
    topping::Entity::insert_many(toppings)
        .exec_without_returning(txn.conn())
        .await?;
    let mut items = Vec::with_capacity(menu.items.len());
    let mut links = Vec::new();
    for section in &menu.sections {
        for (i, item) in section.items.iter().filter_map(|id| menu.items.get(id)).enumerate() {
            let allergens = serde_json::to_string(&item.allergens).unwrap_or_else(|_| "[]".into());
            items.push(menu_item::ActiveModel {
                id: Set(item.id.0),
                tenant_id: tenant_id.clone(),
                section_id: Set(section.id),
                sku: Set(item.sku.clone()),
                position: position(i),
                name_ja: Set(item.name.ja.clone()),
                name_en: Set(item.name.en.clone()),
                description_ja: Set(item.description.ja.clone()),
                description_en: Set(item.description.en.clone()),
                image_url: Set(item.image_url.clone()),
                allergens: Set(allergens),
                station: Set(item.station.clone()),
                price_minor: Set(item.price_minor),
                tax_rate_bp: Set(item.tax_rate_bp),
                available: Set(item.available),
                archived: Set(item.archived),
            });
            links.extend(
                item.groups
                    .iter()
                    .enumerate()
                    .map(|(j, group)| item_topping_group::ActiveModel {
                        item_id: Set(item.id.0),
                        group_id: Set(*group),
                        tenant_id: tenant_id.clone(),
                        position: position(j),
                    }),
            );
        }
    }
    menu_item::Entity::insert_many(items)
        .exec_without_returning(txn.conn())
        .await?;
    item_topping_group::Entity::insert_many(links)
        .exec_without_returning(txn.conn())
        .await?;
    let levels = supply.iter().map(|(subject, quantity)| stock_level::ActiveModel {
        subject_id: Set(*subject),
        kind: Set(if menu.items.contains_key(&MenuItemId(*subject)) {
            "ITEM"
        } else {
            "TOPPING"
        }
        .into()),
        tenant_id: tenant_id.clone(),
        quantity: Set(*quantity),
        supplied: Set(*quantity),
    });
    stock_level::Entity::insert_many(levels)
        .exec_without_returning(txn.conn())
        .await?;
    Ok(())
}

async fn consistent_menu(db: &impl ConnectionTrait, tenant: TenantId) -> Result<Catalogue> {
    for _ in 0..3 {
        let before = version(db, tenant).await?;
        let menu = read_menu(db, tenant, before).await?;
        if version(db, tenant).await? == before {
            return Ok(menu);
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

async fn read_menu(db: &impl ConnectionTrait, tenant: TenantId, version: i64) -> Result<Catalogue> {
    let mut menu = Catalogue {
        version,
        sections: Vec::new(),
        items: BTreeMap::new(),
        groups: BTreeMap::new(),
        toppings: BTreeMap::new(),
        tracked: Default::default(),
    };
    let groups = topping_group::Entity::find()
        .filter(topping_group::Column::TenantId.eq(tenant.0))
        .all(db)
        .await?;
    for row in groups {
        menu.groups.insert(
            row.id,
            ToppingGroup {
                id: row.id,
                source_key: row.source_key,
                name: local(row.name_ja, row.name_en),
                min: row.min_count,
                max: row.max_count,
                toppings: Vec::new(),
            },
        );
    }
    let toppings = topping::Entity::find()
        .filter(topping::Column::TenantId.eq(tenant.0))
        .order_by_asc(topping::Column::Position)
        .all(db)
        .await?;
    for row in toppings {
        let id = ToppingId(row.id);
        if let Some(group) = menu.groups.get_mut(&row.group_id) {
            group.toppings.push(id);
        }
        let topping = Topping {
            id,
            group: row.group_id,
            sku: row.sku,
            name: local(row.name_ja, row.name_en),
            price_minor: row.price_minor,
            available: row.available,
            archived: row.archived,
        };
        menu.toppings.insert(id, topping);
    }
    let mut links: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    let link_rows = item_topping_group::Entity::find()
        .filter(item_topping_group::Column::TenantId.eq(tenant.0))
        .order_by_asc(item_topping_group::Column::Position)
        .all(db)
        .await?;
    for row in link_rows {
        links.entry(row.item_id).or_default().push(row.group_id);
    }
    let mut by_section: HashMap<Uuid, Vec<MenuItemId>> = HashMap::new();
    let items = menu_item::Entity::find()
        .filter(menu_item::Column::TenantId.eq(tenant.0))
        .order_by_asc(menu_item::Column::Position)
        .all(db)
        .await?;
    for row in items {
        let id = MenuItemId(row.id);
        by_section.entry(row.section_id).or_default().push(id);
        let allergens = serde_json::from_str(&row.allergens).map_err(|_| Failure::Inconsistent {
            table: "menu_items",
            column: "allergens",
            row: id.to_string(),
        })?;
        let item = Item {
            id,
            sku: row.sku,
            name: local(row.name_ja, row.name_en),
            description: local(row.description_ja, row.description_en),
            image_url: row.image_url,
            allergens,
            station: row.station,
            price_minor: row.price_minor,
            tax_rate_bp: row.tax_rate_bp,
            available: row.available,
            archived: row.archived,
            groups: links.remove(&row.id).unwrap_or_default(),
        };
        menu.items.insert(id, item);
    }
    menu.sections = menu_section::Entity::find()
        .filter(menu_section::Column::TenantId.eq(tenant.0))
        .order_by_asc(menu_section::Column::Position)
        .all(db)
        .await?
        .into_iter()
        .map(|row| Section {
            items: by_section.remove(&row.id).unwrap_or_default(),
            id: row.id,
            source_key: row.source_key,
            name: local(row.name_ja, row.name_en),
        })
        .collect();
    menu.tracked = stock_level::Entity::find()
        .select_only()
        .column(stock_level::Column::SubjectId)
        .filter(stock_level::Column::TenantId.eq(tenant.0))
        .into_tuple::<Uuid>()
        .all(db)
        .await?
        .into_iter()
        .collect();
    Ok(menu)
}

fn local(ja: String, en: String) -> LocalText {
    LocalText { ja, en }
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
            name: local(row.name_ja, row.name_en),
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
        })
    }
}
