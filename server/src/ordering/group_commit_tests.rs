use super::*;
use crate::ordering::fixtures::{self, CHASHU, EGG, RAMEN, RICE, by_guest, guest_at, in_cart, one_ramen, parsed};
use masterorder_protocol::ids::{CheckoutId, TableSessionId};

/// Somebody at a table, who may have a cart and want stock, and has waited long enough for another slice to begin.
fn member(table: u128, cart: Option<u128>, stock: &[u128]) -> Member {
    let table = TableSessionId(Uuid::from_u128(table));
    let raw = match cart {
        Some(cart) => in_cart(one_ramen(), CheckoutId(Uuid::from_u128(cart))),
        None => one_ramen(),
    };
    let command = Arc::new(parsed(&raw, &guest_at(table, "guest-1")));
    Member {
        since: Instant::now() - COMPANY_WAIT,
        own: own(&command),
        rows: rows(&command),
        stock: stock.iter().copied().map(Uuid::from_u128).collect(),
        command,
        wait_bound_ms: 2_000,
        tell: oneshot::channel().0,
    }
}

fn line(members: impl IntoIterator<Item = Member>) -> Line {
    Line {
        waiting: members.into_iter().collect(),
        ..Line::default()
    }
}

/// The tables of the next slice.
fn next(line: &mut Line, runners: usize) -> Vec<u128> {
    let slice = line.next(runners);
    let members = slice.into_iter().flat_map(|s| s.members);
    members.map(|m| m.command.table_session.0.as_u128()).collect()
}

#[test]
fn a_slice_has_one_member_per_table_and_they_keep_their_order() {
    let mut line = line([1, 2, 1, 3, 2].map(|table| member(table, None, &[])));
    assert_eq!(next(&mut line, 9), [1, 2, 3]);
    line.running.clear();
    assert_eq!(next(&mut line, 9), [1, 2]);
    line.running.clear();
    assert!(next(&mut line, 9).is_empty());
}

#[test]
fn a_slice_has_one_member_per_cart() {
    let (a, b) = (member(1, Some(7), &[]), member(2, Some(7), &[]));
    let mut line = line([a, b, member(3, Some(8), &[])]);
    assert_eq!(next(&mut line, 9), [1, 3]);
}

#[test]
fn members_of_a_slice_share_stock_and_slices_do_not() {
    let mut line = line([member(1, None, &[5]), member(2, None, &[5, 6])]);
    assert_eq!(next(&mut line, 9), [1, 2]);
    line.waiting
        .extend([member(3, None, &[6]), member(4, None, &[7]), member(1, None, &[])]);
    assert_eq!(next(&mut line, 9), [4]);
    line.running.clear();
    assert_eq!(next(&mut line, 9), [3, 1]);
}

#[test]
fn who_has_waited_long_for_two_things_gets_them_both_at_last() {
    let long_ago = |member: Member| Member {
        since: Instant::now() - 2 * PATIENCE,
        ..member
    };
    let mut line = line([member(1, None, &[5])]);
    assert_eq!(next(&mut line, 2), [1]);
    line.waiting.extend([member(2, None, &[5, 6]), member(3, None, &[6])]);
    assert_eq!(next(&mut line, 2), [3], "who came a moment ago is overtaken");
    line.running.clear();
    line.waiting.push_front(member(1, None, &[5]));
    assert_eq!(next(&mut line, 2), [1, 2]);

    line.running.pop();
    line.waiting.push_back(member(1, None, &[5]));
    assert_eq!(next(&mut line, 2), [1]);
    line.waiting.extend([
        long_ago(member(2, None, &[5, 6])),
        member(3, None, &[6]),
        member(4, None, &[7]),
    ]);
    assert_eq!(next(&mut line, 2), [4], "what it waits for is kept for it");
}

#[test]
fn no_more_slices_run_than_there_are_runners() {
    let mut line = line((0..MEMBERS as u128 + 2).map(|table| member(table, None, &[])));
    assert_eq!(next(&mut line, 1).len(), MEMBERS);
    assert!(next(&mut line, 1).is_empty());
    assert_eq!(next(&mut line, 2).len(), 2);
    let [first, second] = &line.running[..] else {
        panic!("two run");
    };
    assert_ne!(first.slice, second.slice, "the end of one is not the end of both");
}

#[test]
fn beside_a_slice_another_one_begins_for_a_crowd_or_for_who_has_waited() {
    let fresh = |table| Member {
        since: Instant::now() + PATIENCE,
        ..member(table, None, &[])
    };
    let mut line = line([fresh(1)]);
    assert_eq!(next(&mut line, 2), [1], "with nothing to do nobody waits for company");
    let crowd = COMPANY as u128;
    line.waiting.extend((2..=crowd).map(fresh));
    assert!(next(&mut line, 2).is_empty());
    line.waiting.push_back(fresh(crowd + 1));
    assert_eq!(next(&mut line, 2).len(), COMPANY);

    line.running.pop();
    line.waiting.push_back(member(100, None, &[]));
    assert_eq!(next(&mut line, 2), [100]);
}

#[test]
fn a_slice_that_is_late_is_in_nobodys_way() {
    let mut line = line([member(1, None, &[5])]);
    assert_eq!(next(&mut line, 1), [1]);
    line.waiting.extend([member(1, None, &[]), member(2, None, &[5])]);
    assert!(next(&mut line, 1).is_empty());
    line.running[0].since -= PATIENCE;
    assert_eq!(next(&mut line, 1), [1, 2]);
}

#[test]
fn a_slice_has_no_more_rows_than_a_statement_can_bind() {
    let heavy = |table| Member {
        rows: ROWS / 2,
        ..member(table, None, &[])
    };
    let mut line = line([heavy(1), heavy(2), heavy(3), member(4, None, &[])]);
    assert_eq!(next(&mut line, 9), [1, 2]);
    assert_eq!(
        next(&mut line, 9),
        [3, 4],
        "who did not fit is the first of the next slice"
    );
    let too_heavy = Member {
        rows: ROWS + 1,
        ..member(5, None, &[])
    };
    line.waiting.extend([too_heavy, member(6, None, &[])]);
    assert_eq!(next(&mut line, 9), [5], "alone, but not for ever");
}

#[test]
fn each_line_is_a_row_and_so_is_each_of_its_toppings() {
    let ramen = fixtures::line(RAMEN, 3, &[(EGG, 1), (CHASHU, 2)]);
    let order = fixtures::order(&[ramen, fixtures::line(RICE, 1, &[])]);
    assert_eq!(rows(&by_guest(order)), 4);
}
