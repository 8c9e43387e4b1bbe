//! The codes of every "no": what kind each is and what a client may do about it.

use core::fmt;
use serde::{Deserialize, Serialize};

/// What becomes of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A stable business "no": stored and replayed.
    Rejection,
    /// "Not now" or "not like this": never stored, the key stays usable.
    Conflict,
    /// Not about the order: a bad request, a refused caller, a machine that could not.
    Failure,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $wire:literal, $status:literal, $kind:ident, retryable: $retryable:literal, new_key: $new_key:literal;)*) => {
        /// Every code on the wire, spelled as there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $wire)] $name,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The spelling on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire,)* }
            }

            /// The HTTP status of its class.
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// What becomes of the key.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }

            /// The same request with the same key may succeed later by itself.
            pub const fn retryable(self) -> bool {
                match self { $(Self::$name => $retryable,)* }
            }

            /// The guest may order again, under a new requestId.
            pub const fn retry_with_new_request_id(self) -> bool {
                match self { $(Self::$name => $new_key,)* }
            }
        }
    };
}

codes! {
    /// Less is left than was asked for.
    SoldOut = "SOLD_OUT", 409, Rejection, retryable: false, new_key: true;
    /// An item or topping is archived or switched off.
    ItemUnavailable = "ITEM_UNAVAILABLE", 409, Rejection, retryable: false, new_key: true;
    /// The total is not what the guest saw.
    PriceChanged = "PRICE_CHANGED", 409, Rejection, retryable: false, new_key: true;
    /// The party has paid.
    SessionClosed = "SESSION_CLOSED", 410, Rejection, retryable: false, new_key: false;
    /// The key was withdrawn before an order came of it.
    Withdrawn = "WITHDRAWN", 409, Rejection, retryable: false, new_key: true;
    /// The key belongs to another request.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED", 409, Conflict, retryable: false, new_key: false;
    /// The cart is placed already, with other content.
    CheckoutAlreadyPlaced = "CHECKOUT_ALREADY_PLACED", 409, Conflict, retryable: false, new_key: false;
    /// The same was ordered a moment ago: ask the guest.
    PossibleDuplicate = "POSSIBLE_DUPLICATE", 409, Conflict, retryable: false, new_key: false;
    /// The first request with this key is still at work.
    IdempotencyInProgress = "IDEMPOTENCY_IN_PROGRESS", 409, Conflict, retryable: true, new_key: false;
    /// The same content of this device is still pending.
    DuplicatePayload = "DUPLICATE_PAYLOAD", 409, Conflict, retryable: true, new_key: false;
    /// An order of this table session was placed a moment ago.
    SessionOrderInProgress = "SESSION_ORDER_IN_PROGRESS", 409, Conflict, retryable: true, new_key: false;
    /// This device placed an order a moment ago.
    CooldownActive = "COOLDOWN_ACTIVE", 429, Conflict, retryable: true, new_key: false;
    /// The shop takes no orders for now.
    OrderingPaused = "ORDERING_PAUSED", 409, Conflict, retryable: false, new_key: false;
    /// Another order of this table session took longer than the wait bound.
    SessionBusy = "SESSION_BUSY", 409, Conflict, retryable: true, new_key: false;
    /// The input does not fit; names the field.
    BadUserInput = "BAD_USER_INPUT", 400, Failure, retryable: false, new_key: false;
    /// Too many requests, or too many wrong PINs.
    RateLimited = "RATE_LIMITED", 429, Failure, retryable: true, new_key: false;
    /// No valid credentials.
    Unauthenticated = "UNAUTHENTICATED", 401, Failure, retryable: false, new_key: false;
    /// Valid credentials without this right.
    Forbidden = "FORBIDDEN", 403, Failure, retryable: false, new_key: false;
    /// Nothing there that this caller may see.
    NotFound = "NOT_FOUND", 404, Failure, retryable: false, new_key: false;
    /// The machine could not; nothing was stored.
    Unavailable = "UNAVAILABLE", 503, Failure, retryable: true, new_key: false;
    /// A fault of the server; nothing was stored.
    Internal = "INTERNAL", 500, Failure, retryable: true, new_key: false;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rejection_asks_for_a_new_key_and_none_is_retryable_as_it_is() {
        for code in Code::ALL {
            match code.kind() {
                Kind::Rejection => assert!(!code.retryable(), "{code}"),
                Kind::Conflict | Kind::Failure => assert!(!code.retry_with_new_request_id(), "{code}"),
            }
        }
    }
}
