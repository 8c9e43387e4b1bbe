//! Order lines as the guest sees them, and when two of them are the same.

use crate::handle::Id;
use alloc::rc::Rc;
use core::hash::{Hash, Hasher};
use masterorder_protocol::lines::{MAX_LINE_NOTE, MAX_QUANTITY, MAX_TOPPING_QUANTITY, MAX_TOPPINGS};

/// The dearest piece that the SDK adds up. *Units*: minor units.
///
/// No dish costs a trillion yen; below it a full cart (100 lines, 99 pieces, 180 portions) can not overflow 64 bits.
pub const MAX_PRICE_MINOR: i64 = 1_000_000_000_000;

/// An amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Money {
    /// Minor units of the currency.
    pub amount_minor: i64,
    /// ISO 4217.
    pub currency: Id,
}

/// The guest's words. Two spellings of the same words are the same note.
#[derive(Clone, Copy, Debug, Default)]
pub struct Note {
    /// As the guest wrote it; this is what is sent.
    pub sent: Id,
    /// NFC-normalised and trimmed; this is what is compared.
    pub compared: Id,
    /// Of what is sent. *Units*: Unicode scalar values. `u32::MAX` if it holds U+0000, which no note may.
    pub length: u32,
}

/// A topping of each piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Topping {
    /// Which one.
    pub topping_id: Id,
    /// One portion, as the guest saw it.
    pub price: Money,
    /// Portions on each piece; `1..=9`.
    pub quantity: u32,
}

/// A line of the cart. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// What is ordered.
    pub menu_item_id: Id,
    /// One piece without toppings, as the guest saw it.
    pub price: Money,
    /// Pieces; `1..=99`.
    pub quantity: u32,
    /// The guest's words; at most 100 Unicode scalar values.
    pub note: Note,
    /// On each piece; at most 20.
    pub toppings: Rc<[Topping]>,
}

impl PartialEq for Note {
    fn eq(&self, other: &Self) -> bool {
        self.compared == other.compared
    }
}

impl Eq for Note {}

impl Hash for Note {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.compared.hash(state);
    }
}

impl Note {
    /// The server would take it. *Units*: Unicode scalar values.
    pub fn fits(&self, max: usize) -> bool {
        usize::try_from(self.length).is_ok_and(|length| length <= max)
    }
}

/// Why a call can not be meant: a mistake of the page, to be thrown at its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invalid {
    /// No line stands at this position.
    Index,
    /// A quantity is not `1..=99`, alone or together with the equal line that stands in the cart.
    Quantity,
    /// More than 20 toppings, or portions of one that are not `1..=9`, alone or added up.
    Toppings,
    /// A note is too long or holds U+0000.
    Note,
    /// An amount is negative, absurd, or in another currency than the rest of the cart.
    Price,
    /// More than 100 lines.
    Lines,
}

/// Holds a line against the server's limits.
pub fn check(line: &Line) -> Result<(), Invalid> {
    if !fits(line.quantity, MAX_QUANTITY) {
        return Err(Invalid::Quantity);
    }
    // each one before their sum: the sum of what fits can not overflow
    let fit = |t: &Topping| fits(t.quantity, MAX_TOPPING_QUANTITY);
    let sum_fits = |t: &Topping| fits(portions(line, t.topping_id), MAX_TOPPING_QUANTITY);
    if line.toppings.len() > MAX_TOPPINGS || !line.toppings.iter().all(fit) || !line.toppings.iter().all(sum_fits) {
        return Err(Invalid::Toppings);
    }
    if !line.note.fits(MAX_LINE_NOTE) {
        return Err(Invalid::Note);
    }
    if !is_price(line.price)
        || line
            .toppings
            .iter()
            .any(|t| !is_price(t.price) || t.price.currency != line.price.currency)
    {
        return Err(Invalid::Price);
    }
    Ok(())
}

/// A quantity is in the server's range, which begins with 1.
pub fn fits(quantity: u32, max: i64) -> bool {
    (1..=max).contains(&i64::from(quantity))
}

fn is_price(price: Money) -> bool {
    (0..=MAX_PRICE_MINOR).contains(&price.amount_minor)
}

/// One piece with its toppings. *Units*: minor units.
pub fn unit_minor(line: &Line) -> i64 {
    let toppings: i64 = line
        .toppings
        .iter()
        .map(|t| t.price.amount_minor * i64::from(t.quantity))
        .sum();
    line.price.amount_minor + toppings
}

/// All pieces with their toppings. *Units*: minor units.
pub fn total_minor(line: &Line) -> i64 {
    unit_minor(line) * i64::from(line.quantity)
}

/// Portions of a topping on each piece.
fn portions(line: &Line, id: Id) -> u32 {
    line.toppings
        .iter()
        .filter(|t| t.topping_id == id)
        .map(|t| t.quantity)
        .sum()
}

/// The same dish with the same toppings and words: the server makes one line of two such.
pub fn is_same(a: &Line, b: &Line) -> bool {
    let covers = |a: &Line, b: &Line| {
        a.toppings
            .iter()
            .all(|t| portions(a, t.topping_id) == portions(b, t.topping_id))
    };
    a.menu_item_id == b.menu_item_id && a.note == b.note && covers(a, b) && covers(b, a)
}

/// The same order in the server's eyes: equal lines added up, whatever their order, their spelling and the prices seen.
///
/// Counting instead of sorting: a cart is short, and sorting code is long.
pub fn are_same(a: &[Line], b: &[Line]) -> bool {
    let pieces =
        |lines: &[Line], line: &Line| -> u32 { lines.iter().filter(|l| is_same(l, line)).map(|l| l.quantity).sum() };
    let covers = |a: &[Line], b: &[Line]| a.iter().all(|l| pieces(a, l) == pieces(b, l));
    covers(a, b) && covers(b, a)
}
