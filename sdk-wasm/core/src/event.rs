//! What comes in. The shell reads JSON and storage, and hands typed values over.

use crate::cart::Cart;
use crate::code::Code;
use crate::effect::Outcome;
use crate::handle::{Id, Paper};
use crate::line::{Line, Note};
use crate::slot::Slot;
use alloc::rc::Rc;

/// What the shell knows at the time of an event and the core can not make: time and chance.
pub struct Moment<'s> {
    /// The wall clock. *Units*: ms since the Unix epoch.
    pub now_ms: i64,
    /// Makes a new UUID v4 (`key::v4`), should this event need one.
    pub fresh: &'s mut dyn FnMut() -> Id,
    /// Spreads retries. *Shape*: all values alike.
    pub jitter: u32,
}

/// What the shell found in storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Shared by all tabs.
    pub cart: Option<Rc<Cart>>,
    /// Shared by all tabs.
    pub slot: Option<Slot>,
    /// Of this tab alone.
    pub request_id: Option<Id>,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Storage was read for the first time; the cart is shown.
    Opened(Stored),
    /// Another tab wrote, or this page was away and may have missed it.
    StorageChanged(Stored),
    /// Storage is denied or full: the shell keeps everything in memory from now on.
    StorageFailed,
    /// The lock asked for with this token is held now, and this is what storage says under it.
    Locked {
        /// From `Effect::Lock`.
        token: u32,
        /// Read while the lock is held.
        stored: Stored,
    },
    /// The lock was taken away: this page slept, and another tab has gone on.
    Unlocked {
        /// From `Effect::Lock`.
        token: u32,
    },
    /// Another tab told how a confirmation ended (`Effect::Tell`).
    Told {
        /// The confirmation.
        slot: Slot,
        /// How it ended.
        outcome: Outcome,
    },
    /// The page is visible again (`pageshow`, `visibilitychange`).
    Shown {
        /// It came back from the back/forward cache.
        restored: bool,
    },
    /// The browser says that the network is back (`online`).
    Online,
    /// `cart.add(line)`.
    Add(Line),
    /// `cart.setQuantity(index, quantity)`.
    SetQuantity {
        /// Position in the cart.
        index: usize,
        /// Pieces; 0 takes the line out.
        quantity: u32,
    },
    /// `cart.clear()`.
    Clear,
    /// `cart.submit()`: the guest confirms what is shown.
    Submit {
        /// The guest's words for the kitchen. `None`, for a page that does not know them any more: those of the unsettled
        /// confirmation, if there is one.
        note: Option<Note>,
    },
    /// The signal of a submission was aborted.
    Abort {
        /// From `Effect::Watch`.
        submission: u32,
    },
    /// `client.close()`: nobody waits for anything any more.
    Close,
    /// "Yes, the same again."
    Confirm {
        /// From `Outcome::PossibleDuplicate`.
        question: u32,
    },
    /// "No, once is enough."
    Decline {
        /// From `Outcome::PossibleDuplicate`.
        question: u32,
    },
    /// `cart.withdraw()`: give the unsettled confirmation up.
    Withdraw,
    /// `client.resume()`: settle what an earlier page left.
    Resume,
    /// `placeOrder` or `withdrawPlacement` answered.
    Answered {
        /// Of the request.
        token: u32,
        /// What it said.
        placement: Placement,
    },
    /// `placementStatus` answered.
    Status {
        /// Of the request.
        token: u32,
        /// What it said.
        status: Status,
    },
    /// `orders` answered, newest first.
    History {
        /// Of the request.
        token: u32,
        /// One page is enough.
        orders: alloc::vec::Vec<Listed>,
    },
    /// Our server answered any request with a top-level error that has a code.
    Failed {
        /// Of the request.
        token: u32,
        /// What it said.
        failure: Failure,
    },
    /// No answer, or none of ours: the fetch was rejected, the body was cut or is not the GraphQL that was asked for, a
    /// proxy's page came, whatever its status.
    Lost {
        /// Of the request.
        token: u32,
        /// From a `Retry-After` header. *Units*: ms.
        retry_after_ms: Option<u32>,
    },
    /// The timer went off.
    TimerFired {
        /// From `Effect::StartTimer`.
        id: u32,
    },
}

/// The union `PlaceOrderResult`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// `OrderPlaced`.
    Placed {
        /// The order.
        order: Paper,
        /// `idempotentReplay`.
        replay: bool,
    },
    /// `OrderPending`.
    Pending {
        /// `pollAfterMs`. *Units*: ms.
        poll_after_ms: u32,
    },
    /// `OrderRejected`.
    Rejected {
        /// Why.
        code: Code,
        /// Everything it carries.
        problem: Paper,
    },
    /// `PlacementConflict`.
    Conflict {
        /// Why.
        code: Code,
        /// As it says.
        retryable: bool,
        /// As it says. *Units*: ms.
        retry_after_ms: Option<u32>,
        /// The earlier order with its id, if the answer carries one.
        earlier: Option<(Id, Paper)>,
        /// Everything it carries.
        problem: Paper,
    },
}

/// A top-level error with its `extensions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub code: Code,
    /// As it says.
    pub retryable: bool,
    /// As it says, or from the `Retry-After` header. *Units*: ms.
    pub retry_after_ms: Option<u32>,
    /// Everything it carries.
    pub problem: Paper,
}

/// What `placementStatus` says of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is committed yet.
    Unknown,
    /// Its first request is at work.
    InProgress,
    /// `PLACED` or `EXPIRED`: the order stands.
    Placed(Paper),
    /// It was refused for good.
    Rejected(Code),
}

/// An order of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The order's id.
    pub order_id: Id,
    /// The key that placed it.
    pub request_id: Id,
    /// The shop has not confirmed it yet.
    pub pending: bool,
    /// The order.
    pub order: Paper,
    /// What was ordered: only for the test that shows why content is no proof.
    #[cfg(test)]
    pub lines: alloc::vec::Vec<Line>,
}
