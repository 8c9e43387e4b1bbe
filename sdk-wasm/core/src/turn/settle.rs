//! How a submission ends: once.

use super::Turn;
use crate::cart::Cart;
use crate::code::Code;
use crate::effect::{Effect, Outcome};
use crate::machine::Spent;
use crate::run::Step;
use crate::slot::Slot;

impl Turn<'_, '_> {
    /// Ends the submission.
    pub(super) fn settle(&mut self, outcome: Outcome) {
        let spent = outcome.is_final().then(|| self.use_up(&outcome)).flatten();
        self.end(outcome, spent);
    }

    /// Ends the submission of a confirmation that goes on: nobody knows yet, or the shop has not confirmed it yet.
    pub(super) fn settle_open(&mut self) {
        let run = self.core.run.as_ref().filter(|run| run.pending);
        let pending = run
            .and_then(|run| run.key)
            .map(|request_id| Outcome::Pending { request_id });
        self.settle(pending.unwrap_or(Outcome::Unknown));
    }

    /// Ends the submission of a confirmation that no order came of and none will: it was never sent, or too long ago.
    pub(super) fn forget(&mut self, outcome: Outcome) {
        let spent = self.free_slot();
        self.end(outcome, spent);
    }

    /// What the server has stored is told before the slot is deleted: a page that dies in between tells it again. What is
    /// stored nowhere is told after it: such a page tells nothing, and nothing is sent. The lock goes last.
    fn end(&mut self, outcome: Outcome, spent: Option<Slot>) {
        let Some(run) = self.core.run.take() else { return };
        self.push(Effect::CancelTimer { id: run.token });
        let (told, stored) = match &outcome {
            Outcome::Blocked(_) | Outcome::Nothing => (None, false),
            Outcome::Placed { .. } | Outcome::Rejected { .. } => (Some(outcome), true),
            _ => (Some(outcome), false),
        };
        self.show(told);
        let submission = run.submission;
        if stored {
            self.push(Effect::Settle { submission, outcome });
        }
        if let Some(slot) = &spent {
            self.push(Effect::ForgetSlot(slot.request_id));
        }
        if !stored {
            self.push(Effect::Settle { submission, outcome });
        }
        // whoever still waits for the lock was told
        if let Some(slot) = spent.filter(|_| outcome.is_final() && run.step != Step::Lock) {
            let token = run.lock;
            self.push(Effect::Tell { token, slot, outcome });
        }
        self.push(Effect::Unlock { token: run.lock });
    }

    /// A final answer: the key is used up, and so is the cart if it was placed.
    fn use_up(&mut self, outcome: &Outcome) -> Option<Slot> {
        let slot = self.own_slot()?;
        let (request_id, checkout_id) = (slot.request_id, slot.cart.checkout_id?);
        let mut spent = Spent {
            request_id,
            checkout_id: None,
        };
        match outcome {
            Outcome::Placed { .. } => {
                spent.checkout_id = Some(checkout_id);
                self.push(Effect::ForgetCart(checkout_id));
                self.show_cart(Cart::default());
            }
            // the cart was placed with other lines: what stands in it now is the rest, and a cart of its own
            Outcome::Refused {
                code: Code::CHECKOUT_ALREADY_PLACED,
                ..
            } => {
                let rest = Cart {
                    checkout_id: Some(self.fresh()),
                    lines: self.core.cart.lines.clone(),
                };
                self.show_cart(rest);
            }
            _ => {}
        }
        self.core.spent = Some(spent);
        self.free_slot()
    }

    /// Takes the slot out, and issues the id of the next confirmation.
    fn free_slot(&mut self) -> Option<Slot> {
        self.own_slot()?;
        let slot = self.core.slot.take()?;
        self.core.question = None;
        self.issue_request_id();
        Some(slot)
    }
}
