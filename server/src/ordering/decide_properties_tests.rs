//! What must hold for every slice of commands in every situation.

use super::*;
use crate::ordering::command::RawLine;
use crate::principal::{Principal, Role};
use masterorder_protocol::ids::{CheckoutId, ToppingId};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::BTreeSet;

const TRACKED: [Uuid; 4] = [RAMEN.0, BEER.0, EGG.0, CHASHU.0];

/// Few choices, so that shared toppings and empty shelves are frequent.
fn any_lines() -> impl Strategy<Value = Vec<RawLine>> {
    let item = prop_oneof![
        8 => Just(RAMEN),
        5 => Just(RICE),
        3 => Just(BEER),
        1 => Just(TSUKEMEN),
        1 => Just(CURRY),
        1 => Just(NOTHING),
    ];
    let extras = subsequence(vec![EGG, CHASHU, NORI], 0..=2);
    let line = (item, 1..=3_i64, extras, 1..=2_i64).prop_map(|(item, quantity, extras, portions)| {
        let toppings: Vec<(ToppingId, i64)> = match item {
            RAMEN | RICE => extras.into_iter().map(|t| (t, portions)).collect(),
            TSUKEMEN => vec![(HARD, 1)],
            CURRY => vec![(HOT, 1)],
            _ => Vec::new(),
        };
        line(item, quantity, &toppings)
    });
    proptest::collection::vec(line, 1..=3)
}

/// What everybody has, so that equal orders are frequent.
fn popular_lines() -> impl Strategy<Value = Vec<RawLine>> {
    select(vec![vec![line(RAMEN, 1, &[(EGG, 1)])], vec![line(BEER, 1, &[])]])
}

fn any_principal() -> impl Strategy<Value = Principal> {
    select(vec![
        guest(),
        guest_at(TABLE, "guest-2"),
        guest_at(OTHER_TABLE, "guest-3"),
        staff(),
        integrator(),
    ])
}

/// A command as anybody might send it: with or without cart, total, note and confirmation.
fn any_command() -> impl Strategy<Value = PlaceOrder> {
    (
        prop_oneof![popular_lines(), any_lines()],
        any_principal(),
        proptest::option::of(select(vec![CART, OTHER_CART])),
        proptest::option::weighted(0.1, Just(850)),
        proptest::option::weighted(0.2, Just("no onion")),
        proptest::option::weighted(0.2, select(vec![1, 2, 100, 101, 102])),
        any::<bool>(),
    )
        .prop_map(|(lines, principal, cart, total, note, confirmed, keyed)| {
            let mut raw = asking(&lines, &principal, keyed, note);
            raw.checkout_id = cart.map(|c| c.to_string());
            if let Some(n) = confirmed {
                raw = confirming(raw, order_id(n));
            }
            if let Some(total) = total {
                raw = expecting(raw, total);
            }
            parsed(&raw, &principal)
        })
}

/// Lines as this principal sends them; staff with or without a key.
fn asking(lines: &[RawLine], principal: &Principal, keyed: bool, note: Option<&str>) -> RawOrder {
    let mut raw = order(lines);
    match principal.role {
        Role::Guest(_) => {}
        Role::Staff(_) if !keyed => {
            raw = at_table(raw);
            raw.request_id = None;
        }
        Role::Staff(_) | Role::Integrator(_) => raw = at_table(raw),
    }
    raw.note = note.map(String::from);
    raw
}

/// An order of the last 40 seconds, equal to what others have.
fn any_earlier() -> impl Strategy<Value = Earlier> {
    let standing = select(vec![Standing::Pending, Standing::Placed, Standing::Cancelled]);
    let cart = proptest::option::weighted(0.2, Just(CART));
    (popular_lines(), any_principal(), cart, standing, 0..40_000_i64).prop_map(
        |(lines, principal, cart, standing, age_ms)| {
            let command = parsed(&asking(&lines, &principal, true, None), &principal);
            let mut earlier = placed(&command, order_id(0), age_ms);
            earlier.checkout = cart;
            earlier.standing = standing;
            earlier
        },
    )
}

fn any_situation() -> impl Strategy<Value = Situation> {
    (
        proptest::collection::vec(0..=12_i64, TRACKED.len()),
        proptest::collection::vec(any_earlier(), 0..=2),
        prop::bool::weighted(0.1),
        prop_oneof![1 => Just(0), 4 => Just(30_000)],
    )
        .prop_map(|(levels, mut earlier, closed, window_ms)| {
            // a cart has one order
            if earlier.iter().filter(|e| e.checkout.is_some()).count() > 1 {
                earlier[0].checkout = None;
            }
            for (n, order) in (1..).zip(&mut earlier) {
                order.id = order_id(n);
            }
            let mut situation = Situation {
                earlier,
                stock: TRACKED.into_iter().zip(levels).collect(),
                ..situation()
            };
            situation.parties.entry(OTHER_TABLE).and_modify(|p| p.open = !closed);
            situation
                .counters
                .entry(TENANT)
                .and_modify(|c| c.shop.policy.content_window_ms = window_ms);
            situation
        })
}

fn ids(commands: &[PlaceOrder]) -> Vec<OrderId> {
    (100..).take(commands.len()).map(order_id).collect()
}

/// What a command asks for, counted from its own lines and not from the draft.
fn asked(command: &PlaceOrder) -> BTreeMap<Uuid, i64> {
    let mut asked = BTreeMap::new();
    for line in &command.lines {
        let pieces = i64::from(line.quantity);
        *asked.entry(line.item.0).or_default() += pieces;
        for topping in &line.toppings {
            *asked.entry(topping.topping.0).or_default() += pieces * i64::from(topping.quantity);
        }
    }
    asked.retain(|id, _| TRACKED.contains(id));
    asked
}

fn decide_refs(commands: &[&PlaceOrder], ids: &[OrderId], situation: &Situation) -> Vec<Ruling> {
    decide(commands, ids, situation.clone())
}

fn decide_all(commands: &[PlaceOrder], situation: &Situation) -> Vec<Ruling> {
    decide_refs(&commands.iter().collect::<Vec<_>>(), &ids(commands), situation)
}

/// What the database would say after this ruling.
fn apply(situation: &mut Situation, command: &PlaceOrder, ruling: &Ruling) {
    if let Ruling::Place(draft) = ruling {
        for (id, pieces) in asked(command) {
            *situation.stock.entry(id).or_default() -= pieces;
        }
        situation.earlier.push(placed(command, draft.order_id, 0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// The model keeps its own books: what is placed fitted, and what is called sold out did not.
    #[test]
    fn a_slice_never_oversells_and_never_refuses_what_is_left(
        commands in proptest::collection::vec(any_command(), 1..=8),
        situation in any_situation(),
    ) {
        let mut left = situation.stock.clone();
        for (command, ruling) in commands.iter().zip(decide_all(&commands, &situation)) {
            let asked = asked(command);
            match ruling {
                Ruling::Place(_) => {
                    for (id, pieces) in asked {
                        let level = left.entry(id).or_default();
                        *level -= pieces;
                        prop_assert!(*level >= 0, "{} of {id} too many", -*level);
                    }
                }
                Ruling::Reject(Rejection::SoldOut { shortages }) => {
                    let named: BTreeMap<Uuid, (i64, i64)> =
                        shortages.iter().map(|s| (s.subject.id(), (s.requested, s.left))).collect();
                    let short: BTreeMap<Uuid, (i64, i64)> = asked
                        .into_iter()
                        .map(|(id, pieces)| (id, (pieces, left.get(&id).copied().unwrap_or(0))))
                        .filter(|(_, (pieces, left))| pieces > left)
                        .collect();
                    prop_assert!(!short.is_empty());
                    prop_assert_eq!(named, short);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_slice_is_decided_as_its_commands_one_by_one(
        commands in proptest::collection::vec(any_command(), 1..=8),
        situation in any_situation(),
    ) {
        let together = decide_all(&commands, &situation);
        let mut now = situation;
        for ((command, id), ruling) in commands.iter().zip(ids(&commands)).zip(&together) {
            let alone = decide_refs(&[command], &[id], &now);
            prop_assert_eq!(&alone[..], std::slice::from_ref(ruling));
            apply(&mut now, command, ruling);
        }
    }

    #[test]
    fn a_slice_cut_anywhere_is_the_same_slice(
        commands in proptest::collection::vec(any_command(), 1..=8),
        situation in any_situation(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let ids = ids(&commands);
        let commands: Vec<&PlaceOrder> = commands.iter().collect();
        let cut = cut.index(commands.len());
        let mut rulings = decide_refs(&commands[..cut], &ids[..cut], &situation);
        let mut now = situation.clone();
        for (command, ruling) in commands.iter().zip(&rulings) {
            apply(&mut now, command, ruling);
        }
        rulings.extend(decide_refs(&commands[cut..], &ids[cut..], &now));
        prop_assert_eq!(rulings, decide_refs(&commands, &ids, &situation));
    }

    /// Each cart makes at most one order, and every replay points to an order that stands.
    #[test]
    fn a_cart_is_placed_at_most_once(
        commands in proptest::collection::vec(any_command(), 1..=8),
        situation in any_situation(),
    ) {
        let mut carts: BTreeSet<_> = situation.earlier.iter().filter_map(|e| e.checkout).collect();
        let mut orders: BTreeSet<_> = situation.earlier.iter().map(|e| e.id).collect();
        for (command, ruling) in commands.iter().zip(decide_all(&commands, &situation)) {
            match ruling {
                Ruling::Place(draft) => {
                    if let Some(cart) = command.checkout {
                        prop_assert!(carts.insert(cart), "a second order of one cart");
                    }
                    prop_assert!(orders.insert(draft.order_id), "one id twice");
                }
                Ruling::Alias(order, _) => prop_assert!(orders.contains(&order)),
                _ => {}
            }
        }
    }

    /// Whoever confirms the newest equal order gets what is ordered, whatever else was ordered before.
    #[test]
    fn a_confirmed_duplicate_is_never_dropped(
        lines in placeable_lines(),
        history in proptest::collection::vec(any_equal_order(), 1..=6),
        cart in proptest::option::of(Just(CART)),
        note in proptest::option::of(Just("no onion")),
        keyed in any::<bool>(),
        principal in any_principal(),
    ) {
        let raw = asking(&lines, &principal, keyed, note);
        let base = parsed(&raw, &principal);
        let earlier = equal_orders(&base, &history);
        let newest = newest(&earlier);
        let mut command = parsed(&confirming(raw, newest.id), &principal);
        command.checkout = cart;
        let situation = Situation { earlier, ..plenty() };
        let ruling = decide_one(&command, situation);
        prop_assert!(matches!(ruling, Ruling::Place(_)), "{ruling:?}");
    }

    /// Whoever confirms an older one is asked about the newest, and never gets it instead of an order.
    #[test]
    fn a_newer_equal_order_is_asked_about(
        lines in placeable_lines(),
        history in proptest::collection::vec(any_equal_order(), 2..=6),
        cart in proptest::option::of(Just(CART)),
        which in any::<proptest::sample::Index>(),
    ) {
        let base = by_guest(order(&lines));
        let earlier = equal_orders(&base, &history);
        let newest = newest(&earlier);
        let older: Vec<&Earlier> = earlier.iter().filter(|e| e.id != newest.id).collect();
        let confirmed = older[which.index(older.len())];
        prop_assume!((confirmed.placed_at_ms, confirmed.id) < (newest.placed_at_ms, newest.id));
        let mut command = by_guest(confirming(order(&lines), confirmed.id));
        command.checkout = cart;
        let age_ms = NOW_MS - newest.placed_at_ms;
        let inside = age_ms < situation().counters[&TENANT].shop.policy.content_window_ms;
        let asked = Ruling::Conflict(Conflict::PossibleDuplicate { earlier: newest.id, age_ms });
        let ruling = decide_one(&command, Situation { earlier: earlier.clone(), ..plenty() });
        match inside {
            true => prop_assert_eq!(ruling, asked),
            false => prop_assert!(matches!(ruling, Ruling::Place(_)), "{ruling:?}"),
        }
    }

    /// Commands of different tables and carts that do not compete for stock: each gets its own answer in any order.
    #[test]
    fn the_order_of_independent_commands_does_not_matter(
        (straight, shuffled) in independent_commands()
            .prop_flat_map(|commands| (Just(commands.clone()), Just(commands).prop_shuffle())),
        closed in subsequence((0..6_u128).collect::<Vec<_>>(), 0..=2),
        empty in subsequence(TRACKED.to_vec(), 0..=2),
    ) {
        let mut situation = plenty();
        situation.stock.extend(empty.into_iter().map(|id| (id, 0)));
        for n in 0..6 {
            let party = Party { tenant: TENANT, table: format!("I{n}"), open: !closed.contains(&n), last_placed_at_ms: None };
            situation.parties.insert(table(n), party);
        }
        let by_table = |commands: &[(u128, PlaceOrder)]| -> BTreeMap<u128, Ruling> {
            let ids: Vec<OrderId> = commands.iter().map(|(n, _)| order_id(*n)).collect();
            let refs: Vec<&PlaceOrder> = commands.iter().map(|(_, c)| c).collect();
            let tables = commands.iter().map(|(n, _)| *n);
            tables.zip(decide_refs(&refs, &ids, &situation)).collect()
        };
        prop_assert_eq!(by_table(&straight), by_table(&shuffled));
    }
}

fn table(n: u128) -> TableSessionId {
    TableSessionId(Uuid::from_u128(0x1000 + n))
}

/// One command for each of up to six tables, each with a cart of its own.
fn independent_commands() -> impl Strategy<Value = Vec<(u128, PlaceOrder)>> {
    let total = proptest::option::weighted(0.2, Just(850));
    proptest::collection::vec((any_lines(), total), 2..=6).prop_map(|carts| {
        (0..)
            .zip(carts)
            .map(|(n, (lines, total))| {
                let cart = CheckoutId(Uuid::from_u128(0x2000 + n));
                let raw = in_cart(order(&lines), cart);
                let raw = match total {
                    Some(total) => expecting(raw, total),
                    None => raw,
                };
                (n, parsed(&raw, &guest_at(table(n), "guest-1")))
            })
            .collect()
    })
}

/// More than any slice here can take.
fn plenty() -> Situation {
    let mut situation = situation();
    situation.stock = TRACKED.map(|id| (id, 1_000)).into();
    situation
}

fn placeable_lines() -> impl Strategy<Value = Vec<RawLine>> {
    any_lines().prop_filter("on the menu", |lines| {
        lines.iter().all(|l| l.menu_item_id != NOTHING.to_string())
    })
}

/// Age, other phone, has a cart, other note, where it stands.
type EqualOrder = (i64, bool, bool, bool, Standing);

fn any_equal_order() -> impl Strategy<Value = EqualOrder> {
    let standing = select(vec![Standing::Pending, Standing::Placed]);
    (0..=40_000_i64, any::<bool>(), any::<bool>(), any::<bool>(), standing)
}

fn equal_orders(command: &PlaceOrder, history: &[EqualOrder]) -> Vec<Earlier> {
    (1..)
        .zip(history)
        .map(|(n, (age_ms, other_phone, in_cart, other_note, standing))| {
            let mut earlier = placed(command, order_id(n), *age_ms);
            earlier.standing = *standing;
            if *other_phone {
                earlier.device = "guest-9".into();
            }
            if *in_cart {
                earlier.checkout = Some(CheckoutId(Uuid::from_u128(0x3000 + n)));
            }
            if *other_note {
                earlier.notes_hash = vec![9; 32];
            }
            earlier
        })
        .collect()
}

fn newest(earlier: &[Earlier]) -> Earlier {
    let newest = earlier.iter().max_by_key(|e| (e.placed_at_ms, e.id));
    newest.cloned().unwrap_or_else(|| panic!("no order"))
}
