//! Prices against what the guest saw, and stock against what is asked for.

use super::*;
use crate::ordering::command::RawLine;
use masterorder_protocol::ids::ToppingId;

/// What is missing: subject, English name, asked for, left.
#[track_caller]
fn sold_out(ruling: Ruling) -> Vec<(Subject, String, i64, i64)> {
    match ruling {
        Ruling::Reject(Rejection::SoldOut { shortages }) => shortages
            .into_iter()
            .map(|s| (s.subject, s.name.en, s.requested, s.left))
            .collect(),
        other => panic!("not sold out: {other:?}"),
    }
}

fn with_stock(levels: &[(Uuid, i64)]) -> Situation {
    let mut situation = situation();
    situation.stock.extend(levels.iter().copied());
    situation
}

fn ruled(lines: &[RawLine], situation: Situation) -> Ruling {
    decide_one(&by_guest(order(lines)), situation)
}

fn item(id: MenuItemId, name: &str, requested: i64, left: i64) -> (Subject, String, i64, i64) {
    (Subject::Item(id), name.into(), requested, left)
}

fn topping(id: ToppingId, name: &str, requested: i64, left: i64) -> (Subject, String, i64, i64) {
    (Subject::Topping(id), name.into(), requested, left)
}

// --- price ---

#[test]
fn a_changed_price_is_rejected_with_the_current_prices() {
    let raw = expecting(
        order(&[line(BEER, 1, &[]), line(RAMEN, 1, &[(EGG, 1)]), line(BEER, 2, &[])]),
        1_800 + 970,
    );
    let mut situation = situation();
    situation
        .menu_mut()
        .items
        .entry(RAMEN)
        .and_modify(|i| i.price_minor = 950);
    let Ruling::Reject(Rejection::PriceChanged {
        expected,
        actual,
        lines,
    }) = decide_one(&by_guest(raw), situation)
    else {
        panic!("the price is accepted");
    };
    assert_eq!((expected, actual), (yen(2_770), yen(2_870)));
    let lines: Vec<_> = lines
        .iter()
        .map(|l| {
            (
                l.line,
                l.item,
                l.name.ja.as_str(),
                l.unit_price_minor,
                l.line_total_minor,
            )
        })
        .collect();
    assert_eq!(
        lines,
        [(0, BEER, "ビール", 600, 1_800), (1, RAMEN, "ラーメン", 1_070, 1_070)]
    );
}

#[test]
fn the_line_of_a_current_price_is_its_position_in_the_input() {
    let raw = order(&[line(BEER, 1, &[]), line(BEER, 1, &[]), line(RAMEN, 1, &[])]);
    let Ruling::Reject(Rejection::PriceChanged { lines, .. }) = decide_one(&by_guest(expecting(raw, 1)), situation())
    else {
        panic!("the price is accepted");
    };
    assert_eq!(lines.iter().map(|l| l.line).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn a_total_that_went_down_is_a_changed_price_too() {
    for (expected, fits) in [(849, false), (850, true), (851, false), (0, false)] {
        let ruling = decide_one(&by_guest(expecting(one_ramen(), expected)), situation());
        match ruling {
            Ruling::Place(_) => assert!(fits, "{expected}"),
            Ruling::Reject(Rejection::PriceChanged { .. }) => assert!(!fits, "{expected}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn who_saw_no_total_pays_the_current_price() {
    let mut situation = situation();
    situation
        .menu_mut()
        .items
        .entry(RAMEN)
        .and_modify(|i| i.price_minor = 950);
    assert_eq!(draft(decide_one(&by_guest(one_ramen()), situation)).total_minor, 950);
}

// --- stock ---

#[test]
fn two_lines_of_one_item_are_counted_together() {
    let lines = [line(RAMEN, 10, &[(EGG, 1)]), line(RAMEN, 5, &[(NORI, 1)])];
    let needs = needs(&draft(ruled(&lines, with_stock(&[(RAMEN.0, 15)]))).lines);
    assert_eq!(needs.get(&Subject::Item(RAMEN)), Some(&15));
    assert_eq!(
        sold_out(ruled(&lines, with_stock(&[(RAMEN.0, 14)]))),
        [item(RAMEN, "Ramen", 15, 14)]
    );
}

#[test]
fn an_egg_shared_by_two_items_is_counted_together() {
    let lines = [line(RAMEN, 1, &[(EGG, 1)]), line(RICE, 1, &[(EGG, 1)])];
    let needs = needs(&draft(ruled(&lines, with_stock(&[(EGG.0, 2)]))).lines);
    assert_eq!(needs.get(&Subject::Topping(EGG)), Some(&2));
    assert_eq!(
        sold_out(ruled(&lines, with_stock(&[(EGG.0, 1)]))),
        [topping(EGG, "Egg", 2, 1)]
    );
}

#[test]
fn a_topping_is_taken_for_every_portion_of_every_piece() {
    let lines = [line(RAMEN, 3, &[(EGG, 2)])];
    assert!(matches!(ruled(&lines, with_stock(&[(EGG.0, 6)])), Ruling::Place(_)));
    assert_eq!(
        sold_out(ruled(&lines, with_stock(&[(EGG.0, 5)]))),
        [topping(EGG, "Egg", 6, 5)]
    );
}

#[test]
fn every_item_and_topping_that_is_short_is_named() {
    let lines = [
        line(RAMEN, 2, &[(EGG, 1), (CHASHU, 3), (NORI, 1)]),
        line(BEER, 3, &[]),
        line(RICE, 9, &[]),
    ];
    let levels = [(RAMEN.0, 0), (EGG.0, 2), (CHASHU.0, 5), (BEER.0, 2)];
    assert_eq!(
        sold_out(ruled(&lines, with_stock(&levels))),
        [
            item(RAMEN, "Ramen", 2, 0),
            item(BEER, "Beer", 3, 2),
            topping(CHASHU, "Chashu", 6, 5)
        ]
    );
}

#[test]
fn a_topping_alone_can_be_sold_out() {
    assert_eq!(
        sold_out(ruled(
            &[line(RAMEN, 1, &[(EGG, 1)])],
            with_stock(&[(RAMEN.0, 5), (EGG.0, 0)])
        )),
        [topping(EGG, "Egg", 1, 0)]
    );
}

#[test]
fn the_last_piece_can_be_ordered_and_0_is_never_unlimited() {
    assert!(matches!(
        ruled(&[line(RAMEN, 1, &[])], with_stock(&[(RAMEN.0, 1)])),
        Ruling::Place(_)
    ));
    assert_eq!(
        sold_out(ruled(&[line(RAMEN, 1, &[])], with_stock(&[(RAMEN.0, 0)]))),
        [item(RAMEN, "Ramen", 1, 0)]
    );
}

#[test]
fn what_is_tracked_but_has_no_level_is_sold_out() {
    let mut situation = situation();
    situation.stock.remove(&RAMEN.0);
    assert_eq!(
        sold_out(ruled(&[line(RAMEN, 1, &[])], situation)),
        [item(RAMEN, "Ramen", 1, 0)]
    );
}

#[test]
fn what_is_not_tracked_never_sells_out() {
    let lines = [line(RICE, 99, &[(NORI, 9)])];
    // levels left over from when it was tracked mean nothing
    let mut situation = with_stock(&[(RICE.0, 0), (NORI.0, 0)]);
    for _ in 0..2 {
        let draft = draft(ruled(&lines, situation.clone()));
        assert!(needs(&draft.lines).is_empty());
        let command = by_guest(order(&lines));
        situation.place(&command, &draft);
        assert_eq!((situation.stock[&RICE.0], situation.stock[&NORI.0]), (0, 0));
        situation.earlier.clear();
    }
}

#[test]
fn only_what_is_taken_is_needed() {
    let draft = draft(ruled(
        &[line(RAMEN, 2, &[(EGG, 1), (NORI, 1)]), line(RICE, 1, &[(CHASHU, 2)])],
        situation(),
    ));
    let needs: Vec<_> = needs(&draft.lines).into_iter().collect();
    assert_eq!(
        needs,
        [
            (Subject::Item(RAMEN), 2),
            (Subject::Topping(EGG), 2),
            (Subject::Topping(CHASHU), 2)
        ]
    );
}
