//! The one unsettled confirmation of a table session, as it is stored before it is sent.

use crate::cart::Cart;
use crate::handle::Id;
use crate::line::{self, Note};
use alloc::rc::Rc;

/// Form of the stored record. A record of another version is none that this SDK can read.
pub const SLOT_VERSION: u32 = 1;

/// Where the confirmation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It may have been sent: ask, or send the same again.
    Sent,
    /// The shop asked whether the guest means it: never sent again before there is an answer.
    Asked,
    /// It is being given up: never sent again.
    Withdrawing,
}

/// One confirmation that has no final answer. Shared by all tabs; the only thing that has to survive a reload.
///
/// Cart and note never change under one key: every attempt is the same request, but for `confirm_duplicate_of`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The idempotency key. The shell hands over nothing else (`key::is_v4`): such a slot could never be settled.
    pub request_id: Id,
    /// The cart as confirmed; its total is what the guest saw.
    pub cart: Rc<Cart>,
    /// The guest's words for the kitchen.
    pub note: Note,
    /// The order that the guest was asked about (`Asked`), or has said "yes, the same again" to (`Sent`).
    pub confirm_duplicate_of: Option<Id>,
    /// When it left for the first time, written before it left. *Units*: ms since the Unix epoch. `None`: it never did.
    pub sent_at_ms: Option<i64>,
    /// Where it stands.
    pub standing: Standing,
}

impl Slot {
    /// A confirmation of this cart with these words is this one.
    pub fn is_of(&self, cart: &Cart, note: Note) -> bool {
        self.note == note && line::are_same(&self.cart.lines, &cart.lines)
    }

    /// Something that the server might take: what is not would lock the cart for good.
    pub fn is_sound(&self) -> bool {
        self.cart.is_sound() && self.cart.total().is_some()
    }
}
