//! The cart: what may stand in it, and when it is another one.

use super::bench::{Bench, handle};
use super::model::dishes::{beer, dish, name, ramen, words, yen};
use crate::cart::Cart;
use crate::effect::{Effect, Outcome};
use crate::event::Event;
use crate::line::{Invalid, Line, MAX_PRICE_MINOR, Money, Topping};
use alloc::rc::Rc;
use std::format;
use std::vec::Vec;

fn add(line: Line) -> Result<(), Invalid> {
    Cart::default().add(line)
}

fn topped(toppings: usize, quantity: u32) -> Line {
    let topping = |n| Topping {
        topping_id: name(&format!("topping {n}")),
        price: yen(10),
        quantity,
    };
    Line {
        toppings: (0..toppings).map(topping).collect(),
        ..ramen()
    }
}

/// AC-024
#[test]
fn the_same_dish_again_is_one_line_of_two() {
    let mut cart = Cart::default();
    for line in [ramen(), beer(), ramen()] {
        assert_eq!(cart.add(line), Ok(()));
    }
    assert_eq!(cart.lines.iter().map(|l| l.quantity).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(cart.total(), Some(yen(2 * 970 + 600)));
}

#[test]
fn every_piece_has_every_portion() {
    let mut cart = Cart::default();
    let line = Line {
        quantity: 3,
        ..topped(2, 4)
    };
    assert_eq!(cart.add(line), Ok(()));
    assert_eq!(cart.total(), Some(yen(3 * (850 + 2 * 4 * 10))));
}

#[test]
fn another_note_another_topping_and_another_price_stay_apart() {
    let mut cart = Cart::default();
    let others = [
        ramen(),
        Line {
            note: words("no onion"),
            ..ramen()
        },
        Line {
            toppings: Rc::new([]),
            ..ramen()
        },
        Line {
            price: yen(950),
            ..ramen()
        },
        topped(1, 2),
    ];
    let count = others.len();
    for line in others {
        assert_eq!(cart.add(line), Ok(()));
    }
    assert_eq!(cart.lines.len(), count);
}

#[test]
fn a_line_holds_what_the_server_would_take() {
    for (quantity, fits) in [(0, false), (1, true), (99, true), (100, false), (u32::MAX, false)] {
        assert_eq!(add(Line { quantity, ..beer() }).is_ok(), fits, "{quantity}");
    }
    assert_eq!(add(topped(20, 9)), Ok(()));
    assert_eq!(add(topped(21, 1)), Err(Invalid::Toppings));
    assert_eq!(add(topped(1, 0)), Err(Invalid::Toppings));
    assert_eq!(add(topped(1, 10)), Err(Invalid::Toppings));
    let mut twice = topped(1, 5);
    twice.toppings = Rc::new([twice.toppings[0], twice.toppings[0]]);
    assert_eq!(add(twice), Err(Invalid::Toppings), "five and five are ten");
    assert_eq!(
        add(Line {
            note: words(&"👍".repeat(100)),
            ..beer()
        }),
        Ok(())
    );
    assert_eq!(
        add(Line {
            note: words(&"あ".repeat(101)),
            ..beer()
        }),
        Err(Invalid::Note)
    );
    assert_eq!(
        add(Line {
            note: words("\0"),
            ..beer()
        }),
        Err(Invalid::Note)
    );
    for (price, fits) in [
        (-1, false),
        (0, true),
        (MAX_PRICE_MINOR, true),
        (MAX_PRICE_MINOR + 1, false),
    ] {
        assert_eq!(add(dish("x", price)).is_ok(), fits, "{price}");
    }
}

#[test]
fn equal_lines_add_up_to_at_most_99() {
    let mut cart = Cart::default();
    assert_eq!(cart.add(Line { quantity: 98, ..beer() }), Ok(()));
    assert_eq!(cart.add(beer()), Ok(()));
    assert_eq!(cart.add(beer()), Err(Invalid::Quantity));
    assert_eq!(cart.lines[0].quantity, 99);
}

#[test]
fn a_cart_has_at_most_100_lines_and_one_currency() {
    let mut cart = Cart::default();
    for n in 0..100 {
        assert_eq!(cart.add(dish(&format!("dish {n}"), 1)), Ok(()));
    }
    assert_eq!(cart.add(beer()), Err(Invalid::Lines));
    assert_eq!(cart.add(dish("dish 7", 1)), Ok(()), "an equal line needs no room");
    let currency = name("EUR");
    let euro = Line {
        price: Money {
            amount_minor: 1,
            currency,
        },
        ..beer()
    };
    assert_eq!(
        Cart {
            lines: Vec::from([beer()]),
            ..Cart::default()
        }
        .add(euro.clone()),
        Err(Invalid::Price)
    );
    let mixed = Line {
        toppings: topped(1, 1).toppings,
        ..euro
    };
    assert_eq!(add(mixed), Err(Invalid::Price));
}

#[test]
fn the_largest_cart_does_not_overflow() {
    let mut cart = Cart::default();
    let topping = Topping {
        topping_id: name("gold"),
        price: yen(MAX_PRICE_MINOR),
        quantity: 9,
    };
    for n in 0..100 {
        let mut line = Line {
            quantity: 99,
            ..dish(&format!("dish {n}"), MAX_PRICE_MINOR)
        };
        let toppings = (0..20).map(|t| Topping {
            topping_id: name(&format!("gold {t}")),
            ..topping
        });
        line.toppings = toppings.collect();
        assert_eq!(cart.add(line), Ok(()));
    }
    assert_eq!(cart.total(), None, "but it is more than the wire can carry");
}

#[test]
fn a_quantity_is_set_and_zero_takes_the_line_out() {
    let mut cart = Cart {
        lines: Vec::from([ramen(), beer()]),
        ..Cart::default()
    };
    assert_eq!(cart.set_quantity(1, 7), Ok(()));
    assert_eq!(cart.set_quantity(0, 0), Ok(()));
    assert_eq!(cart.lines, [Line { quantity: 7, ..beer() }]);
    assert_eq!(cart.set_quantity(1, 1), Err(Invalid::Index));
    assert_eq!(cart.set_quantity(0, 100), Err(Invalid::Quantity));
    assert_eq!(cart.lines[0].quantity, 7);
}

#[test]
fn a_mistake_of_the_page_is_thrown_and_changes_nothing() {
    let mut bench = Bench::new();
    bench.event(Event::Add(Line { quantity: 0, ..beer() }));
    assert!(bench.tab.threw);
    assert_eq!(bench.storage.cart, None);
    let effects = handle(&mut bench.tab.core, Event::SetQuantity { index: 3, quantity: 1 });
    assert_eq!(effects, [Effect::Invalid(Invalid::Index)]);
}

#[test]
fn the_cart_gets_its_id_with_its_first_line_and_another_after_it_was_emptied() {
    let mut bench = Bench::new();
    let id = |bench: &Bench| bench.tab.core.cart().checkout_id;
    assert_eq!(id(&bench), None);
    bench.event(Event::Add(ramen()));
    let first = id(&bench);
    assert!(first.is_some());
    bench.event(Event::Add(beer()));
    bench.event(Event::SetQuantity { index: 0, quantity: 0 });
    assert_eq!(id(&bench), first);
    bench.reload();
    assert_eq!(id(&bench), first, "stored, and the same after a reload");
    bench.event(Event::SetQuantity { index: 0, quantity: 0 });
    assert_eq!(id(&bench), None);
    assert_eq!(bench.storage.cart, None);
    bench.event(Event::Add(ramen()));
    assert_ne!(id(&bench), first);
    bench.event(Event::Clear);
    assert_eq!(bench.storage.cart, None);
    bench.event(Event::Clear);
}

#[test]
fn every_visible_change_is_announced_and_nothing_else() {
    let mut bench = Bench::new();
    let mut announces = |event| handle(&mut bench.tab.core, event).contains(&Effect::StateChanged);
    assert!(announces(Event::Add(ramen())));
    assert!(announces(Event::SetQuantity { index: 0, quantity: 2 }));
    assert!(!announces(Event::SetQuantity { index: 9, quantity: 2 }));
    assert!(!announces(Event::Resume));
    assert!(announces(Event::Submit { note: Some(words("")) }));
    assert!(!announces(Event::Submit { note: Some(words("")) }));
    assert!(!announces(Event::Shown { restored: false }));
    assert!(announces(Event::StorageFailed));
    assert!(announces(Event::Close));
}

#[test]
fn the_outcome_is_shown_until_the_cart_is_edited() {
    let mut bench = Bench::submitted();
    assert_eq!(bench.tab.core.state().outcome, None);
    bench.placed(1);
    assert!(matches!(bench.tab.core.state().outcome, Some(Outcome::Placed { .. })));
    bench.event(Event::Add(beer()));
    assert_eq!(bench.tab.core.state().outcome, None);
}

#[test]
fn a_cart_looks_like_another_if_it_is_the_same_cart_at_the_same_prices() {
    let cart = Cart {
        checkout_id: Some(name("cart")),
        lines: Vec::from([ramen(), beer()]),
    };
    let turned = Cart {
        lines: Vec::from([beer(), ramen()]),
        ..cart.clone()
    };
    assert!(cart.looks_like(&turned));
    let dearer = Line {
        price: yen(650),
        ..beer()
    };
    let others = [
        Cart {
            checkout_id: Some(name("another cart")),
            ..cart.clone()
        },
        Cart {
            lines: Vec::from([ramen(), dearer]),
            ..cart.clone()
        },
        Cart {
            lines: Vec::from([ramen(), dish("tea", 600)]),
            ..cart.clone()
        },
    ];
    assert!(others.iter().all(|other| !cart.looks_like(other)));
}

#[test]
fn a_stored_cart_that_can_not_be_one_is_none() {
    let sound = Cart {
        checkout_id: Some(name("cart")),
        lines: Vec::from([ramen()]),
    };
    assert!(sound.is_sound());
    assert!(Cart::default().is_sound());
    let broken = [
        Cart {
            checkout_id: None,
            ..sound.clone()
        },
        Cart {
            lines: Vec::new(),
            ..sound.clone()
        },
        Cart {
            lines: Vec::from([Line { quantity: 0, ..ramen() }]),
            ..sound.clone()
        },
        Cart {
            lines: (0..101).map(|_| ramen()).collect(),
            ..sound
        },
    ];
    assert!(broken.iter().all(|cart| !cart.is_sound()));
}
