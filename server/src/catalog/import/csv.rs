//! A POS export in CSV becomes a draft. A row is an item, or a topping if its kind says so. What is wrong is gathered over the
//! whole file, each with its row and the column as the file names it.

use super::columns::{Column, Header};
use super::draft::{Draft, GroupDraft, ItemDraft, SectionDraft, Texts, ToppingDraft};
use super::problem::{Place, Problem};
use super::table::{self, Row};
use super::{encoding, field};
use masterorder_protocol::money::Currency;
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Between several values in one cell.
const SEPARATORS: [char; 7] = [';', '；', '、', ',', '，', '|', '\n'];
/// Of a file without sections.
const ONLY_SECTION: &str = "menu";

/// Reads a CSV file. `on_row` is told how many rows are read.
///
/// *Errors*: everything that is wrong with it.
pub fn read(bytes: &[u8], currency: Currency, on_row: &dyn Fn(usize)) -> Result<Draft, Vec<Problem>> {
    let text = encoding::decode(bytes).map_err(|problem| vec![problem])?;
    let rows = table::rows(&text).map_err(|problem| vec![problem])?;
    let Some((header, rows)) = rows.split_first() else {
        return Err(vec![Problem::of_file("is empty: the first row must name the columns")]);
    };
    let header = Header::parse(header)?;
    let mut reader = Reader {
        header: &header,
        currency,
        draft: Draft::default(),
        groups: Vec::new(),
        section_at: HashMap::new(),
        group_at: HashMap::new(),
        skus: HashMap::new(),
        topping_skus: HashMap::new(),
        offered: Vec::new(),
        problems: Vec::new(),
    };
    for (read, row) in rows.iter().enumerate() {
        reader.row(row);
        on_row(read + 1);
    }
    reader.finish()
}

/// A topping group while its rows come in.
struct GroupRows {
    /// Of its first topping.
    row: usize,
    key: String,
    name: Texts,
    min: Option<i64>,
    max: Option<i64>,
    toppings: Vec<ToppingDraft>,
}

struct Reader<'a> {
    header: &'a Header,
    currency: Currency,
    draft: Draft,
    groups: Vec<GroupRows>,
    section_at: HashMap<String, usize>,
    group_at: HashMap<String, usize>,
    /// By code: the row.
    skus: HashMap<String, usize>,
    topping_skus: HashMap<String, usize>,
    /// Groups that items offer, with the row.
    offered: Vec<(usize, String)>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn row(&mut self, row: &Row) {
        let spare = row.cells.iter().skip(self.header.len());
        if row.cells.len() < self.header.len() || spare.clone().any(|cell| !cell.is_empty()) {
            let message = format!(
                "has {} cells, but the header has {}",
                row.cells.len(),
                self.header.len()
            );
            self.problems.push(Problem::new(Place::Row(row.number), "", message));
            return;
        }
        match self.header.cell(row, Column::Kind).map(kind) {
            Some(None) => {
                let message = "must be item (商品) or topping (トッピング)";
                self.problem(row, Column::Kind, message);
            }
            Some(Some(Kind::Topping)) => self.topping(row),
            Some(Some(Kind::Item)) | None => self.item(row),
        }
    }

    fn item(&mut self, row: &Row) {
        let section = self.section(row);
        let sku = self.sku(row, Kind::Item);
        let name = self.name(row);
        let price_minor = self.price(row);
        let description = Texts {
            ja: self.description(row, Column::DescriptionJa),
            en: self.description(row, Column::DescriptionEn),
        };
        let image_url = self.optional(row, Column::Image, field::image_url);
        let allergens = self.list(row, Column::Allergens, field::MAX_LABEL);
        let station = self.optional(row, Column::Station, |text| field::line(text, field::MAX_LABEL));
        let tax_rate_bp = self.optional(row, Column::TaxRate, field::tax_rate_bp);
        let stock = self.optional(row, Column::Stock, field::stock);
        let groups = self.list(row, Column::Groups, field::MAX_CODE);
        self.offered
            .extend(groups.iter().flatten().map(|key| (row.number, key.clone())));
        let (Some(section), Some(sku), Some(name), Some(price_minor)) = (section, sku, name, price_minor) else {
            return;
        };
        self.draft.sections[section].items.push(ItemDraft {
            sku,
            name,
            description,
            image_url: self.header.has(Column::Image).then_some(image_url),
            allergens,
            station,
            price_minor,
            tax_rate_bp,
            stock,
            groups,
        });
    }

    fn topping(&mut self, row: &Row) {
        let group = self.group(row);
        let sku = self.sku(row, Kind::Topping);
        let name = self.name(row);
        let price_minor = self.price(row);
        let stock = self.optional(row, Column::Stock, field::stock);
        let (Some(group), Some(sku), Some(name), Some(price_minor)) = (group, sku, name, price_minor) else {
            return;
        };
        self.groups[group].toppings.push(ToppingDraft {
            sku,
            name,
            price_minor,
            stock,
        });
    }

    /// Finds the row's section, or begins it. Its name comes from its first row.
    fn section(&mut self, row: &Row) -> Option<usize> {
        if !self.header.has(Column::Section) && !self.header.has(Column::SectionKey) {
            let name = Texts {
                ja: Some("メニュー".into()),
                en: Some("Menu".into()),
            };
            return Some(self.section_with(ONLY_SECTION.into(), name));
        }
        let code = self.optional(row, Column::SectionKey, |text| field::line(text, field::MAX_CODE));
        let ja = match code.is_some() {
            true => self.optional(row, Column::Section, |text| field::line(text, field::MAX_NAME)),
            false => self.required(row, Column::Section, |text| field::line(text, field::MAX_NAME)),
        };
        let en = self.optional(row, Column::SectionEn, |text| field::line(text, field::MAX_NAME));
        let key = code.or_else(|| ja.clone())?;
        let name = Texts {
            ja: ja.or_else(|| Some(key.clone())),
            en,
        };
        let section = self.section_with(key, name.clone());
        let mut known = self.draft.sections[section].name.clone();
        self.agree(row, Column::Section, &known.ja, &name.ja);
        self.agree(row, Column::SectionEn, &known.en, &name.en);
        known.fill(name);
        self.draft.sections[section].name = known;
        Some(section)
    }

    fn section_with(&mut self, key: String, name: Texts) -> usize {
        *self.section_at.entry(key.clone()).or_insert_with(|| {
            self.draft.sections.push(SectionDraft {
                key,
                name,
                items: Vec::new(),
            });
            self.draft.sections.len() - 1
        })
    }

    /// Finds the group of a topping's row, or begins it. What its rows say about it must agree; a cell may be empty once another
    /// row has said it.
    fn group(&mut self, row: &Row) -> Option<usize> {
        let key = self.required(row, Column::Groups, |text| match text.contains(SEPARATORS) {
            true => Err("a topping is in one group".into()),
            false => field::line(text, field::MAX_CODE),
        });
        let name = Texts {
            ja: self.optional(row, Column::GroupName, |text| field::line(text, field::MAX_NAME)),
            en: self.optional(row, Column::GroupNameEn, |text| field::line(text, field::MAX_NAME)),
        };
        let min = self.optional(row, Column::GroupMin, field::portions);
        let max = self.optional(row, Column::GroupMax, field::portions);
        let key = key?;
        let at = *self.group_at.entry(key.clone()).or_insert_with(|| {
            self.groups.push(GroupRows {
                row: row.number,
                key,
                name: Texts::default(),
                min: None,
                max: None,
                toppings: Vec::new(),
            });
            self.groups.len() - 1
        });
        let known = (self.groups[at].name.clone(), self.groups[at].min, self.groups[at].max);
        self.agree(row, Column::GroupName, &known.0.ja, &name.ja);
        self.agree(row, Column::GroupNameEn, &known.0.en, &name.en);
        self.agree(row, Column::GroupMin, &known.1, &min);
        self.agree(row, Column::GroupMax, &known.2, &max);
        let group = &mut self.groups[at];
        group.name.fill(name);
        group.min = group.min.or(min);
        group.max = group.max.or(max);
        Some(at)
    }

    fn sku(&mut self, row: &Row, kind: Kind) -> Option<String> {
        let sku = self.required(row, Column::Sku, |text| field::line(text, field::MAX_CODE))?;
        let seen = match kind {
            Kind::Item => &mut self.skus,
            Kind::Topping => &mut self.topping_skus,
        };
        match seen.get(&sku) {
            Some(first) => {
                let message = format!("{sku:?} is the code of row {first} already");
                self.problem(row, Column::Sku, message);
                None
            }
            None => {
                seen.insert(sku.clone(), row.number);
                Some(sku)
            }
        }
    }

    fn name(&mut self, row: &Row) -> Option<Texts> {
        let ja = self.required(row, Column::NameJa, |text| field::line(text, field::MAX_NAME));
        let en = self.optional(row, Column::NameEn, |text| field::line(text, field::MAX_NAME));
        Some(Texts { ja: Some(ja?), en })
    }

    fn price(&mut self, row: &Row) -> Option<i64> {
        let currency = self.currency;
        self.required(row, Column::Price, |text| field::price(text, currency))
    }

    /// `None` when there is no such column; an empty cell is an empty description.
    fn description(&mut self, row: &Row, column: Column) -> Option<String> {
        let text = self.optional(row, column, |text| field::lines(text, field::MAX_DESCRIPTION));
        self.header.has(column).then(|| text.unwrap_or_default())
    }

    /// `None` when there is no such column; an empty cell is an empty list.
    fn list(&mut self, row: &Row, column: Column, max: usize) -> Option<Vec<String>> {
        let listed = self.optional(row, column, |text| {
            let mut listed: Vec<String> = Vec::new();
            for value in text.split(SEPARATORS).map(str::trim).filter(|value| !value.is_empty()) {
                let value = field::line(value, max)?;
                if listed.contains(&value) {
                    return Err(format!("names {value:?} twice"));
                }
                listed.push(value);
            }
            Ok(listed)
        });
        self.header.has(column).then(|| listed.unwrap_or_default())
    }

    fn required<T>(&mut self, row: &Row, column: Column, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        if self.header.cell(row, column).is_none() {
            self.problem(row, column, "is empty");
        }
        self.optional(row, column, parse)
    }

    fn optional<T>(&mut self, row: &Row, column: Column, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        match parse(self.header.cell(row, column)?) {
            Ok(value) => Some(value),
            Err(message) => {
                self.problem(row, column, message);
                None
            }
        }
    }

    /// Complains when two rows say different things about one section or group.
    fn agree<T: PartialEq + std::fmt::Debug>(
        &mut self,
        row: &Row,
        column: Column,
        known: &Option<T>,
        said: &Option<T>,
    ) {
        if let (Some(known), Some(said)) = (known, said)
            && known != said
        {
            self.problem(row, column, format!("{said:?} differs from {known:?} in a row above"));
        }
    }

    fn problem(&mut self, row: &Row, column: Column, message: impl Into<String>) {
        let column = self.header.name(column).to_owned();
        self.problems
            .push(Problem::new(Place::Row(row.number), column, message));
    }

    fn finish(mut self) -> Result<Draft, Vec<Problem>> {
        let mut groups = Vec::with_capacity(self.groups.len());
        for group in std::mem::take(&mut self.groups) {
            let max = group
                .max
                .unwrap_or_else(|| group.toppings.len().clamp(1, 99).try_into().unwrap_or(1));
            let min = group.min.unwrap_or(0);
            if let Err(message) = field::bounds(min, max) {
                let column = self.header.name(Column::GroupMax);
                self.problems.push(Problem::new(Place::Row(group.row), column, message));
            }
            let mut name = group.name;
            if name.ja.is_none() && name.en.is_none() {
                name.ja = Some(group.key.clone());
            }
            groups.push(GroupDraft {
                key: group.key,
                name,
                min,
                max,
                toppings: group.toppings,
            });
        }
        for (row, key) in &self.offered {
            if !self.group_at.contains_key(key) {
                let message = format!("no topping of this file is in the group {key:?}");
                self.problems.push(Problem::new(
                    Place::Row(*row),
                    self.header.name(Column::Groups),
                    message,
                ));
            }
        }
        if self.problems.is_empty() && self.draft.items().next().is_none() {
            self.problems.push(Problem::of_file(
                "holds no item: importing it would archive the whole menu",
            ));
        }
        if !self.problems.is_empty() {
            self.problems.sort_by(|a, b| a.place.cmp(&b.place));
            return Err(self.problems);
        }
        let offered: HashSet<&String> = self.offered.iter().map(|(_, key)| key).collect();
        let unused = groups.iter().filter(|group| !offered.contains(&group.key));
        self.draft
            .notes
            .extend(unused.map(|group| format!("no item offers the topping group {:?}", group.key)));
        let ignored = self.header.ignored();
        if !ignored.is_empty() {
            self.draft
                .notes
                .push(format!("columns that are not read: {}", ignored.join(", ")));
        }
        self.draft.groups = self.header.has(Column::Groups).then_some(groups);
        Ok(self.draft)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Item,
    Topping,
}

fn kind(text: &str) -> Option<Kind> {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    match &*text {
        "item" | "product" | "menu" | "商品" | "メニュー" | "単品" => Some(Kind::Item),
        "topping" | "option" | "modifier" | "トッピング" | "オプション" | "サブメニュー" => {
            Some(Kind::Topping)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
