//! Two shops. A: ramen 850 (stock 10), beer 600 (stock 10), rice 200 (untracked), tea 300 (untracked); toppings egg 120,
//! chashu 250, nori 80 (tracked, 100 each) for ramen and rice. B: its own soup 500 with a topping. A group of required choices
//! hangs on udon (450): hot or cold, exactly one.

use anyhow::Result;
use masterorder_protocol::ids::{MenuItemId, TableSessionId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use masterorder_server::catalog::{Catalogue, Item, OrderingPolicy, Section, Shop, Topping, ToppingGroup};
use masterorder_server::lang::LocalText;
use masterorder_server::staff::{ApiKey, KeyKind, Secret};
use masterorder_server::store::writer_queue::Priority;
use masterorder_server::store::{self, Db};
use masterorder_server::tables::TableSession;
use std::collections::BTreeMap;
use uuid::Uuid;

/// A table session with its PIN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The table session's id.
    pub id: Uuid,
    /// Its PIN.
    pub pin: String,
    /// The table's label.
    pub label: String,
}

/// Everything that a test may name.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// Tenant A.
    pub tenant: Uuid,
    /// Tenant B.
    pub other_tenant: Uuid,
    /// 850, stock 10, may have egg, chashu, nori.
    pub ramen: Uuid,
    /// 600, stock 10.
    pub beer: Uuid,
    /// 200, untracked, may have egg, chashu, nori.
    pub rice: Uuid,
    /// 300, untracked.
    pub tea: Uuid,
    /// 450, untracked, hot or cold must be chosen.
    pub udon: Uuid,
    /// 120, stock 100.
    pub egg: Uuid,
    /// 250, stock 100.
    pub chashu: Uuid,
    /// 80, stock 100.
    pub nori: Uuid,
    /// 0, untracked, of udon.
    pub hot: Uuid,
    /// 0, untracked, of udon.
    pub cold: Uuid,
    /// Tenant B's soup: 500, stock 10.
    pub other_soup: Uuid,
    /// Tenant B's topping: 50, stock 10.
    pub other_topping: Uuid,
    /// Tables S1, S2, … of A.
    pub tables: Vec<Table>,
    /// A table of B.
    pub other_table: Table,
    /// A's staff key.
    pub staff_key: String,
    /// A's integrator key.
    pub integrator_key: String,
    /// B's staff key.
    pub other_staff_key: String,
}

impl Fixture {
    /// S1.
    pub fn s1(&self) -> &Table {
        &self.tables[0]
    }

    /// S2.
    pub fn s2(&self) -> &Table {
        &self.tables[1]
    }
}

/// Tables that a fresh database has.
const TABLES: usize = 8;

pub(crate) async fn create(db: &Db) -> Result<Fixture> {
    let (a, b) = (shop("食堂A", "Diner A"), shop("食堂B", "Diner B"));
    let extras = group(
        "extras",
        "追加",
        "Extras",
        (0, 9),
        &[("egg", 120), ("chashu", 250), ("nori", 80)],
    );
    let temperature = group("temperature", "温度", "Temperature", (1, 1), &[("hot", 0), ("cold", 0)]);
    let items = [
        item("ramen", "ラーメン", 850, "noodle", &[&extras.0]),
        item("beer", "ビール", 600, "bar", &[]),
        item("rice", "ごはん", 200, "noodle", &[&extras.0]),
        item("tea", "お茶", 300, "bar", &[]),
        item("udon", "うどん", 450, "noodle", &[&temperature.0]),
    ];
    let [ramen, beer, rice, tea, udon] = [0, 1, 2, 3, 4].map(|i: usize| items[i].id.0);
    let [egg, chashu, nori] = [0, 1, 2].map(|i: usize| extras.1[i].id.0);
    let [hot, cold] = [0, 1].map(|i: usize| temperature.1[i].id.0);
    let menu_a = menu(&items, &[extras, temperature], &[ramen, beer, egg, chashu, nori]);
    let supply_a = [(ramen, 10), (beer, 10), (egg, 100), (chashu, 100), (nori, 100)];

    let add = group("add", "追加", "Add", (0, 9), &[("croutons", 50)]);
    let soup = [item("soup", "スープ", 500, "noodle", &[&add.0])];
    let (other_soup, other_topping) = (soup[0].id.0, add.1[0].id.0);
    let menu_b = menu(&soup, &[add], &[other_soup, other_topping]);
    let supply_b = [(other_soup, 10), (other_topping, 10)];

    let sessions: Vec<TableSession> = (1..=TABLES).map(|n| session(a.tenant, &format!("S{n}"))).collect();
    let other_session = session(b.tenant, "S1");
    let keys = [
        (a.tenant, KeyKind::Staff),
        (a.tenant, KeyKind::Integrator),
        (b.tenant, KeyKind::Staff),
    ]
    .map(|(tenant, kind)| (key(tenant, kind), Secret::generate(true)));
    store::txn::write(db, Priority::Request, async |txn| {
        for (shop, menu, supply) in [(&a, &menu_a, &supply_a[..]), (&b, &menu_b, &supply_b[..])] {
            store::catalog::insert_shop(txn, shop, true, 0).await?;
            let supply: BTreeMap<Uuid, i64> = supply.iter().copied().collect();
            store::catalog::insert_menu(txn, shop.tenant, menu, &supply).await?;
        }
        for session in sessions.iter().chain([&other_session]) {
            store::tables::open(txn, session).await?;
        }
        for (key, secret) in &keys {
            store::keys::insert(txn, key, secret).await?;
        }
        Ok(())
    })
    .await?;
    let [staff, integrator, other_staff] = keys.map(|(_, secret)| secret.0);
    Ok(Fixture {
        tenant: a.tenant.0,
        other_tenant: b.tenant.0,
        ramen,
        beer,
        rice,
        tea,
        udon,
        egg,
        chashu,
        nori,
        hot,
        cold,
        other_soup,
        other_topping,
        tables: sessions.iter().map(Table::from).collect(),
        other_table: Table::from(&other_session),
        staff_key: staff,
        integrator_key: integrator,
        other_staff_key: other_staff,
    })
}

/// Opens more tables of A: `X1`, `X2`, …
pub async fn more_tables(db: &Db, tenant: Uuid, count: usize) -> Result<Vec<Table>> {
    let sessions: Vec<TableSession> = (1..=count)
        .map(|n| session(TenantId(tenant), &format!("X{n}")))
        .collect();
    store::txn::write(db, Priority::Request, async |txn| {
        for session in &sessions {
            store::tables::open(txn, session).await?;
        }
        Ok(())
    })
    .await?;
    Ok(sessions.iter().map(Table::from).collect())
}

/// Makes another staff key of A, as a second waiter has one.
pub async fn another_staff_key(db: &Db, tenant: Uuid) -> Result<String> {
    let (key, secret) = (key(TenantId(tenant), KeyKind::Staff), Secret::generate(true));
    store::txn::write(db, Priority::Request, async |txn| {
        store::keys::insert(txn, &key, &secret).await
    })
    .await?;
    Ok(secret.0)
}

/// A shop beside A and B.
#[derive(Debug, Clone)]
pub struct AnotherShop {
    /// Its account.
    pub tenant: Uuid,
    /// Its items, as asked for.
    pub items: Vec<Uuid>,
    /// Its table.
    pub table: Table,
    /// Its staff key.
    pub staff_key: String,
}

/// Opens a shop in a currency of its own, with untracked items of the given prices and one table.
pub async fn another_shop(db: &Db, currency: &str, prices_minor: &[i64]) -> Result<AnotherShop> {
    let mut shop = shop(&format!("食堂{currency}"), &format!("Diner {currency}"));
    shop.currency = Currency::parse(currency).map_err(|e| anyhow::anyhow!("{currency}: {e}"))?;
    let add = group("add", "追加", "Add", (0, 9), &[("croutons", 50)]);
    let items: Vec<Item> = prices_minor
        .iter()
        .enumerate()
        .map(|(n, price)| item(&format!("dish-{n}"), &format!("料理{n}"), *price, "noodle", &[&add.0]))
        .collect();
    let ids = items.iter().map(|i| i.id.0).collect();
    let topping = add.1[0].id.0;
    let menu = menu(&items, &[add], &[topping]);
    let supply = BTreeMap::from([(topping, 10)]);
    let (session, key, secret) = (
        session(shop.tenant, "S1"),
        key(shop.tenant, KeyKind::Staff),
        Secret::generate(true),
    );
    store::txn::write(db, Priority::Request, async |txn| {
        store::catalog::insert_shop(txn, &shop, true, 0).await?;
        store::catalog::insert_menu(txn, shop.tenant, &menu, &supply).await?;
        store::tables::open(txn, &session).await?;
        store::keys::insert(txn, &key, &secret).await
    })
    .await?;
    Ok(AnotherShop {
        tenant: shop.tenant.0,
        items: ids,
        table: Table::from(&session),
        staff_key: secret.0,
    })
}

impl From<&TableSession> for Table {
    fn from(session: &TableSession) -> Self {
        Self {
            id: session.id.0,
            pin: session.pin.clone(),
            label: session.table.clone(),
        }
    }
}

fn text(ja: &str, en: &str) -> LocalText {
    LocalText {
        ja: ja.into(),
        en: en.into(),
    }
}

/// A shop without cooldown, so that quick orders of one device are not what a test is about.
fn shop(ja: &str, en: &str) -> Shop {
    Shop {
        id: Uuid::now_v7(),
        tenant: TenantId(Uuid::now_v7()),
        name: text(ja, en),
        currency: Currency::parse("JPY").expect("a currency"),
        time_zone: "Asia/Tokyo".into(),
        business_day_starts_min: 300,
        policy: OrderingPolicy {
            cooldown_ms: 0,
            ..OrderingPolicy::default()
        },
        takes_orders: true,
        catalogue_version: 1,
    }
}

fn item(sku: &str, ja: &str, price_minor: i64, station: &str, groups: &[&ToppingGroup]) -> Item {
    Item {
        id: MenuItemId(Uuid::now_v7()),
        sku: sku.into(),
        name: text(ja, sku),
        description: text("", ""),
        image_url: None,
        allergens: Vec::new(),
        station: station.into(),
        price_minor,
        tax_rate_bp: 1000,
        available: true,
        archived: false,
        groups: groups.iter().map(|g| g.id).collect(),
    }
}

fn group(
    key: &str,
    ja: &str,
    en: &str,
    (min, max): (i64, i64),
    toppings: &[(&str, i64)],
) -> (ToppingGroup, Vec<Topping>) {
    let id = Uuid::now_v7();
    let toppings: Vec<Topping> = toppings
        .iter()
        .map(|(sku, price_minor)| Topping {
            id: ToppingId(Uuid::now_v7()),
            group: id,
            sku: format!("t-{sku}"),
            name: text(sku, sku),
            price_minor: *price_minor,
            available: true,
            archived: false,
        })
        .collect();
    let group = ToppingGroup {
        id,
        source_key: key.into(),
        name: text(ja, en),
        min,
        max,
        toppings: toppings.iter().map(|t| t.id).collect(),
    };
    (group, toppings)
}

fn menu(items: &[Item], groups: &[(ToppingGroup, Vec<Topping>)], tracked: &[Uuid]) -> Catalogue {
    Catalogue {
        version: 1,
        sections: vec![Section {
            id: Uuid::now_v7(),
            source_key: "all".into(),
            name: text("全部", "Everything"),
            items: items.iter().map(|i| i.id).collect(),
        }],
        items: items.iter().map(|i| (i.id, i.clone())).collect(),
        groups: groups.iter().map(|(g, _)| (g.id, g.clone())).collect(),
        toppings: groups.iter().flat_map(|(_, t)| t).map(|t| (t.id, t.clone())).collect(),
        tracked: tracked.iter().copied().collect(),
    }
}

fn session(tenant: TenantId, table: &str) -> TableSession {
    TableSession {
        id: TableSessionId(Uuid::now_v7()),
        tenant,
        table: table.into(),
        pin: masterorder_server::tables::new_pin(),
        opened_at_ms: 0,
        closed_at_ms: None,
    }
}

fn key(tenant: TenantId, kind: KeyKind) -> ApiKey {
    ApiKey {
        id: masterorder_protocol::ids::KeyId(Uuid::now_v7()),
        tenant,
        kind,
        name: "test".into(),
        hint: "mo_test_".into(),
        created_at_ms: 0,
        revoked_at_ms: None,
    }
}
