//! Changing the cart, and looking at it again.

use super::Turn;
use crate::cart::Cart;
use crate::effect::{Effect, Outcome};
use crate::line::Line;
use alloc::rc::Rc;

/// What the guest does to the cart.
pub(super) enum Change {
    Add(Line),
    SetQuantity { index: usize, quantity: u32 },
    Clear,
}

impl Turn<'_, '_> {
    /// Changes the cart, unless a confirmation of it is unsettled.
    pub(super) fn edit(&mut self, change: Change) {
        if self.core.is_locked() {
            return;
        }
        let mut cart = Cart::clone(&self.core.cart);
        let changed = match change {
            Change::Add(line) => cart.add(line),
            Change::SetQuantity { index, quantity } => cart.set_quantity(index, quantity),
            Change::Clear => {
                cart.lines.clear();
                Ok(())
            }
        };
        if let Err(invalid) = changed {
            return self.push(Effect::Invalid(invalid));
        }
        if !cart.lines.is_empty() {
            if cart.checkout_id.is_none() {
                cart.checkout_id = Some(self.fresh());
            }
        } else if let Some(id) = cart.checkout_id.take() {
            self.push(Effect::ForgetCart(id));
        }
        self.show_cart(cart);
    }

    /// Makes it the cart, in storage too.
    pub(super) fn show_cart(&mut self, cart: Cart) {
        let cart = Rc::new(cart);
        if cart.checkout_id.is_some() {
            self.push(Effect::PersistCart(cart.clone()));
        }
        self.core.cart = cart;
        self.show(None);
    }

    /// What the guest sees is another thing than before.
    pub(super) fn show(&mut self, outcome: Option<Outcome>) {
        self.core.last = outcome;
        self.core.revision = self.core.revision.wrapping_add(1);
    }

    /// The page is looked at again: a timer that was frozen is caught up, and what is finished is not shown twice.
    pub(super) fn shown(&mut self, restored: bool) {
        if let Some(run) = &self.core.run {
            if run.due_ms <= self.now_ms() {
                self.due();
            }
        } else if restored && self.core.slot.is_none() && self.core.last.is_some() {
            self.show(None);
        }
    }
}
