//! What the server says "no" with.

use crate::handle::Id;

/// A code of the contract: the name of its spelling. A code of a newer server has a name too, and is none of the constants;
/// whether it may be tried again is what the answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub Id);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $wire:literal;)*) => {
        /// Every code of this version of the contract and of those that are announced, each with a space behind it; the first
        /// is `Id(1)`.
        pub const SPELLINGS: &str = concat!($($wire, " "),*);

        /// How many they are. *Units*: count.
        pub const COUNT: u32 = [$($number),*].len() as u32;

        impl Code {
            $($(#[$doc])* pub const $name: Self = Self(Id($number));)*
        }
    };
}

codes! {
    /// Less is left than was asked for.
    SOLD_OUT = 1, "SOLD_OUT";
    /// An item or topping is off the menu.
    ITEM_UNAVAILABLE = 2, "ITEM_UNAVAILABLE";
    /// The total is not what the guest saw.
    PRICE_CHANGED = 3, "PRICE_CHANGED";
    /// The party has paid.
    SESSION_CLOSED = 4, "SESSION_CLOSED";
    /// The key was withdrawn before an order came of it.
    WITHDRAWN = 5, "WITHDRAWN";
    /// The shop's till refused the order.
    POS_REJECTED = 6, "POS_REJECTED";
    /// The shop's till could not be reached.
    POS_UNAVAILABLE = 7, "POS_UNAVAILABLE";
    /// The key belongs to another request.
    IDEMPOTENCY_KEY_REUSED = 8, "IDEMPOTENCY_KEY_REUSED";
    /// The cart is placed already, with other content.
    CHECKOUT_ALREADY_PLACED = 9, "CHECKOUT_ALREADY_PLACED";
    /// The same was ordered a moment ago.
    POSSIBLE_DUPLICATE = 10, "POSSIBLE_DUPLICATE";
    /// The first request with this key is still at work.
    IDEMPOTENCY_IN_PROGRESS = 11, "IDEMPOTENCY_IN_PROGRESS";
    /// The same content of this device is still pending.
    DUPLICATE_PAYLOAD = 12, "DUPLICATE_PAYLOAD";
    /// Another order of this table session was placed a moment ago.
    SESSION_ORDER_IN_PROGRESS = 13, "SESSION_ORDER_IN_PROGRESS";
    /// Another order of this table session takes its time.
    SESSION_BUSY = 14, "SESSION_BUSY";
    /// This device ordered a moment ago.
    COOLDOWN_ACTIVE = 15, "COOLDOWN_ACTIVE";
    /// Last order, or stopped by staff.
    ORDERING_PAUSED = 16, "ORDERING_PAUSED";
    /// Too many requests.
    RATE_LIMITED = 17, "RATE_LIMITED";
    /// The input does not fit.
    BAD_USER_INPUT = 18, "BAD_USER_INPUT";
    /// No valid credentials.
    UNAUTHENTICATED = 19, "UNAUTHENTICATED";
    /// Valid credentials without this right.
    FORBIDDEN = 20, "FORBIDDEN";
    /// Nothing there that this caller may see.
    NOT_FOUND = 21, "NOT_FOUND";
    /// The machine could not.
    UNAVAILABLE = 22, "UNAVAILABLE";
    /// A fault of the server.
    INTERNAL = 23, "INTERNAL";
}

impl Code {
    /// Known "not placed yet": waited out with the same requestId, unseen by the guest, without asking what became of it.
    pub fn is_waited_out(self) -> bool {
        matches!(
            self,
            Self::COOLDOWN_ACTIVE
                | Self::SESSION_BUSY
                | Self::SESSION_ORDER_IN_PROGRESS
                | Self::DUPLICATE_PAYLOAD
                | Self::RATE_LIMITED
        )
    }

    /// The server's own trouble. What became of the order is not known.
    pub fn is_trouble(self) -> bool {
        matches!(self, Self::UNAVAILABLE | Self::INTERNAL)
    }
}
