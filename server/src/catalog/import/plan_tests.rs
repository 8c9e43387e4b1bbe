//! Plans: what stays, what changes, what is archived and what comes back.

use super::super::draft::{Texts, ToppingDraft};
use super::*;
use proptest::prelude::*;

fn ids() -> impl FnMut() -> Uuid {
    let mut next = 0_u128;
    move || {
        next += 1;
        Uuid::from_u128(next)
    }
}

fn after(last: &Plan) -> impl FnMut() -> Uuid {
    let mut next = 1_000 * (last.after.version as u128 + 2);
    move || {
        next += 1;
        Uuid::from_u128(next)
    }
}

fn empty() -> Catalogue {
    Catalogue {
        version: 1,
        sections: Vec::new(),
        items: BTreeMap::new(),
        groups: BTreeMap::new(),
        toppings: BTreeMap::new(),
        tracked: BTreeSet::new(),
    }
}

fn defaults() -> Defaults {
    Defaults {
        tax_rate_bp: 1_000,
        station: "kitchen".into(),
    }
}

fn text(text: &str) -> Texts {
    Texts::new(text.into(), None)
}

fn item(sku: &str, price_minor: i64, groups: &[&str]) -> ItemDraft {
    ItemDraft {
        sku: sku.into(),
        name: text(sku),
        description: text(""),
        image_url: Some(None),
        allergens: None,
        station: None,
        price_minor,
        tax_rate_bp: None,
        stock: None,
        groups: Some(groups.iter().map(|key| key.to_string()).collect()),
    }
}

fn section(key: &str, items: Vec<ItemDraft>) -> SectionDraft {
    SectionDraft {
        key: key.into(),
        name: text(key),
        items,
    }
}

fn group(key: &str, toppings: &[(&str, i64)]) -> GroupDraft {
    GroupDraft {
        key: key.into(),
        name: text(key),
        min: 0,
        max: 2,
        toppings: toppings
            .iter()
            .map(|(sku, price_minor)| ToppingDraft {
                sku: sku.to_string(),
                name: text(sku),
                price_minor: *price_minor,
                stock: None,
            })
            .collect(),
    }
}

fn draft(sections: Vec<SectionDraft>, groups: Vec<GroupDraft>) -> Draft {
    Draft {
        sections,
        groups: Some(groups),
        notes: Vec::new(),
    }
}

fn first() -> (Draft, Plan) {
    let draft = draft(
        vec![
            section("food", vec![item("ramen", 850, &["extras"]), item("rice", 200, &[])]),
            section("drinks", vec![item("beer", 600, &[])]),
        ],
        vec![group("extras", &[("egg", 120), ("nori", 80)])],
    );
    let plan = plan(&empty(), &draft, &defaults(), ids());
    (draft, plan)
}

fn found<'p>(plan: &'p Plan, sku: &str) -> &'p Item {
    plan.after
        .items
        .values()
        .find(|item| item.sku == sku)
        .unwrap_or_else(|| panic!("no item {sku}"))
}

fn found_topping<'p>(plan: &'p Plan, sku: &str) -> &'p Topping {
    plan.after
        .toppings
        .values()
        .find(|topping| topping.sku == sku)
        .unwrap_or_else(|| panic!("no topping {sku}"))
}

/// Section by section, what it holds in order; `*` marks what is archived.
fn shown(plan: &Plan) -> Vec<String> {
    let name = |id: &MenuItemId| match plan.after.items.get(id) {
        Some(item) if item.archived => format!("{}*", item.sku),
        Some(item) => item.sku.clone(),
        None => "?".into(),
    };
    let sections = plan.after.sections.iter();
    sections
        .map(|s| {
            format!(
                "{}: {}",
                s.source_key,
                s.items.iter().map(name).collect::<Vec<_>>().join(" ")
            )
        })
        .collect()
}

#[test]
fn a_first_import_creates_everything() {
    let (_, plan) = first();
    assert_eq!(shown(&plan), ["food: ramen rice", "drinks: beer"]);
    assert_eq!(
        (
            plan.sections.created,
            plan.items.created,
            plan.groups.created,
            plan.toppings.created
        ),
        (2, 3, 1, 2)
    );
    let ramen = found(&plan, "ramen");
    assert_eq!(
        (ramen.tax_rate_bp, ramen.station.as_str(), ramen.available),
        (1_000, "kitchen", true)
    );
    assert_eq!(ramen.groups, [found_topping(&plan, "egg").group]);
}

#[test]
fn a_repeat_changes_nothing() {
    let (draft, first) = first();
    let again = plan(&first.after, &draft, &defaults(), after(&first));
    assert_eq!(again.after, first.after);
    assert!(again.supply.is_empty());
    for counts in [again.sections, again.items, again.groups, again.toppings] {
        assert!(counts.is_nothing(), "{counts:?}");
    }
}

#[test]
fn ids_stay_whatever_changes() {
    let (mut draft, first) = first();
    let ramen = &mut draft.sections[0].items[0];
    (ramen.price_minor, ramen.name) = (900, text("shio ramen"));
    draft.sections[0].name = text("Food and more");
    if let Some(groups) = &mut draft.groups {
        (groups[0].max, groups[0].toppings[0].price_minor) = (3, 130);
    }
    let second = plan(&first.after, &draft, &defaults(), after(&first));
    assert_eq!(found(&second, "ramen").id, found(&first, "ramen").id);
    assert_eq!(
        (
            found(&second, "ramen").price_minor,
            found(&second, "ramen").name.en.as_str()
        ),
        (900, "shio ramen")
    );
    assert_eq!(found_topping(&second, "egg").id, found_topping(&first, "egg").id);
    assert_eq!(second.after.sections[0].id, first.after.sections[0].id);
    for (counts, unchanged) in [
        (second.sections, 1),
        (second.items, 2),
        (second.groups, 0),
        (second.toppings, 1),
    ] {
        assert_eq!(
            counts,
            Counts {
                changed: 1,
                unchanged,
                ..Counts::default()
            }
        );
    }
}

#[test]
fn what_is_missing_is_archived_and_comes_back_under_its_id() {
    let (full, first) = first();
    let less = draft(vec![section("food", vec![item("rice", 200, &[])])], vec![]);
    let second = plan(&first.after, &less, &defaults(), after(&first));
    assert_eq!(shown(&second), ["food: rice ramen*", "drinks: beer*"]);
    assert_eq!(
        second.items,
        Counts {
            archived: 2,
            unchanged: 1,
            ..Counts::default()
        }
    );
    assert_eq!(
        second.toppings,
        Counts {
            archived: 2,
            ..Counts::default()
        }
    );
    // an old cart is told that ramen is off the menu, not that its egg never existed
    assert_eq!(found(&second, "ramen").groups, found(&first, "ramen").groups);

    let again = plan(&second.after, &less, &defaults(), after(&second));
    assert_eq!((again.items.archived, again.toppings.archived), (0, 0));
    assert_eq!(again.after, second.after);

    let third = plan(&second.after, &full, &defaults(), after(&second));
    assert_eq!(
        third.items,
        Counts {
            restored: 2,
            unchanged: 1,
            ..Counts::default()
        }
    );
    assert_eq!(
        third.toppings,
        Counts {
            restored: 2,
            ..Counts::default()
        }
    );
    assert_eq!(third.after, first.after);
}

#[test]
fn moving_changes_the_place_and_nothing_else() {
    let (_, first) = first();
    let moved = draft(
        vec![
            section("drinks", vec![item("beer", 600, &[]), item("rice", 200, &[])]),
            section("food", vec![item("ramen", 850, &["more"])]),
        ],
        vec![group("more", &[("nori", 80), ("egg", 120)])],
    );
    let second = plan(&first.after, &moved, &defaults(), after(&first));
    assert_eq!(shown(&second), ["drinks: beer rice", "food: ramen"]);
    assert_eq!(found(&second, "rice").id, found(&first, "rice").id);
    let (egg, ramen) = (found_topping(&second, "egg"), found(&second, "ramen"));
    assert_eq!(
        (egg.id, vec![egg.group], egg.archived),
        (found_topping(&first, "egg").id, ramen.groups.clone(), false)
    );
    let old = second.after.groups.values().find(|group| group.source_key == "extras");
    assert_eq!(old.map(|group| group.toppings.len()), Some(0));
    assert_eq!(second.toppings.archived, 0);
}

#[test]
fn stock_is_put_in_once() {
    let stocked = |pieces| {
        let mut beer = item("beer", 600, &[]);
        beer.stock = pieces;
        draft(vec![section("drinks", vec![beer])], vec![])
    };
    let first = plan(&empty(), &stocked(None), &defaults(), ids());
    assert!(first.supply.is_empty() && first.after.tracked.is_empty());
    let second = plan(&first.after, &stocked(Some(12)), &defaults(), after(&first));
    let beer = found(&second, "beer").id.0;
    assert_eq!(second.supply, BTreeMap::from([(beer, 12)]));
    assert!(second.after.tracked.contains(&beer));
    for pieces in [Some(12), Some(50), None] {
        let third = plan(&second.after, &stocked(pieces), &defaults(), after(&second));
        assert_eq!(
            (third.supply.len(), third.after),
            (0, second.after.clone()),
            "{pieces:?}"
        );
    }
}

#[test]
fn what_a_file_does_not_say_stays() {
    let (_, mut first) = first();
    let ramen = found(&first, "ramen").id;
    if let Some(item) = first.after.items.get_mut(&ramen) {
        item.image_url = Some("https://example.com/r.jpg".into());
        item.allergens = vec!["wheat".into()];
        (item.station, item.tax_rate_bp, item.available) = ("noodle".into(), 800, false);
        (item.description.ja, item.description.en) = ("濃い".into(), "rich".into());
        item.name.ja = "ラーメン".into();
    }
    let silent = ItemDraft {
        name: Texts::new("ramen".into(), Some(crate::lang::Lang::En)),
        description: Texts::default(),
        image_url: None,
        groups: None,
        ..item("ramen", 850, &[])
    };
    let mut only = draft(vec![section("food", vec![silent])], vec![]);
    only.groups = None;
    let second = plan(&first.after, &only, &defaults(), after(&first));
    assert_eq!(found(&second, "ramen"), found(&first, "ramen"));
    assert_eq!(second.after.toppings, first.after.toppings);
    assert_eq!(second.after.groups, first.after.groups);
}

/// Menus of few codes, so that they collide.
fn menus() -> impl Strategy<Value = Draft> {
    let toppings = proptest::collection::btree_map(0..4_u8, (0..2_usize, 0..3_i64), 0..4);
    let items = proptest::collection::btree_map(0..6_u8, (0..3_usize, 0..3_i64, proptest::option::of(0..3_i64)), 1..6);
    (toppings, items).prop_map(|(toppings, items)| {
        let mut groups: Vec<GroupDraft> = Vec::new();
        for (n, (of, price)) in toppings {
            let key = format!("g{of}");
            let topping = group(&key, &[(&format!("t{n}"), price)]);
            match groups.iter_mut().find(|group| group.key == key) {
                Some(group) => group.toppings.extend(topping.toppings),
                None => groups.push(topping),
            }
        }
        let mut sections: Vec<SectionDraft> = Vec::new();
        for (n, (of, price, stock)) in items {
            let key = format!("s{of}");
            let offered: Vec<&str> = groups.iter().map(|group| group.key.as_str()).take(of).collect();
            let item = ItemDraft {
                stock,
                ..item(&format!("i{n}"), price, &offered)
            };
            match sections.iter_mut().find(|section| section.key == key) {
                Some(section) => section.items.push(item),
                None => sections.push(section(&key, vec![item])),
            }
        }
        draft(sections, groups)
    })
}

proptest! {
    /// Whatever was imported before: the menu is as the last file has it, nothing is lost, nothing is there twice, and a repeat
    /// changes nothing.
    #[test]
    fn the_last_file_is_the_menu(files in proptest::collection::vec(menus(), 1..5)) {
        let mut menu = empty();
        let mut supplied: BTreeMap<Uuid, i64> = BTreeMap::new();
        for file in &files {
            let mut new_id = {
                let mut next = 1_000 * menu.version as u128;
                move || { next += 1; Uuid::from_u128(next) }
            };
            let planned = plan(&menu, file, &defaults(), &mut new_id);
            for (subject, pieces) in &planned.supply {
                prop_assert_eq!(supplied.insert(*subject, *pieces), None, "supplied twice");
            }
            for old in menu.items.values() {
                prop_assert_eq!(planned.after.items.get(&old.id).map(|item| &item.sku), Some(&old.sku));
            }
            for old in menu.toppings.values() {
                prop_assert_eq!(planned.after.toppings.get(&old.id).map(|topping| &topping.sku), Some(&old.sku));
            }
            let live: Vec<&str> = planned.after.sections.iter().flat_map(|section| &section.items)
                .filter_map(|id| planned.after.items.get(id)).filter(|item| !item.archived)
                .map(|item| item.sku.as_str()).collect();
            let asked: Vec<&str> = file.items().map(|item| item.sku.as_str()).collect();
            prop_assert_eq!(live, asked);
            let placed = planned.after.sections.iter().map(|section| section.items.len()).sum::<usize>();
            prop_assert_eq!(placed, planned.after.items.len());
            let grouped = planned.after.groups.values().map(|group| group.toppings.len()).sum::<usize>();
            prop_assert_eq!(grouped, planned.after.toppings.len());
            for group in planned.after.groups.values() {
                for topping in &group.toppings {
                    prop_assert_eq!(planned.after.toppings.get(topping).map(|t| t.group), Some(group.id));
                }
            }
            menu = planned.after;
            let again = plan(&menu, file, &defaults(), &mut new_id);
            prop_assert_eq!(&again.after, &menu);
            prop_assert!(again.supply.is_empty());
            menu.version += 1;
        }
    }
}
