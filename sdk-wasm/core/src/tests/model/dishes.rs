//! What is ordered here, and how texts get their numbers.

use crate::handle::Id;
use crate::line::{Line, Money, Note, Topping};
use alloc::rc::Rc;

/// Numbers of what the core makes itself: `FRESH` and up.
pub(crate) const FRESH: u32 = 1_000;
/// Numbers of what another phone made: `FOREIGN` and up.
pub(crate) const FOREIGN: u32 = 1_000_000_000;
/// Numbers of orders: `ORDERS` and up.
pub(crate) const ORDERS: u32 = 2_000_000_000;
/// Numbers of all other texts: `TEXTS` and up.
const TEXTS: u32 = 3_000_000_000;

/// The number of a text: the same for the same text, as from a table that nobody has to carry around.
pub(crate) fn name(text: &str) -> Id {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    Id(TEXTS + hash % 1_000_000_000)
}

/// The guest's words.
pub(crate) fn words(text: &str) -> Note {
    Note {
        sent: name(text),
        compared: if text.trim().is_empty() {
            Id::default()
        } else {
            name(text.trim())
        },
        length: match text.contains('\0') {
            true => u32::MAX,
            false => u32::try_from(text.chars().count()).unwrap_or(u32::MAX),
        },
    }
}

/// Yen.
pub(crate) fn yen(amount_minor: i64) -> Money {
    Money {
        amount_minor,
        currency: name("JPY"),
    }
}

/// Ramen with an egg.
pub(crate) fn ramen() -> Line {
    Line {
        toppings: Rc::new([Topping {
            topping_id: name("egg"),
            price: yen(120),
            quantity: 1,
        }]),
        ..dish("ramen", 850)
    }
}

/// Beer.
pub(crate) fn beer() -> Line {
    dish("beer", 600)
}

/// One piece without anything.
pub(crate) fn dish(item: &str, price: i64) -> Line {
    Line {
        menu_item_id: name(item),
        price: yen(price),
        quantity: 1,
        note: Note::default(),
        toppings: Rc::new([]),
    }
}
