//! Every "no" of this door (RFC 9457): the sentence for people, the code for programs, and what either needs to go on.

use super::super::headers;
use super::super::refused::{self, Refused};
use super::openapi::any_code;
use super::receipt::Money;
use super::status::address;
use crate::graphql::{error, messages};
use crate::lang::Lang;
use crate::ordering::outcome::{Conflict, CurrentPrice, Named, Rejection, Shortage, Subject};
use crate::refusal::Refusal;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use masterorder_protocol::codes::Code;
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use serde::Serialize;
use std::any::Any;
use utoipa::ToSchema;

/// The media type.
pub const MEDIA: &str = "application/problem+json";

/// Why a request was not granted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Names the kind of problem, and leads to its example in this description.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference", example = "/openapi.json#/components/examples/SOLD_OUT")]
    pub kind: String,
    /// The sentence of the code by itself, in the language of the `Accept-Language` header.
    pub title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// For people: this very problem, in the language of the `Accept-Language` header.
    pub detail: String,
    /// Where the status of the placement is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "uri-reference", nullable = false)]
    pub instance: Option<String>,
    /// Why.
    #[schema(schema_with = any_code)]
    pub code: Code,
    /// The same request with the same key may succeed later.
    pub retryable: bool,
    /// When to try again, in milliseconds; null when waiting does not help. `Retry-After` is the same in seconds.
    #[schema(required)]
    pub retry_after_ms: Option<i64>,
    /// The guest may order again, under a new key.
    pub retry_with_new_request_id: bool,
    /// What a person needs to go on.
    #[serde(flatten)]
    pub details: Details,
}

/// What a person needs to go on, by code.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// `BAD_USER_INPUT`: the field or header that does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "lines[2].quantity", nullable = false)]
    pub path: Option<String>,
    /// `SOLD_OUT`: everything that is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub shortages: Option<Vec<ShortItem>>,
    /// `ITEM_UNAVAILABLE`: everything that is off the menu.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub items: Option<Vec<UnavailableItem>>,
    /// `PRICE_CHANGED`: what the guest saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expected_total: Option<Money>,
    /// `PRICE_CHANGED`: what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub actual_total: Option<Money>,
    /// `PRICE_CHANGED`: the price of each line as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lines: Option<Vec<CurrentLine>>,
    /// `IDEMPOTENCY_KEY_REUSED`: the names of the fields that differ, for who may know them; never their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fields: Option<Vec<String>>,
    /// `POSSIBLE_DUPLICATE`, `CHECKOUT_ALREADY_PLACED`: the earlier order, for who may read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "uuid", nullable = false)]
    pub order_id: Option<String>,
    /// `POSSIBLE_DUPLICATE`: how long ago the earlier order was placed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub age_ms: Option<i64>,
}

/// An item or topping that is short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShortItem {
    /// What it is.
    pub kind: SubjectKind,
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// Its name.
    pub name: String,
    /// Pieces that the whole order asked for.
    pub requested: i64,
    /// Pieces that were left.
    pub left: i64,
}

/// An item or topping that is off the menu.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnavailableItem {
    /// What it is.
    pub kind: SubjectKind,
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// Its name.
    pub name: String,
}

/// The price of a line as it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentLine {
    /// Position of its first appearance in the input, from 0.
    pub line: usize,
    /// Which item.
    #[schema(format = "uuid")]
    pub menu_item_id: String,
    /// Its name.
    pub name: String,
    /// One piece with its toppings.
    pub unit_price: Money,
    /// All pieces.
    pub line_total: Money,
}

/// What an id stands for.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubjectKind {
    /// A dish or drink.
    Item,
    /// An extra.
    Topping,
}

impl Problem {
    /// A stable "no".
    pub fn rejected(rejection: &Rejection, lang: Lang) -> Self {
        let mut details = Details::default();
        match rejection {
            Rejection::SoldOut { shortages } => {
                details.shortages = Some(shortages.iter().map(|s| ShortItem::render(s, lang)).collect());
            }
            Rejection::ItemUnavailable { items } => {
                details.items = Some(items.iter().map(|i| UnavailableItem::render(i, lang)).collect());
            }
            Rejection::PriceChanged {
                expected,
                actual,
                lines,
            } => {
                let render = |line| CurrentLine::render(line, actual.currency, lang);
                details.expected_total = Some((*expected).into());
                details.actual_total = Some((*actual).into());
                details.lines = Some(lines.iter().map(render).collect());
            }
            Rejection::SessionClosed | Rejection::Withdrawn => {}
        }
        let detail = messages::rejection(rejection, lang);
        Self::new(rejection.code(), lang, detail, None, details)
    }

    /// "Not now" or "not like this".
    pub fn conflict(conflict: &Conflict, lang: Lang) -> Self {
        let mut details = Details::default();
        match conflict {
            Conflict::KeyReused(fields) => details.fields = Some(fields.clone()),
            Conflict::CheckoutAlreadyPlaced(order) => details.order_id = order.map(|id| id.to_string()),
            Conflict::PossibleDuplicate { earlier, age_ms } => {
                details.order_id = Some(earlier.to_string());
                details.age_ms = Some(*age_ms);
            }
            Conflict::DuplicatePayload
            | Conflict::InProgress
            | Conflict::Burst { .. }
            | Conflict::Cooldown { .. }
            | Conflict::OrderingPaused
            | Conflict::SessionBusy => {}
        }
        let detail = messages::conflict(conflict, lang);
        Self::new(conflict.code(), lang, detail, conflict.retry_after_ms(), details)
    }

    /// A use case refused it.
    pub fn refused(refusal: &Refusal, lang: Lang) -> Self {
        let path = match refusal {
            Refusal::Input(error) => Some(error.path.clone()),
            _ => None,
        };
        let details = Details {
            path,
            ..Details::default()
        };
        let code = refusal.code();
        Self::new(
            code,
            lang,
            error::text(refusal, lang),
            refusal.retry_after_ms(),
            details,
        )
    }

    /// HTTP itself has a status for what is wrong with the request.
    pub fn unread(refused: Refused, lang: Lang) -> Self {
        let details = Details::default();
        let problem = Self::new(refused.code, lang, refused.message, refused.retry_after_ms, details);
        Self {
            status: refused.status.as_u16(),
            ..problem
        }
    }

    /// A fault of ours.
    pub fn fault(lang: Lang) -> Self {
        Self::refused(&Refusal::Internal, lang)
    }

    /// The same, of this key's placement.
    pub fn about(self, request: RequestId) -> Self {
        Self {
            instance: Some(address(request)),
            ..self
        }
    }

    fn new(code: Code, lang: Lang, detail: String, retry_after_ms: Option<i64>, details: Details) -> Self {
        Self {
            kind: format!("/openapi.json#/components/examples/{code}"),
            title: messages::sentence(code, lang).to_owned(),
            status: code.status(),
            detail,
            instance: None,
            code,
            retryable: code.retryable(),
            retry_after_ms,
            retry_with_new_request_id: code.retry_with_new_request_id(),
            details,
        }
    }

    /// Writes the answer.
    pub fn respond(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA));
        refused::dress(&mut response, self.retry_after_ms);
        response
    }
}

impl ShortItem {
    fn render(shortage: &Shortage, lang: Lang) -> Self {
        Self {
            kind: shortage.subject.into(),
            id: shortage.subject.id().to_string(),
            name: shortage.name.get(lang).to_owned(),
            requested: shortage.requested,
            left: shortage.left,
        }
    }
}

impl UnavailableItem {
    fn render(item: &Named, lang: Lang) -> Self {
        Self {
            kind: item.subject.into(),
            id: item.subject.id().to_string(),
            name: item.name.get(lang).to_owned(),
        }
    }
}

impl CurrentLine {
    fn render(line: &CurrentPrice, currency: Currency, lang: Lang) -> Self {
        Self {
            line: line.line,
            menu_item_id: line.item.to_string(),
            name: line.name.get(lang).to_owned(),
            unit_price: Money::new(line.unit_price_minor, currency),
            line_total: Money::new(line.line_total_minor, currency),
        }
    }
}

impl From<Subject> for SubjectKind {
    fn from(subject: Subject) -> Self {
        match subject {
            Subject::Item(_) => Self::Item,
            Subject::Topping(_) => Self::Topping,
        }
    }
}

/// There is nothing at this path.
pub async fn nothing_here(request: HeaderMap) -> Response {
    Problem::refused(&Refusal::NotFound("operation"), headers::lang(&request)).respond()
}

/// Another method. Which ones fit is said by the `Allow` header, which the router adds.
pub async fn method_not_allowed(request: HeaderMap) -> Response {
    let refused = Refused::new(StatusCode::METHOD_NOT_ALLOWED, "the Allow header names the method");
    Problem::unread(refused, headers::lang(&request)).respond()
}

/// The answer to a request whose handler panicked.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    refused::log(&*panic);
    Problem::fault(Lang::default()).respond()
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
