//! The menu that `seed-demo` brings: an izakaya, from a file that is compiled in.

use super::{Catalogue, Item, OrderingPolicy, Section, Shop, Topping, ToppingGroup};
use crate::app::App;
use crate::lang::LocalText;
use crate::staff::{KeyKind, Secret, keys};
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use crate::tables::{self, TableSession};
use masterorder_protocol::ids::{MenuItemId, TableSessionId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

const MENU: &str = include_str!("demo_menu.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MenuFile {
    name_ja: String,
    name_en: String,
    currency: Currency,
    time_zone: String,
    topping_groups: Vec<GroupEntry>,
    sections: Vec<SectionEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GroupEntry {
    key: String,
    name_ja: String,
    name_en: String,
    min: i64,
    max: i64,
    toppings: Vec<ToppingEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToppingEntry {
    sku: String,
    name_ja: String,
    name_en: String,
    price_minor: i64,
    stock: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SectionEntry {
    key: String,
    name_ja: String,
    name_en: String,
    items: Vec<ItemEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ItemEntry {
    sku: String,
    name_ja: String,
    name_en: String,
    description_ja: String,
    description_en: String,
    image: String,
    price_minor: i64,
    tax_rate_bp: i64,
    station: String,
    allergens: Vec<String>,
    stock: Option<i64>,
    topping_groups: Vec<String>,
}

/// What seeding brought, or found.
pub struct Seeded {
    /// The shop.
    pub shop: Shop,
    /// Its menu.
    pub menu: Catalogue,
    /// Open tables, as many as asked for.
    pub sessions: Vec<TableSession>,
    /// A fresh staff key.
    pub staff_key: Secret,
    /// A fresh integrator key.
    pub integrator_key: Secret,
}

/// Brings a demo shop of the given name with open tables T1, T2, …; each name is a tenant of its own. Repeating it finds the
/// same shop and tables, and makes fresh keys.
pub async fn seed(app: &App, name: Option<&str>, tables: usize) -> anyhow::Result<Seeded> {
    let file: MenuFile = serde_json::from_str(MENU)?;
    let name = match name {
        Some(name) => LocalText {
            ja: name.to_owned(),
            en: name.to_owned(),
        },
        None => LocalText {
            ja: file.name_ja.clone(),
            en: file.name_en.clone(),
        },
    };
    let shop = match store::catalog::shop_by_name(&app.db, &name.ja).await? {
        Some(shop) => shop,
        None => create(app, name, &file).await?,
    };
    let staff_key = keys::issue(app, shop.tenant, KeyKind::Staff, "demo staff", None)
        .await?
        .secret;
    let integrator_key = keys::issue(app, shop.tenant, KeyKind::Integrator, "demo integrator", None)
        .await?
        .secret;
    let mut sessions = Vec::with_capacity(tables);
    for number in 1..=tables {
        let table = format!("T{number}");
        sessions.push(open_table(app, shop.tenant, table).await?);
    }
    Ok(Seeded {
        menu: store::catalog::menu(&app.db, shop.tenant).await?,
        shop,
        sessions,
        staff_key,
        integrator_key,
    })
}

/// Opens a table without asking who wants it.
pub async fn open_table(app: &App, tenant: TenantId, table: String) -> Result<TableSession, Failure> {
    let id = TableSessionId(app.new_id());
    store::txn::write(&app.db, Priority::Request, async |txn| {
        let session = TableSession {
            id,
            tenant,
            table: table.clone(),
            pin: tables::new_pin(),
            opened_at_ms: txn.now_ms().await?,
            closed_at_ms: None,
        };
        store::tables::open(txn, &session).await
    })
    .await
}

async fn create(app: &App, name: LocalText, file: &MenuFile) -> Result<Shop, Failure> {
    let shop = Shop {
        id: app.new_id(),
        tenant: TenantId(app.new_id()),
        name,
        currency: file.currency,
        time_zone: file.time_zone.clone(),
        business_day_starts_min: 5 * 60,
        policy: OrderingPolicy::default(),
        takes_orders: true,
        catalogue_version: 1,
    };
    let (menu, supply) = menu(app, file);
    store::txn::write(&app.db, Priority::Request, async |txn| {
        let now_ms = txn.now_ms().await?;
        store::catalog::insert_shop(txn, &shop, true, now_ms).await?;
        store::catalog::insert_menu(txn, shop.tenant, &menu, &supply).await
    })
    .await?;
    Ok(shop)
}

fn menu(app: &App, file: &MenuFile) -> (Catalogue, BTreeMap<Uuid, i64>) {
    let mut supply = BTreeMap::new();
    let mut toppings = BTreeMap::new();
    let mut groups = BTreeMap::new();
    let mut keys = HashMap::new();
    for entry in &file.topping_groups {
        let group = app.new_id();
        keys.insert(entry.key.as_str(), group);
        let mut ids = Vec::with_capacity(entry.toppings.len());
        for topping in &entry.toppings {
            let id = ToppingId(app.new_id());
            ids.push(id);
            supply.extend(topping.stock.map(|stock| (id.0, stock)));
            let topping = Topping {
                id,
                group,
                sku: topping.sku.clone(),
                name: local(&topping.name_ja, &topping.name_en),
                price_minor: topping.price_minor,
                available: true,
                archived: false,
            };
            toppings.insert(id, topping);
        }
        let group = ToppingGroup {
            id: group,
            source_key: entry.key.clone(),
            name: local(&entry.name_ja, &entry.name_en),
            min: entry.min,
            max: entry.max,
            toppings: ids,
        };
        groups.insert(group.id, group);
    }
    let mut items = BTreeMap::new();
    let mut sections = Vec::with_capacity(file.sections.len());
    for entry in &file.sections {
        let mut ids = Vec::with_capacity(entry.items.len());
        for item in &entry.items {
            let id = MenuItemId(app.new_id());
            ids.push(id);
            supply.extend(item.stock.map(|stock| (id.0, stock)));
            let item = Item {
                id,
                sku: item.sku.clone(),
                name: local(&item.name_ja, &item.name_en),
                description: local(&item.description_ja, &item.description_en),
                image_url: Some(item.image.clone()),
                allergens: item.allergens.clone(),
                station: item.station.clone(),
                price_minor: item.price_minor,
                tax_rate_bp: item.tax_rate_bp,
                available: true,
                archived: false,
                groups: item
                    .topping_groups
                    .iter()
                    .filter_map(|k| keys.get(k.as_str()).copied())
                    .collect(),
            };
            items.insert(id, item);
        }
        sections.push(Section {
            id: app.new_id(),
            source_key: entry.key.clone(),
            name: local(&entry.name_ja, &entry.name_en),
            items: ids,
        });
    }
    let menu = Catalogue {
        version: 1,
        sections,
        items,
        groups,
        toppings,
        tracked: supply.keys().copied().collect(),
    };
    (menu, supply)
}

fn local(ja: &str, en: &str) -> LocalText {
    LocalText {
        ja: ja.to_owned(),
        en: en.to_owned(),
    }
}
