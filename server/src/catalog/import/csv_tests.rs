//! POS exports: what is read, and each kind of error with its row and column.

use super::*;
use encoding_rs::SHIFT_JIS;

const CAFE: &str = include_str!("../../../../docs/examples/cafe.csv");

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

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn the_example_is_read_in_full() {
    let draft = draft(CAFE);
    let sections: Vec<_> = draft.sections.iter().map(|s| (s.key.as_str(), s.items.len())).collect();
    assert_eq!(sections, [("10", 5), ("20", 4), ("30", 4), ("40", 3), ("50", 2)]);
    assert_eq!(
        draft.sections[0].name,
        Texts {
            ja: some("コーヒー"),
            en: some("Coffee")
        }
    );
    let latte = &draft.sections[0].items[1];
    assert_eq!(
        (latte.sku.as_str(), latte.price_minor, latte.tax_rate_bp),
        ("1002", 560, Some(1_000))
    );
    assert_eq!(
        latte.name,
        Texts {
            ja: some("カフェラテ"),
            en: some("Caffe latte")
        }
    );
    assert_eq!((latte.stock, &latte.station), (None, &some("バー")));
    assert_eq!(latte.allergens, Some(vec!["乳".into()]));
    let offered = ["HOTICE", "SIZE", "MILK", "SYRUP"].map(String::from);
    assert_eq!(latte.groups.as_deref(), Some(&offered[..]));
    let sandwich = &draft.sections[2].items[1];
    assert_eq!(
        sandwich.description.ja,
        some("だし巻き風の厚焼きたまご。\nからし、なしもできます。")
    );
    assert_eq!(draft.sections[2].items[2].price_minor, 1_080);
    assert_eq!(draft.sections[4].items[0].tax_rate_bp, Some(800));
    let groups = draft.groups.unwrap_or_default();
    assert_eq!(groups.iter().map(|g| g.toppings.len()).sum::<usize>(), 17);
    let hot_or_iced = &groups[0];
    assert_eq!(
        (hot_or_iced.key.as_str(), hot_or_iced.min, hot_or_iced.max),
        ("HOTICE", 1, 1)
    );
    assert_eq!(
        hot_or_iced.name,
        Texts {
            ja: some("ホット・アイス"),
            en: some("Hot or iced")
        }
    );
    assert_eq!(
        (groups[2].toppings[0].price_minor, groups[2].toppings[0].stock),
        (60, Some(30))
    );
    assert_eq!(draft.notes, ["columns that are not read: JANコード, 原価"]);
}

#[test]
fn encodings_make_no_difference() {
    let (shift_jis, _, lossy) = SHIFT_JIS.encode(CAFE);
    assert!(!lossy);
    let with_mark = format!("\u{feff}{}", CAFE.replace('\n', "\r\n"));
    for bytes in [&shift_jis[..], with_mark.as_bytes()] {
        assert_eq!(read(bytes, currency("JPY"), &|_| ()), Ok(draft(CAFE)));
    }
}

#[test]
fn columns_that_a_file_does_not_have_say_nothing() {
    let draft = draft("sku,name,price\nA,Tea,300\n");
    let item = draft.items().next().cloned();
    let expected = ItemDraft {
        sku: "A".into(),
        name: Texts {
            ja: some("Tea"),
            en: None,
        },
        description: Texts::default(),
        image_url: None,
        allergens: None,
        station: None,
        price_minor: 300,
        tax_rate_bp: None,
        stock: None,
        groups: None,
    };
    assert_eq!(item, Some(expected));
    assert_eq!(draft.groups, None);
    assert_eq!(draft.sections[0].key, "menu");
    assert_eq!(
        draft.sections[0].name,
        Texts {
            ja: some("メニュー"),
            en: some("Menu")
        }
    );
}

#[test]
fn empty_cells_say_empty() {
    let text =
        "sku,name,name en,price,description,image,allergens,station,tax rate,stock,toppings\nA,Tea,,300,,,,,,,\n";
    let draft = draft(text);
    let item = draft.items().next().cloned().unwrap_or_else(|| panic!("no item"));
    assert_eq!(
        item.name,
        Texts {
            ja: some("Tea"),
            en: None
        }
    );
    assert_eq!(item.description, Texts { ja: some(""), en: None });
    assert_eq!(
        (item.image_url, item.allergens, item.groups),
        (Some(None), Some(vec![]), Some(vec![]))
    );
    assert_eq!((item.station, item.tax_rate_bp, item.stock), (None, None, None));
    assert_eq!(draft.groups, Some(vec![]));
}

#[test]
fn a_section_without_a_code_is_known_by_its_name() {
    let draft = draft("部門,商品コード,商品名,価格\n丼,A,天丼,900\n麺,B,そば,700\n丼,C,親子丼,800\n");
    let sections: Vec<_> = draft.sections.iter().map(|s| (s.key.as_str(), s.items.len())).collect();
    assert_eq!(sections, [("丼", 2), ("麺", 1)]);
}

#[test]
fn money_has_the_decimals_of_its_currency() {
    let text = "sku,name,price\nA,Tea,3.5\nB,Soup,12.99\n";
    let draft = read_in("USD", text);
    let prices = draft.map(|draft| draft.items().map(|item| item.price_minor).collect::<Vec<_>>());
    assert_eq!(prices, Ok(vec![350, 1_299]));
    assert_eq!(
        read_in("JPY", text).err(),
        Some(vec![
            "row 2, price: JPY has no decimals, but \"3.5\" does".into(),
            "row 3, price: JPY has no decimals, but \"12.99\" does".into(),
        ])
    );
}

#[test]
fn every_error_of_a_row_is_named_by_row_and_column() {
    let header = "商品コード,種別,部門,商品名,価格,税率,在庫,画像,トッピンググループ,最小,最大\n";
    for (row, expected) in [
        (",,丼,天丼,900,,,,,,", &["row 2, 商品コード: is empty"][..]),
        ("A,,,天丼,900,,,,,,", &["row 2, 部門: is empty"]),
        ("A,,丼,,900,,,,,,", &["row 2, 商品名: is empty"]),
        ("A,,丼,天丼,,,,,,,", &["row 2, 価格: is empty"]),
        (
            "A,,丼,天丼,安い,,,,,,",
            &["row 2, 価格: must be an amount in JPY like 980, not \"安い\""],
        ),
        (
            "A,,丼,天丼,-900,,,,,,",
            &["row 2, 価格: must not be negative, as \"-900\" is"],
        ),
        (
            "A,,丼,天丼,900,軽減,,,,,",
            &["row 2, 税率: must be a percentage like 10 or 8%, not \"軽減\""],
        ),
        (
            "A,,丼,天丼,900,,多,,,,",
            &["row 2, 在庫: must be a whole number from 0 to 1000000, not \"多\""],
        ),
        (
            "A,,丼,天丼,900,,,x.jpg,,,",
            &["row 2, 画像: must be an address like https://…, not \"x.jpg\""],
        ),
        (
            "A,割引,丼,天丼,900,,,,,,",
            &["row 2, 種別: must be item (商品) or topping (トッピング)"],
        ),
        (
            "A,,丼,天丼,900,,,,X,,",
            &["row 2, トッピンググループ: no topping of this file is in the group \"X\""],
        ),
        (
            "A,,丼,天丼,900,,,,X;X,,",
            &["row 2, トッピンググループ: names \"X\" twice"],
        ),
        ("A,,丼,天丼,900,,,", &["row 2: has 8 cells, but the header has 11"]),
        (
            "A,,丼,天丼,900,,,,,,,x",
            &["row 2: has 12 cells, but the header has 11"],
        ),
        ("T,トッピング,,卵,50,,,,,,", &["row 2, トッピンググループ: is empty"]),
        (
            "T,トッピング,,卵,50,,,,X;Y,,",
            &["row 2, トッピンググループ: a topping is in one group"],
        ),
        (
            "T,トッピング,,卵,50,,,,X,a,1",
            &["row 2, 最小: must be a whole number from 0 to 99, not \"a\""],
        ),
        (
            "T,トッピング,,卵,50,,,,X,0,100",
            &["row 2, 最大: must be a whole number from 0 to 99, not \"100\""],
        ),
        (
            "T,トッピング,,卵,50,,,,X,2,1",
            &["row 2, 最大: must be at least the minimum of 2, not 1"],
        ),
        ("T,トッピング,,卵,50,,,,X,0,0", &["row 2, 最大: must be at least 1"]),
        ("T,トッピング,,卵,,,,,X,,", &["row 2, 価格: is empty"]),
        (
            ",,,,x,y,z,w,,,",
            &[
                "row 2, 部門: is empty",
                "row 2, 商品コード: is empty",
                "row 2, 商品名: is empty",
                "row 2, 価格: must be an amount in JPY like 980, not \"x\"",
                "row 2, 画像: must be an address like https://…, not \"w\"",
                "row 2, 税率: must be a percentage like 10 or 8%, not \"y\"",
                "row 2, 在庫: must be a whole number from 0 to 1000000, not \"z\"",
            ],
        ),
    ] {
        assert_eq!(problems(&format!("{header}{row}\n")), expected, "{row}");
    }
    let long = format!("{header}A,,丼,{},900,,,,,,\n", "長".repeat(201));
    assert_eq!(
        problems(&long),
        ["row 2, 商品名: must be at most 200 characters, not 201"]
    );
    let odd = format!("{header}A,,丼,\"天\u{7}丼\",900,,,,,,\n");
    assert_eq!(problems(&odd), ["row 2, 商品名: must not hold control characters"]);
}

#[test]
fn errors_between_rows_name_both() {
    let items = "section,sku,name,price\nA,1,Tea,300\n\nA,1,Coffee,400\n";
    assert_eq!(problems(items), ["row 4, sku: \"1\" is the code of row 2 already"]);
    let sections =
        "section code,section,section en,sku,name,price\n1,丼,Bowls,1,天丼,900\n1,どんぶり,Rice,2,親子丼,800\n";
    assert_eq!(
        problems(sections),
        [
            "row 3, section: \"どんぶり\" differs from \"丼\" in a row above",
            "row 3, section en: \"Rice\" differs from \"Bowls\" in a row above",
        ]
    );
    let groups = "kind,sku,name,price,group,group name,min,max\nitem,1,Udon,500,G,,,\ntopping,T1,Egg,50,G,Extras,0,2\n\
                  topping,T2,Nori,50,G,More,1,3\ntopping,T1,Rice,50,G,,,\n";
    assert_eq!(
        problems(groups),
        [
            "row 4, group name: \"More\" differs from \"Extras\" in a row above",
            "row 4, min: 1 differs from 0 in a row above",
            "row 4, max: 3 differs from 2 in a row above",
            "row 5, sku: \"T1\" is the code of row 3 already",
        ]
    );
    // an item and a topping may share a code
    draft("kind,sku,name,price,group\nitem,1,Udon,500,G\ntopping,1,Egg,50,G\n");
}

#[test]
fn errors_of_the_file_are_named() {
    assert_eq!(problems(""), ["file: is empty: the first row must name the columns"]);
    let empty = "file: holds no item: importing it would archive the whole menu";
    assert_eq!(problems("sku,name,price\n"), [empty]);
    assert_eq!(problems("sku,name,price\n,,\n"), [empty]);
    assert_eq!(
        problems("sku,name\nA,Tea\n"),
        ["row 1, price: is missing: name a column price, unit price, 価格, 税込価格"]
    );
    assert_eq!(
        problems("sku,name,price\nA,\"Tea,300\n"),
        ["row 2: has a quoted cell that does not end"]
    );
    let mut bytes = "商品コード,商品名,価格\nA,".as_bytes().to_vec();
    bytes.extend([0xE8, 0x8C, 0xFF, b',', b'3']);
    let refused = read(&bytes, currency("JPY"), &|_| ()).err().unwrap_or_default();
    assert!(
        refused[0]
            .to_string()
            .starts_with("row 2: holds bytes that are no text"),
        "{refused:?}"
    );
}

#[test]
fn what_nobody_offers_is_noted() {
    let draft = draft("kind,sku,name,price,group\nitem,1,Udon,500,\ntopping,T,Egg,50,G\n");
    assert_eq!(draft.notes, ["no item offers the topping group \"G\""]);
    let groups = draft.groups.unwrap_or_default();
    assert_eq!((groups[0].min, groups[0].max), (0, 1));
    assert_eq!(
        groups[0].name,
        Texts {
            ja: some("G"),
            en: None
        }
    );
}
