//! What a placement answers.

use super::never_null::NeverNull;
use super::order::Order;
use super::problem::{OrderRejected, PlacementConflict};
use super::receipt::Receipt;
use crate::graphql::caller::Caller;
use crate::graphql::scalar::{DateTime, Uuid};
use crate::ordering::history;
use crate::ordering::outcome::{self, Verdict};
use crate::ordering::place_order::Answer;
use crate::ordering::receipt;
use crate::refusal::Refusal;
use async_graphql::{Context, Description, Enum, ID, Object, Union};
use masterorder_protocol::request_id::RequestId;
use std::borrow::Cow;
use std::sync::Arc;

/// What `placeOrder` answers.
#[derive(Description)]
pub struct PlaceOrderPayload {
    request: RequestId,
    replay: bool,
    result: PlaceOrderResult,
}

impl From<Answer> for PlaceOrderPayload {
    fn from(answer: Answer) -> Self {
        Self {
            request: answer.request,
            replay: answer.verdict.is_replay(),
            result: answer.verdict.into(),
        }
    }
}

#[Object(use_type_description)]
impl PlaceOrderPayload {
    /// The key that this answer belongs to: the one that was sent, or the one that the server made for staff.
    async fn request_id(&self) -> Uuid {
        self.request.as_uuid().into()
    }

    /// An order stands.
    async fn allowed(&self) -> bool {
        self.result.placed().is_some()
    }

    /// The order, if one stands.
    async fn order_id(&self) -> Option<ID> {
        self.result.placed().map(|placed| placed.receipt.order_id.into())
    }

    /// The answer was given before; nothing was written but that it is remembered under this key too.
    async fn idempotent_replay(&self) -> bool {
        self.replay
    }

    /// What became of it.
    async fn result(&self) -> NeverNull<&PlaceOrderResult> {
        NeverNull(&self.result)
    }
}

/// What became of a placement.
#[derive(Union)]
#[allow(clippy::large_enum_variant)] // one per request, moved twice
pub enum PlaceOrderResult {
    /// An order stands.
    OrderPlaced(OrderPlaced),
    /// A stable "no".
    OrderRejected(OrderRejected),
    /// Not now, or not like this.
    PlacementConflict(PlacementConflict),
}

impl PlaceOrderResult {
    fn placed(&self) -> Option<&OrderPlaced> {
        match self {
            Self::OrderPlaced(placed) => Some(placed),
            Self::OrderRejected(_) | Self::PlacementConflict(_) => None,
        }
    }
}

impl From<Verdict> for PlaceOrderResult {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Placed { receipt, replay, order } => Self::OrderPlaced(OrderPlaced { receipt, replay, order }),
            Verdict::Rejected { rejection, .. } => Self::OrderRejected(OrderRejected(rejection)),
            Verdict::Conflict(conflict) => Self::PlacementConflict(PlacementConflict(conflict)),
        }
    }
}

/// An order stands, and the kitchen has exactly one ticket for it.
#[derive(Description)]
pub struct OrderPlaced {
    receipt: receipt::Receipt,
    replay: Option<outcome::ReplayReason>,
    /// As the COMMIT left it.
    order: Option<Arc<history::Order>>,
}

#[Object(use_type_description)]
impl OrderPlaced {
    /// The order as it is now.
    async fn order(&self, ctx: &Context<'_>) -> Option<Result<Order, Refusal>> {
        match &self.order {
            Some(order) => Some(Ok(Order(order.clone()))),
            None => Caller::of(ctx).order(self.receipt.order_id).await.transpose(),
        }
    }

    /// The order as it was placed: the same in the first answer and in every replay.
    async fn receipt(&self) -> Receipt<'_> {
        Receipt(Cow::Borrowed(&self.receipt))
    }

    /// By what the request was recognised as one that was answered before; null if it was not.
    async fn replay_reason(&self) -> Option<ReplayReason> {
        self.replay.map(ReplayReason::from)
    }

    /// When the order was placed.
    async fn first_placed_at(&self) -> DateTime {
        DateTime(self.receipt.placed_at_ms)
    }
}

/// By what a replay was recognised.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "outcome::ReplayReason")]
pub enum ReplayReason {
    /// The `requestId`.
    Key,
    /// The same content from the same device within the content window.
    Payload,
    /// The `checkoutId`.
    Checkout,
}
