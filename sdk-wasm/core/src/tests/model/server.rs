//! The server's rules, as far as a guest can see them: the order of the checks, what is stored, what is not.

use super::dishes::{FOREIGN, ORDERS};
use crate::code::Code;
use crate::event::{Listed, Placement, Status};
use crate::handle::{Id, Paper};
use crate::line::{self, Line};
use crate::slot::Slot;
use std::vec::Vec;

/// How long equal content counts as a possible duplicate.
const WINDOW_MS: i64 = 30_000;

/// An order that stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Order {
    /// The key that placed it; of another phone's order too.
    pub(crate) key: Id,
    pub(crate) checkout: Id,
    pub(crate) lines: Vec<Line>,
    pub(crate) placed_at_ms: i64,
    pub(crate) standing: Standing,
}

/// Where an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Standing {
    /// The shop's till has not confirmed it.
    Pending,
    Placed,
    /// The till refused it: no ticket, and its cart is free again.
    Void,
}

/// What stands under a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stored {
    /// Placed, or an alias.
    Order(Paper),
    /// The same, not confirmed yet.
    Pending(Paper),
    Rejected(Code),
}

/// The shop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    /// Order `n` is at position `n - 1`.
    pub(crate) orders: Vec<Order>,
    /// By key, with the request that owns it (none if it was withdrawn).
    pub(crate) outcomes: Vec<(Id, Option<Slot>, Stored)>,
    /// Keys at work.
    pub(crate) claims: Vec<Id>,
    pub(crate) paused: bool,
    pub(crate) closed: bool,
    pub(crate) sold_out: bool,
    /// Every order has to be confirmed by the till.
    pub(crate) has_till: bool,
    /// Between two orders of this phone.
    pub(crate) cooldown_ms: i64,
    pub(crate) last_success_ms: Option<i64>,
}

impl Server {
    /// What stands under a key.
    pub(crate) fn find(&self, key: &Id) -> Option<&Stored> {
        self.outcomes.iter().find(|(k, ..)| k == key).map(|(.., stored)| stored)
    }

    /// `placeOrder`, in one go.
    pub(crate) fn place(&mut self, slot: &Slot, now_ms: i64) -> Placement {
        let key = &slot.request_id;
        if self.claims.contains(key) {
            return conflict(Code::IDEMPOTENCY_IN_PROGRESS, true, None);
        }
        if let Some((_, owner, stored)) = self.outcomes.iter().find(|(k, ..)| k == key) {
            return match owner {
                Some(owner) if !is_same_request(owner, slot) => conflict(Code::IDEMPOTENCY_KEY_REUSED, false, None),
                _ => answer(stored, true),
            };
        }
        let of_cart = self
            .numbered()
            .find(|(_, order)| order.standing != Standing::Void && Some(order.checkout) == slot.cart.checkout_id);
        if let Some((n, order)) = of_cart {
            if !line::are_same(&order.lines, &slot.cart.lines) {
                return conflict(Code::CHECKOUT_ALREADY_PLACED, false, Some(n.0));
            }
            let stored = match order.standing {
                Standing::Pending => Stored::Pending(n),
                _ => Stored::Order(n),
            };
            self.outcomes.push((*key, Some(slot.clone()), stored.clone()));
            return answer(&stored, true);
        }
        if self.paused {
            return conflict(Code::ORDERING_PAUSED, false, None);
        }
        if self.closed {
            return self.reject(slot, Code::SESSION_CLOSED);
        }
        if let Some(n) = self.possible_duplicate(slot, now_ms) {
            return conflict(Code::POSSIBLE_DUPLICATE, false, Some(n.0));
        }
        if let Some(then_ms) = self
            .last_success_ms
            .map(|t| t + self.cooldown_ms)
            .filter(|t| *t > now_ms)
        {
            return Placement::Conflict {
                code: Code::COOLDOWN_ACTIVE,
                retryable: true,
                retry_after_ms: u32::try_from(then_ms - now_ms).ok(),
                earlier: None,
                problem: Paper(0),
            };
        }
        if self.sold_out {
            return self.reject(slot, Code::SOLD_OUT);
        }
        let checkout = slot.cart.checkout_id.unwrap_or_default();
        let (standing, stored): (_, fn(Paper) -> Stored) = match self.has_till {
            true => (Standing::Pending, Stored::Pending),
            false => (Standing::Placed, Stored::Order),
        };
        let n = self.write(*key, checkout, slot.cart.lines.clone(), now_ms);
        if let Some(order) = self.orders.last_mut() {
            order.standing = standing;
        }
        self.outcomes.push((*key, Some(slot.clone()), stored(n)));
        self.last_success_ms = Some(now_ms);
        answer(&stored(n), false)
    }

    /// The till has decided on an order.
    pub(crate) fn decide(&mut self, n: Paper, confirmed: bool) {
        let (standing, decided) = match confirmed {
            true => (Standing::Placed, Stored::Order(n)),
            false => (Standing::Void, Stored::Rejected(Code::POS_REJECTED)),
        };
        let at = n.0.checked_sub(1).and_then(|i| usize::try_from(i).ok());
        if let Some(order) = at.and_then(|i| self.orders.get_mut(i)) {
            order.standing = standing;
        }
        for (.., stored) in self.outcomes.iter_mut().filter(|(.., s)| *s == Stored::Pending(n)) {
            *stored = decided.clone();
        }
    }

    /// `withdrawPlacement`.
    pub(crate) fn withdraw(&mut self, key: &Id) -> Placement {
        if self.claims.contains(key) {
            return conflict(Code::IDEMPOTENCY_IN_PROGRESS, true, None);
        }
        if let Some(stored) = self.find(key) {
            return answer(stored, true);
        }
        self.outcomes.push((*key, None, Stored::Rejected(Code::WITHDRAWN)));
        rejected(Code::WITHDRAWN)
    }

    /// `placementStatus`.
    pub(crate) fn status(&self, key: &Id) -> Status {
        match self.find(key) {
            Some(Stored::Order(n)) => Status::Placed(*n),
            Some(Stored::Rejected(code)) => Status::Rejected(*code),
            Some(Stored::Pending(_)) => Status::InProgress,
            None if self.claims.contains(key) => Status::InProgress,
            None => Status::Unknown,
        }
    }

    /// `orders`, newest first.
    pub(crate) fn history(&self) -> Vec<Listed> {
        let listed = |(n, order): (Paper, &Order)| Listed {
            order_id: order_id(n.0),
            request_id: order.key,
            pending: order.standing == Standing::Pending,
            order: n,
            lines: order.lines.clone(),
        };
        let real = self.numbered().filter(|(_, order)| order.standing != Standing::Void);
        let mut all: Vec<_> = real.map(listed).collect();
        all.reverse();
        all
    }

    /// Another phone at the table orders.
    pub(crate) fn other_phone_orders(&mut self, lines: Vec<Line>, now_ms: i64) {
        let n = FOREIGN + u32::try_from(self.orders.len()).unwrap_or(0);
        self.write(Id(n), Id(n), lines, now_ms);
    }

    fn numbered(&self) -> impl Iterator<Item = (Paper, &Order)> {
        (1..).map(Paper).zip(&self.orders)
    }

    fn write(&mut self, key: Id, checkout: Id, lines: Vec<Line>, placed_at_ms: i64) -> Paper {
        self.orders.push(Order {
            key,
            checkout,
            lines,
            placed_at_ms,
            standing: Standing::Placed,
        });
        Paper(u32::try_from(self.orders.len()).unwrap_or(u32::MAX))
    }

    fn reject(&mut self, slot: &Slot, code: Code) -> Placement {
        let outcome = (slot.request_id, Some(slot.clone()), Stored::Rejected(code));
        self.outcomes.push(outcome);
        rejected(code)
    }

    /// The newest equal order in the window, unless the guest has said yes to it or to a newer one.
    fn possible_duplicate(&self, slot: &Slot, now_ms: i64) -> Option<Paper> {
        let young = |order: &Order| order.standing != Standing::Void && order.placed_at_ms > now_ms - WINDOW_MS;
        let equal = |order: &Order| line::are_same(&order.lines, &slot.cart.lines);
        let newest = self
            .numbered()
            .filter(|(_, o)| young(o) && equal(o))
            .map(|(n, _)| n)
            .last()?;
        let confirmed = slot.confirm_duplicate_of;
        let silenced = confirmed.and_then(|id| self.numbered().map(|(n, _)| n).find(|n| order_id(n.0) == id));
        (silenced.unwrap_or_default().0 < newest.0).then_some(newest)
    }
}

/// The id of an order.
pub(crate) fn order_id(n: u32) -> Id {
    Id(ORDERS + n)
}

/// A conflict, with the earlier order if it is about one.
pub(crate) fn conflict(code: Code, retryable: bool, earlier: Option<u32>) -> Placement {
    Placement::Conflict {
        code,
        retryable,
        retry_after_ms: None,
        earlier: earlier.map(|n| (order_id(n), Paper(n))),
        problem: Paper(0),
    }
}

/// A stored "no".
pub(crate) fn rejected(code: Code) -> Placement {
    Placement::Rejected {
        code,
        problem: Paper(0),
    }
}

fn answer(stored: &Stored, replay: bool) -> Placement {
    match stored {
        Stored::Order(order) => Placement::Placed { order: *order, replay },
        Stored::Pending(_) => Placement::Pending { poll_after_ms: 1_000 },
        Stored::Rejected(code) => rejected(*code),
    }
}

/// The fingerprint: everything but the confirmation.
fn is_same_request(a: &Slot, b: &Slot) -> bool {
    a.cart.checkout_id == b.cart.checkout_id && a.is_of(&b.cart, b.note) && a.cart.total() == b.cart.total()
}
