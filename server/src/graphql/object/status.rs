//! What became of a key.

use super::order::Order;
use super::problem::PlacementCode;
use crate::graphql::caller::Caller;
use crate::ordering::status::{KeyState, Status};
use crate::refusal::Refusal;
use async_graphql::{Context, Description, Enum, Object};

/// What became of a `requestId`.
#[derive(Description)]
pub struct PlacementStatus(pub Status);

/// Where a `requestId` stands.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "KeyState")]
pub enum PlacementState {
    /// Nothing is known *yet*: send the same `requestId` again. Also the answer to who may not know.
    Unknown,
    /// Its first request is still at work.
    InProgress,
    /// An order stands.
    Placed,
    /// It was refused for good.
    Rejected,
    /// An order stands, and its outcome is no longer kept: the `requestId` can not be sent again.
    Expired,
}

#[Object(use_type_description)]
impl PlacementStatus {
    /// Where it stands.
    async fn state(&self) -> PlacementState {
        self.0.state.into()
    }

    /// The order, if one stands.
    async fn order(&self, ctx: &Context<'_>) -> Option<Result<Order, Refusal>> {
        Caller::of(ctx).order(self.0.order?).await.transpose()
    }

    /// Why it was refused.
    async fn code(&self) -> Option<PlacementCode> {
        self.0.code.and_then(PlacementCode::of)
    }
}
