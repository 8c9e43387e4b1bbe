//! A menu as rows, both ways: stored rows become a `Catalogue`, and a `Catalogue` becomes the rows that should stand.

use super::entity::{item_topping_group, menu_item, menu_section, stock_level, topping, topping_group};
use super::failure::{Failure, Result};
use crate::catalog::{Catalogue, Item, Section, Topping, ToppingGroup};
use crate::lang::LocalText;
use masterorder_protocol::ids::{MenuItemId, TenantId, ToppingId};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// The rows of one tenant's menu at one version, by primary key. Stock levels are not in it, only what has one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MenuRows {
    pub(super) version: i64,
    pub(super) sections: BTreeMap<Uuid, menu_section::Model>,
    pub(super) items: BTreeMap<Uuid, menu_item::Model>,
    pub(super) groups: BTreeMap<Uuid, topping_group::Model>,
    pub(super) toppings: BTreeMap<Uuid, topping::Model>,
    /// By item and group.
    pub(super) links: BTreeMap<(Uuid, Uuid), item_topping_group::Model>,
    pub(super) tracked: BTreeSet<Uuid>,
}

impl MenuRows {
    /// Reads the rows, in a statement per table. The caller sees to it that they are of one version.
    pub(super) async fn read(db: &impl ConnectionTrait, tenant: TenantId, version: i64) -> Result<Self> {
        let sections = menu_section::Entity::find().filter(menu_section::Column::TenantId.eq(tenant.0));
        let items = menu_item::Entity::find().filter(menu_item::Column::TenantId.eq(tenant.0));
        let groups = topping_group::Entity::find().filter(topping_group::Column::TenantId.eq(tenant.0));
        let toppings = topping::Entity::find().filter(topping::Column::TenantId.eq(tenant.0));
        let links = item_topping_group::Entity::find().filter(item_topping_group::Column::TenantId.eq(tenant.0));
        let tracked = stock_level::Entity::find()
            .select_only()
            .column(stock_level::Column::SubjectId)
            .filter(stock_level::Column::TenantId.eq(tenant.0))
            .into_tuple::<Uuid>();
        Ok(Self {
            version,
            sections: sections.all(db).await?.into_iter().map(|row| (row.id, row)).collect(),
            items: items.all(db).await?.into_iter().map(|row| (row.id, row)).collect(),
            groups: groups.all(db).await?.into_iter().map(|row| (row.id, row)).collect(),
            toppings: toppings.all(db).await?.into_iter().map(|row| (row.id, row)).collect(),
            links: links
                .all(db)
                .await?
                .into_iter()
                .map(|row| ((row.item_id, row.group_id), row))
                .collect(),
            tracked: tracked.all(db).await?.into_iter().collect(),
        })
    }

    /// The rows as which a menu should stand. Places in its lists become positions.
    pub(super) fn of(tenant: TenantId, menu: &Catalogue) -> Self {
        let mut rows = Self {
            version: menu.version,
            tracked: menu.tracked.clone(),
            ..Self::default()
        };
        for (section, place) in menu.sections.iter().zip(0..) {
            let row = menu_section::Model {
                id: section.id,
                tenant_id: tenant.0,
                source_key: section.source_key.clone(),
                position: place,
                name_ja: section.name.ja.clone(),
                name_en: section.name.en.clone(),
            };
            rows.sections.insert(row.id, row);
            let items = section.items.iter().filter_map(|id| menu.items.get(id));
            for (item, place) in items.zip(0..) {
                rows.add_item(tenant, section.id, item, place);
            }
        }
        for group in menu.groups.values() {
            let row = topping_group::Model {
                id: group.id,
                tenant_id: tenant.0,
                source_key: group.source_key.clone(),
                name_ja: group.name.ja.clone(),
                name_en: group.name.en.clone(),
                min_count: group.min,
                max_count: group.max,
            };
            rows.groups.insert(row.id, row);
            let toppings = group.toppings.iter().filter_map(|id| menu.toppings.get(id));
            for (topping, place) in toppings.zip(0..) {
                let row = topping::Model {
                    id: topping.id.0,
                    tenant_id: tenant.0,
                    group_id: topping.group,
                    sku: topping.sku.clone(),
                    position: place,
                    name_ja: topping.name.ja.clone(),
                    name_en: topping.name.en.clone(),
                    price_minor: topping.price_minor,
                    available: topping.available,
                    archived: topping.archived,
                };
                rows.toppings.insert(row.id, row);
            }
        }
        rows
    }

    fn add_item(&mut self, tenant: TenantId, section: Uuid, item: &Item, place: i64) {
        let row = menu_item::Model {
            id: item.id.0,
            tenant_id: tenant.0,
            section_id: section,
            sku: item.sku.clone(),
            position: place,
            name_ja: item.name.ja.clone(),
            name_en: item.name.en.clone(),
            description_ja: item.description.ja.clone(),
            description_en: item.description.en.clone(),
            image_url: item.image_url.clone(),
            allergens: serde_json::Value::from(item.allergens.as_slice()).to_string(),
            station: item.station.clone(),
            price_minor: item.price_minor,
            tax_rate_bp: item.tax_rate_bp,
            available: item.available,
            archived: item.archived,
        };
        self.items.insert(row.id, row);
        for (group, place) in item.groups.iter().zip(0..) {
            let row = item_topping_group::Model {
                item_id: item.id.0,
                group_id: *group,
                tenant_id: tenant.0,
                position: place,
            };
            self.links.insert((row.item_id, row.group_id), row);
        }
    }

    /// The menu that these rows are.
    ///
    /// *Errors*: `Inconsistent` when a stored value makes no sense.
    pub fn catalogue(&self) -> Result<Catalogue> {
        let mut toppings: HashMap<Uuid, Vec<(i64, ToppingId)>> = HashMap::new();
        for row in self.toppings.values() {
            toppings
                .entry(row.group_id)
                .or_default()
                .push((row.position, ToppingId(row.id)));
        }
        let mut links: HashMap<Uuid, Vec<(i64, Uuid)>> = HashMap::new();
        for row in self.links.values() {
            links.entry(row.item_id).or_default().push((row.position, row.group_id));
        }
        let mut items: HashMap<Uuid, Vec<(i64, MenuItemId)>> = HashMap::new();
        for row in self.items.values() {
            items
                .entry(row.section_id)
                .or_default()
                .push((row.position, MenuItemId(row.id)));
        }
        let mut sections: Vec<_> = self.sections.values().collect();
        sections.sort_by_key(|row| (row.position, row.id));
        Ok(Catalogue {
            version: self.version,
            sections: sections
                .into_iter()
                .map(|row| Section {
                    id: row.id,
                    source_key: row.source_key.clone(),
                    name: local(&row.name_ja, &row.name_en),
                    items: in_order(items.remove(&row.id)),
                })
                .collect(),
            items: self
                .items
                .values()
                .map(|row| Ok((MenuItemId(row.id), item(row, in_order(links.remove(&row.id)))?)))
                .collect::<Result<_>>()?,
            groups: self
                .groups
                .values()
                .map(|row| {
                    let group = ToppingGroup {
                        id: row.id,
                        source_key: row.source_key.clone(),
                        name: local(&row.name_ja, &row.name_en),
                        min: row.min_count,
                        max: row.max_count,
                        toppings: in_order(toppings.remove(&row.id)),
                    };
                    (row.id, group)
                })
                .collect(),
            toppings: self
                .toppings
                .values()
                .map(|row| (ToppingId(row.id), topping(row)))
                .collect(),
            tracked: self.tracked.clone(),
        })
    }
}

fn item(row: &menu_item::Model, groups: Vec<Uuid>) -> Result<Item> {
    let allergens = serde_json::from_str(&row.allergens).map_err(|_| Failure::Inconsistent {
        table: "menu_items",
        column: "allergens",
        row: row.id.to_string(),
    })?;
    Ok(Item {
        id: MenuItemId(row.id),
        sku: row.sku.clone(),
        name: local(&row.name_ja, &row.name_en),
        description: local(&row.description_ja, &row.description_en),
        image_url: row.image_url.clone(),
        allergens,
        station: row.station.clone(),
        price_minor: row.price_minor,
        tax_rate_bp: row.tax_rate_bp,
        available: row.available,
        archived: row.archived,
        groups,
    })
}

fn topping(row: &topping::Model) -> Topping {
    Topping {
        id: ToppingId(row.id),
        group: row.group_id,
        sku: row.sku.clone(),
        name: local(&row.name_ja, &row.name_en),
        price_minor: row.price_minor,
        available: row.available,
        archived: row.archived,
    }
}

fn in_order<T: Ord>(placed: Option<Vec<(i64, T)>>) -> Vec<T> {
    let mut placed = placed.unwrap_or_default();
    placed.sort();
    placed.into_iter().map(|(_, id)| id).collect()
}

fn local(ja: &str, en: &str) -> LocalText {
    LocalText {
        ja: ja.into(),
        en: en.into(),
    }
}
