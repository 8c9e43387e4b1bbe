//! What was decided. Outcomes are stored under the key and come back as data until retention ends; conflicts are not.

use super::history::Order;
use super::receipt::Receipt;
use crate::lang::LocalText;
use masterorder_protocol::codes::Code;
use masterorder_protocol::ids::{MenuItemId, OrderId, ToppingId};
use masterorder_protocol::money::Money;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A decision as it is stored. *Shape*: JSON, tagged by `kind`; fields are only ever added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Outcome {
    /// This key's request became this order.
    Placed {
        /// The first answer.
        receipt: Receipt,
    },
    /// This key's request is an order that another key placed.
    #[serde(rename_all = "camelCase")]
    Alias {
        /// The first answer to that other key.
        receipt: Receipt,
        /// By what it was recognised.
        reason: ReplayReason,
    },
    /// A stable "no".
    Rejected {
        /// Why.
        rejection: Rejection,
    },
}

/// By what a replay was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReplayReason {
    /// The idempotency key.
    Key,
    /// The same content from the same device inside the content window.
    Payload,
    /// The checkoutId.
    Checkout,
}

impl ReplayReason {
    /// As on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "KEY",
            Self::Payload => "PAYLOAD",
            Self::Checkout => "CHECKOUT",
        }
    }
}

/// A stable "no" with what a person needs to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all_fields = "camelCase")]
pub enum Rejection {
    /// Less is left than was asked for.
    #[serde(rename = "SOLD_OUT")]
    SoldOut {
        /// Every item and topping that is short.
        shortages: Vec<Shortage>,
    },
    /// Archived or switched off.
    #[serde(rename = "ITEM_UNAVAILABLE")]
    ItemUnavailable {
        /// Every item and topping that is off.
        items: Vec<Named>,
    },
    /// The total is not what the guest saw.
    #[serde(rename = "PRICE_CHANGED")]
    PriceChanged {
        /// What the guest saw.
        expected: Money,
        /// What it is.
        actual: Money,
        /// The current price of each line.
        lines: Vec<CurrentPrice>,
    },
    /// The party has paid.
    #[serde(rename = "SESSION_CLOSED")]
    SessionClosed,
    /// The key was given up.
    #[serde(rename = "WITHDRAWN")]
    Withdrawn,
}

/// An item or topping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Subject {
    /// A dish or drink.
    Item(MenuItemId),
    /// An extra.
    Topping(ToppingId),
}

/// An item or topping with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Which.
    pub subject: Subject,
    /// Its name at that time.
    pub name: LocalText,
}

/// Something that is short. *Units*: pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// Which.
    pub subject: Subject,
    /// Its name at that time.
    pub name: LocalText,
    /// Asked for by the whole order.
    pub requested: i64,
    /// Left at that time.
    pub left: i64,
}

/// A line's price as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CurrentPrice {
    /// The first input line that this was merged from.
    pub line: usize,
    /// Which item.
    pub item: MenuItemId,
    /// Its name.
    pub name: LocalText,
    /// One piece with its toppings.
    pub unit_price_minor: i64,
    /// All pieces.
    pub line_total_minor: i64,
}

/// "Not now" or "not like this". Never stored: the key stays usable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// The key belongs to another request. *Shape*: names of differing fields, for who may know.
    KeyReused(Vec<String>),
    /// The cart is placed already, with other content. Carries the order for who may read it.
    CheckoutAlreadyPlaced(Option<OrderId>),
    /// The same was ordered a moment ago.
    PossibleDuplicate {
        /// The earlier order.
        earlier: OrderId,
        /// *Units*: ms.
        age_ms: i64,
    },
    /// The same content of this device is still pending.
    DuplicatePayload,
    /// The first request with this key is still at work.
    InProgress,
    /// An order of this table session was placed a moment ago.
    Burst {
        /// *Units*: ms.
        wait_ms: i64,
    },
    /// This device placed an order a moment ago.
    Cooldown {
        /// *Units*: ms.
        wait_ms: i64,
    },
    /// The shop takes no orders for now.
    OrderingPaused,
    /// Another order of this table session took longer than the wait bound.
    SessionBusy,
}

impl Rejection {
    /// Its code on the wire.
    pub fn code(&self) -> Code {
        match self {
            Self::SoldOut { .. } => Code::SoldOut,
            Self::ItemUnavailable { .. } => Code::ItemUnavailable,
            Self::PriceChanged { .. } => Code::PriceChanged,
            Self::SessionClosed => Code::SessionClosed,
            Self::Withdrawn => Code::Withdrawn,
        }
    }
}

impl Conflict {
    /// Its code on the wire.
    pub fn code(&self) -> Code {
        match self {
            Self::KeyReused(_) => Code::IdempotencyKeyReused,
            Self::CheckoutAlreadyPlaced(_) => Code::CheckoutAlreadyPlaced,
            Self::PossibleDuplicate { .. } => Code::PossibleDuplicate,
            Self::DuplicatePayload => Code::DuplicatePayload,
            Self::InProgress => Code::IdempotencyInProgress,
            Self::Burst { .. } => Code::SessionOrderInProgress,
            Self::Cooldown { .. } => Code::CooldownActive,
            Self::OrderingPaused => Code::OrderingPaused,
            Self::SessionBusy => Code::SessionBusy,
        }
    }

    /// When the same request may try again. *Units*: ms; `None` when waiting does not help.
    pub fn retry_after_ms(&self) -> Option<i64> {
        match self {
            Self::InProgress | Self::SessionBusy => Some(500),
            Self::DuplicatePayload => Some(1_000),
            Self::Burst { wait_ms } | Self::Cooldown { wait_ms } => Some(*wait_ms),
            Self::KeyReused(_)
            | Self::CheckoutAlreadyPlaced(_)
            | Self::PossibleDuplicate { .. }
            | Self::OrderingPaused => None,
        }
    }
}

/// What a placement answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// An order stands.
    Placed {
        /// The first answer, whoever got it.
        receipt: Receipt,
        /// `None`: this request placed it just now.
        replay: Option<ReplayReason>,
        /// The order as this request's COMMIT left it; `None` if it has to be read.
        order: Option<Arc<Order>>,
    },
    /// A stable "no".
    Rejected {
        /// Why.
        rejection: Rejection,
        /// It was stored before.
        replay: bool,
    },
    /// Nothing was stored.
    Conflict(Conflict),
}

impl Outcome {
    /// Its kind as a column, for the ledger check.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Placed { .. } => "PLACED",
            Self::Alias { .. } => "ALIAS",
            Self::Rejected { .. } => "REJECTED",
        }
    }

    /// The order that it points to.
    pub fn order(&self) -> Option<OrderId> {
        match self {
            Self::Placed { receipt } | Self::Alias { receipt, .. } => Some(receipt.order_id),
            Self::Rejected { .. } => None,
        }
    }

    /// The answer to the request that made it, with the order if it is at hand.
    pub fn first(self, order: Option<Arc<Order>>) -> Verdict {
        match self {
            Self::Placed { receipt } => Verdict::Placed {
                receipt,
                replay: None,
                order,
            },
            Self::Alias { receipt, reason } => Verdict::Placed {
                receipt,
                replay: Some(reason),
                order: None,
            },
            Self::Rejected { rejection } => Verdict::Rejected {
                rejection,
                replay: false,
            },
        }
    }

    /// The answer to a later request with the same key.
    pub fn replayed(self) -> Verdict {
        match self {
            Self::Placed { receipt } | Self::Alias { receipt, .. } => Verdict::Placed {
                receipt,
                replay: Some(ReplayReason::Key),
                order: None,
            },
            Self::Rejected { rejection } => Verdict::Rejected {
                rejection,
                replay: true,
            },
        }
    }
}

impl Verdict {
    /// Somebody was told the same before.
    pub fn is_replay(&self) -> bool {
        match self {
            Self::Placed { replay, .. } => replay.is_some(),
            Self::Rejected { replay, .. } => *replay,
            Self::Conflict(_) => false,
        }
    }

    /// One word for audit and metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Placed { replay: None, .. } => "PLACED",
            Self::Placed {
                replay: Some(ReplayReason::Key),
                ..
            } => "REPLAYED_KEY",
            Self::Placed {
                replay: Some(ReplayReason::Payload),
                ..
            } => "REPLAYED_PAYLOAD",
            Self::Placed {
                replay: Some(ReplayReason::Checkout),
                ..
            } => "REPLAYED_CHECKOUT",
            Self::Rejected { rejection, .. } => rejection.code().as_str(),
            Self::Conflict(conflict) => conflict.code().as_str(),
        }
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
