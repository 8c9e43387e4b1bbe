//! What goes out. The shell carries effects out in order, before it hands the next event in.

use crate::cart::Cart;
use crate::code::Code;
use crate::handle::{Id, Paper};
use crate::line::Invalid;
use crate::slot::Slot;
use alloc::rc::Rc;

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The caller that brought this event waits for this submission: hand it the submission's one shared promise.
    Watch {
        /// Counts up.
        submission: u32,
    },
    /// Resolve the promise. Comes exactly once per submission.
    Settle {
        /// Which.
        submission: u32,
        /// With what.
        outcome: Outcome,
    },
    /// The call was a mistake of the page: throw it at its author. Nothing changed.
    Invalid(Invalid),
    /// Ask for the lock of this table session, shared by all tabs; answer `Event::Locked` when it is held.
    Lock {
        /// For `Event::Locked`.
        token: u32,
    },
    /// Give the lock back, or stop asking for it.
    Unlock {
        /// From `Lock`.
        token: u32,
    },
    /// Tell the tabs that wait for this lock how a confirmation ended: `Event::Told` there. It may get lost.
    Tell {
        /// Of the lock.
        token: u32,
        /// The confirmation.
        slot: Slot,
        /// How it ended.
        outcome: Outcome,
    },
    /// Write the cart.
    PersistCart(Rc<Cart>),
    /// Delete the cart, if it is still this one.
    ForgetCart(Id),
    /// Write the slot, unless another request holds it.
    PersistSlot(Slot),
    /// Delete the slot, if it is still this request's.
    ForgetSlot(Id),
    /// Write this tab's requestId.
    PersistRequestId(Id),
    /// Delete this tab's requestId: it is in the slot.
    ForgetRequestId,
    /// Send `placeOrder`.
    SendPlace {
        /// For the answer.
        token: u32,
        /// Everything to send.
        slot: Slot,
    },
    /// Send `withdrawPlacement`.
    SendWithdraw {
        /// For the answer.
        token: u32,
        /// The key.
        request_id: Id,
    },
    /// Send `placementStatus`.
    SendStatus {
        /// For the answer.
        token: u32,
        /// The key.
        request_id: Id,
    },
    /// Send `orders`.
    SendHistory {
        /// For the answer.
        token: u32,
    },
    /// Abort the request; nobody listens to its answer any more.
    Abandon {
        /// Of the request.
        token: u32,
    },
    /// Start the timer. There is one; it replaces what it was set to before.
    StartTimer {
        /// For `Event::TimerFired`.
        id: u32,
        /// From now. *Units*: ms.
        ms: u32,
    },
    /// Stop the timer.
    CancelTimer {
        /// As it was started.
        id: u32,
    },
    /// What `Core::state` or `Core::cart` shows is another thing than before.
    StateChanged,
}

/// How a submission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The order stands. Final.
    Placed {
        /// The order.
        order: Paper,
        /// It was found, not made, by the request that told.
        replay: bool,
    },
    /// The shop has not confirmed it yet.
    Pending {
        /// The key.
        request_id: Id,
    },
    /// A stored "no". Final.
    Rejected {
        /// Why.
        code: Code,
        /// Everything that came with it; `None` if only the code is known.
        problem: Option<Paper>,
    },
    /// A "no" that nothing is stored of. Final.
    Refused {
        /// Why.
        code: Code,
        /// Everything that came with it.
        problem: Paper,
    },
    /// This call sent nothing.
    Blocked(Blocked),
    /// Nobody knows. Never a failure: the next `submit` sends the same again.
    Unknown,
    /// The shop asks whether the guest means it.
    PossibleDuplicate {
        /// For `Event::Confirm` and `Event::Decline`.
        question: u32,
        /// The order that looks the same.
        earlier: Paper,
    },
    /// There was nothing to settle: `resume` answers `null`.
    Nothing,
}

/// Why a call sent nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocked {
    /// No line in the cart.
    CartEmpty,
    /// The total or the note is none that could be sent.
    InvalidInput,
    /// Another tab changed the cart: it is shown now, and waits for a confirmation of its own.
    CartChanged,
    /// Another confirmation of this table session is unsettled.
    Unsettled,
    /// Another tab is sending, and takes its time.
    OtherTab,
    /// The confirmation is too old to be sent without asking again; no order came of it.
    TooOld,
    /// The question is answered or withdrawn already.
    NoQuestion,
    /// There is nothing that could be withdrawn.
    NothingToWithdraw,
    /// The caller gave up before anything was sent.
    Aborted,
}

impl Outcome {
    /// Nothing can change it: the requestId is used up.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Placed { .. } | Self::Rejected { .. } | Self::Refused { .. })
    }
}
