//! Why a placement was not taken, with what a person needs to go on.

use super::details::{CurrentLine, Shortage, UnavailableItem};
use super::int;
use super::money::Money;
use super::order::Order;
use crate::graphql::caller::Caller;
use crate::graphql::messages;
use crate::ordering::outcome::{Conflict, Rejection};
use crate::refusal::Refusal;
use async_graphql::{Context, Description, Enum, Interface, Object};
use masterorder_protocol::codes::Code;

/// Why a placement was not taken.
#[derive(Interface)]
#[allow(clippy::duplicated_attributes)] // two fields may have one type
#[graphql(
    field(name = "code", ty = "PlacementCode", desc = "Why."),
    field(name = "status", ty = "i32", desc = "The HTTP status of its class."),
    field(
        name = "message",
        ty = "String",
        desc = "For people, in the language of the Accept-Language header."
    ),
    field(
        name = "retryable",
        ty = "bool",
        desc = "The same request with the same `requestId` may succeed later."
    ),
    field(
        name = "retry_after_ms",
        ty = "Option<i32>",
        desc = "When to try again, in milliseconds."
    ),
    field(
        name = "retry_with_new_request_id",
        ty = "bool",
        desc = "The guest may order again, under a new `requestId`."
    )
)]
pub enum PlacementProblem {
    /// A stable "no".
    OrderRejected(OrderRejected),
    /// Not now, or not like this.
    PlacementConflict(PlacementConflict),
}

/// Why a placement was not taken.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementCode {
    /// Less is left than was asked for.
    SoldOut,
    /// An item or topping is off the menu.
    ItemUnavailable,
    /// The total is not what the guest saw.
    PriceChanged,
    /// The party has paid.
    SessionClosed,
    /// The `requestId` was withdrawn.
    Withdrawn,
    /// The `requestId` belongs to another request.
    IdempotencyKeyReused,
    /// The cart is placed already, with other content.
    CheckoutAlreadyPlaced,
    /// The same was ordered a moment ago: ask the guest, then send the same `requestId` with `confirmDuplicateOf`.
    PossibleDuplicate,
    /// The first request with this `requestId` is still at work.
    IdempotencyInProgress,
    /// The same content of this device is still pending.
    DuplicatePayload,
    /// An order of this table session was placed a moment ago.
    SessionOrderInProgress,
    /// This device placed an order a moment ago.
    CooldownActive,
    /// The shop takes no orders for now.
    OrderingPaused,
    /// Another order of this table session took too long.
    SessionBusy,
}

impl PlacementCode {
    /// The code of a rejection or conflict; `None` for what travels as an error.
    pub fn of(code: Code) -> Option<Self> {
        Some(match code {
            Code::SoldOut => Self::SoldOut,
            Code::ItemUnavailable => Self::ItemUnavailable,
            Code::PriceChanged => Self::PriceChanged,
            Code::SessionClosed => Self::SessionClosed,
            Code::Withdrawn => Self::Withdrawn,
            Code::IdempotencyKeyReused => Self::IdempotencyKeyReused,
            Code::CheckoutAlreadyPlaced => Self::CheckoutAlreadyPlaced,
            Code::PossibleDuplicate => Self::PossibleDuplicate,
            Code::IdempotencyInProgress => Self::IdempotencyInProgress,
            Code::DuplicatePayload => Self::DuplicatePayload,
            Code::SessionOrderInProgress => Self::SessionOrderInProgress,
            Code::CooldownActive => Self::CooldownActive,
            Code::OrderingPaused => Self::OrderingPaused,
            Code::SessionBusy => Self::SessionBusy,
            Code::BadUserInput
            | Code::RateLimited
            | Code::Unauthenticated
            | Code::Forbidden
            | Code::NotFound
            | Code::Unavailable
            | Code::Internal => return None,
        })
    }
}

/// A stable "no": stored under the `requestId`, and the same for every retry.
#[derive(Description)]
pub struct OrderRejected(pub Rejection);

#[Object(use_type_description)]
impl OrderRejected {
    /// Why.
    async fn code(&self) -> Result<PlacementCode, Refusal> {
        PlacementCode::of(self.0.code()).ok_or(Refusal::Internal)
    }

    /// The HTTP status of its class.
    async fn status(&self) -> i32 {
        self.0.code().status().into()
    }

    /// For people, in the language of the Accept-Language header.
    async fn message(&self, ctx: &Context<'_>) -> String {
        messages::rejection(&self.0, Caller::of(ctx).lang)
    }

    /// The same request with the same `requestId` may succeed later.
    async fn retryable(&self) -> bool {
        self.0.code().retryable()
    }

    /// When to try again, in milliseconds.
    async fn retry_after_ms(&self) -> Option<i32> {
        None
    }

    /// The guest may order again, under a new `requestId`.
    async fn retry_with_new_request_id(&self) -> bool {
        self.0.code().retry_with_new_request_id()
    }

    /// `SOLD_OUT`: everything that is short.
    async fn shortages(&self) -> Option<Vec<Shortage<'_>>> {
        match &self.0 {
            Rejection::SoldOut { shortages } => Some(shortages.iter().map(Shortage).collect()),
            _ => None,
        }
    }

    /// `ITEM_UNAVAILABLE`: everything that is off the menu.
    async fn items(&self) -> Option<Vec<UnavailableItem<'_>>> {
        match &self.0 {
            Rejection::ItemUnavailable { items } => Some(items.iter().map(UnavailableItem).collect()),
            _ => None,
        }
    }

    /// `PRICE_CHANGED`: what the guest saw.
    async fn expected_total(&self) -> Option<Money> {
        match &self.0 {
            Rejection::PriceChanged { expected, .. } => Some((*expected).into()),
            _ => None,
        }
    }

    /// `PRICE_CHANGED`: what it is.
    async fn actual_total(&self) -> Option<Money> {
        match &self.0 {
            Rejection::PriceChanged { actual, .. } => Some((*actual).into()),
            _ => None,
        }
    }

    /// `PRICE_CHANGED`: the price of each line as it is.
    async fn lines(&self) -> Option<Vec<CurrentLine<'_>>> {
        match &self.0 {
            Rejection::PriceChanged { actual, lines, .. } => {
                let currency = actual.currency;
                Some(lines.iter().map(|line| CurrentLine { line, currency }).collect())
            }
            _ => None,
        }
    }
}

/// Not now, or not like this. Nothing is stored: the `requestId` stays usable.
#[derive(Description)]
pub struct PlacementConflict(pub Conflict);

#[Object(use_type_description)]
impl PlacementConflict {
    /// Why.
    async fn code(&self) -> Result<PlacementCode, Refusal> {
        PlacementCode::of(self.0.code()).ok_or(Refusal::Internal)
    }

    /// The HTTP status of its class.
    async fn status(&self) -> i32 {
        self.0.code().status().into()
    }

    /// For people, in the language of the Accept-Language header.
    async fn message(&self, ctx: &Context<'_>) -> String {
        messages::conflict(&self.0, Caller::of(ctx).lang)
    }

    /// The same request with the same `requestId` may succeed later.
    async fn retryable(&self) -> bool {
        self.0.code().retryable()
    }

    /// When to try again, in milliseconds.
    async fn retry_after_ms(&self) -> Option<i32> {
        self.0.retry_after_ms().map(int)
    }

    /// The guest may order again, under a new `requestId`.
    async fn retry_with_new_request_id(&self) -> bool {
        self.0.code().retry_with_new_request_id()
    }

    /// `IDEMPOTENCY_KEY_REUSED`: the names of the fields that differ, for who may know them; never their values.
    async fn fields(&self) -> Option<&[String]> {
        match &self.0 {
            Conflict::KeyReused(fields) => Some(fields),
            _ => None,
        }
    }

    /// `POSSIBLE_DUPLICATE`, `CHECKOUT_ALREADY_PLACED`: the earlier order, for who may read it.
    async fn order(&self, ctx: &Context<'_>) -> Option<Result<Order, Refusal>> {
        let earlier = match &self.0 {
            Conflict::PossibleDuplicate { earlier, .. } => *earlier,
            Conflict::CheckoutAlreadyPlaced(order) => (*order)?,
            _ => return None,
        };
        Caller::of(ctx).order(earlier).await.transpose()
    }

    /// `POSSIBLE_DUPLICATE`: how long ago the earlier order was placed, in milliseconds.
    async fn age_ms(&self) -> Option<i32> {
        match &self.0 {
            Conflict::PossibleDuplicate { age_ms, .. } => Some(int(*age_ms)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use masterorder_protocol::codes::Kind;

    #[test]
    fn every_rejection_and_conflict_has_a_placement_code_and_nothing_else_has() {
        for code in Code::ALL {
            let placement = PlacementCode::of(*code);
            assert_eq!(placement.is_some(), code.kind() != Kind::Failure, "{code}");
            let spelling = placement.map(|p| async_graphql::resolver_utils::enum_value(p).to_string());
            assert!(spelling.is_none_or(|s| s == code.as_str()), "{code}");
        }
    }
}
