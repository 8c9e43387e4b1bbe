//! One thing that a file has twice: in two languages, or in two places. Each fills in what the other leaves open; where both
//! speak and differ, the fields that differ are named.

use super::draft::{GroupDraft, ItemDraft, Texts, ToppingDraft};

/// Merges an item into the one that is known. Says whether it brought anything new.
///
/// *Errors*: names of the fields that differ; the known item may be half merged, and the file is refused.
pub fn items(known: &mut ItemDraft, other: ItemDraft) -> Result<bool, Vec<&'static str>> {
    let before = known.clone();
    let mut differing = Differing::default();
    differing.texts("name", &mut known.name, other.name);
    differing.descriptions("description", &mut known.description, other.description);
    differing.value("price", known.price_minor == other.price_minor);
    let image = &mut known.image_url;
    differing.open("image", image, other.image_url, |image| {
        image.as_ref().is_none_or(Option::is_none)
    });
    differing.open("allergens", &mut known.allergens, other.allergens, Option::is_none);
    differing.open("station", &mut known.station, other.station, Option::is_none);
    differing.open("tax rate", &mut known.tax_rate_bp, other.tax_rate_bp, Option::is_none);
    differing.open("stock", &mut known.stock, other.stock, Option::is_none);
    let is_open = |groups: &Option<Vec<String>>| groups.as_ref().is_none_or(Vec::is_empty);
    differing.open("menuAddOn", &mut known.groups, other.groups, is_open);
    differing.end()?;
    Ok(*known != before)
}

/// Merges a topping group into the one that is known.
///
/// *Errors*: names of the fields that differ.
pub fn groups(known: &mut GroupDraft, other: GroupDraft) -> Result<(), Vec<&'static str>> {
    let mut differing = Differing::default();
    differing.texts("name", &mut known.name, other.name);
    differing.value("eligibleQuantity", (known.min, known.max) == (other.min, other.max));
    let skus = |group: &[ToppingDraft]| group.iter().map(|topping| topping.sku.clone()).collect::<Vec<_>>();
    differing.value("hasMenuItem", skus(&known.toppings) == skus(&other.toppings));
    for (known, other) in known.toppings.iter_mut().zip(other.toppings) {
        if known.sku == other.sku
            && let Err(fields) = toppings(known, other)
        {
            differing.0.extend(fields);
        }
    }
    differing.end()
}

/// Merges a topping into the one that is known.
///
/// *Errors*: names of the fields that differ.
pub fn toppings(known: &mut ToppingDraft, other: ToppingDraft) -> Result<(), Vec<&'static str>> {
    let mut differing = Differing::default();
    differing.texts("name", &mut known.name, other.name);
    differing.value("price", known.price_minor == other.price_minor);
    differing.open("stock", &mut known.stock, other.stock, Option::is_none);
    differing.end()
}

#[derive(Default)]
struct Differing(Vec<&'static str>);

impl Differing {
    fn value(&mut self, field: &'static str, is_equal: bool) {
        if !is_equal && !self.0.contains(&field) {
            self.0.push(field);
        }
    }

    fn texts(&mut self, field: &'static str, known: &mut Texts, other: Texts) {
        let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        self.value(field, agree(&known.ja, &other.ja) && agree(&known.en, &other.en));
        known.fill(other);
    }

    /// An empty description is none.
    fn descriptions(&mut self, field: &'static str, known: &mut Texts, other: Texts) {
        let said = |texts: &Texts| Texts {
            ja: texts.ja.clone().filter(|text| !text.is_empty()),
            en: texts.en.clone().filter(|text| !text.is_empty()),
        };
        let mut merged = said(known);
        self.texts(field, &mut merged, said(&other));
        merged.fill(known.clone());
        merged.fill(other);
        *known = merged;
    }

    fn open<T: PartialEq>(&mut self, field: &'static str, known: &mut T, other: T, is_open: impl Fn(&T) -> bool) {
        if is_open(known) {
            *known = other;
        } else {
            self.value(field, is_open(&other) || *known == other);
        }
    }

    fn end(self) -> Result<(), Vec<&'static str>> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(self.0),
        }
    }
}
