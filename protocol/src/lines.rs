//! Order lines and their canonical form: what is priced, stored, printed and fingerprinted.

use crate::ids::{MenuItemId, ToppingId};
use crate::text::Text;
use alloc::vec::Vec;
use core::fmt;

/// Lines of one order, before and after merging.
pub const MAX_LINES: usize = 100;
/// Pieces of one line, before and after merging.
pub const MAX_QUANTITY: i64 = 99;
/// Different toppings on one line.
pub const MAX_TOPPINGS: usize = 20;
/// Portions of one topping on one piece, before and after adding equal toppings up.
pub const MAX_TOPPING_QUANTITY: i64 = 9;
/// Unicode scalar values of a line's note.
pub const MAX_LINE_NOTE: usize = 100;
/// Unicode scalar values of an order's note.
pub const MAX_ORDER_NOTE: usize = 500;

/// A topping as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedTopping {
    /// Which one.
    pub topping: ToppingId,
    /// Portions on each piece, not yet checked.
    pub quantity: i64,
}

/// A line as asked for: nothing is checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedLine {
    /// What is ordered.
    pub item: MenuItemId,
    /// Pieces, not yet checked.
    pub quantity: i64,
    /// Toppings in any order, repeats allowed.
    pub toppings: Vec<AskedTopping>,
    /// The guest's words for this line.
    pub note: Text,
}

/// A topping on a canonical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineTopping {
    /// Which one.
    pub topping: ToppingId,
    /// Portions on each piece; `1..=9`.
    pub quantity: u8,
}

/// A canonical line. *Shape*: toppings sorted by id, each once; `index` is where it first appeared in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Position of its first appearance in the input, for error paths.
    pub index: usize,
    /// What is ordered.
    pub item: MenuItemId,
    /// Pieces; `1..=99`.
    pub quantity: u8,
    /// Sorted by id, each once.
    pub toppings: Vec<LineTopping>,
    /// The guest's words for this line, as in its first appearance.
    pub note: Text,
}

/// What is wrong with asked lines, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidLines {
    /// The cart holds this many lines.
    Count(usize),
    /// A line's quantity is out of range.
    Quantity {
        /// Input position.
        line: usize,
        /// What was asked, or the sum of merged lines.
        quantity: i64,
        /// The sum of equal lines went over the bound, no single one did.
        merged: bool,
    },
    /// Too many different toppings.
    ToppingCount {
        /// Input position.
        line: usize,
        /// How many.
        count: usize,
    },
    /// A topping's quantity is out of range.
    ToppingQuantity {
        /// Input position of the line.
        line: usize,
        /// Input position of the topping.
        topping: usize,
        /// What was asked, or the sum of equal toppings.
        quantity: i64,
    },
    /// A line's note is too long.
    Note {
        /// Input position.
        line: usize,
        /// Its length in Unicode scalar values.
        length: usize,
    },
}

/// Brings asked lines into canonical form.
///
/// Equal (item, toppings, note) lines merge by adding quantities and stay where the first of them stood; equal
/// toppings add up. Bounds hold for each input line and again after merging.
///
/// *Errors*: the first bound that does not hold, in input order.
pub fn canonical(asked: &[AskedLine]) -> Result<Vec<Line>, InvalidLines> {
    if asked.is_empty() || asked.len() > MAX_LINES {
        return Err(InvalidLines::Count(asked.len()));
    }
    let mut lines: Vec<Line> = Vec::with_capacity(asked.len());
    for (index, line) in asked.iter().enumerate() {
        let quantity = bounded(line.quantity, MAX_QUANTITY).ok_or(InvalidLines::Quantity {
            line: index,
            quantity: line.quantity,
            merged: false,
        })?;
        let length = line.note.as_sent().chars().count();
        if length > MAX_LINE_NOTE {
            return Err(InvalidLines::Note { line: index, length });
        }
        let toppings = canonical_toppings(index, &line.toppings)?;
        let same = |l: &&mut Line| l.item == line.item && l.toppings == toppings && l.note == line.note;
        match lines.iter_mut().find(same) {
            Some(first) => {
                let sum = i64::from(first.quantity) + i64::from(quantity);
                first.quantity = bounded(sum, MAX_QUANTITY).ok_or(InvalidLines::Quantity {
                    line: index,
                    quantity: sum,
                    merged: true,
                })?;
            }
            None => lines.push(Line {
                index,
                item: line.item,
                quantity,
                toppings,
                note: line.note.clone(),
            }),
        }
    }
    Ok(lines)
}

/// The canonical lines in fingerprint order: by (item, toppings, note). Only the fingerprint sorts them.
pub fn sorted(lines: &[Line]) -> Vec<&Line> {
    let mut sorted: Vec<&Line> = lines.iter().collect();
    sorted.sort_by(|a, b| (a.item, &a.toppings, &a.note).cmp(&(b.item, &b.toppings, &b.note)));
    sorted
}

fn canonical_toppings(line: usize, asked: &[AskedTopping]) -> Result<Vec<LineTopping>, InvalidLines> {
    if asked.len() > MAX_TOPPINGS {
        return Err(InvalidLines::ToppingCount {
            line,
            count: asked.len(),
        });
    }
    let mut toppings: Vec<LineTopping> = Vec::with_capacity(asked.len());
    for (position, topping) in asked.iter().enumerate() {
        let invalid = |quantity| InvalidLines::ToppingQuantity {
            line,
            topping: position,
            quantity,
        };
        let quantity = bounded(topping.quantity, MAX_TOPPING_QUANTITY).ok_or(invalid(topping.quantity))?;
        match toppings.iter_mut().find(|t| t.topping == topping.topping) {
            Some(first) => {
                let sum = i64::from(first.quantity) + i64::from(quantity);
                first.quantity = bounded(sum, MAX_TOPPING_QUANTITY).ok_or(invalid(sum))?;
            }
            None => toppings.push(LineTopping {
                topping: topping.topping,
                quantity,
            }),
        }
    }
    toppings.sort();
    Ok(toppings)
}

fn bounded(quantity: i64, max: i64) -> Option<u8> {
    u8::try_from(quantity)
        .ok()
        .filter(|q| (1..=max).contains(&i64::from(*q)))
}

impl InvalidLines {
    /// The input field, as a path like `lines[2].toppings[0].quantity`.
    pub fn path(&self) -> alloc::string::String {
        match self {
            Self::Count(_) => "lines".into(),
            Self::Quantity { line, .. } => alloc::format!("lines[{line}].quantity"),
            Self::ToppingCount { line, .. } => alloc::format!("lines[{line}].toppings"),
            Self::ToppingQuantity { line, topping, .. } => {
                alloc::format!("lines[{line}].toppings[{topping}].quantity")
            }
            Self::Note { line, .. } => alloc::format!("lines[{line}].note"),
        }
    }
}

impl fmt::Display for InvalidLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "must hold 1 to {MAX_LINES} lines, not {n}"),
            Self::Quantity { quantity, merged, .. } => {
                let with = if *merged {
                    " together with the equal lines before it"
                } else {
                    ""
                };
                write!(f, "must be 1 to {MAX_QUANTITY}, not {quantity}{with}")
            }
            Self::ToppingCount { count, .. } => {
                write!(f, "must hold at most {MAX_TOPPINGS} toppings, not {count}")
            }
            Self::ToppingQuantity { quantity, .. } => {
                write!(f, "must be 1 to {MAX_TOPPING_QUANTITY}, not {quantity}")
            }
            Self::Note { length, .. } => write!(
                f,
                "must be at most {MAX_LINE_NOTE} characters (Unicode scalar values), not {length}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use uuid::Uuid;

    fn line(item: u128, quantity: i64, toppings: &[(u128, i64)], note: &str) -> AskedLine {
        AskedLine {
            item: MenuItemId(Uuid::from_u128(item)),
            quantity,
            toppings: toppings
                .iter()
                .map(|(t, quantity)| AskedTopping {
                    topping: ToppingId(Uuid::from_u128(*t)),
                    quantity: *quantity,
                })
                .collect(),
            note: Text::new(note, note),
        }
    }

    #[test]
    fn equal_lines_merge_where_the_first_stood() {
        let lines = canonical(&[
            line(2, 1, &[(9, 1), (8, 1)], ""),
            line(1, 1, &[], "no onion"),
            line(2, 2, &[(8, 1), (9, 1)], " "),
            line(1, 1, &[], ""),
        ]);
        let shape: Vec<_> = lines
            .iter()
            .flatten()
            .map(|l| (l.index, l.item.0.as_u128(), l.quantity))
            .collect();
        assert_eq!(shape, vec![(0, 2, 3), (1, 1, 1), (3, 1, 1)]);
    }

    #[test]
    fn equal_toppings_add_up() {
        let lines = canonical(&[line(1, 1, &[(8, 1), (9, 1), (8, 2)], "")]);
        let toppings: Vec<_> = lines
            .iter()
            .flatten()
            .flat_map(|l| &l.toppings)
            .map(|t| t.quantity)
            .collect();
        assert_eq!(toppings, vec![3, 1]);
    }

    #[test]
    fn bounds_hold_before_and_after_merging() {
        let quantity = |line, quantity, merged| Err(InvalidLines::Quantity { line, quantity, merged });
        assert_eq!(canonical(&[]), Err(InvalidLines::Count(0)));
        assert_eq!(
            canonical(&vec![line(1, 1, &[], ""); 101]),
            Err(InvalidLines::Count(101))
        );
        for q in [0, -1, 100, i64::MAX, 257] {
            assert_eq!(canonical(&[line(1, q, &[], "")]), quantity(0, q, false));
        }
        assert_eq!(
            canonical(&[line(1, 50, &[], ""), line(2, 1, &[], ""), line(1, 50, &[], "")]),
            quantity(2, 100, true)
        );
        assert!(canonical(&[line(1, 50, &[], ""), line(1, 49, &[], "")]).is_ok());
        let topping = |position, quantity| {
            Err(InvalidLines::ToppingQuantity {
                line: 0,
                topping: position,
                quantity,
            })
        };
        assert_eq!(canonical(&[line(1, 1, &[(8, 0)], "")]), topping(0, 0));
        assert_eq!(canonical(&[line(1, 1, &[(8, 10)], "")]), topping(0, 10));
        assert_eq!(canonical(&[line(1, 1, &[(8, 5), (8, 5)], "")]), topping(1, 10));
        let many: Vec<_> = (0..21).map(|t| (t, 1)).collect();
        assert_eq!(
            canonical(&[line(1, 1, &many, "")]),
            Err(InvalidLines::ToppingCount { line: 0, count: 21 })
        );
    }

    #[test]
    fn a_note_is_counted_in_unicode_scalar_values() {
        assert!(canonical(&[line(1, 1, &[], &"👍".repeat(100))]).is_ok());
        assert_eq!(
            canonical(&[line(1, 1, &[], &"あ".repeat(101))]),
            Err(InvalidLines::Note { line: 0, length: 101 })
        );
    }

    #[test]
    fn every_error_names_its_field_and_range() {
        for (asked, path, words) in [
            (line(1, 0, &[], ""), "lines[0].quantity", "1 to 99, not 0"),
            (
                line(1, 1, &[(8, 10)], ""),
                "lines[0].toppings[0].quantity",
                "1 to 9, not 10",
            ),
            (line(1, 1, &[], &"a".repeat(101)), "lines[0].note", "100 characters"),
        ] {
            let error = canonical(&[asked]).err();
            assert_eq!(error.map(|e| e.path()).as_deref(), Some(path));
            assert!(error.is_some_and(|e| alloc::format!("{e}").contains(words)));
        }
    }

    #[test]
    fn fingerprint_order_does_not_depend_on_input_order() {
        let one = canonical(&[line(2, 1, &[], "b"), line(2, 1, &[], "a"), line(1, 1, &[], "")]);
        let other = canonical(&[line(1, 1, &[], ""), line(2, 1, &[], "a"), line(2, 1, &[], "b")]);
        let key = |lines: &Vec<Line>| -> Vec<_> { sorted(lines).iter().map(|l| (l.item, l.note.clone())).collect() };
        assert_eq!(one.as_ref().map(key), other.as_ref().map(key));
    }
}
