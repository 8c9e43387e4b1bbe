//! Faults that are put into a quiet evening: the oracle must find each, and nothing else.

use harness::storm::oracle::{Finding, Intent, Order, judge};
use uuid::Uuid;

/// Two guests of two tables: one with a cart that was sent under two keys, one who gave up.
fn evening() -> (Vec<Intent>, Vec<Order>) {
    let [table, other, first, second, third, checkout, id] = [(); 7].map(|()| Uuid::new_v4());
    let cart = Intent {
        table,
        requests: vec![first, second],
        checkout: Some(checkout),
        insisted: true,
        told: vec![id, id],
        refused: None,
    };
    let given_up = Intent {
        table: other,
        requests: vec![third],
        ..Intent::default()
    };
    let order = Order {
        id,
        table,
        request: second,
        checkout: Some(checkout),
    };
    (vec![cart, given_up], vec![order])
}

#[test]
fn a_quiet_evening_is_in_order() {
    let (intents, mut orders) = evening();
    assert_eq!(judge(&intents, &orders), []);
    // who gave up may have an order all the same
    orders.push(Order {
        id: Uuid::new_v4(),
        table: intents[1].table,
        request: intents[1].requests[0],
        checkout: None,
    });
    assert_eq!(judge(&intents, &orders), []);
}

#[test]
fn a_second_order_of_one_wish_is_a_duplicate_by_key_and_by_cart() {
    let (intents, orders) = evening();
    for (request, checkout) in [(intents[0].requests[0], None), (Uuid::new_v4(), intents[0].checkout)] {
        let second = Order {
            id: Uuid::new_v4(),
            request,
            checkout,
            ..orders[0]
        };
        let found = judge(&intents, &[orders[0], second]);
        assert_eq!(
            found,
            [Finding::Duplicate(intents[0].clone(), vec![orders[0].id, second.id])]
        );
    }
}

#[test]
fn an_order_that_was_told_of_and_does_not_stand_is_lost() {
    let (mut intents, orders) = evening();
    let lost = Uuid::new_v4();
    intents[0].told.push(lost);
    assert_eq!(judge(&intents, &orders), [Finding::Lost(intents[0].clone(), lost)]);
    let (intents, _) = evening();
    let found = judge(&intents, &[]);
    assert!(found.contains(&Finding::Missing(intents[0].clone())), "{found:?}");
    assert!(
        found.contains(&Finding::Lost(intents[0].clone(), intents[0].told[0])),
        "{found:?}"
    );
}

#[test]
fn an_order_of_another_table_or_of_nobody_is_found() {
    let (mut intents, orders) = evening();
    intents[1].told.push(orders[0].id);
    assert_eq!(
        judge(&intents, &orders),
        [Finding::Foreign(intents[1].clone(), orders[0].id)]
    );
    intents[1].told.clear();
    let astray = Order {
        id: Uuid::new_v4(),
        table: intents[1].table,
        ..orders[0]
    };
    assert_eq!(judge(&intents, &[orders[0], astray]), [Finding::Orphan(astray.id)]);
}

#[test]
fn a_refusal_is_found() {
    let (mut intents, orders) = evening();
    intents[1].refused = Some("SOLD_OUT".into());
    assert_eq!(judge(&intents, &orders), [Finding::Refused(intents[1].clone())]);
}
