//! What the database does: rows, uncommitted writes, locks, waits.
//!
//! PostgreSQL under READ COMMITTED: a statement sees what was committed when it began, and the writes of its own transaction.
//! An INSERT that meets the uncommitted row of a unique key, and an UPDATE, DELETE or `SELECT … FOR UPDATE` that meets a row
//! which another transaction wrote or locked, wait for that transaction to end and then look at the newest version. So a
//! statement that touches one row acts as if it began when its wait was over, and here it is one step that is not taken
//! before; where a statement also *reads* something else, its snapshot is taken in a step of its own (`Fault::Merged…`).
//!
//! SQLite: BEGIN IMMEDIATE lets one transaction write at a time; the same statements never wait.

use crate::client::{No, Nr};
use std::fmt;

pub(crate) const KEYS: usize = 2;
pub(crate) const TABLES: usize = 2;

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Postgres,
    Sqlite,
}

/// A stored decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    Placed(Nr),
    Alias(Nr),
    Rejected(No),
}

/// A row of `idempotency_requests`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    /// Whose attempt made it: a process, over all its inner retries.
    pub(crate) attempt: Nr,
    /// The request: who asks, and what.
    pub(crate) request: Nr,
    pub(crate) outcome: Option<Outcome>,
    /// When it was made.
    pub(crate) era: Nr,
}

/// A row of `orders`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OrderRow {
    pub(crate) id: Nr,
    /// The request that it was made of.
    pub(crate) request: Nr,
    /// The guest said "yes, the same again".
    pub(crate) confirmed: bool,
    pub(crate) cancelled: bool,
    pub(crate) era: Nr,
}

/// What a transaction does to a claim row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ClaimWrite {
    None,
    Delete,
    Put(Claim),
}

/// How a transaction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// Its process is at work.
    Live,
    /// Nobody is at its other end any more; the database will roll it back when it notices.
    Orphaned,
    /// COMMIT was sent and nobody waits for its answer: it may yet happen, or not.
    Hanging,
}

/// An open transaction: what it wrote and what it locked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Txn {
    pub(crate) owner: Nr,
    pub(crate) standing: Standing,
    pub(crate) claims: [ClaimWrite; KEYS],
    pub(crate) inserted: Option<OrderRow>,
    pub(crate) cancelled: Option<Nr>,
    pub(crate) closed: Option<Nr>,
    pub(crate) took: i8,
    /// Orders whose claims it deleted: they are marked later, in lock order.
    pub(crate) to_mark: Set,
    pub(crate) locked_orders: Set,
    pub(crate) locked_tables: Set,
    pub(crate) locked_stock: bool,
}

impl Txn {
    pub(crate) fn of(owner: Nr) -> Self {
        Self {
            owner,
            standing: Standing::Live,
            claims: [ClaimWrite::None; KEYS],
            inserted: None,
            cancelled: None,
            closed: None,
            took: 0,
            to_mark: Set::default(),
            locked_orders: Set::default(),
            locked_tables: Set::default(),
            locked_stock: false,
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Set(u32);

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Set {
    pub(crate) fn add(&mut self, nr: Nr) {
        self.0 |= 1 << nr;
    }

    pub(crate) fn has(self, nr: Nr) -> bool {
        self.0 & (1 << nr) != 0
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Nr> {
        (0..32).filter(move |nr| self.has(*nr))
    }
}

/// What a statement has to get before it can act.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    /// The claim row of a key, or its place in the unique index.
    Claim(Nr),
    Table(Nr),
    Orders(Set),
    Stock,
    /// The place of these orders' cart in the unique index.
    Cart(Set),
    /// SQLite: the turn to write.
    Turn,
}

/// Everything committed, and every open transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Database {
    pub(crate) claims: [Option<Claim>; KEYS],
    /// Sorted by id.
    pub(crate) orders: Vec<OrderRow>,
    pub(crate) closed: [bool; TABLES],
    pub(crate) stock: i8,
    /// Grows by one when retention goes by.
    pub(crate) era: Nr,
    /// Sorted by owner and standing.
    pub(crate) txns: Vec<Txn>,
}

impl Database {
    /// An open shop.
    pub(crate) fn new(stock: i8) -> Self {
        Self {
            claims: [None; KEYS],
            orders: Vec::new(),
            closed: [false; TABLES],
            stock,
            era: 0,
            txns: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, owner: Nr) {
        self.txns.push(Txn::of(owner));
        self.sort();
    }

    /// The transaction that this process is in.
    pub(crate) fn txn(&self, owner: Nr) -> Option<&Txn> {
        self.txns.iter().find(|t| is_live(t, owner))
    }

    pub(crate) fn txn_mut(&mut self, owner: Nr) -> &mut Txn {
        match self.txns.iter_mut().find(|t| is_live(t, owner)) {
            Some(txn) => txn,
            None => panic!("process {owner} is in no transaction"),
        }
    }

    /// Who has what a statement of this process needs.
    pub(crate) fn holders(&self, owner: Nr, need: Need) -> impl Iterator<Item = &Txn> {
        let others = self.txns.iter().filter(move |t| !is_live(t, owner));
        others.filter(move |t| match need {
            Need::Claim(key) => t.claims[usize::from(key)] != ClaimWrite::None,
            Need::Table(table) => t.locked_tables.has(table),
            Need::Orders(orders) => t.locked_orders.meets(orders),
            Need::Stock => t.locked_stock,
            Need::Cart(requests) => t.inserted.is_some_and(|o| requests.has(o.request)),
            Need::Turn => true,
        })
    }

    /// The claim under a key as a statement of this process sees it.
    pub(crate) fn claim(&self, owner: Nr, key: Nr) -> Option<Claim> {
        let write = self.txn(owner).map_or(ClaimWrite::None, |t| t.claims[usize::from(key)]);
        match write {
            ClaimWrite::None => self.claims[usize::from(key)],
            ClaimWrite::Delete => None,
            ClaimWrite::Put(claim) => Some(claim),
        }
    }

    /// Finished, and retention is over.
    pub(crate) fn is_expired(&self, claim: &Claim) -> bool {
        claim.outcome.is_some() && claim.era < self.era
    }

    /// An id for an order of this process: its own number, unless that is taken.
    pub(crate) fn free_order_id(&self, owner: Nr) -> Nr {
        let taken = |id: &Nr| {
            let uncommitted = self.txns.iter().filter_map(|t| t.inserted.as_ref());
            self.orders.iter().chain(uncommitted).any(|o| o.id == *id)
        };
        [owner, owner + 16]
            .into_iter()
            .find(|id| !taken(id))
            .unwrap_or_else(|| panic!("too many orders of process {owner}"))
    }

    /// The COMMIT of this process happens.
    pub(crate) fn commit(&mut self, owner: Nr) {
        self.end(owner, Standing::Live, true);
    }

    /// The ROLLBACK of this process happens, if it is in a transaction at all.
    pub(crate) fn roll_back(&mut self, owner: Nr) {
        if self.txn(owner).is_some() {
            self.end(owner, Standing::Live, false);
        }
    }

    /// The process is not at the other end of its transaction any more.
    pub(crate) fn abandon(&mut self, owner: Nr, standing: Standing) {
        // of one that did nothing yet, nobody will notice when it ends
        if self.txn(owner).is_some_and(|txn| *txn == Txn::of(owner)) {
            self.roll_back(owner);
        } else if self.txn(owner).is_some() {
            self.txn_mut(owner).standing = standing;
            self.sort();
        }
    }

    /// Ends a transaction; its writes become visible together, or not at all.
    pub(crate) fn end(&mut self, owner: Nr, standing: Standing, commits: bool) {
        let at = self
            .txns
            .iter()
            .position(|t| t.owner == owner && t.standing == standing);
        let Some(txn) = at.map(|at| self.txns.remove(at)) else {
            panic!("process {owner} has no {standing:?} transaction");
        };
        if !commits {
            return;
        }
        for (key, write) in txn.claims.iter().enumerate() {
            match write {
                ClaimWrite::None => {}
                ClaimWrite::Delete => self.claims[key] = None,
                ClaimWrite::Put(claim) => self.claims[key] = Some(*claim),
            }
        }
        self.orders.extend(txn.inserted);
        self.orders.sort_unstable();
        for order in &mut self.orders {
            order.cancelled |= txn.cancelled == Some(order.id);
        }
        if let Some(table) = txn.closed {
            self.closed[usize::from(table)] = true;
        }
        self.stock -= txn.took;
    }

    fn sort(&mut self) {
        self.txns.sort_by_key(|t| (t.owner, t.standing));
    }
}

fn is_live(txn: &Txn, owner: Nr) -> bool {
    txn.owner == owner && txn.standing == Standing::Live
}
