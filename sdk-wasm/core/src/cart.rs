//! The cart: its lines and the checkoutId that is its identity.

use crate::handle::Id;
use crate::line::{self, Invalid, Line, Money};
use alloc::vec::Vec;
use masterorder_protocol::lines::{MAX_LINES, MAX_QUANTITY};
use masterorder_protocol::money::MAX_AMOUNT_MINOR;

/// What a table session is about to order. Shared by all tabs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cart {
    /// Made with the first line, replaced after an order was placed or the cart was emptied. `None` if there is no line.
    pub checkout_id: Option<Id>,
    /// In the order in which they were added.
    pub lines: Vec<Line>,
}

impl Cart {
    /// Adds a line, to the equal line if one stands there at the same prices.
    ///
    /// *Errors*: the line does not fit the server's limits or the cart; nothing changed.
    pub fn add(&mut self, new: Line) -> Result<(), Invalid> {
        line::check(&new)?;
        if self
            .lines
            .first()
            .is_some_and(|l| l.price.currency != new.price.currency)
        {
            return Err(Invalid::Price);
        }
        // an equal line at another price stays apart: the guest saw both prices
        let equal = |l: &&mut Line| line::is_same(l, &new) && line::unit_minor(l) == line::unit_minor(&new);
        let full = self.lines.len() >= MAX_LINES;
        match self.lines.iter_mut().find(equal) {
            Some(first) => {
                let sum = first.quantity + new.quantity;
                if !line::fits(sum, MAX_QUANTITY) {
                    return Err(Invalid::Quantity);
                }
                first.quantity = sum;
            }
            None if full => return Err(Invalid::Lines),
            None => self.lines.push(new),
        }
        Ok(())
    }

    /// Sets the pieces of the line at a position; 0 takes it out.
    ///
    /// *Errors*: no such line, or a quantity out of range; nothing changed.
    pub fn set_quantity(&mut self, index: usize, quantity: u32) -> Result<(), Invalid> {
        let line = self.lines.get_mut(index).ok_or(Invalid::Index)?;
        if quantity != 0 && !line::fits(quantity, MAX_QUANTITY) {
            return Err(Invalid::Quantity);
        }
        line.quantity = quantity;
        if quantity == 0 {
            self.lines.remove(index);
        }
        Ok(())
    }

    /// What the guest sees at the bottom; `None` if the cart is empty or no such sum can be sent.
    pub fn total(&self) -> Option<Money> {
        let currency = self.lines.first()?.price.currency;
        let amount_minor: i64 = self.lines.iter().map(line::total_minor).sum();
        (amount_minor <= MAX_AMOUNT_MINOR).then_some(Money { amount_minor, currency })
    }

    /// It is the same cart, and the guest would see the same in it.
    pub fn looks_like(&self, other: &Self) -> bool {
        let total = |cart: &Self| cart.total().map(|total| total.amount_minor);
        self.checkout_id == other.checkout_id
            && line::are_same(&self.lines, &other.lines)
            && total(self) == total(other)
    }

    /// A cart that may have been shown and confirmed: what storage gives back is as untrusted as anything from outside.
    pub fn is_sound(&self) -> bool {
        let currency = self.lines.first().map(|l| l.price.currency);
        self.lines.len() <= MAX_LINES
            && self.lines.is_empty() == self.checkout_id.is_none()
            && self
                .lines
                .iter()
                .all(|l| line::check(l).is_ok() && Some(l.price.currency) == currency)
    }
}
