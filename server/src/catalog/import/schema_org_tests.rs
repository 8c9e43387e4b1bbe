//! Menus of schema.org: what is read, and each kind of error with its path.

use super::super::draft::{GroupDraft, ToppingDraft};
use super::*;

const IZAKAYA: &str = include_str!("../../../../docs/examples/izakaya.jsonld");

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap_or_else(|e| panic!("{code}: {e}"))
}

fn read_in(code: &str, text: &str) -> Result<Draft, Vec<String>> {
    let draft = read(text.as_bytes(), currency(code), &|_| ());
    draft.map_err(|problems| problems.iter().map(Problem::to_string).collect())
}

fn draft(text: &str) -> Draft {
    read_in("JPY", text).unwrap_or_else(|problems| panic!("{text}: {problems:#?}"))
}

fn problems(text: &str) -> Vec<String> {
    read_in("JPY", text).err().unwrap_or_default()
}

/// A menu with one section of these items.
fn menu(items: &str) -> String {
    format!(
        r#"{{"@context": "https://schema.org", "@type": "Menu", "hasMenuSection":
            {{"@type": "MenuSection", "identifier": "s", "name": "S", "hasMenuItem": [{items}]}}}}"#
    )
}

/// An item with these properties more.
fn item(more: &str) -> String {
    let offers = match more.contains("\"offers\"") {
        true => "",
        false => r#""offers": {"price": 300, "priceCurrency": "JPY"}, "#,
    };
    let name = match more.starts_with(", \"name\"") {
        true => "",
        false => r#""name": "Tea", "#,
    };
    format!(r#"{{"@type": "MenuItem", {offers}{name}"identifier": "A"{more}}}"#)
}

fn only(text: &str) -> ItemDraft {
    let draft = draft(text);
    let mut items = draft.items().cloned();
    match (items.next(), items.next()) {
        (Some(item), None) => item,
        other => panic!("{text}: {other:?}"),
    }
}

fn both(ja: &str, en: &str) -> Texts {
    Texts {
        ja: Some(ja.into()),
        en: Some(en.into()),
    }
}

fn ja(text: &str) -> Texts {
    Texts::new(text.into(), Some(Lang::Ja))
}

#[test]
fn the_example_is_read_in_full() {
    let draft = draft(IZAKAYA);
    let sections: Vec<_> = draft.sections.iter().map(|s| (s.key.as_str(), s.items.len())).collect();
    let expected = [
        ("otoshi", 4),
        ("sashimi", 3),
        ("yakimono", 5),
        ("agemono", 3),
        ("meshi", 3),
        ("nomimono", 6),
    ];
    assert_eq!(sections, expected);
    let ramen = &draft.sections[4].items[1];
    assert_eq!(ramen.name, both("煮干しらーめん", "Ramen in dried-sardine broth"));
    assert_eq!(
        ramen.image_url,
        Some(Some("https://izakaya-hamabe.example/pictures/ramen.jpg".into()))
    );
    assert_eq!(ramen.groups, Some(vec!["noodles".into(), "ramen-extras".into()]));
    assert_eq!(
        (ramen.station.as_deref(), ramen.price_minor, ramen.stock),
        (Some("noodle"), 880, None)
    );
    let sashimi = &draft.sections[1].items[0];
    assert_eq!((sashimi.price_minor, sashimi.stock), (1_480, Some(12)));
    assert_eq!(sashimi.allergens, Some(vec!["fish".into(), "soy".into()]));
    let highball = &draft.sections[5].items[1];
    assert_eq!(highball.description, both("", ""));
    let groups = draft.groups.unwrap_or_default();
    let bounds: Vec<_> = groups
        .iter()
        .map(|g| (g.key.as_str(), g.min, g.max, g.toppings.len()))
        .collect();
    let expected = [
        ("seasoning", 1, 1, 2),
        ("yolk", 0, 1, 1),
        ("sauce", 0, 3, 3),
        ("noodles", 1, 1, 3),
        ("ramen-extras", 0, 5, 4),
        ("temperature", 1, 1, 2),
    ];
    assert_eq!(bounds, expected);
    let egg = ToppingDraft {
        sku: "HB-T10".into(),
        name: both("味玉", "Seasoned egg"),
        price_minor: 120,
        stock: Some(50),
    };
    assert_eq!(groups[4].toppings[0], egg);
    assert!(draft.notes.is_empty(), "{:?}", draft.notes);
}

#[test]
fn a_menu_is_found_wherever_restaurants_put_it() {
    let plain = menu(&item(""));
    let graph = format!(
        r##"{{"@graph": [{{"@type": "Restaurant", "hasMenu": {{"@id": "#m"}}}}, {}]}}"##,
        plain.replacen('{', r##"{"@id": "#m", "##, 1)
    );
    for text in [
        plain.clone(),
        format!("[{plain}]"),
        format!("\u{feff}{plain}"),
        format!(r#"{{"@type": "Restaurant", "name": "R", "hasMenu": {plain}}}"#),
        format!(r#"{{"@type": "Restaurant", "hasMenu": [{plain}]}}"#),
        format!(r#"{{"@type": "CafeOrCoffeeShop", "menu": {plain}}}"#),
        format!(r#"{{"@type": "WebPage", "mainEntity": {{"@type": "Restaurant", "hasMenu": {plain}}}}}"#),
        graph,
        plain.replace("\"@type\": \"Menu\"", "\"@type\": [\"schema:Menu\", \"Thing\"]"),
        plain.replace("hasMenuSection", "https://schema.org/hasMenuSection").replace("\"name\"", "\"schema:name\""),
        r#"{"@type": "Menu", "name": "S", "identifier": "s", "hasMenuItem": ITEM}"#.replace("ITEM", &item("")),
        r#"{"@type": "Menu", "hasMenuSection": {"hasMenuSection": [{"identifier": "s", "name": "S", "hasMenuItem": ITEM}]}}"#
            .replace("ITEM", &item("")),
    ] {
        let draft = draft(&text);
        assert_eq!(draft.sections.len(), 1, "{text}");
        assert_eq!((draft.sections[0].key.as_str(), &draft.sections[0].name), ("s", &both("S", "S")), "{text}");
        assert_eq!(draft.sections[0].items[0].sku, "A", "{text}");
    }
}

#[test]
fn an_item_is_known_by_what_it_has() {
    let code = |item: &str| only(&menu(item)).sku;
    let offers = r#""offers": {"price": "300", "priceCurrency": "JPY"}"#;
    for (item, sku) in [
        (
            format!(r#"{{"name": "Tea", "sku": "S", "identifier": "I", "@id": "X", {offers}}}"#),
            "S",
        ),
        (
            format!(r#"{{"name": "Tea", "identifier": 12, "@id": "X", {offers}}}"#),
            "12",
        ),
        (
            format!(r#"{{"name": "Tea", "identifier": {{"@type": "PropertyValue", "value": "P"}}, {offers}}}"#),
            "P",
        ),
        (format!(r#"{{"name": "Tea", "identifier": ["", "L"], {offers}}}"#), "L"),
        (
            r#"{"name": "Tea", "@id": "X", "offers": {"sku": "O", "price": 1, "priceCurrency": "JPY"}}"#.into(),
            "O",
        ),
        (format!(r#"{{"name": "Tea", "@id": "X", {offers}}}"#), "X"),
        (format!(r#"{{"name": "Tea", "@id": "_:b0", {offers}}}"#), "s/Tea"),
        (format!(r#"{{"name": "Tea", {offers}}}"#), "s/Tea"),
    ] {
        assert_eq!(code(&item), sku, "{item}");
    }
    let unnamed = draft(&menu(&format!(r#"{{"name": "Tea", {offers}}}"#)));
    let note = "without sku, identifier or @id: 1; they are known by their names, and another name makes another item";
    assert_eq!(unnamed.notes, [note]);
}

#[test]
fn prices_come_in_the_forms_that_offers_have() {
    for (offers, minor) in [
        (r#"{"price": 9.5, "priceCurrency": "USD"}"#, 950),
        (r#"{"price": "9.50", "priceCurrency": "USD"}"#, 950),
        (r#"[{"price": "9.50", "priceCurrency": "USD"}]"#, 950),
        (
            r#"[{"price": "1400", "priceCurrency": "JPY"}, {"price": "9.50", "priceCurrency": "USD"}]"#,
            950,
        ),
        (
            r#"{"priceSpecification": {"price": 9.50, "priceCurrency": "USD", "valueAddedTaxIncluded": true}}"#,
            950,
        ),
        (
            r#"{"priceCurrency": "USD", "priceSpecification": [{"price": "$9.50"}]}"#,
            950,
        ),
        // 17 digits, more than a float holds
        (r#"{"price": 9.50000000000000000, "priceCurrency": "USD"}"#, 950),
    ] {
        let text = menu(&item(&format!(r#", "offers": {offers}"#)));
        let prices = read_in("USD", &text).map(|draft| draft.items().map(|item| item.price_minor).collect());
        assert_eq!(prices, Ok(vec![minor]), "{offers}");
    }
}

#[test]
fn languages_are_those_of_text_section_menu_or_context() {
    let offers = r#""offers": {"price": "300", "priceCurrency": "JPY"}"#;
    let in_menu = |tag: &str, name: &str| {
        let text = menu(&item(&format!(", \"name\": {name}")));
        only(&text.replacen(
            "\"@type\": \"Menu\"",
            &format!("\"@type\": \"Menu\", \"inLanguage\": {tag}"),
            1,
        ))
        .name
    };
    assert_eq!(in_menu("\"ja\"", "\"お茶\""), ja("お茶"));
    assert_eq!(
        in_menu("\"ja-JP\"", r#"["お茶", {"@value": "Tea", "@language": "en"}]"#),
        both("お茶", "Tea")
    );
    assert_eq!(
        in_menu(r#"{"@type": "Language", "alternateName": "ja"}"#, "\"お茶\""),
        ja("お茶")
    );
    let context = menu(&item("")).replace(
        "\"https://schema.org\"",
        r#"["https://schema.org", {"@language": "ja"}]"#,
    );
    let read = draft(&context);
    assert_eq!(
        (&read.sections[0].name, &read.sections[0].items[0].name),
        (&ja("S"), &ja("Tea"))
    );
    assert_eq!(read.sections[0].items[0].description, ja(""));

    let sections = format!(
        r#"{{"@type": "Menu", "hasMenuSection": [
            {{"inLanguage": "ja", "name": "飲", "hasMenuItem": {{"identifier": "A", "name": "お茶", {offers}}}}},
            {{"inLanguage": "ko", "name": "음료", "hasMenuItem": {{"identifier": "B", "name": "차", {offers}}}}}]}}"#
    );
    let read = draft(&sections);
    assert_eq!(read.items().count(), 1);
    let note = "$.hasMenuSection[1] is in \"ko\" and is left out: menus are kept in ja and en";
    assert_eq!(read.notes, [note]);
}

/// The menu once in Japanese and once in English.
fn bilingual(japanese: &str, english: &str) -> String {
    let one = |tag: &str, name: &str, item: &str| {
        format!(
            r#"{{"@type": "Menu", "inLanguage": "{tag}", "hasMenuSection": [
                {{"identifier": "s", "name": "{name}", "hasMenuItem": [{item}]}}]}}"#
        )
    };
    let (japanese, english) = (one("ja", "飲み物", japanese), one("en", "Drinks", english));
    format!(r#"{{"@type": "Restaurant", "hasMenu": [{japanese}, {english}]}}"#)
}

#[test]
fn a_menu_in_two_languages_is_one_menu() {
    let offers = r#""offers": {"price": "300", "priceCurrency": "JPY"}"#;
    let text = bilingual(
        &format!(
            r#"{{"identifier": "A", "name": "お茶", "description": "熱い", "image": "/t.jpg", {offers},
            "menuAddOn": {{"identifier": "G", "name": "量", "hasMenuItem": [{{"identifier": "T", "name": "大"}}]}}}}"#
        ),
        &format!(
            r#"{{"identifier": "A", "name": "Tea", {offers},
            "menuAddOn": {{"identifier": "G", "name": "Size", "hasMenuItem": [{{"identifier": "T", "name": "Large"}}]}}}}"#
        ),
    );
    let draft = draft(&text);
    assert_eq!(draft.sections.len(), 1);
    assert_eq!(draft.sections[0].name, both("飲み物", "Drinks"));
    let item = &draft.sections[0].items[0];
    assert_eq!(
        (&item.name, &item.description),
        (&both("お茶", "Tea"), &both("熱い", ""))
    );
    assert_eq!(item.image_url, Some(Some("/t.jpg".into())));
    let groups = draft.groups.unwrap_or_default();
    assert_eq!(
        (groups.len(), &groups[0].name, &groups[0].toppings[0].name),
        (1, &both("量", "Size"), &both("大", "Large"))
    );
    assert!(draft.notes.is_empty(), "{:?}", draft.notes);
}

#[test]
fn two_languages_must_agree_and_must_have_identifiers() {
    let priced = |price: &str| format!(r#""offers": {{"price": "{price}", "priceCurrency": "JPY"}}"#);
    let differing = bilingual(
        &format!(r#"{{"identifier": "A", "name": "お茶", {}}}"#, priced("300")),
        &format!(r#"{{"identifier": "A", "name": "Tea", {}}}"#, priced("350")),
    );
    let path = "$.hasMenu[1].hasMenuSection[0].hasMenuItem[0]";
    let message = "has the code \"A\" of $.hasMenu[0].hasMenuSection[0].hasMenuItem[0], but another price";
    assert_eq!(problems(&differing), [format!("{path}: {message}")]);
    let nameless = bilingual(
        &format!(r##"{{"@id": "#ja-1", "name": "お茶", {}}}"##, priced("300")),
        &format!(r#"{{"identifier": "A", "name": "Tea", {}}}"#, priced("300")),
    );
    let message = "is missing: the menu is here in two languages, and only an identifier tells that two things are one";
    let path = "$.hasMenu[0].hasMenuSection[0].hasMenuItem[0]";
    assert_eq!(problems(&nameless), [format!("{path}.identifier: {message}")]);
}

#[test]
fn what_is_shown_twice_is_one_item() {
    let tea = r##"{"@id": "#tea", "name": "Tea", "offers": {"price": "300", "priceCurrency": "JPY"}}"##;
    let twice = format!(
        r##"{{"@type": "Menu", "hasMenuSection": [
            {{"name": "Lunch", "hasMenuItem": [{tea}]}}, {{"name": "Dinner", "hasMenuItem": {{"@id": "#tea"}}}}]}}"##
    );
    let draft = draft(&twice);
    assert_eq!(draft.sections.iter().map(|s| s.items.len()).collect::<Vec<_>>(), [1, 0]);
    let note =
        "\"#tea\" ($.hasMenuSection[0].hasMenuItem[0]) is on the menu twice: it is shown in the first place only";
    assert_eq!(draft.notes, [note]);
    let other = menu(&format!("{}, {}", item(""), item(r#", "name": "Coffee""#)));
    let path = "$.hasMenuSection.hasMenuItem";
    let message = format!("{path}[1]: has the code \"A\" of {path}[0], but another name");
    assert_eq!(problems(&other), [message]);
}

#[test]
fn sections_as_add_ons_are_topping_groups() {
    let add_on = r##"{"@type": "MenuSection", "@id": "#firm", "name": {"ja": "硬さ", "en": "Firmness"},
        "eligibleQuantity": {"minValue": 1, "maxValue": "1"},
        "hasMenuItem": [{"@id": "#hard", "name": "Hard"}, {"@id": "#soft", "name": "Soft",
            "offers": {"price": 50, "priceCurrency": "JPY", "inventoryLevel": 7}}]}"##;
    let offers = r#""offers": {"price": "900", "priceCurrency": "JPY"}"#;
    let text = menu(&format!(
        r##"{{"identifier": "A", "name": "Ramen", {offers}, "menuAddOn": {add_on}}},
            {{"identifier": "B", "name": "Udon", {offers}, "menuAddOn": [{{"@id": "#firm"}}]}}"##
    ));
    let draft = draft(&text);
    assert!(draft.items().all(|item| item.groups == Some(vec!["#firm".into()])));
    let topping = |sku: &str, name: &str, price_minor, stock| ToppingDraft {
        sku: sku.into(),
        name: both(name, name),
        price_minor,
        stock,
    };
    let group = GroupDraft {
        key: "#firm".into(),
        name: both("硬さ", "Firmness"),
        min: 1,
        max: 1,
        toppings: vec![topping("#hard", "Hard", 0, None), topping("#soft", "Soft", 50, Some(7))],
    };
    assert_eq!(draft.groups, Some(vec![group]));
}

#[test]
fn bare_add_ons_of_the_same_dishes_are_one_group() {
    let offers = r#""offers": {"price": "900", "priceCurrency": "JPY"}"#;
    let add_on = |id: &str| format!(r#"{{"identifier": "{id}", "name": "{id}", {offers}}}"#);
    let (egg, nori, rice) = (add_on("egg"), add_on("nori"), add_on("rice"));
    let text = menu(&format!(
        r#"{{"identifier": "A", "name": "Ramen", {offers}, "menuAddOn": [{egg}, {nori}, {rice}]}},
            {{"identifier": "B", "name": "Udon", {offers}, "menuAddOn": [{egg}, {nori}]}},
            {{"identifier": "C", "name": "Soba", {offers}, "menuAddOn": {{"name": "Tempura"}}}}"#
    ));
    let draft = draft(&text);
    let offered: Vec<_> = draft
        .items()
        .map(|item| item.groups.clone().unwrap_or_default())
        .collect();
    assert_eq!(
        offered,
        [
            vec!["add-ons/egg", "add-ons/rice"],
            vec!["add-ons/egg"],
            vec!["add-ons/C/Tempura"]
        ]
    );
    let groups = draft.groups.unwrap_or_default();
    let skus: Vec<Vec<_>> = groups
        .iter()
        .map(|g| g.toppings.iter().map(|t| t.sku.as_str()).collect())
        .collect();
    assert_eq!(skus, [vec!["egg", "nori"], vec!["rice"], vec!["C/Tempura"]]);
    assert_eq!(
        groups.iter().map(|g| (g.min, g.max)).collect::<Vec<_>>(),
        [(0, 2), (0, 1), (0, 1)]
    );
    assert_eq!(groups[0].name, both("追加", "Extras"));
}

#[test]
fn errors_of_an_item_are_named_by_path_and_property() {
    let at = "$.hasMenuSection.hasMenuItem[0]";
    let range = r#", "offers": {"@type": "AggregateOffer", "lowPrice": 1, "priceCurrency": "JPY"}"#;
    let two = r#", "offers": [{"price": 1, "priceCurrency": "JPY"}, {"price": 2, "priceCurrency": "JPY"}]"#;
    let untaxed = r#", "offers": {"price": 1, "priceCurrency": "JPY", "valueAddedTaxIncluded": false}"#;
    for (more, field, message) in [
        (r#", "name": "  ""#, ".name", "is missing in Japanese and in English"),
        (
            r#", "name": {"fr": "Thé"}"#,
            ".name",
            "is missing in Japanese and in English",
        ),
        (r#", "name": true"#, ".name", "must be text, or text by language"),
        (
            r#", "description": [{"x": 1}]"#,
            ".description[0]",
            "must be text, or text by language",
        ),
        (r#", "offers": null"#, ".offers", "is missing: an item has a price"),
        (r#", "offers": {"priceCurrency": "JPY"}"#, ".offers.price", "is missing"),
        (
            r#", "offers": {"price": [], "priceCurrency": "JPY"}"#,
            ".offers.price",
            "must be a number or text",
        ),
        (
            r#", "offers": {"price": 9.5, "priceCurrency": "JPY"}"#,
            ".offers.price",
            "JPY has no decimals, but \"9.5\" does",
        ),
        (
            r#", "offers": {"price": 1e2, "priceCurrency": "JPY"}"#,
            ".offers.price",
            "must be an amount in JPY like 980, not \"1e2\"",
        ),
        (
            r#", "offers": {"price": -1, "priceCurrency": "JPY"}"#,
            ".offers.price",
            "must not be negative, as \"-1\" is",
        ),
        (
            r#", "offers": {"price": 1}"#,
            ".offers.priceCurrency",
            "is missing: the prices of this shop are in JPY",
        ),
        (
            r#", "offers": {"price": 1, "priceCurrency": "USD"}"#,
            ".offers.priceCurrency",
            "must be JPY, the shop's currency, not \"USD\"",
        ),
        (
            range,
            ".offers",
            "must be one Offer with one price, not a range of prices",
        ),
        (
            two,
            ".offers",
            "has 2 offers in JPY of 2, but an item has one price: make sizes add-ons or items of their own",
        ),
        (
            untaxed,
            ".offers.valueAddedTaxIncluded",
            "must not be false: prices include tax",
        ),
        (
            r#", "image": "x.jpg""#,
            ".image",
            "must be an address like https://…, not \"x.jpg\"",
        ),
        (
            r#", "image": {"caption": 1}"#,
            ".image",
            "must be an address, or an ImageObject with a contentUrl or url",
        ),
        (
            r#", "additionalProperty": {"name": "taxRate", "value": "a lot"}"#,
            ".additionalProperty.value",
            "must be a percentage like 10 or 8%, not \"a lot\"",
        ),
        (
            r#", "additionalProperty": [{"name": "allergens", "value": ["egg", 7]}]"#,
            ".additionalProperty[0].value[1]",
            "must be text",
        ),
        (
            r#", "offers": {"price": 1, "priceCurrency": "JPY", "inventoryLevel": {"value": -3}}"#,
            ".offers.inventoryLevel",
            "must be a whole number from 0 to 1000000, not \"-3\"",
        ),
        (
            r##", "menuAddOn": {"@id": "#gone"}"##,
            ".menuAddOn",
            "points to \"#gone\", which is not in the file",
        ),
        (
            r#", "menuAddOn": {"@type": "MenuSection", "name": "Extras"}"#,
            ".menuAddOn.hasMenuItem",
            "is missing: there is nothing to choose from",
        ),
        (
            r#", "menuAddOn": {"hasMenuItem": {"name": "Egg"}, "eligibleQuantity": {"minValue": 2}}"#,
            ".menuAddOn.eligibleQuantity.maxValue",
            "must be at least the minimum of 2, not 1",
        ),
        (
            r#", "menuAddOn": {"hasMenuItem": {"name": "Egg"}, "eligibleQuantity": {"maxValue": "all"}}"#,
            ".menuAddOn.eligibleQuantity.maxValue",
            "must be a whole number from 0 to 99, not \"all\"",
        ),
        (
            r#", "menuAddOn": [{"hasMenuItem": {"identifier": "T", "name": "Egg"}}, {"identifier": "T", "name": "Egg"}]"#,
            ".menuAddOn[1]",
            "has the code \"T\" of $.hasMenuSection.hasMenuItem[0].menuAddOn[0].hasMenuItem, which is an add-on of another group",
        ),
    ] {
        assert_eq!(
            problems(&menu(&item(more))),
            [format!("{at}{field}: {message}")],
            "{more}"
        );
    }
    let long = menu(&item(&format!(", \"name\": \"{}\"", "x".repeat(201))));
    assert_eq!(
        problems(&long),
        [format!("{at}.name: must be at most 200 characters, not 201")]
    );
}

#[test]
fn all_errors_come_at_once() {
    let items = r#"{"name": "Tea"}, {"identifier": "B", "offers": {"price": "x", "priceCurrency": "JPY"}}"#;
    let at = "$.hasMenuSection.hasMenuItem";
    assert_eq!(
        problems(&menu(items)),
        [
            format!("{at}[0].offers: is missing: an item has a price"),
            format!("{at}[1].name: is missing in Japanese and in English"),
            format!("{at}[1].offers.price: must be an amount in JPY like 980, not \"x\""),
        ]
    );
}

#[test]
fn errors_of_the_file_are_named() {
    let no_menu = "$: holds no Menu: the menu itself must be in the file, not only its address";
    for text in [
        "{}",
        "[]",
        "7",
        r#"{"@type": "Restaurant", "hasMenu": "https://example.com/menu"}"#,
    ] {
        assert_eq!(problems(text), [no_menu], "{text}");
    }
    let empty = "file: holds no item: importing it would archive the whole menu";
    assert_eq!(problems(r#"{"@type": "Menu"}"#), [empty]);
    assert_eq!(
        problems(r#"{"@type": "Menu", "inLanguage": "ko", "hasMenuItem": []}"#),
        [empty]
    );
    assert_eq!(
        problems("sku,name"),
        ["file: is no JSON: expected value at line 1 column 1"]
    );
    let unnamed = r#"{"@type": "Menu", "hasMenuSection": {"hasMenuItem": ITEM}}"#.replace("ITEM", &item(""));
    assert_eq!(
        problems(&unnamed),
        ["$.hasMenuSection.name: is missing in Japanese and in English"]
    );
}

#[test]
fn sections_that_hold_each_other_end() {
    let text = r##"{"@type": "Menu", "hasMenuSection": {"@id": "#a", "name": "A", "hasMenuItem": ITEM,
        "hasMenuSection": {"@id": "#b", "name": "B", "hasMenuSection": [{"@id": "#a"}, {"@id": "#b"}]}}}"##;
    assert_eq!(draft(&text.replace("ITEM", &item(""))).items().count(), 1);
}
