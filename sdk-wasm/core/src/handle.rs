//! What the shell keeps and the core only names. The browser has the strings and objects already; here they are numbers, so
//! that nothing is copied, compared letter by letter, or freed.

/// A text: an id, a currency, a note, a code.
///
/// *Shape*: the shell keeps one table per core, and equal texts have equal numbers in it (UUIDs in lower case, so that equal
/// keys are equal). 0 is the empty text, 1 and up are `code::SPELLINGS` in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

/// Something that the shell parsed: an order, a problem. The core hands it back and never asks what is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Paper(pub u32);
