//! Asking what became of a key.

use super::super::graphql::Door;
use super::super::peer::Peer;
use super::super::{headers, principal};
use super::openapi::{AskingProblems, rejection};
use super::problem::Problem;
use super::receipt::{PlacedOrder, instant};
use super::{answered, samples, written};
use crate::app::App;
use crate::kitchen::ticket;
use crate::lang::Lang;
use crate::ordering::command::InputError;
use crate::ordering::duplicates::Standing;
use crate::ordering::history;
use crate::ordering::status::{self, KeyState};
use crate::principal::Principal;
use crate::refusal::Refusal;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use masterorder_protocol::codes::Code;
use masterorder_protocol::request_id::RequestId;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// What became of a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlacementStatus {
    /// Where it stands.
    pub state: PlacementState,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = rejection)]
    pub code: Option<Code>,
    /// The order as it is now, if one stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub order: Option<Order>,
}

/// Where a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlacementState {
    /// Nothing is known *yet*: send the same key again. Also the answer to who may not know.
    Unknown,
    /// Its first request is still at work.
    InProgress,
    /// An order stands.
    Placed,
    /// It was refused for good.
    Rejected,
    /// An order stands, and its outcome is no longer kept: the key can not be sent again.
    Expired,
}

/// An order as it is now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// As it was placed.
    #[serde(flatten)]
    pub placed: PlacedOrder,
    /// The cart that it was.
    #[schema(format = "uuid", required)]
    pub checkout_id: Option<String>,
    /// Where it stands.
    pub status: OrderStatus,
    /// When it was cancelled.
    #[schema(format = "date-time", required)]
    pub cancelled_at: Option<String>,
    /// Counts changes.
    pub version: i64,
    /// Its kitchen ticket: exactly one, and none while it is pending.
    #[schema(required)]
    pub ticket: Option<Ticket>,
}

/// Where an order stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OrderStatus {
    /// The shop has not confirmed it yet.
    Pending,
    /// In the kitchen, or past it.
    Placed,
    /// Cancelled.
    Cancelled,
}

/// A kitchen ticket.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// Where it is.
    pub state: TicketState,
    /// When it moved last.
    #[schema(format = "date-time")]
    pub updated_at: String,
}

/// Where a ticket is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketState {
    /// Not begun.
    Received,
    /// Being made.
    Cooking,
    /// Waiting to be carried.
    Ready,
    /// On the table.
    Served,
    /// Its order was cancelled.
    Cancelled,
}

/// Where the status of a placement is asked.
pub fn address(request: RequestId) -> String {
    format!("/v1/placements/{request}")
}

/// Tells what became of a key.
#[utoipa::path(
    get,
    path = "/v1/placements/{requestId}",
    tag = "ordering",
    operation_id = "placementStatus",
    params(
        ("requestId" = String, Path, description = "The idempotency key of the placement.", format = "uuid",
            example = "550e8400-e29b-41d4-a716-446655440000"),
        ("Accept-Language" = Option<String>, Header, description = "Japanese or English.", nullable = false, example = "ja"),
    ),
    responses(
        (status = 200, description = "Where the key stands.", body = PlacementStatus, example = json!(samples::status())),
        AskingProblems,
    ),
    security(("tableSession" = [], "tablePin" = [], "device" = []), ("apiKey" = [])),
)]
pub async fn find(
    State(door): State<Door>,
    peer: Peer,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let lang = headers::lang(&headers);
    answered(run(&door, peer, path, &headers, lang).await)
}

async fn run(
    door: &Door,
    peer: Peer,
    path: Result<Path<String>, PathRejection>,
    headers: &HeaderMap,
    lang: Lang,
) -> Result<Response, Problem> {
    let refused = |refusal: Refusal| Problem::refused(&refusal, lang);
    let principal = principal::known(door, headers, peer).await.map_err(refused)?;
    let Path(request_id) = path.map_err(|_| refused(InputError::new("requestId", "must be UTF-8").into()))?;
    let status = read(&door.app, &principal, &request_id, lang).await.map_err(refused)?;
    Ok(written(StatusCode::OK, &status, lang))
}

async fn read(app: &Arc<App>, principal: &Principal, request_id: &str, lang: Lang) -> Result<PlacementStatus, Refusal> {
    let status = status::status(app, principal, request_id).await?;
    let order = match status.order {
        Some(id) => history::find(app, principal, &[id]).await?.into_iter().next(),
        None => None,
    };
    Ok(PlacementStatus {
        state: status.state.into(),
        code: status.code,
        order: order.map(|order| Order::render(&order, lang)),
    })
}

impl Order {
    /// Renders an order.
    pub fn render(order: &history::Order, lang: Lang) -> Self {
        Self {
            placed: PlacedOrder::render(&order.receipt, lang),
            checkout_id: order.checkout.map(|id| id.to_string()),
            status: order.standing.into(),
            cancelled_at: order.cancelled_at_ms.map(instant),
            version: order.version,
            ticket: order.ticket.as_ref().map(|ticket| Ticket {
                id: ticket.id.to_string(),
                state: ticket.state.into(),
                updated_at: instant(ticket.updated_at_ms),
            }),
        }
    }
}

impl From<KeyState> for PlacementState {
    fn from(state: KeyState) -> Self {
        match state {
            KeyState::Unknown => Self::Unknown,
            KeyState::InProgress => Self::InProgress,
            KeyState::Placed => Self::Placed,
            KeyState::Rejected => Self::Rejected,
            KeyState::Expired => Self::Expired,
        }
    }
}

impl From<Standing> for OrderStatus {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Pending => Self::Pending,
            Standing::Placed => Self::Placed,
            Standing::Cancelled => Self::Cancelled,
        }
    }
}

impl From<ticket::State> for TicketState {
    fn from(state: ticket::State) -> Self {
        match state {
            ticket::State::Received => Self::Received,
            ticket::State::Cooking => Self::Cooking,
            ticket::State::Ready => Self::Ready,
            ticket::State::Served => Self::Served,
            ticket::State::Cancelled => Self::Cancelled,
        }
    }
}
