//! Who else writes: `ordering::withdraw`, `ordering::cancel`, `store::idempotency::purge`.

use super::{Turn, delete};
use crate::client::{Answer, No, Nr, Why};
use crate::database::{Claim, KEYS, Need, Outcome};
use crate::fault::Fault;
use crate::process::Next;
use crate::product;

impl Turn<'_> {
    /// As `withdraw::from_stored` has it, which is private.
    pub(super) fn withdrawn_from(&self, table: Nr, claim: &Claim) -> Answer {
        let own = self.scene.table_of(claim.request) == table;
        match claim.outcome {
            Some(outcome) if own => match product::first(outcome) {
                Answer::Placed { order, .. } => Answer::Placed { order, new: false },
                answer => answer,
            },
            None if own => Answer::Conflict(Why::InProgress),
            _ => Answer::Conflict(Why::KeyReused),
        }
    }

    pub(super) fn look_for_order(&mut self) {
        let (key, table) = (self.ask().key(), self.table());
        let placed = self.orders(|o| Some(self.scene.product.order(o.request).key) == key);
        match placed.max_by_key(|o| (o.era, o.id)) {
            None => self.go(Next::Complete(Outcome::Rejected(No::Withdrawn))),
            Some(order) if self.scene.table_of(order.request) != table => {
                self.give_up(Answer::Conflict(Why::KeyReused));
            }
            Some(order) if self.has(Fault::ForgetsFoundOrders) => self.give_up(Answer::Placed {
                order: order.id,
                new: false,
            }),
            // handed over to the caller of the order, who is at this table too
            Some(order) => self.go(Next::Complete(Outcome::Alias(order.id))),
        }
    }

    pub(super) fn lock_order(&mut self) {
        let about = self.about();
        self.txn().locked_orders.add(about);
        let gone = self.orders(|o| o.id == about && !o.cancelled).next().is_none();
        match gone {
            true => self.give_up(Answer::Done),
            false if self.scene.tracks_stock() => self.go(Next::ReturnStock),
            false => self.cancel(),
        }
    }

    pub(super) fn cancel(&mut self) {
        let about = self.about();
        let order = self.orders(|o| o.id == about).next();
        let taken = order.map_or(0, |o| self.scene.pieces(o.request));
        let txn = self.txn();
        txn.cancelled = Some(about);
        txn.took = -taken;
        self.go(Next::Commit(None));
    }

    /// One statement: SKIP LOCKED, so it never waits.
    pub(super) fn purge(&mut self) {
        for key in 0..Nr::try_from(KEYS).unwrap_or(0) {
            let Some(claim) = self.world.db.claims[usize::from(key)] else {
                continue;
            };
            let unguarded = self.has(Fault::PurgesUnfinished) && claim.era < self.world.db.era;
            let held = self.world.db.holders(self.me, Need::Claim(key)).next().is_some();
            if (self.world.db.is_expired(&claim) || unguarded) && !held {
                delete(self.txn(), usize::from(key), &claim);
            }
        }
        match self.txn().to_mark.is_empty() {
            true => self.go(Next::Commit(None)),
            false => self.go(Next::MarkPurged),
        }
    }
}
