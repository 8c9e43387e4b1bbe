//! The menu. What is archived is not shown.

use super::int;
use super::language::{Language, render};
use super::money::Money;
use crate::catalog::{self, Catalogue};
use async_graphql::{Context, Description, ID, Object};
use masterorder_protocol::ids::MenuItemId;
use masterorder_protocol::money::Currency;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// A menu, with the stock at the time of asking.
#[derive(Description)]
pub struct Menu {
    /// What is offered.
    pub catalogue: Arc<Catalogue>,
    /// What is left of tracked items and toppings. *Units*: pieces.
    pub stock: BTreeMap<Uuid, i64>,
    /// Of every price.
    pub currency: Currency,
}

impl Menu {
    fn price(&self, price_minor: i64) -> Money {
        Money::new(price_minor, self.currency)
    }

    /// `None` for what is not tracked; what is tracked without a level is out of stock.
    fn remaining(&self, id: Uuid) -> Option<i64> {
        let level = || self.stock.get(&id).copied().unwrap_or_default().max(0);
        self.catalogue.tracked.contains(&id).then(level)
    }
}

#[Object(use_type_description)]
impl Menu {
    /// Counts changes of the menu; stock does not count.
    async fn version(&self) -> i32 {
        int(self.catalogue.version)
    }

    /// In menu order.
    async fn sections(&self) -> Vec<MenuSection<'_>> {
        // what an import no longer has leaves its section empty
        let is_shown = |id: &MenuItemId| self.catalogue.items.get(id).is_some_and(|item| !item.archived);
        let sections = self
            .catalogue
            .sections
            .iter()
            .filter(|section| section.items.iter().any(is_shown));
        sections.map(|section| MenuSection { menu: self, section }).collect()
    }
}

/// A part of the menu.
#[derive(Description)]
pub struct MenuSection<'m> {
    menu: &'m Menu,
    section: &'m catalog::Section,
}

#[Object(use_type_description)]
impl MenuSection<'_> {
    /// Its id.
    async fn id(&self) -> ID {
        self.section.id.into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.section.name, ctx, lang)
    }

    /// In menu order.
    async fn items(&self) -> Vec<MenuItem<'_>> {
        let items = self
            .section
            .items
            .iter()
            .filter_map(|id| self.menu.catalogue.items.get(id));
        let shown = items.filter(|item| !item.archived);
        shown.map(|item| MenuItem { menu: self.menu, item }).collect()
    }
}

/// A dish or drink.
#[derive(Description)]
pub struct MenuItem<'m> {
    menu: &'m Menu,
    item: &'m catalog::Item,
}

#[Object(use_type_description)]
impl MenuItem<'_> {
    /// Its id.
    async fn id(&self) -> ID {
        self.item.id.into()
    }

    /// The shop's own code.
    async fn sku(&self) -> &str {
        &self.item.sku
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.item.name, ctx, lang)
    }

    /// What to say about it.
    async fn description(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.item.description, ctx, lang)
    }

    /// Its picture.
    async fn image_url(&self) -> Option<&str> {
        self.item.image_url.as_deref()
    }

    /// What it holds that guests may not bear.
    async fn allergens(&self) -> &[String] {
        &self.item.allergens
    }

    /// Where it is made.
    async fn station(&self) -> &str {
        &self.item.station
    }

    /// One piece without toppings, tax included.
    async fn price(&self) -> Money {
        self.menu.price(self.item.price_minor)
    }

    /// The tax in the price, in basis points: 1000 is 10 %.
    async fn tax_rate_bp(&self) -> i32 {
        int(self.item.tax_rate_bp)
    }

    /// Switched on by the shop. It may be sold out all the same.
    async fn available(&self) -> bool {
        self.item.available
    }

    /// Nothing is left.
    async fn sold_out(&self) -> bool {
        self.menu.remaining(self.item.id.0) == Some(0)
    }

    /// Pieces left; null if nobody counts them.
    async fn remaining(&self) -> Option<i32> {
        self.menu.remaining(self.item.id.0).map(int)
    }

    /// What may be added or must be chosen, in menu order.
    async fn topping_groups(&self) -> Vec<ToppingGroup<'_>> {
        let groups = self
            .item
            .groups
            .iter()
            .filter_map(|id| self.menu.catalogue.groups.get(id));
        groups.map(|group| ToppingGroup { menu: self.menu, group }).collect()
    }
}

/// Toppings that belong together: each piece takes `min` to `max` portions of them.
#[derive(Description)]
pub struct ToppingGroup<'m> {
    menu: &'m Menu,
    group: &'m catalog::ToppingGroup,
}

#[Object(use_type_description)]
impl ToppingGroup<'_> {
    /// Its id.
    async fn id(&self) -> ID {
        self.group.id.into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.group.name, ctx, lang)
    }

    /// Portions that must be chosen.
    async fn min(&self) -> i32 {
        int(self.group.min)
    }

    /// Portions that may be chosen.
    async fn max(&self) -> i32 {
        int(self.group.max)
    }

    /// In menu order.
    async fn toppings(&self) -> Vec<Topping<'_>> {
        let toppings = self
            .group
            .toppings
            .iter()
            .filter_map(|id| self.menu.catalogue.toppings.get(id));
        let shown = toppings.filter(|topping| !topping.archived);
        shown
            .map(|topping| Topping {
                menu: self.menu,
                topping,
            })
            .collect()
    }
}

/// An extra or a choice.
#[derive(Description)]
pub struct Topping<'m> {
    menu: &'m Menu,
    topping: &'m catalog::Topping,
}

#[Object(use_type_description)]
impl Topping<'_> {
    /// Its id.
    async fn id(&self) -> ID {
        self.topping.id.into()
    }

    /// The shop's own code.
    async fn sku(&self) -> &str {
        &self.topping.sku
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.topping.name, ctx, lang)
    }

    /// One portion, tax included.
    async fn price(&self) -> Money {
        self.menu.price(self.topping.price_minor)
    }

    /// Switched on by the shop. It may be sold out all the same.
    async fn available(&self) -> bool {
        self.topping.available
    }

    /// Nothing is left.
    async fn sold_out(&self) -> bool {
        self.menu.remaining(self.topping.id.0) == Some(0)
    }

    /// Portions left; null if nobody counts them.
    async fn remaining(&self) -> Option<i32> {
        self.menu.remaining(self.topping.id.0).map(int)
    }
}
