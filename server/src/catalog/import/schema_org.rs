//! A `Menu` of schema.org, as restaurants publish it in JSON-LD, becomes a draft. *Source*: schema.org/Menu, MenuSection,
//! MenuItem, Offer.
//!
//! Nutrition and suitable diets are not read. What schema.org has no word for (station, tax rate, allergens) is read from
//! `additionalProperty` where it is given, and otherwise stays as it is.

use super::add_ons::AddOns;
use super::draft::{Draft, ItemDraft, SectionDraft, Texts};
use super::json::{self, Json};
use super::json_ld::{At, Document, Tongue};
use super::merge;
use super::problem::{Place, Problem};
use super::{encoding, field};
use crate::lang::Lang;
use masterorder_protocol::money::Currency;
use std::collections::HashMap;

/// Reads a JSON-LD file. `on_item` is told how many items are read.
///
/// *Errors*: everything that is wrong with it.
pub fn read(bytes: &[u8], currency: Currency, on_item: &dyn Fn(usize)) -> Result<Draft, Vec<Problem>> {
    let text = encoding::decode_json(bytes).map_err(|problem| vec![problem])?;
    let json = json::parse(&text).map_err(|problem| vec![problem])?;
    let document = Document::new(&json);
    let mut reader = Reader {
        document: &document,
        currency,
        is_bilingual: false,
        draft: Draft::default(),
        section_at: HashMap::new(),
        item_at: HashMap::new(),
        seen: Vec::new(),
        unnamed: 0,
        problems: Vec::new(),
        on_item,
    };
    let mut add_ons = AddOns::default();
    reader.document(&mut add_ons);
    reader.finish(add_ons)
}

/// What offers say.
pub(super) struct Offered {
    pub(super) price_minor: i64,
    pub(super) stock: Option<i64>,
}

/// Reads a document from menu to section to item.
pub(super) struct Reader<'a, 'd> {
    document: &'a Document<'d>,
    currency: Currency,
    /// The file has the menu once in Japanese and once in English: only identifiers tell that two items are one.
    pub(super) is_bilingual: bool,
    draft: Draft,
    section_at: HashMap<String, usize>,
    /// By code: section, place in it, and where it was read.
    item_at: HashMap<String, (usize, usize, String)>,
    /// Sections that were read.
    seen: Vec<At<'d>>,
    /// Items and toppings that are known by their name, for want of a code.
    pub(super) unnamed: usize,
    pub(super) problems: Vec<Problem>,
    on_item: &'a dyn Fn(usize),
}

impl<'d> Reader<'_, 'd> {
    fn document(&mut self, add_ons: &mut AddOns) {
        let mut menus = Vec::new();
        self.find_menus(&self.document.root(), &mut menus);
        if menus.is_empty() {
            let message = "holds no Menu: the menu itself must be in the file, not only its address";
            self.problems.push(Problem::new(Place::Path("$".into()), "", message));
        }
        let tongues: Vec<Tongue> = menus.iter().map(At::tongue).collect();
        let speaks = |lang| tongues.contains(&Tongue::Ours(lang));
        self.is_bilingual = speaks(Lang::Ja) && speaks(Lang::En);
        for (menu, tongue) in menus.iter().zip(tongues) {
            let Some(lang) = self.lang(menu, tongue, self.document.lang) else {
                continue;
            };
            self.section(menu, lang, add_ons);
        }
    }

    /// Menus are at the top, in a `@graph`, in what a restaurant has, and in translations of each other.
    fn find_menus(&mut self, at: &At<'d>, menus: &mut Vec<At<'d>>) {
        if let Json::List(values) = at.json {
            for value in at.elements(values) {
                self.find_menus(&value, menus);
            }
            return;
        }
        let is_menu = at.is_a("Menu") || at.property("hasMenuSection").is_some() && !at.is_a("MenuSection");
        if is_menu {
            if menus.iter().any(|menu| menu.is(at)) {
                return;
            }
            menus.push(at.clone());
        }
        for property in [
            "@graph",
            "hasMenu",
            "menu",
            "mainEntity",
            "workTranslation",
            "translationOfWork",
        ] {
            // a restaurant may point to its menu on another page
            let is_address = at.property(property).is_some_and(|value| value.json.text().is_some());
            if !is_address {
                for value in self.values(at, property) {
                    self.find_menus(&value, menus);
                }
            }
        }
    }

    /// The language of what is inside; `None`: it is in a language that menus are not kept in, and is left out.
    fn lang(&mut self, at: &At<'d>, tongue: Tongue, outer: Option<Lang>) -> Option<Option<Lang>> {
        match tongue {
            Tongue::Unsaid => Some(outer),
            Tongue::Ours(lang) => Some(Some(lang)),
            Tongue::Other(tag) => {
                let note = format!("{} is in {tag:?} and is left out: menus are kept in ja and en", at.path);
                self.draft.notes.push(note);
                None
            }
        }
    }

    fn sections(&mut self, at: &At<'d>, lang: Option<Lang>, add_ons: &mut AddOns) {
        for section in self.values(at, "hasMenuSection") {
            if let Some(lang) = self.lang(&section, section.tongue(), lang) {
                self.section(&section, lang, add_ons);
            }
        }
    }

    /// Reads a section, and the sections inside it as sections of their own. A menu may have items without a section; then it
    /// is one itself.
    fn section(&mut self, at: &At<'d>, lang: Option<Lang>, add_ons: &mut AddOns) {
        if self.seen.iter().any(|seen| seen.is(at)) {
            return;
        }
        self.seen.push(at.clone());
        let items = self.values(at, "hasMenuItem");
        let name = match items.is_empty() {
            true => None,
            false if at.is_a("Menu") && at.property("name").is_none() => Some(menu()),
            false => self.name(at, lang),
        };
        if let Some(name) = name
            && let Some(code) = self.code(at, name.any().unwrap_or_default(), field::MAX_NAME)
        {
            let section = self.section_with(code.text, name);
            for item in items {
                self.item(&item, section, lang, add_ons);
            }
        }
        self.sections(at, lang, add_ons);
    }

    fn section_with(&mut self, key: String, name: Texts) -> usize {
        let section = *self.section_at.entry(key.clone()).or_insert_with(|| {
            self.draft.sections.push(SectionDraft {
                key,
                name: Texts::default(),
                items: Vec::new(),
            });
            self.draft.sections.len() - 1
        });
        self.draft.sections[section].name.fill(name);
        section
    }

    fn item(&mut self, at: &At<'d>, section: usize, lang: Option<Lang>, add_ons: &mut AddOns) {
        let name = self.name(at, lang);
        let description = self.description(at, lang);
        let image_url = self.image(at);
        let offered = self.offered(at);
        if offered.is_none() && at.property("offers").is_none() {
            self.problem(at, "offers", "is missing: an item has a price");
        }
        let allergens = self.additional_list(at, &["allergens", "アレルゲン", "アレルギー"]);
        let station = self.additional(at, &["station", "調理場"], |text| {
            field::line(text, field::MAX_LABEL)
        });
        let tax_rate_bp = self.additional(at, &["taxRate", "税率"], field::tax_rate_bp);
        let fallback = name.as_ref().and_then(Texts::any).unwrap_or_default();
        let fallback = format!("{}/{fallback}", self.draft.sections[section].key);
        let sku = self.code(at, &fallback, field::MAX_CODE);
        let groups = sku.as_ref().map(|sku| add_ons.read(self, at, &sku.text, lang));
        let (Some(sku), Some(name), Some(offered)) = (sku, name, offered) else {
            return;
        };
        self.count(&sku);
        let item = ItemDraft {
            sku: sku.text,
            name,
            description,
            image_url: Some(image_url),
            allergens,
            station,
            price_minor: offered.price_minor,
            tax_rate_bp,
            stock: offered.stock,
            groups,
        };
        self.put(item, section, at);
        (self.on_item)(self.item_at.len());
    }

    /// Puts an item on the menu. One that is there already is the same in another language, or shown in two places.
    fn put(&mut self, item: ItemDraft, section: usize, at: &At<'d>) {
        let Some((known_section, place, path)) = self.item_at.get(&item.sku) else {
            let items = &mut self.draft.sections[section].items;
            self.item_at
                .insert(item.sku.clone(), (section, items.len(), at.path.clone()));
            items.push(item);
            return;
        };
        let known = &mut self.draft.sections[*known_section].items[*place];
        let sku = item.sku.clone();
        match merge::items(known, item) {
            Ok(true) => {}
            Ok(false) => {
                let note = format!("{sku:?} ({path}) is on the menu twice: it is shown in the first place only");
                self.draft.notes.push(note);
            }
            Err(differing) => {
                let message = format!(
                    "has the code {sku:?} of {path}, but another {}",
                    differing.join(", another ")
                );
                self.problem(at, "", message);
            }
        }
    }

    fn finish(mut self, add_ons: AddOns) -> Result<Draft, Vec<Problem>> {
        if self.problems.is_empty() && self.draft.items().next().is_none() {
            self.problems.push(Problem::of_file(
                "holds no item: importing it would archive the whole menu",
            ));
        }
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        if self.unnamed > 0 {
            self.draft.notes.push(format!(
                "without sku, identifier or @id: {}; they are known by their names, and another name makes another item",
                self.unnamed
            ));
        }
        add_ons.finish(&mut self.draft);
        Ok(self.draft)
    }

    /// The values of a property; those that point to nothing are problems.
    pub(super) fn values(&mut self, at: &At<'d>, property: &str) -> Vec<At<'d>> {
        let mut values = Vec::new();
        for value in self.document.values(at, property) {
            match value {
                Ok(value) => values.push(value),
                Err((path, id)) => {
                    let problem = Problem::new(
                        Place::Path(path),
                        "",
                        format!("points to {id:?}, which is not in the file"),
                    );
                    if !self.problems.contains(&problem) {
                        self.problems.push(problem);
                    }
                }
            }
        }
        values
    }

    pub(super) fn problem(&mut self, at: &At<'d>, property: &str, message: impl Into<String>) {
        self.problems
            .push(Problem::new(Place::Path(at.path.clone()), property, message));
    }

    pub(super) fn currency(&self) -> Currency {
        self.currency
    }
}

fn menu() -> Texts {
    Texts {
        ja: Some("メニュー".into()),
        en: Some("Menu".into()),
    }
}

#[cfg(test)]
#[path = "schema_org_tests.rs"]
mod tests;
