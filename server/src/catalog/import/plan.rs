//! What becomes of a menu when a draft is imported. Pure. Codes decide what is the same: an item by its sku, a section or
//! topping group by its source key. Ids stay, what is missing is archived, what comes back is restored, and stock is put in
//! only where it is tracked for the first time.

use super::draft::{Draft, GroupDraft, ItemDraft, SectionDraft};
use crate::catalog::{Catalogue, Item, Section, Topping, ToppingGroup};
use masterorder_protocol::ids::{MenuItemId, ToppingId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// What holds for a new item where the file does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaults {
    /// *Units*: basis points.
    pub tax_rate_bp: i64,
    /// Where it is made.
    pub station: String,
}

/// The menu after an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The whole menu, archived items and toppings included.
    pub after: Catalogue,
    /// What is put in where stock is tracked from now on. *Units*: pieces, by item or topping.
    pub supply: BTreeMap<Uuid, i64>,
    /// What happens to sections.
    pub sections: Counts,
    /// What happens to items.
    pub items: Counts,
    /// What happens to topping groups.
    pub groups: Counts,
    /// What happens to toppings.
    pub toppings: Counts,
}

/// How many of a kind go which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// New.
    pub created: usize,
    /// Known, and different.
    pub changed: usize,
    /// No longer in the file.
    pub archived: usize,
    /// Archived before, in the file again.
    pub restored: usize,
    /// As they were.
    pub unchanged: usize,
}

impl Counts {
    /// Counts two kinds together.
    pub fn and(self, other: Self) -> Self {
        Self {
            created: self.created + other.created,
            changed: self.changed + other.changed,
            archived: self.archived + other.archived,
            restored: self.restored + other.restored,
            unchanged: self.unchanged + other.unchanged,
        }
    }

    /// Everything is as it was.
    pub fn is_nothing(self) -> bool {
        let unchanged = self.unchanged;
        let nothing = Self {
            unchanged,
            ..Self::default()
        };
        self == nothing
    }

    fn count<T: PartialEq>(&mut self, before: Option<&T>, after: &T) {
        match before {
            None => self.created += 1,
            Some(before) if before == after => self.unchanged += 1,
            Some(_) => self.changed += 1,
        }
    }
}

/// Plans an import. `new_id` makes ids.
pub fn plan(before: &Catalogue, draft: &Draft, defaults: &Defaults, new_id: impl FnMut() -> Uuid) -> Plan {
    let mut planner = Planner {
        before,
        defaults,
        new_id,
        supply: BTreeMap::new(),
    };
    let mut after = Catalogue {
        version: before.version,
        sections: Vec::new(),
        items: BTreeMap::new(),
        groups: before.groups.clone(),
        toppings: before.toppings.clone(),
        tracked: before.tracked.clone(),
    };
    let (mut groups, mut toppings) = (Counts::default(), Counts::default());
    let mut group_ids = HashMap::new();
    if let Some(drafts) = &draft.groups {
        group_ids = planner.groups(drafts, &mut after, &mut groups, &mut toppings);
    }
    let (mut sections, mut items) = (Counts::default(), Counts::default());
    planner.sections(&draft.sections, &group_ids, &mut after, &mut sections, &mut items);
    let supply = planner.supply;
    after.tracked.extend(supply.keys());
    Plan {
        after,
        supply,
        sections,
        items,
        groups,
        toppings,
    }
}

struct Planner<'a, N> {
    before: &'a Catalogue,
    defaults: &'a Defaults,
    new_id: N,
    supply: BTreeMap<Uuid, i64>,
}

impl<N: FnMut() -> Uuid> Planner<'_, N> {
    /// Groups that the file does not have keep their toppings, archived. Returns the ids of those that it has, by key.
    fn groups<'d>(
        &mut self,
        drafts: &'d [GroupDraft],
        after: &mut Catalogue,
        groups: &mut Counts,
        toppings: &mut Counts,
    ) -> HashMap<&'d str, Uuid> {
        let known: HashMap<&str, &ToppingGroup> = self
            .before
            .groups
            .values()
            .map(|group| (group.source_key.as_str(), group))
            .collect();
        let known_toppings: HashMap<&str, &Topping> = self
            .before
            .toppings
            .values()
            .map(|topping| (topping.sku.as_str(), topping))
            .collect();
        let mut ids = HashMap::new();
        let mut placed = BTreeSet::new();
        for draft in drafts {
            let old = known.get(draft.key.as_str()).copied();
            let id = old.map_or_else(&mut self.new_id, |old| old.id);
            ids.insert(draft.key.as_str(), id);
            let group = ToppingGroup {
                id,
                source_key: draft.key.clone(),
                name: draft.name.over(old.map(|old| &old.name)),
                min: draft.min,
                max: draft.max,
                toppings: Vec::new(),
            };
            let is_like = |old: &ToppingGroup| (&old.name, old.min, old.max) == (&group.name, group.min, group.max);
            match old.map(is_like) {
                None => groups.created += 1,
                Some(true) => groups.unchanged += 1,
                Some(false) => groups.changed += 1,
            }
            after.groups.insert(id, group);
            for draft in &draft.toppings {
                let old = known_toppings.get(draft.sku.as_str()).copied();
                let topping = Topping {
                    id: old.map_or_else(|| ToppingId((self.new_id)()), |old| old.id),
                    group: id,
                    sku: draft.sku.clone(),
                    name: draft.name.over(old.map(|old| &old.name)),
                    price_minor: draft.price_minor,
                    // staff switch things off and on; a file does not
                    available: old.is_none_or(|old| old.available),
                    archived: false,
                };
                match old.is_some_and(|old| old.archived) {
                    true => toppings.restored += 1,
                    false => toppings.count(old, &topping),
                }
                self.supply(topping.id.0, draft.stock);
                placed.insert(topping.id);
                if let Some(group) = after.groups.get_mut(&id) {
                    group.toppings.push(topping.id);
                }
                after.toppings.insert(topping.id, topping);
            }
        }
        for old in self.before.groups.values() {
            let gone = old.toppings.iter().filter(|id| !placed.contains(*id));
            let Some(group) = after.groups.get_mut(&old.id) else {
                continue;
            };
            // a group of the file begins with what the file has; one that it does not have holds only what is gone
            group
                .toppings
                .retain(|id| after.toppings.get(id).is_some_and(|topping| topping.group == old.id));
            for id in gone {
                if !group.toppings.contains(id) {
                    group.toppings.push(*id);
                }
                if let Some(topping) = after.toppings.get_mut(id).filter(|topping| !topping.archived) {
                    topping.archived = true;
                    toppings.archived += 1;
                }
            }
        }
        ids
    }

    /// Sections that the file does not have come last, with archived items or none; nobody sees them.
    fn sections(
        &mut self,
        drafts: &[SectionDraft],
        groups: &HashMap<&str, Uuid>,
        after: &mut Catalogue,
        sections: &mut Counts,
        items: &mut Counts,
    ) {
        let known: HashMap<&str, &Section> = self
            .before
            .sections
            .iter()
            .map(|section| (section.source_key.as_str(), section))
            .collect();
        let known_items: HashMap<&str, &Item> = self
            .before
            .items
            .values()
            .map(|item| (item.sku.as_str(), item))
            .collect();
        let section_of: HashMap<MenuItemId, Uuid> = self
            .before
            .sections
            .iter()
            .flat_map(|section| section.items.iter().map(|item| (*item, section.id)))
            .collect();
        for draft in drafts {
            let old = known.get(draft.key.as_str()).copied();
            let mut section = Section {
                id: old.map_or_else(&mut self.new_id, |old| old.id),
                source_key: draft.key.clone(),
                name: draft.name.over(old.map(|old| &old.name)),
                items: Vec::with_capacity(draft.items.len()),
            };
            sections.count(old.map(|old| &old.name), &section.name);
            for draft in &draft.items {
                let old = known_items.get(draft.sku.as_str()).copied();
                let item = self.item(draft, old, groups);
                let is_moved = section_of.get(&item.id).is_some_and(|before| *before != section.id);
                match old {
                    Some(old) if old.archived => items.restored += 1,
                    Some(_) if is_moved => items.changed += 1,
                    old => items.count(old, &item),
                }
                self.supply(item.id.0, draft.stock);
                section.items.push(item.id);
                after.items.insert(item.id, item);
            }
            after.sections.push(section);
        }
        let at: HashMap<Uuid, usize> = after
            .sections
            .iter()
            .enumerate()
            .map(|(place, section)| (section.id, place))
            .collect();
        for old in &self.before.sections {
            let gone = old.items.iter().filter(|id| !after.items.contains_key(id));
            let gone: Vec<Item> = gone.filter_map(|id| self.before.items.get(id)).cloned().collect();
            let ids = gone.iter().map(|item| item.id);
            match at.get(&old.id) {
                Some(place) => after.sections[*place].items.extend(ids),
                None => after.sections.push(Section {
                    items: ids.collect(),
                    ..old.clone()
                }),
            }
            for mut item in gone {
                items.archived += usize::from(!item.archived);
                item.archived = true;
                after.items.insert(item.id, item);
            }
        }
    }

    fn item(&mut self, draft: &ItemDraft, old: Option<&Item>, groups: &HashMap<&str, Uuid>) -> Item {
        Item {
            id: old.map_or_else(|| MenuItemId((self.new_id)()), |old| old.id),
            sku: draft.sku.clone(),
            name: draft.name.over(old.map(|old| &old.name)),
            description: draft.description.over(old.map(|old| &old.description)),
            image_url: match &draft.image_url {
                Some(said) => said.clone(),
                None => old.and_then(|old| old.image_url.clone()),
            },
            allergens: match &draft.allergens {
                Some(said) => said.clone(),
                None => old.map(|old| old.allergens.clone()).unwrap_or_default(),
            },
            station: match (&draft.station, old) {
                (Some(said), _) => said.clone(),
                (None, Some(old)) => old.station.clone(),
                (None, None) => self.defaults.station.clone(),
            },
            price_minor: draft.price_minor,
            tax_rate_bp: match (draft.tax_rate_bp, old) {
                (Some(said), _) => said,
                (None, Some(old)) => old.tax_rate_bp,
                (None, None) => self.defaults.tax_rate_bp,
            },
            // staff switch things off and on; a file does not
            available: old.is_none_or(|old| old.available),
            archived: false,
            groups: match &draft.groups {
                Some(keys) => keys
                    .iter()
                    .filter_map(|key| groups.get(key.as_str()).copied())
                    .collect(),
                None => old.map(|old| old.groups.clone()).unwrap_or_default(),
            },
        }
    }

    /// What is tracked already has been counted since; a file that was written before must not reset it.
    fn supply(&mut self, subject: Uuid, stock: Option<i64>) {
        if let Some(stock) = stock.filter(|_| !self.before.tracked.contains(&subject)) {
            self.supply.insert(subject, stock);
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
