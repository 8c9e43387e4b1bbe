//! What an order costs, what it takes from stock, and what can not be priced.

use super::*;
use crate::ordering::command::{RawLine, RawMoney, RawOrder};
use crate::ordering::fixtures::*;
use masterorder_protocol::ids::{MenuItemId, ToppingId};
use proptest::prelude::*;

type Quote = Result<(Vec<ReceiptLine>, i64), Unpriced>;

/// Quotes lines at the menu of the fixtures.
fn quoted(lines: &[RawLine]) -> Quote {
    quoted_at(&menu(), lines)
}

fn quoted_at(menu: &Catalogue, lines: &[RawLine]) -> Quote {
    quote(&by_guest(order(lines)), menu)
}

#[track_caller]
fn priced(lines: &[RawLine]) -> (Vec<ReceiptLine>, i64) {
    quoted(lines).unwrap_or_else(|e| panic!("not priced: {e:?}"))
}

fn input_error(path: &str, message: impl Into<String>) -> Quote {
    Err(Unpriced::Input(InputError::new(path, message)))
}

// --- amounts ---

#[test]
fn toppings_are_per_portion_and_per_piece() {
    let (lines, total) = priced(&[line(RAMEN, 3, &[(EGG, 2), (NORI, 1)]), line(BEER, 2, &[])]);
    let amounts: Vec<_> = lines
        .iter()
        .map(|l| (l.quantity, l.unit_price_minor, l.line_total_minor))
        .collect();
    let ramen = 850 + 2 * 120 + 80;
    assert_eq!(amounts, [(3, ramen, 3 * ramen), (2, 600, 1_200)]);
    assert_eq!(total, 3 * ramen + 1_200);
    let toppings: Vec<_> = lines[0]
        .toppings
        .iter()
        .map(|t| (t.topping_id, t.quantity, t.unit_price_minor))
        .collect();
    assert_eq!(toppings, [(EGG, 2, 120), (NORI, 1, 80)]);
}

#[test]
fn two_spellings_of_one_order_cost_the_same() {
    let twice = priced(&[line(RAMEN, 1, &[(EGG, 1)]), line(RAMEN, 1, &[(EGG, 1)])]);
    assert_eq!(twice, priced(&[line(RAMEN, 2, &[(EGG, 1)])]));
    assert_eq!(twice.1, 1_940);
}

#[test]
fn a_line_is_a_snapshot_of_the_menu_with_the_note_as_sent() {
    let noted = RawLine {
        note: Some(" か\u{3099}\r\n".into()),
        ..line(RAMEN, 1, &[(NORI, 1)])
    };
    let (lines, _) = priced(&[noted]);
    assert_eq!(
        lines,
        [ReceiptLine {
            item_id: RAMEN,
            sku: "RAMEN".into(),
            name: text("ラーメン", "Ramen"),
            station: "kitchen".into(),
            quantity: 1,
            unit_price_minor: 930,
            line_total_minor: 930,
            tax_rate_bp: 1_000,
            note: " か\u{3099}\r\n".into(),
            taken: 1,
            toppings: vec![ReceiptTopping {
                topping_id: NORI,
                name: text("海苔", "Nori"),
                quantity: 1,
                unit_price_minor: 80,
                taken: 0,
            }],
        }]
    );
}

#[test]
fn lines_are_priced_in_the_order_of_the_input() {
    let (lines, _) = priced(&[
        line(RICE, 1, &[]),
        line(BEER, 1, &[]),
        line(RAMEN, 1, &[]),
        line(RICE, 1, &[]),
    ]);
    let items: Vec<_> = lines.iter().map(|l| (l.item_id, l.quantity)).collect();
    assert_eq!(items, [(RICE, 2), (BEER, 1), (RAMEN, 1)]);
}

#[test]
fn what_is_free_costs_nothing() {
    let mut menu = menu();
    menu.items.entry(RICE).and_modify(|i| i.price_minor = 0);
    assert_eq!(quoted_at(&menu, &[line(RICE, 99, &[])]).map(|(_, total)| total), Ok(0));
}

// --- what is taken from stock ---

#[test]
fn only_what_is_tracked_is_taken_from_stock() {
    let (lines, _) = priced(&[line(RAMEN, 3, &[(EGG, 2), (NORI, 2)]), line(RICE, 4, &[(EGG, 1)])]);
    let taken: Vec<_> = lines
        .iter()
        .map(|l| (l.taken, l.toppings.iter().map(|t| t.taken).collect::<Vec<_>>()))
        .collect();
    assert_eq!(taken, [(3, vec![6, 0]), (0, vec![4])]);
}

// --- topping groups ---

#[test]
fn exactly_one_choice_is_exactly_one() {
    for (toppings, chosen) in [(vec![], 0), (vec![(HARD, 1), (SOFT, 1)], 2), (vec![(HARD, 2)], 2)] {
        assert_eq!(
            quoted(&[line(TSUKEMEN, 1, &toppings)]),
            input_error(
                "lines[0].toppings",
                format!("choose exactly 1 of \"Firmness\" (麺の硬さ), not {chosen}")
            )
        );
    }
    assert_eq!(priced(&[line(TSUKEMEN, 1, &[(HARD, 1)])]).1, 950);
}

#[test]
fn at_most_ten_portions_are_at_most_ten_together() {
    assert_eq!(
        quoted(&[line(RAMEN, 1, &[(EGG, 9), (NORI, 2)])]),
        input_error(
            "lines[0].toppings",
            "choose at most 10 of \"Extras\" (トッピング), not 11"
        )
    );
    assert!(quoted(&[line(RAMEN, 1, &[(EGG, 9), (NORI, 1)])]).is_ok());
    // the bound is per piece, not per line
    assert!(quoted(&[line(RAMEN, 9, &[(EGG, 9), (NORI, 1)])]).is_ok());
}

#[test]
fn one_to_three_portions_are_neither_none_nor_four() {
    for (toppings, chosen) in [(vec![], 0), (vec![(HOT, 4)], 4), (vec![(HOT, 2), (MILD, 2)], 4)] {
        assert_eq!(
            quoted(&[line(CURRY, 1, &toppings)]),
            input_error(
                "lines[0].toppings",
                format!("choose 1 to 3 of \"Spice\" (辛さ), not {chosen}")
            )
        );
    }
    for toppings in [vec![(MILD, 1)], vec![(HOT, 3)], vec![(HOT, 1), (MILD, 2)]] {
        assert!(quoted(&[line(CURRY, 1, &toppings)]).is_ok());
    }
}

#[test]
fn each_group_is_counted_by_itself() {
    assert!(quoted(&[line(TSUKEMEN, 1, &[(HARD, 1), (EGG, 9), (NORI, 1)])]).is_ok());
    assert_eq!(
        quoted(&[line(BEER, 1, &[]), line(TSUKEMEN, 1, &[(EGG, 1)])]),
        input_error(
            "lines[1].toppings",
            "choose exactly 1 of \"Firmness\" (麺の硬さ), not 0"
        )
    );
}

#[test]
fn a_topping_must_be_offered_with_the_item() {
    let unknown = ToppingId(NOTHING.0);
    for (item, topping) in [(BEER, EGG), (RAMEN, HARD), (CURRY, EGG), (RAMEN, unknown)] {
        assert_eq!(
            quoted(&[line(RICE, 1, &[]), line(item, 1, &[(topping, 1)])]),
            input_error(
                "lines[1].toppings",
                format!("topping {topping} is not offered with this item")
            )
        );
    }
}

#[test]
fn an_item_of_another_menu_is_an_input_error_at_its_input_line() {
    // the two rice lines are one, the path counts lines as they came in
    let lines = [line(RICE, 1, &[]), line(RICE, 1, &[]), line(NOTHING, 1, &[])];
    assert_eq!(
        quoted(&lines),
        input_error("lines[2].menuItemId", "is not on the menu of this shop")
    );
}

// --- off the menu ---

#[track_caller]
fn assert_off(menu: &Catalogue, lines: &[RawLine], expected: &[(Subject, &str)]) {
    let Err(Unpriced::Rejected(Rejection::ItemUnavailable { items })) = quoted_at(menu, lines) else {
        panic!("is available");
    };
    let items: Vec<_> = items.iter().map(|i| (i.subject, i.name.en.as_str())).collect();
    assert_eq!(items, expected);
}

#[test]
fn what_is_archived_or_switched_off_is_listed_once_each() {
    let mut menu = menu();
    menu.items.entry(RAMEN).and_modify(|i| i.available = false);
    menu.items.entry(BEER).and_modify(|i| i.archived = true);
    menu.toppings.entry(EGG).and_modify(|t| t.archived = true);
    menu.toppings.entry(NORI).and_modify(|t| t.available = false);
    let lines = [
        line(RAMEN, 1, &[(EGG, 1)]),
        line(RICE, 1, &[(EGG, 2), (NORI, 1), (CORN, 1)]),
        line(RAMEN, 2, &[]),
        line(BEER, 1, &[]),
    ];
    assert_off(
        &menu,
        &lines,
        &[
            (Subject::Item(RAMEN), "Ramen"),
            (Subject::Topping(EGG), "Egg"),
            (Subject::Topping(NORI), "Nori"),
            (Subject::Item(BEER), "Beer"),
        ],
    );
}

#[test]
fn an_item_both_archived_and_on_is_off() {
    for (available, archived) in [(true, true), (false, false), (false, true)] {
        let mut menu = menu();
        menu.items.entry(RICE).and_modify(|i| {
            i.available = available;
            i.archived = archived;
        });
        assert_off(&menu, &[line(RICE, 1, &[])], &[(Subject::Item(RICE), "Rice")]);
        menu.items
            .entry(RICE)
            .and_modify(|i| (i.available, i.archived) = (true, false));
        menu.toppings.entry(EGG).and_modify(|t| {
            t.available = available;
            t.archived = archived;
        });
        assert_off(&menu, &[line(RICE, 1, &[(EGG, 1)])], &[(Subject::Topping(EGG), "Egg")]);
    }
}

/// A required choice made way for another one while the cart was open.
#[test]
fn a_cart_from_before_a_change_of_the_menu_is_told_what_is_off() {
    let mut menu = menu();
    let spice = menu
        .items
        .get(&CURRY)
        .map(|curry| curry.groups.clone())
        .unwrap_or_default();
    menu.items.entry(TSUKEMEN).and_modify(|i| i.groups = spice);
    menu.toppings.entry(HARD).and_modify(|t| t.archived = true);
    assert_off(
        &menu,
        &[line(TSUKEMEN, 1, &[(HARD, 1)])],
        &[(Subject::Topping(HARD), "Hard")],
    );
    menu.items.entry(CURRY).and_modify(|i| i.archived = true);
    assert_off(&menu, &[line(CURRY, 1, &[])], &[(Subject::Item(CURRY), "Curry")]);
}

#[test]
fn what_never_existed_outweighs_what_is_off() {
    let mut menu = menu();
    menu.items.entry(RAMEN).and_modify(|i| i.available = false);
    assert_eq!(
        quoted_at(&menu, &[line(RAMEN, 1, &[]), line(NOTHING, 1, &[])]),
        input_error("lines[1].menuItemId", "is not on the menu of this shop")
    );
}

// --- bounds and currency ---

#[test]
fn a_total_stays_below_what_json_carries_exactly() {
    let mut menu = menu();
    menu.items
        .entry(RAMEN)
        .and_modify(|i| i.price_minor = MAX_AMOUNT_MINOR - 300);
    let full = quoted_at(&menu, &[line(RAMEN, 1, &[]), line(RICE, 1, &[])]);
    assert_eq!(full.map(|(_, total)| total), Ok(MAX_AMOUNT_MINOR));
    menu.items.entry(RICE).and_modify(|i| i.price_minor = 301);
    assert_eq!(
        quoted_at(&menu, &[line(RAMEN, 1, &[]), line(RICE, 1, &[])]),
        input_error("lines", "must cost at most 9007199254740991 minor units together")
    );
}

#[test]
fn the_largest_order_at_the_largest_prices_does_not_wrap_around() {
    let mut menu = menu();
    for item in menu.items.values_mut() {
        item.price_minor = 1_000_000_000_000;
    }
    for topping in menu.toppings.values_mut() {
        topping.price_minor = 1_000_000_000_000;
    }
    let lines: Vec<RawLine> = (0..100)
        .map(|i| RawLine {
            note: Some(i.to_string()),
            ..line(RAMEN, 99, &[(EGG, 9), (NORI, 1)])
        })
        .collect();
    assert_eq!(
        quoted_at(&menu, &lines),
        input_error("lines", "must cost at most 9007199254740991 minor units together")
    );
}

#[test]
fn an_amount_in_another_currency_can_not_be_compared() {
    let command = |currency: &str| {
        by_guest(RawOrder {
            expected_total: Some(RawMoney {
                amount_minor: 850,
                currency: currency.into(),
            }),
            ..one_ramen()
        })
    };
    assert_eq!(
        check_currency(&command("USD"), &shop()),
        Err(InputError::new(
            "expectedTotal.currency",
            "must be JPY, the shop's currency"
        ))
    );
    assert_eq!(check_currency(&command("JPY"), &shop()), Ok(()));
    assert_eq!(check_currency(&by_guest(one_ramen()), &shop()), Ok(()));
}

// --- a thousand random orders ---

fn any_line() -> impl Strategy<Value = (MenuItemId, i64, Vec<(ToppingId, i64)>)> {
    let toppings = proptest::sample::subsequence(vec![EGG, CHASHU, NORI, MENMA, CORN], 0..=5);
    let portions = proptest::collection::vec(1..=2_i64, 5);
    let toppings = (toppings, portions).prop_map(|(t, p)| t.into_iter().zip(p).collect::<Vec<_>>());
    (0..3_usize, 1..=20_i64, toppings).prop_map(|(item, quantity, toppings)| match item {
        0 => (RAMEN, quantity, toppings),
        1 => (RICE, quantity, toppings),
        _ => (BEER, quantity, Vec::new()),
    })
}

/// The price list once more, by hand.
fn list_price(id: uuid::Uuid) -> i64 {
    [
        (RAMEN.0, 850),
        (RICE.0, 300),
        (BEER.0, 600),
        (EGG.0, 120),
        (CHASHU.0, 250),
        (NORI.0, 80),
        (MENMA.0, 100),
        (CORN.0, 60),
    ]
    .into_iter()
    .find_map(|(known, price)| (known == id).then_some(price))
    .unwrap_or_else(|| panic!("no price for {id}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// AC-071. At most three lines share a note: lines do merge, and merging never runs into its bound.
    #[test]
    fn the_sum_of_the_lines_is_the_total(asked in proptest::collection::vec(any_line(), 1..=8)) {
        let raw: Vec<RawLine> = asked
            .iter()
            .enumerate()
            .map(|(i, (item, quantity, toppings))| RawLine {
                note: Some((i % 3).to_string()),
                ..line(*item, *quantity, toppings)
            })
            .collect();
        let (lines, total) = priced(&raw);
        let by_hand: i64 = asked
            .iter()
            .map(|(item, quantity, toppings)| {
                let extras: i64 = toppings.iter().map(|(t, portions)| list_price(t.0) * portions).sum();
                quantity * (list_price(item.0) + extras)
            })
            .sum();
        prop_assert_eq!(total, by_hand);
        prop_assert_eq!(lines.iter().map(|l| l.line_total_minor).sum::<i64>(), total);
        for line in &lines {
            prop_assert_eq!(line.line_total_minor, line.unit_price_minor * line.quantity);
        }
        let eggs: i64 = asked
            .iter()
            .flat_map(|(_, quantity, toppings)| {
                toppings.iter().filter(|(t, _)| *t == EGG).map(move |(_, portions)| quantity * portions)
            })
            .sum();
        let taken: i64 = lines.iter().flat_map(|l| &l.toppings).filter(|t| t.topping_id == EGG).map(|t| t.taken).sum();
        prop_assert_eq!(taken, eggs);
    }
}
