//! A process, and what its next statement has to wait for.

use crate::client::{Answer, Nr};
use crate::database::{Claim, Need, Outcome, Set};
use crate::fault::Fault;
use crate::world::{Scene, World};

/// What a process does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Next {
    /// Nothing yet: the request was not sent.
    Arrive,
    /// SQLite: wait for the turn to write.
    Begin,
    Claim {
        round: Nr,
    },
    /// `Fault::MergedClaim`: the statement has its snapshot.
    FinishClaim {
        round: Nr,
        saw: Option<Claim>,
    },
    ReadClaim {
        round: Nr,
    },
    DeleteExpired {
        round: Nr,
    },
    /// Withdrawing: orders remember at once that their claim was deleted.
    MarkAtOnce {
        round: Nr,
    },
    /// `Fault::TwoTransactions`.
    CommitClaim,
    /// `Fault::TwoTransactions`: the claim is committed, and the order is yet to come.
    BeginAgain,
    LookUpCheckout,
    /// `Fault::SwappedLocks`.
    LockStockFirst,
    LockTable,
    /// `Fault::MergedLookup`: the statement has its snapshot.
    FinishLock {
        saw: Seen,
    },
    Mark {
        open: bool,
    },
    LookUpEarlier {
        open: bool,
    },
    LockStock {
        open: bool,
        saw: Seen,
    },
    InsertOrder,
    Complete(Outcome),
    /// `Fault::TwoTransactions`: the claim does not go with the ROLLBACK.
    Release(Answer),
    Commit(Option<Outcome>),
    Tell(Answer),
    /// Withdrawing: did the key place an order all the same?
    LookForOrder,
    LockOrder,
    ReturnStock,
    DeleteAllExpired,
    MarkPurged,
    Ended {
        answer: Answer,
        era: Nr,
    },
}

/// Orders that a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    pub(crate) orders: Set,
    pub(crate) cancelled: Set,
}

/// A process that works for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub(crate) request: Nr,
    pub(crate) next: Next,
    /// The order that the guest confirmed a duplicate of, or wants to cancel.
    pub(crate) about: Option<Nr>,
    /// `Fault::AnswersBeforeCommit`.
    pub(crate) told: Option<Answer>,
}

impl Process {
    pub(crate) fn new(request: Nr, about: Option<Nr>) -> Self {
        Self {
            request,
            next: Next::Arrive,
            about,
            told: None,
        }
    }

    /// What its sender knows, and since when.
    pub(crate) fn answer(&self) -> Option<(Answer, Option<Nr>)> {
        match self.next {
            Next::Ended { answer, era } => Some((answer, Some(era))),
            _ => self.told.map(|told| (told, None)),
        }
    }
}

/// What the next statement of a process has to wait for.
pub(crate) fn need(scene: &Scene, world: &World, me: Nr) -> Option<Need> {
    let process = &world.processes[usize::from(me)];
    let ask = scene.ask(process.request);
    let claim = || ask.key().map(Need::Claim);
    let marks = || world.db.txn(me).map(|t| Need::Orders(t.to_mark));
    match process.next {
        Next::Begin => Some(Need::Turn),
        // the snapshot first, then the wait
        Next::Claim { .. } if scene.has(Fault::MergedClaim) => None,
        Next::LockTable if scene.has(Fault::MergedLookup) && ask.order().is_some() => None,
        Next::Claim { .. } | Next::FinishClaim { .. } | Next::DeleteExpired { .. } | Next::Release(_) => claim(),
        Next::Complete(_) if scene.has(Fault::TwoTransactions) => claim(),
        Next::LockTable | Next::FinishLock { .. } => Some(Need::Table(scene.table_of(process.request))),
        Next::MarkAtOnce { .. } | Next::Mark { .. } | Next::MarkPurged | Next::Complete(_) => marks(),
        Next::LockStock { .. } | Next::LockStockFirst | Next::ReturnStock => Some(Need::Stock),
        Next::InsertOrder if scene.has(Fault::NoCheckoutIndex) => None,
        Next::InsertOrder => Some(Need::Cart(scene.product.sharing_cart(process.request))),
        Next::LockOrder => process.about.map(|order| {
            let mut orders = Set::default();
            orders.add(order);
            Need::Orders(orders)
        }),
        Next::Arrive
        | Next::ReadClaim { .. }
        | Next::CommitClaim
        | Next::BeginAgain
        | Next::LookUpCheckout
        | Next::LookUpEarlier { .. }
        | Next::Commit(_)
        | Next::Tell(_)
        | Next::LookForOrder
        | Next::DeleteAllExpired
        | Next::Ended { .. } => None,
    }
}
