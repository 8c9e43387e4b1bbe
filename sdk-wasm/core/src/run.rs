//! A submission on its way: what it wants, where it is, what it has tried.

use crate::cart::Cart;
use crate::code::Code;
use crate::handle::{Id, Paper};
use crate::line::Note;
use alloc::rc::Rc;

/// What the guest wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Aim {
    /// Place it.
    Submit,
    /// Place it, the same again.
    Confirm,
    /// Find out what became of it; place it only while it is fresh.
    Resume,
    /// Give it up.
    Withdraw,
}

/// A request to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    /// `placeOrder`.
    Place,
    /// `withdrawPlacement`.
    Withdraw,
    /// `placementStatus`.
    Status,
    /// `orders`.
    History,
}

/// Where it is. Every step has the run's token and its timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Asked for the lock; nothing was sent.
    Lock,
    /// A request is on its way.
    Flight(Call),
    /// A pause before a request, because nobody answered: it ends when the network is back.
    Pause(Call),
    /// A pause before a request that the server asked for: it is kept.
    Wait(Call),
}

impl Step {
    /// The order is on its way, or will be.
    pub(crate) fn is_placing(self) -> bool {
        matches!(
            self,
            Self::Flight(Call::Place) | Self::Pause(Call::Place) | Self::Wait(Call::Place)
        )
    }
}

/// A submission on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    /// Its number, which is its promise.
    pub(crate) submission: u32,
    /// What the guest wants.
    pub(crate) aim: Aim,
    /// Where it is.
    pub(crate) step: Step,
    /// Of the request, the pause or the wait for the lock.
    pub(crate) token: u32,
    /// When its timer goes off, by the wall clock.
    pub(crate) due_ms: i64,
    /// Of the lock.
    pub(crate) lock: u32,
    /// The key that it is about, once there is one: the answer counts even if another tab has taken the slot away.
    pub(crate) key: Option<Id>,
    /// The cart that the guest confirmed.
    pub(crate) cart: Rc<Cart>,
    /// Another tab changed the cart after the guest confirmed it, and before the lock was held.
    pub(crate) cart_changed: bool,
    /// The guest's words.
    pub(crate) note: Note,
    /// An attempt under its key may still be on its way, of this page, another tab or a page before: no answer about
    /// anything but the key settles it.
    pub(crate) lost: bool,
    /// The shop has it, and has not confirmed it.
    pub(crate) pending: bool,
    /// Attempts without a usable answer.
    pub(crate) tries: u8,
    /// Known "not placed yet" waited out.
    pub(crate) waits: u8,
    /// Looks into the history.
    pub(crate) polls: u8,
    /// It has sent `placeOrder`.
    pub(crate) placed_once: bool,
    /// Until when it may send `placeOrder` without asking the guest again.
    pub(crate) place_until_ms: i64,
    /// What to tell once the key is withdrawn, instead of "withdrawn".
    pub(crate) reason: Option<(Code, Paper)>,
}
