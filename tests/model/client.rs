//! What is asked of the shop: requests, when they may be sent, and what they are told.

/// Numbers small things: a key, a cart, a dish, a table, a phone.
pub(crate) type Nr = u8;

/// An order as a guest's phone sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Order {
    pub(crate) key: Nr,
    pub(crate) cart: Option<Nr>,
    pub(crate) dish: Nr,
    pub(crate) table: Nr,
    pub(crate) phone: Nr,
}

/// Something that a process is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ask {
    Place(Order),
    /// A guest at this table gives the key up.
    Withdraw {
        key: Nr,
        table: Nr,
    },
    /// A guest cancels the order that this key placed.
    Cancel {
        key: Nr,
        table: Nr,
    },
    /// The party pays.
    Pay {
        table: Nr,
    },
    /// The node deletes what has outlived its retention.
    Purge,
}

/// When a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At any time: before, between or after all the others.
    Any,
    /// When that one was answered, or its answer was lost.
    After(usize),
    /// When that one was asked "the same again?": says yes.
    Confirming(usize),
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) ask: Ask,
    pub(crate) start: Start,
}

/// A stable "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum No {
    SoldOut,
    SessionClosed,
    Withdrawn,
}

/// "Not now" or "not like this".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Why {
    KeyReused,
    CheckoutAlreadyPlaced,
    PossibleDuplicate(Nr),
    InProgress,
    SessionBusy,
}

/// What became of a request, as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    /// `new`: told as placed just now, not as a replay.
    Placed {
        order: Nr,
        new: bool,
    },
    Rejected(No),
    Conflict(Why),
    /// Nothing is stored; try again.
    Unavailable,
    /// Nothing is stored, and nobody knows why.
    Internal,
    /// The node died, or the answer did not arrive.
    Lost,
    /// Of whatever is no placement.
    Done,
}

impl Answer {
    /// One word, as the product has it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Placed { new: true, .. } => "PLACED",
            Self::Placed { new: false, .. } => "REPLAYED",
            Self::Rejected(No::SoldOut) => "SOLD_OUT",
            Self::Rejected(No::SessionClosed) => "SESSION_CLOSED",
            Self::Rejected(No::Withdrawn) => "WITHDRAWN",
            Self::Conflict(Why::KeyReused) => "IDEMPOTENCY_KEY_REUSED",
            Self::Conflict(Why::CheckoutAlreadyPlaced) => "CHECKOUT_ALREADY_PLACED",
            Self::Conflict(Why::PossibleDuplicate(_)) => "POSSIBLE_DUPLICATE",
            Self::Conflict(Why::InProgress) => "IDEMPOTENCY_IN_PROGRESS",
            Self::Conflict(Why::SessionBusy) => "SESSION_BUSY",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "INTERNAL",
            Self::Lost => "no answer",
            Self::Done => "done",
        }
    }

    /// A fact that every later answer must agree with.
    pub(crate) fn is_fact(self) -> bool {
        matches!(self, Self::Placed { .. } | Self::Rejected(_))
    }

    /// Says the same, as a first answer or as a replay.
    pub(crate) fn agrees_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Placed { order: one, .. }, Self::Placed { order: other, .. }) => one == other,
            _ => self == other,
        }
    }
}

impl Ask {
    /// The idempotency key that it is about.
    pub(crate) fn key(self) -> Option<Nr> {
        match self {
            Self::Place(Order { key, .. }) | Self::Withdraw { key, .. } => Some(key),
            Self::Cancel { .. } | Self::Pay { .. } | Self::Purge => None,
        }
    }

    pub(crate) fn order(self) -> Option<Order> {
        match self {
            Self::Place(order) => Some(order),
            _ => None,
        }
    }
}

/// The first phone at table 0 orders dish 0.
pub(crate) fn place(key: Nr, cart: Option<Nr>) -> Ask {
    Ask::Place(Order {
        key,
        cart,
        dish: 0,
        table: 0,
        phone: 0,
    })
}

/// The same, but for some fields.
pub(crate) fn place_but(key: Nr, cart: Option<Nr>, change: impl Fn(&mut Order)) -> Ask {
    let mut order = Order {
        key,
        cart,
        dish: 0,
        table: 0,
        phone: 0,
    };
    change(&mut order);
    Ask::Place(order)
}

/// Sent at any time.
pub(crate) fn any(ask: Ask) -> Request {
    Request { ask, start: Start::Any }
}

/// Sent when that one has ended.
pub(crate) fn after(earlier: usize, ask: Ask) -> Request {
    Request {
        ask,
        start: Start::After(earlier),
    }
}

/// Sent when that one was asked whether it means the same again.
pub(crate) fn confirming(earlier: usize, ask: Ask) -> Request {
    Request {
        ask,
        start: Start::Confirming(earlier),
    }
}
