//! `menuAddOn` becomes topping groups. An add-on that is a `MenuSection` is a group, with `eligibleQuantity` as its bounds.
//! Add-ons that are bare items have no group of their own: those that are offered with the same dishes make one.

use super::draft::{Draft, GroupDraft, Texts, ToppingDraft};
use super::field;
use super::json_ld::At;
use super::merge;
use super::schema_org::Reader;
use crate::lang::Lang;
use std::collections::{BTreeSet, HashMap};

/// What add-ons make, while items come in.
#[derive(Default)]
pub(super) struct AddOns {
    groups: Vec<GroupDraft>,
    /// By key: place in `groups`, and where it was read.
    group_at: HashMap<String, (usize, String)>,
    /// By code: the key of its group (`None` for a bare one), and where it was read.
    toppings: HashMap<String, (Option<String>, String)>,
    bare: Vec<Bare>,
    /// By code: place in `bare`.
    bare_at: HashMap<String, usize>,
}

/// An add-on without a group.
struct Bare {
    topping: ToppingDraft,
    /// Codes of the items that offer it.
    items: BTreeSet<String>,
}

impl AddOns {
    /// Reads the add-ons of an item, and returns the keys of the groups among them.
    pub(super) fn read<'d>(
        &mut self,
        reader: &mut Reader<'_, 'd>,
        item: &At<'d>,
        sku: &str,
        lang: Option<Lang>,
    ) -> Vec<String> {
        let mut groups = Vec::new();
        for add_on in reader.values(item, "menuAddOn") {
            if add_on.is_a("MenuSection") || add_on.property("hasMenuItem").is_some() {
                let key = self.group(reader, &add_on, sku, lang);
                groups.extend(key.filter(|key| !groups.contains(key)));
            } else {
                self.bare(reader, &add_on, sku, lang);
            }
        }
        groups
    }

    fn group<'d>(&mut self, reader: &mut Reader<'_, 'd>, at: &At<'d>, sku: &str, lang: Option<Lang>) -> Option<String> {
        let name = match at.property("name") {
            Some(_) => reader.name(at, lang)?,
            None => extras(),
        };
        let fallback = format!("{sku}/{}", name.any().unwrap_or_default());
        let key = reader.code(at, &fallback, field::MAX_NAME)?.text;
        if self.group_at.get(&key).is_some_and(|(_, path)| *path == at.path) {
            return Some(key);
        }
        let mut toppings = Vec::new();
        for item in reader.values(at, "hasMenuItem") {
            let topping = self.topping(reader, &item, &key, lang);
            match topping {
                Some(topping) => toppings.push((topping, item)),
                // it is a problem already
                None => return Some(key),
            }
        }
        if toppings.is_empty() {
            reader.problem(at, "hasMenuItem", "is missing: there is nothing to choose from");
            return Some(key);
        }
        let (min, max) = bounds(reader, at, toppings.len())?;
        for (topping, item) in &toppings {
            self.claim(reader, item, &topping.sku, Some(&key));
        }
        let group = GroupDraft {
            key: key.clone(),
            name,
            min,
            max,
            toppings: toppings.into_iter().map(|(topping, _)| topping).collect(),
        };
        match self.group_at.get(&key) {
            None => {
                self.group_at.insert(key.clone(), (self.groups.len(), at.path.clone()));
                self.groups.push(group);
            }
            Some((known, path)) => {
                if let Err(differing) = merge::groups(&mut self.groups[*known], group) {
                    let message = format!(
                        "has the code {key:?} of {path}, but another {}",
                        differing.join(", another ")
                    );
                    reader.problem(at, "", message);
                }
            }
        }
        Some(key)
    }

    fn bare<'d>(&mut self, reader: &mut Reader<'_, 'd>, at: &At<'d>, sku: &str, lang: Option<Lang>) {
        let Some(topping) = self.topping(reader, at, sku, lang) else {
            return;
        };
        self.claim(reader, at, &topping.sku, None);
        let Some(known) = self.bare_at.get(&topping.sku) else {
            self.bare_at.insert(topping.sku.clone(), self.bare.len());
            self.bare.push(Bare {
                topping,
                items: [sku.to_owned()].into(),
            });
            return;
        };
        let known = &mut self.bare[*known];
        known.items.insert(sku.to_owned());
        if let Err(differing) = merge::toppings(&mut known.topping, topping) {
            let sku = &known.topping.sku;
            let path = self.toppings.get(sku).map_or("", |(_, path)| path);
            let message = format!(
                "has the code {sku:?} of {path}, but another {}",
                differing.join(", another ")
            );
            reader.problem(at, "", message);
        }
    }

    /// An add-on without offers is free: a choice, as of how hard the noodles are.
    fn topping<'d>(
        &mut self,
        reader: &mut Reader<'_, 'd>,
        at: &At<'d>,
        owner: &str,
        lang: Option<Lang>,
    ) -> Option<ToppingDraft> {
        let name = reader.name(at, lang)?;
        let fallback = format!("{owner}/{}", name.any().unwrap_or_default());
        let sku = reader.code(at, &fallback, field::MAX_CODE)?;
        let (price_minor, stock) = match at.property("offers") {
            None => (0, None),
            Some(_) => {
                let offered = reader.offered(at)?;
                (offered.price_minor, offered.stock)
            }
        };
        reader.count(&sku);
        Some(ToppingDraft {
            sku: sku.text,
            name,
            price_minor,
            stock,
        })
    }

    /// Notes which group a topping is in; it can not be in two.
    fn claim<'d>(&mut self, reader: &mut Reader<'_, 'd>, at: &At<'d>, sku: &str, group: Option<&str>) {
        match self.toppings.get(sku) {
            Some((known, path)) if known.as_deref() != group => {
                let message = format!("has the code {sku:?} of {path}, which is an add-on of another group");
                reader.problem(at, "", message);
            }
            Some(_) => {}
            None => {
                self.toppings
                    .insert(sku.to_owned(), (group.map(str::to_owned), at.path.clone()));
            }
        }
    }

    /// Adds the groups to the draft, and those of bare add-ons to the items that offer them.
    pub(super) fn finish(mut self, draft: &mut Draft) {
        let mut offers: HashMap<String, Vec<String>> = HashMap::new();
        let mut by_items: HashMap<BTreeSet<String>, usize> = HashMap::new();
        for bare in self.bare {
            if let Some(group) = by_items.get(&bare.items) {
                let group = &mut self.groups[*group];
                group.toppings.push(bare.topping);
                group.max = count(group.toppings.len());
                continue;
            }
            let key = format!("add-ons/{}", bare.topping.sku);
            for item in &bare.items {
                offers.entry(item.clone()).or_default().push(key.clone());
            }
            by_items.insert(bare.items, self.groups.len());
            self.groups.push(GroupDraft {
                key,
                name: extras(),
                min: 0,
                max: 1,
                toppings: vec![bare.topping],
            });
        }
        for item in draft.sections.iter_mut().flat_map(|section| &mut section.items) {
            let offered = offers.remove(&item.sku).unwrap_or_default();
            item.groups.get_or_insert_default().extend(offered);
        }
        draft.groups = Some(self.groups);
    }
}

/// `eligibleQuantity { minValue maxValue }`; otherwise any of them, each once.
fn bounds<'d>(reader: &mut Reader<'_, 'd>, at: &At<'d>, toppings: usize) -> Option<(i64, i64)> {
    let quantity = reader.values(at, "eligibleQuantity").into_iter().next();
    let mut bound = |property: &str, otherwise: i64| match quantity.as_ref().and_then(|q| q.property(property)) {
        None => Some(otherwise),
        Some(value) => match value.json.scalar().map(field::portions) {
            Some(Ok(portions)) => Some(portions),
            Some(Err(message)) => {
                reader.problem(&value, "", message);
                None
            }
            None => {
                reader.problem(&value, "", "must be a number");
                None
            }
        },
    };
    let (min, max) = (bound("minValue", 0), bound("maxValue", count(toppings)));
    let (min, max) = (min?, max?);
    match (field::bounds(min, max), quantity) {
        (Ok(()), _) => Some((min, max)),
        (Err(message), Some(quantity)) => {
            reader.problem(&quantity, "maxValue", message);
            None
        }
        (Err(_), None) => None,
    }
}

fn count(toppings: usize) -> i64 {
    i64::try_from(toppings.min(99)).unwrap_or(99)
}

fn extras() -> Texts {
    Texts {
        ja: Some("追加".into()),
        en: Some("Extras".into()),
    }
}
