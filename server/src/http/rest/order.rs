//! Placing.

use super::super::graphql::Door;
use super::super::peer::Peer;
use super::super::{body, headers, principal};
use super::input::{self, OrderInput};
use super::openapi::PlacingProblems;
use super::problem::Problem;
use super::receipt::PlacedOrder;
use super::status::address;
use super::{answered, samples, written};
use crate::lang::Lang;
use crate::ordering::command::InputError;
use crate::ordering::outcome::{self, Verdict};
use crate::ordering::place_order::{self, Answer};
use crate::ordering::receipt::Receipt;
use crate::refusal::Refusal;
use axum::extract::{Request, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use masterorder_protocol::request_id::RequestId;
use serde::Serialize;
use utoipa::ToSchema;

/// An order stands, and the kitchen has exactly one ticket for it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Placed {
    /// The key that this answer belongs to: the one that was sent, or the one that the server made for staff.
    #[schema(format = "uuid")]
    pub request_id: String,
    /// The order.
    #[schema(format = "uuid")]
    pub order_id: String,
    /// The answer was given before; nothing was written but that it is remembered under this key too.
    pub idempotent_replay: bool,
    /// By what the request was recognised as one that was answered before; null if it was not.
    #[schema(required)]
    pub replay_reason: Option<ReplayReason>,
    /// The order as it was placed. What became of it since: see the `Location` header.
    pub order: PlacedOrder,
}

impl Placed {
    /// Renders what was placed, or placed before.
    pub fn render(request: RequestId, receipt: &Receipt, replay: Option<outcome::ReplayReason>, lang: Lang) -> Self {
        Self {
            request_id: request.to_string(),
            order_id: receipt.order_id.to_string(),
            idempotent_replay: replay.is_some(),
            replay_reason: replay.map(ReplayReason::from),
            order: PlacedOrder::render(receipt, lang),
        }
    }
}

/// By what a replay was recognised.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReplayReason {
    /// The key.
    Key,
    /// The same content from the same device within the content window.
    Payload,
    /// The `checkoutId`.
    Checkout,
}

impl From<outcome::ReplayReason> for ReplayReason {
    fn from(reason: outcome::ReplayReason) -> Self {
        match reason {
            outcome::ReplayReason::Key => Self::Key,
            outcome::ReplayReason::Payload => Self::Payload,
            outcome::ReplayReason::Checkout => Self::Checkout,
        }
    }
}

/// Places an order exactly once.
///
/// However often a request arrives with the same key, the kitchen gets one ticket, and every answer is the first one. The
/// key is shared with the GraphQL door.
#[utoipa::path(
    post,
    path = "/v1/orders",
    tag = "ordering",
    operation_id = "placeOrder",
    params(
        ("Idempotency-Key" = Option<String>, Header,
            description = "A UUID v4, bare or quoted: made once per cart and kept over every retry. Required of guests and integrators.",
            nullable = false,
            pattern = r#"^("?)[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}\1$"#,
            example = "550e8400-e29b-41d4-a716-446655440000"),
        ("Accept-Language" = Option<String>, Header, description = "Japanese or English.", nullable = false, example = "ja"),
    ),
    request_body(content = OrderInput, example = json!(samples::input())),
    responses(
        (status = 201, description = "An order stands; the same on every replay.", body = Placed, headers(
            ("Location" = String, description = "Where the placement's status is asked."),
            ("X-MasterOrder-Idempotent-Replay" = String, description = "`true` if the answer was given before; else it is not there."),
        ), example = json!(samples::placed())),
        PlacingProblems,
    ),
    security(("tableSession" = [], "tablePin" = [], "device" = []), ("apiKey" = [])),
)]
pub async fn place(State(door): State<Door>, peer: Peer, request: Request) -> Response {
    let lang = headers::lang(request.headers());
    answered(run(&door, peer, request, lang).await)
}

async fn run(door: &Door, peer: Peer, request: Request, lang: Lang) -> Result<Response, Problem> {
    let refused = |refusal: Refusal| Problem::refused(&refusal, lang);
    let headers = request.headers().clone();
    let body = body::json(request).await.map_err(|r| Problem::unread(r, lang))?;
    let principal = principal::known(door, &headers, peer).await.map_err(refused)?;
    let order = headers::written_key(&headers)
        .and_then(|key| input::parse(&body, key))
        .map_err(|error| refused(error.into()))?;
    let answer = place_order::place(&door.app, &principal, &order).await;
    let answer = answer.map_err(|refusal| refused(of_the_header(refusal)))?;
    Ok(respond(&answer, lang))
}

/// What the use case calls `requestId` is a header here.
fn of_the_header(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Input(error) if error.path == "requestId" => InputError::new(headers::KEY, error.message).into(),
        other => other,
    }
}

fn respond(answer: &Answer, lang: Lang) -> Response {
    let mut response = match &answer.verdict {
        Verdict::Placed { receipt, replay, .. } => {
            let placed = Placed::render(answer.request, receipt, *replay, lang);
            let mut response = written(StatusCode::CREATED, &placed, lang);
            if let Ok(address) = HeaderValue::try_from(address(answer.request)) {
                response.headers_mut().insert(LOCATION, address);
            }
            response
        }
        Verdict::Rejected { rejection, .. } => Problem::rejected(rejection, lang).about(answer.request).respond(),
        Verdict::Conflict(conflict) => Problem::conflict(conflict, lang).about(answer.request).respond(),
    };
    if answer.verdict.is_replay() {
        response
            .headers_mut()
            .insert(headers::REPLAY, HeaderValue::from_static("true"));
    }
    response
}
