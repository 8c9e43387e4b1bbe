//! A small shop for the tests of the pure heart, and short ways to order from it.
//!
//! | item | price | stock | topping groups |
//! | --- | --- | --- | --- |
//! | ramen | 850 | tracked, 50 | extras |
//! | rice | 300 | untracked | extras |
//! | beer | 600 | tracked, 10 | |
//! | tsukemen | 950 | untracked | firmness, extras |
//! | curry | 700 | untracked | spice |
//!
//! Extras (at most 10): egg 120 (tracked, 20), chashu 250 (tracked, 5), nori 80, menma 100, corn 60.
//! Firmness (exactly 1): hard, soft, both free. Spice (1 to 3): mild, free; hot 50.

use super::command::{Minted, PlaceOrder, RawLine, RawMoney, RawOrder, RawTopping, parse};
use super::decide::{Counter, Party, Situation};
use super::duplicates::{Earlier, Standing};
use crate::catalog::{Catalogue, Item, OrderingPolicy, Shop, Topping, ToppingGroup};
use crate::lang::LocalText;
use crate::principal::{Principal, Role};
use masterorder_protocol::ids::{CheckoutId, KeyId, MenuItemId, OrderId, TableSessionId, TenantId, ToppingId};
use masterorder_protocol::money::{Currency, Money};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use uuid::Uuid;

/// The transaction's clock in these tests.
pub(crate) const NOW_MS: i64 = 1_767_225_600_000;
/// A key, as a guest sends it.
pub(crate) const REQUEST: &str = "550e8400-e29b-41d4-a716-446655440000";
/// The key that is minted for who sends none.
pub(crate) const MINTED: &str = "9b2f1c1e-5d0a-4f53-8a57-0d7f6b1d2c3e";

pub(crate) const TENANT: TenantId = TenantId(Uuid::from_u128(0x1));
pub(crate) const OTHER_TENANT: TenantId = TenantId(Uuid::from_u128(0x2));
pub(crate) const TABLE: TableSessionId = TableSessionId(Uuid::from_u128(0x11));
pub(crate) const OTHER_TABLE: TableSessionId = TableSessionId(Uuid::from_u128(0x12));
pub(crate) const FOREIGN_TABLE: TableSessionId = TableSessionId(Uuid::from_u128(0x13));
pub(crate) const CART: CheckoutId = CheckoutId(Uuid::from_u128(0xca1));
pub(crate) const OTHER_CART: CheckoutId = CheckoutId(Uuid::from_u128(0xca2));

pub(crate) const RAMEN: MenuItemId = MenuItemId(Uuid::from_u128(0x21));
pub(crate) const RICE: MenuItemId = MenuItemId(Uuid::from_u128(0x22));
pub(crate) const BEER: MenuItemId = MenuItemId(Uuid::from_u128(0x23));
pub(crate) const TSUKEMEN: MenuItemId = MenuItemId(Uuid::from_u128(0x24));
pub(crate) const CURRY: MenuItemId = MenuItemId(Uuid::from_u128(0x25));
/// On no menu.
pub(crate) const NOTHING: MenuItemId = MenuItemId(Uuid::from_u128(0x2f));

pub(crate) const EGG: ToppingId = ToppingId(Uuid::from_u128(0x31));
pub(crate) const CHASHU: ToppingId = ToppingId(Uuid::from_u128(0x32));
pub(crate) const NORI: ToppingId = ToppingId(Uuid::from_u128(0x33));
pub(crate) const MENMA: ToppingId = ToppingId(Uuid::from_u128(0x34));
pub(crate) const CORN: ToppingId = ToppingId(Uuid::from_u128(0x35));
pub(crate) const HARD: ToppingId = ToppingId(Uuid::from_u128(0x36));
pub(crate) const SOFT: ToppingId = ToppingId(Uuid::from_u128(0x37));
pub(crate) const MILD: ToppingId = ToppingId(Uuid::from_u128(0x38));
pub(crate) const HOT: ToppingId = ToppingId(Uuid::from_u128(0x39));

const EXTRAS: Uuid = Uuid::from_u128(0x41);
const FIRMNESS: Uuid = Uuid::from_u128(0x42);
const SPICE: Uuid = Uuid::from_u128(0x43);

/// A guest at `TABLE`.
pub(crate) fn guest() -> Principal {
    guest_at(TABLE, "guest-1")
}

/// A guest at a table, with a phone.
pub(crate) fn guest_at(table: TableSessionId, device: &str) -> Principal {
    principal(Role::Guest(table), device)
}

/// Somebody in the kitchen.
pub(crate) fn staff() -> Principal {
    principal(Role::Staff(KeyId(Uuid::from_u128(0x51))), "staff-1")
}

/// A delivery service.
pub(crate) fn integrator() -> Principal {
    principal(Role::Integrator(KeyId(Uuid::from_u128(0x52))), "integrator-1")
}

fn principal(role: Role, device: &str) -> Principal {
    Principal {
        tenant: TENANT,
        role,
        device: device.into(),
    }
}

/// Pieces of an item, each with portions of toppings.
pub(crate) fn line(item: MenuItemId, quantity: i64, toppings: &[(ToppingId, i64)]) -> RawLine {
    RawLine {
        menu_item_id: item.to_string(),
        quantity,
        toppings: toppings
            .iter()
            .map(|(topping, quantity)| RawTopping {
                topping_id: topping.to_string(),
                quantity: *quantity,
            })
            .collect(),
        note: None,
    }
}

/// An order as a guest sends it, with nothing but a key and lines.
pub(crate) fn order(lines: &[RawLine]) -> RawOrder {
    RawOrder {
        request_id: Some(REQUEST.into()),
        lines: lines.to_vec(),
        ..RawOrder::default()
    }
}

/// One ramen, as a guest sends it.
pub(crate) fn one_ramen() -> RawOrder {
    order(&[line(RAMEN, 1, &[])])
}

/// The same for `TABLE`, as staff and integrators send it.
pub(crate) fn at_table(raw: RawOrder) -> RawOrder {
    RawOrder {
        table_session_id: Some(TABLE.to_string()),
        ..raw
    }
}

/// The same with a cart.
pub(crate) fn in_cart(raw: RawOrder, cart: CheckoutId) -> RawOrder {
    RawOrder {
        checkout_id: Some(cart.to_string()),
        ..raw
    }
}

/// The same with the total that the guest saw, in yen.
pub(crate) fn expecting(raw: RawOrder, amount_minor: i64) -> RawOrder {
    RawOrder {
        expected_total: Some(RawMoney {
            amount_minor,
            currency: "JPY".into(),
        }),
        ..raw
    }
}

/// The same with a note.
pub(crate) fn noting(raw: RawOrder, note: &str) -> RawOrder {
    RawOrder {
        note: Some(note.into()),
        ..raw
    }
}

/// The same, saying "yes, the same again".
pub(crate) fn confirming(raw: RawOrder, order: OrderId) -> RawOrder {
    RawOrder {
        confirm_duplicate_of: Some(order.to_string()),
        ..raw
    }
}

/// What the caller of `parse` makes.
pub(crate) fn minted() -> Minted {
    Minted {
        attempt: Uuid::from_u128(0xa77e),
        request: Uuid::try_parse(MINTED).unwrap_or_default(),
    }
}

/// Parses what must be valid.
pub(crate) fn parsed(raw: &RawOrder, principal: &Principal) -> PlaceOrder {
    parse(raw, principal, minted()).unwrap_or_else(|e| panic!("refused: {e}"))
}

/// Parses an order of a guest at `TABLE`.
pub(crate) fn by_guest(raw: RawOrder) -> PlaceOrder {
    parsed(&raw, &guest())
}

/// An order's id; a larger number is a younger id.
pub(crate) fn order_id(n: u128) -> OrderId {
    OrderId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + n))
}

/// The order that this command became some time ago.
pub(crate) fn placed(command: &PlaceOrder, id: OrderId, age_ms: i64) -> Earlier {
    Earlier {
        id,
        tenant: command.principal.tenant,
        table_session: command.table_session,
        checkout: command.checkout,
        content_hash: command.content_hash.to_vec(),
        notes_hash: command.notes_hash.to_vec(),
        device: command.principal.device.clone(),
        standing: Standing::Placed,
        placed_at_ms: NOW_MS - age_ms,
    }
}

/// An amount in yen.
pub(crate) fn yen(amount_minor: i64) -> Money {
    Money {
        amount_minor,
        currency: Currency::parse("JPY").unwrap_or_else(|e| panic!("{e}")),
    }
}

/// A name.
pub(crate) fn text(ja: &str, en: &str) -> LocalText {
    LocalText {
        ja: ja.into(),
        en: en.into(),
    }
}

/// The shop: yen, default policy but for the cooldown, so that quick orders are not what a test is about.
pub(crate) fn shop() -> Shop {
    Shop {
        id: Uuid::from_u128(0x5),
        tenant: TENANT,
        name: text("麺や", "Noodle House"),
        currency: yen(0).currency,
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

/// The menu of the table above.
pub(crate) fn menu() -> Catalogue {
    let items = [
        item(RAMEN, text("ラーメン", "Ramen"), 850, &[EXTRAS]),
        item(RICE, text("ごはん", "Rice"), 300, &[EXTRAS]),
        item(BEER, text("ビール", "Beer"), 600, &[]),
        item(TSUKEMEN, text("つけ麺", "Tsukemen"), 950, &[FIRMNESS, EXTRAS]),
        item(CURRY, text("カレー", "Curry"), 700, &[SPICE]),
    ];
    let toppings = [
        topping(EGG, EXTRAS, text("味玉", "Egg"), 120),
        topping(CHASHU, EXTRAS, text("チャーシュー", "Chashu"), 250),
        topping(NORI, EXTRAS, text("海苔", "Nori"), 80),
        topping(MENMA, EXTRAS, text("メンマ", "Menma"), 100),
        topping(CORN, EXTRAS, text("コーン", "Corn"), 60),
        topping(HARD, FIRMNESS, text("かため", "Hard"), 0),
        topping(SOFT, FIRMNESS, text("やわらかめ", "Soft"), 0),
        topping(MILD, SPICE, text("甘口", "Mild"), 0),
        topping(HOT, SPICE, text("辛口", "Hot"), 50),
    ];
    let groups = [
        group(
            EXTRAS,
            text("トッピング", "Extras"),
            0,
            10,
            &[EGG, CHASHU, NORI, MENMA, CORN],
        ),
        group(FIRMNESS, text("麺の硬さ", "Firmness"), 1, 1, &[HARD, SOFT]),
        group(SPICE, text("辛さ", "Spice"), 1, 3, &[MILD, HOT]),
    ];
    Catalogue {
        version: 1,
        sections: Vec::new(),
        items: items.into_iter().map(|i| (i.id, i)).collect(),
        groups: groups.into_iter().map(|g| (g.id, g)).collect(),
        toppings: toppings.into_iter().map(|t| (t.id, t)).collect(),
        tracked: BTreeSet::from([RAMEN.0, BEER.0, EGG.0, CHASHU.0]),
    }
}

fn item(id: MenuItemId, name: LocalText, price_minor: i64, groups: &[Uuid]) -> Item {
    Item {
        id,
        sku: name.en.to_uppercase(),
        name,
        description: text("", ""),
        image_url: None,
        allergens: Vec::new(),
        station: "kitchen".into(),
        price_minor,
        tax_rate_bp: 1_000,
        available: true,
        archived: false,
        groups: groups.to_vec(),
    }
}

fn topping(id: ToppingId, group: Uuid, name: LocalText, price_minor: i64) -> Topping {
    Topping {
        id,
        group,
        sku: name.en.to_uppercase(),
        name,
        price_minor,
        available: true,
        archived: false,
    }
}

fn group(id: Uuid, name: LocalText, min: i64, max: i64, toppings: &[ToppingId]) -> ToppingGroup {
    ToppingGroup {
        id,
        source_key: name.en.to_lowercase(),
        name,
        min,
        max,
        toppings: toppings.to_vec(),
    }
}

/// Two open tables of the shop, one of another account, full stock, nothing ordered yet.
pub(crate) fn situation() -> Situation {
    let party = |tenant, table: &str| Party {
        tenant,
        table: table.into(),
        open: true,
        last_placed_at_ms: None,
    };
    let counter = Counter {
        shop: shop(),
        menu: Arc::new(menu()),
    };
    Situation {
        now_ms: NOW_MS,
        counters: HashMap::from([(TENANT, counter)]),
        parties: HashMap::from([
            (TABLE, party(TENANT, "T1")),
            (OTHER_TABLE, party(TENANT, "T2")),
            (FOREIGN_TABLE, party(OTHER_TENANT, "X1")),
        ]),
        earlier: Vec::new(),
        stock: BTreeMap::from([(RAMEN.0, 50), (BEER.0, 10), (EGG.0, 20), (CHASHU.0, 5)]),
    }
}

impl Situation {
    /// The menu of the shop, to change it.
    pub(crate) fn menu_mut(&mut self) -> &mut Catalogue {
        match self.counters.get_mut(&TENANT) {
            Some(counter) => Arc::make_mut(&mut counter.menu),
            None => panic!("the shop is missing"),
        }
    }
}
