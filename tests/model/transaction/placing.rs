//! From the table's lock to the order's row, as `ordering::slice` has it.

use super::Turn;
use crate::client::Ask;
use crate::database::{OrderRow, Outcome, Set};
use crate::fault::Fault;
use crate::process::{Next, Seen};
use crate::product::{Counted, Ruling};

impl Turn<'_> {
    pub(super) fn before_lock(&mut self) {
        let swapped = self.has(Fault::SwappedLocks) && self.ask().key() == Some(1);
        match swapped {
            true => self.go(Next::LockStockFirst),
            false if self.has(Fault::NoTableLock) => {
                let open = self.is_open();
                self.go(Next::LookUpEarlier { open });
            }
            false => self.go(Next::LockTable),
        }
    }

    pub(super) fn lock_table(&mut self) {
        let places = matches!(self.ask(), Ask::Place(_));
        if places && self.has(Fault::MergedLookup) {
            let saw = self.look_up();
            return self.go(Next::FinishLock { saw });
        }
        let open = self.take_table();
        match self.ask() {
            Ask::Cancel { .. } => self.go(Next::LockOrder),
            Ask::Pay { table } => {
                self.txn().closed = Some(table);
                self.go(Next::Commit(None));
            }
            _ if self.txn().to_mark.is_empty() => self.go(Next::LookUpEarlier { open }),
            _ => self.go(Next::Mark { open }),
        }
    }

    /// Locks the table's row and tells whether it is open.
    pub(super) fn take_table(&mut self) -> bool {
        let table = self.table();
        self.txn().locked_tables.add(table);
        self.is_open()
    }

    pub(super) fn is_open(&self) -> bool {
        !self.world.db.closed[usize::from(self.table())]
    }

    /// What `store::orders::earlier` finds: the cart, the content inside the window, the order that is confirmed.
    pub(super) fn look_up(&self) -> Seen {
        let (mine, product) = (self.scene.product.order(self.request()), &self.scene.product);
        let (era, about) = (self.world.db.era, self.process().about);
        let mut seen = Seen {
            orders: Set::default(),
            cancelled: Set::default(),
        };
        let found = self.orders(|o| {
            let other = product.order(o.request);
            let same_content = (other.table, other.dish) == (mine.table, mine.dish) && o.era == era;
            (mine.cart.is_some() && mine.cart == other.cart) || same_content || about == Some(o.id)
        });
        for order in found {
            seen.orders.add(order.id);
            if order.cancelled {
                seen.cancelled.add(order.id);
            }
        }
        seen
    }

    pub(super) fn count(&mut self, open: bool, saw: Seen) {
        match self.scene.tracks_stock() {
            true => self.go(Next::LockStock { open, saw }),
            false => self.decide(open, saw),
        }
    }

    pub(super) fn decide(&mut self, open: bool, saw: Seen) {
        let found = self.orders(|o| saw.orders.has(o.id));
        let earlier = found.map(|o| OrderRow {
            cancelled: saw.cancelled.has(o.id),
            ..o
        });
        let counted = Counted {
            request: self.request(),
            confirms: self.process().about,
            open,
            earlier: earlier.collect(),
            stock: self.world.db.stock,
            era: self.world.db.era,
        };
        let ruling = self.scene.product.decide(counted);
        self.follow(ruling);
    }

    pub(super) fn follow(&mut self, ruling: Ruling) {
        match ruling {
            Ruling::Place => self.go(Next::InsertOrder),
            Ruling::Store(outcome) => self.go(Next::Complete(outcome)),
            Ruling::Answer(answer) => self.give_up(answer),
        }
    }

    pub(super) fn insert_order(&mut self) {
        let cart = self.scene.product.sharing_cart(self.request());
        let is_there = self.orders(|o| cart.has(o.request)).next().is_some();
        if is_there && !self.has(Fault::NoCheckoutIndex) {
            return self.run_again();
        }
        let order = OrderRow {
            id: self.world.db.free_order_id(self.me),
            request: self.request(),
            confirmed: self.process().about.is_some(),
            cancelled: false,
            era: self.world.db.era,
        };
        let taken = self.scene.pieces(order.request);
        let txn = self.txn();
        txn.inserted = Some(order);
        txn.took = taken;
        self.go(Next::Complete(Outcome::Placed(order.id)));
    }
}
