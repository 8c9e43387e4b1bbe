//! The machine and what can be read off it.

use crate::cart::Cart;
use crate::effect::{Effect, Outcome};
use crate::event::{Event, Moment};
use crate::handle::{Id, Paper};
use crate::run::{Aim, Run, Step};
use crate::slot::Slot;
use crate::turn::Turn;
use alloc::rc::Rc;
use alloc::vec::Vec;

/// One client: one table session in one tab.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    pub(crate) cart: Rc<Cart>,
    /// Of the next confirmation; `None` while it is in the slot.
    pub(crate) request_id: Option<Id>,
    pub(crate) slot: Option<Slot>,
    pub(crate) question: Option<Question>,
    pub(crate) run: Option<Run>,
    /// The confirmation that was settled last: what other tabs wrote of it may be seen later than that it is settled.
    pub(crate) spent: Option<Spent>,
    /// The last outcome that the guest may still be looking at.
    pub(crate) last: Option<Outcome>,
    pub(crate) persistent: bool,
    /// Counts changes of cart and outcome.
    pub(crate) revision: u32,
    pub(crate) submissions: u32,
    pub(crate) tokens: u32,
    /// Reconciles by content, as others do: for the test that catches it.
    #[cfg(test)]
    pub(crate) by_content: bool,
}

/// "The same was ordered a moment ago. Again?"
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    /// Its number.
    pub(crate) id: u32,
    /// The order that it is about.
    pub(crate) earlier: Paper,
}

/// A key that has its final answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spent {
    pub(crate) request_id: Id,
    /// Of a cart that was placed.
    pub(crate) checkout_id: Option<Id>,
}

/// What the guest should see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is going on.
    Idle,
    /// An order is on its way.
    Sending,
    /// For a cooldown, a busy table, the shop, or the guest's answer.
    Waiting,
    /// Whether it arrived is being found out. Never a failure.
    Checking,
    /// The order stands.
    Done,
    /// It was rejected or refused.
    Failed,
}

/// A view of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// What the guest should see.
    pub phase: Phase,
    /// The last outcome, until the cart is edited or confirmed again.
    pub outcome: Option<Outcome>,
    /// The cart can not be edited: its confirmation is not settled.
    pub locked: bool,
    /// A reload would find everything again.
    pub persistent: bool,
}

impl Default for Core {
    fn default() -> Self {
        Self {
            cart: Rc::default(),
            request_id: None,
            slot: None,
            question: None,
            run: None,
            spent: None,
            last: None,
            persistent: true,
            revision: 0,
            submissions: 0,
            tokens: 0,
            #[cfg(test)]
            by_content: false,
        }
    }
}

impl Core {
    /// Takes an event and tells what to do about it. Effects are to be carried out in order.
    pub fn handle(&mut self, event: Event, moment: &mut Moment<'_>) -> Vec<Effect> {
        let before = self.visible();
        let mut turn = Turn {
            core: self,
            moment,
            effects: Vec::new(),
        };
        turn.take(event);
        let mut effects = turn.effects;
        if self.visible() != before {
            effects.push(Effect::StateChanged);
        }
        effects
    }
}

impl Core {
    /// What the guest should see.
    pub fn state(&self) -> State {
        State {
            phase: self.phase(),
            outcome: if self.run.is_some() { None } else { self.last },
            locked: self.is_locked(),
            persistent: self.persistent,
        }
    }

    /// The cart as it is shown. While a confirmation is unsettled it is the cart of that confirmation.
    pub fn cart(&self) -> &Cart {
        &self.cart
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.slot.is_some() || self.run.is_some()
    }

    fn visible(&self) -> (Phase, bool, bool, u32) {
        (self.phase(), self.is_locked(), self.persistent, self.revision)
    }

    fn phase(&self) -> Phase {
        if let Some(run) = &self.run {
            // a confirmed duplicate is new to the guest, whatever was lost before the question
            let certain = !run.lost || (run.aim == Aim::Confirm && run.tries == 0);
            let placing = run.step.is_placing();
            return match (run.aim, run.step) {
                (Aim::Submit | Aim::Confirm, Step::Lock) if run.key.is_none() => Phase::Sending,
                _ if placing && run.pending => Phase::Waiting,
                _ if placing && certain && run.waits > 0 => Phase::Waiting,
                _ if placing && certain => Phase::Sending,
                _ => Phase::Checking,
            };
        }
        match &self.last {
            Some(Outcome::Placed { .. }) => Phase::Done,
            Some(Outcome::Rejected { .. } | Outcome::Refused { .. }) => Phase::Failed,
            Some(Outcome::Pending { .. } | Outcome::PossibleDuplicate { .. }) => Phase::Waiting,
            Some(Outcome::Unknown) => Phase::Checking,
            _ if self.slot.is_some() => Phase::Checking,
            _ => Phase::Idle,
        }
    }
}
