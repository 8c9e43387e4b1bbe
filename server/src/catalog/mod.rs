//! The shop and its menu.

/// The menu that `seed-demo` brings.
pub mod demo;
/// Menus kept in memory, valid for one version.
pub mod cache;
/// Reading shop and menu.
pub mod read;
/// How a shop takes orders.
pub mod ordering;
/// A menu from a file.
pub mod import;

use crate::lang::LocalText;
use masterorder_protocol::ids::{MenuItemId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A shop with its policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shop {
    /// Its own id.
    pub id: Uuid,
    /// The account that owns it.
    pub tenant: TenantId,
    /// Its name.
    pub name: LocalText,
    /// Of every price.
    pub currency: Currency,
    /// IANA name.
    pub time_zone: String,
    /// *Units*: minutes after midnight, shop time.
    pub business_day_starts_min: i64,
    /// How it takes orders.
    pub policy: OrderingPolicy,
    /// Takes orders now: staff switch this off at last order, or when the kitchen can not keep up.
    pub takes_orders: bool,
    /// Counts changes of the menu.
    pub catalogue_version: i64,
}

/// How a shop takes orders. *Units*: ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderingPolicy {
    /// How long equal content of one table session counts as a possible duplicate.
    pub content_window_ms: i64,
    /// Between two orders of one device.
    pub cooldown_ms: i64,
    /// Between two orders of one table session.
    pub burst_ms: i64,
    /// For locks.
    pub wait_bound_ms: i64,
    /// How long outcomes are kept.
    pub retention_ms: i64,
    /// How long a worker owns a long placement.
    pub lease_ms: i64,
}

impl Default for OrderingPolicy {
    /// 30 s: a guest who wonders whether the tap worked tries again within it. 3 s: slower than a double tap, faster
    /// than a second thought. 2 s: below the answer budget. 72 h: longer than the SDK keeps anything unsent. 90 s: a POS
    /// call with its retries.
    fn default() -> Self {
        Self {
            content_window_ms: 30_000,
            cooldown_ms: 3_000,
            burst_ms: 0,
            wait_bound_ms: 2_000,
            retention_ms: 72 * 3_600_000,
            lease_ms: 90_000,
        }
    }
}

/// A menu at one version. Stock is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// The version that it shows.
    pub version: i64,
    /// In menu order.
    pub sections: Vec<Section>,
    /// By id, archived ones included.
    pub items: BTreeMap<MenuItemId, Item>,
    /// By id.
    pub groups: BTreeMap<Uuid, ToppingGroup>,
    /// By id, archived ones included.
    pub toppings: BTreeMap<ToppingId, Topping>,
    /// What has a stock level.
    pub tracked: BTreeSet<Uuid>,
}

/// A part of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its id.
    pub id: Uuid,
    /// What the menu's source calls it; unique per tenant.
    pub source_key: String,
    /// Its name.
    pub name: LocalText,
    /// In menu order.
    pub items: Vec<MenuItemId>,
}

/// A dish or drink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its id.
    pub id: MenuItemId,
    /// The shop's own code.
    pub sku: String,
    /// Its name.
    pub name: LocalText,
    /// What to say about it.
    pub description: LocalText,
    /// Its picture.
    pub image_url: Option<String>,
    /// What it holds.
    pub allergens: Vec<String>,
    /// Where it is made.
    pub station: String,
    /// Tax included.
    pub price_minor: i64,
    /// *Units*: basis points.
    pub tax_rate_bp: i64,
    /// Switched on.
    pub available: bool,
    /// Off the menu for good.
    pub archived: bool,
    /// What may be added, in menu order.
    pub groups: Vec<Uuid>,
}

/// Choices that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToppingGroup {
    /// Its id.
    pub id: Uuid,
    /// What the menu's source calls it; unique per tenant.
    pub source_key: String,
    /// Its name.
    pub name: LocalText,
    /// Portions that must be chosen.
    pub min: i64,
    /// Portions that may be chosen.
    pub max: i64,
    /// In menu order.
    pub toppings: Vec<ToppingId>,
}

/// An extra or a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topping {
    /// Its id.
    pub id: ToppingId,
    /// Its group.
    pub group: Uuid,
    /// The shop's own code.
    pub sku: String,
    /// Its name.
    pub name: LocalText,
    /// One portion.
    pub price_minor: i64,
    /// Switched on.
    pub available: bool,
    /// Off the menu for good.
    pub archived: bool,
}
