//! The description of this door, made from the types that it reads and writes.

use super::super::refused::Refused;
use super::order::{self, Placed};
use super::problem::{MEDIA, Problem};
use super::{input, samples, status};
use crate::lang::Lang;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use masterorder_protocol::codes::{Code, Kind};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, ContentBuilder, Header, ObjectBuilder, Ref, RefOr, ResponseBuilder, Schema, Type};
use utoipa::{IntoResponses, Modify, OpenApi};

/// The description, as it is served.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "MasterOrder",
        description = "The REST door: one operation that places an order exactly once, and one that tells what became of it. \
            Everything else is GraphQL, at /graphql.",
    ),
    servers((url = "/")),
    paths(order::place, status::find, serve),
    components(schemas(input::OrderInput, Placed, status::PlacementStatus, Problem)),
    modifiers(&Security, &Examples),
)]
pub struct Description;

static JSON: LazyLock<Bytes> = LazyLock::new(|| Description::openapi().to_pretty_json().unwrap_or_default().into());

/// This description.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    responses((status = 200, description = "This description.", body = Object, content_type = "application/json")),
    security(()),
)]
pub async fn serve() -> Response {
    let headers = [
        (CONTENT_TYPE, super::JSON),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, JSON.clone()).into_response()
}

/// What placing may be refused with.
pub struct PlacingProblems;

/// What asking may be refused with.
pub struct AskingProblems;

impl IntoResponses for PlacingProblems {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let mut codes: Vec<Code> = Code::ALL
            .iter()
            .copied()
            .filter(|c| c.kind() != Kind::Failure)
            .collect();
        codes.extend(FAILURES);
        let mut responses = by_status(&codes);
        for (status, description) in [
            (StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
            (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 64 KiB"),
            (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the content type is not application/json in UTF-8",
            ),
        ] {
            let problem = Problem::unread(Refused::new(status, description), Lang::En);
            let content = ContentBuilder::new()
                .schema(Some(reference()))
                .example(serde_json::to_value(problem).ok());
            let response = ResponseBuilder::new()
                .description(description)
                .content(MEDIA, content.build());
            responses.insert(status.as_str().to_owned(), response.build().into());
        }
        responses
    }
}

impl IntoResponses for AskingProblems {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        by_status(&FAILURES)
    }
}

/// What both operations may end in.
const FAILURES: [Code; 5] = [
    Code::BadUserInput,
    Code::RateLimited,
    Code::Unauthenticated,
    Code::Unavailable,
    Code::Internal,
];

fn by_status(codes: &[Code]) -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
    let mut grouped: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        grouped.entry(code.status()).or_default().push(*code);
    }
    let responses = grouped.into_iter();
    responses
        .map(|(status, codes)| (status.to_string(), refusal(&codes).into()))
        .collect()
}

fn refusal(codes: &[Code]) -> utoipa::openapi::Response {
    let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let examples = names.iter().map(|name| {
        let example = Ref::new(format!("#/components/examples/{name}"));
        (*name, RefOr::<utoipa::openapi::example::Example>::Ref(example))
    });
    let content = ContentBuilder::new()
        .schema(Some(reference()))
        .examples_from_iter(examples)
        .build();
    let mut response = ResponseBuilder::new()
        .description(names.join(", "))
        .content(MEDIA, content);
    if codes
        .iter()
        .any(|code| samples::problem(*code).retry_after_ms.is_some())
    {
        response = response.header(
            "Retry-After",
            header(Type::Integer, "Whole seconds, where waiting helps."),
        );
    }
    if codes.iter().any(|code| code.kind() == Kind::Rejection) {
        let description = "`true` if the answer was given before; else it is not there.";
        response = response.header("X-MasterOrder-Idempotent-Replay", header(Type::String, description));
    }
    if codes.contains(&Code::Unauthenticated) {
        response = response.header("WWW-Authenticate", header(Type::String, "`Bearer`."));
    }
    response.build()
}

fn reference() -> Ref {
    Ref::from_schema_name("Problem")
}

fn header(of: Type, description: &str) -> Header {
    let mut header = Header::new(ObjectBuilder::new().schema_type(of));
    header.description = Some(description.to_owned());
    header
}

/// Who asks.
struct Security;

impl Modify for Security {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let components = description.components.get_or_insert_with(Components::new);
        let guest =
            |name: &str, text: &str| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, text)));
        for (name, scheme) in [
            (
                "tableSession",
                guest("X-Session-Id", "A guest's table session: a UUID."),
            ),
            ("tablePin", guest("X-Session-PIN", "Its PIN: 4 digits.")),
            (
                "device",
                guest(
                    "X-MasterOrder-Client-Id",
                    "One device: guest-<uuid>, made once and kept.",
                ),
            ),
            (
                "apiKey",
                SecurityScheme::Http(
                    HttpBuilder::new()
                        .scheme(HttpAuthScheme::Bearer)
                        .bearer_format("mo_live_… or mo_test_…")
                        .description(Some("Staff and integrators."))
                        .build(),
                ),
            ),
        ] {
            components.add_security_scheme(name, scheme);
        }
    }
}

/// One problem per code: where the `type` of a real one leads to.
struct Examples;

impl Modify for Examples {
    fn modify(&self, description: &mut utoipa::openapi::OpenApi) {
        let components = description.components.get_or_insert_with(Components::new);
        for code in Code::ALL {
            let problem = samples::problem(*code);
            let example = ExampleBuilder::new()
                .summary(problem.title.clone())
                .value(serde_json::to_value(&problem).ok());
            components.examples.insert(code.to_string(), example.build().into());
        }
    }
}

/// The schema of a problem's code: every one there is.
pub fn any_code() -> Schema {
    one_of(Code::ALL.iter().copied(), "Why.")
}

/// The schema of the code of what was refused for good.
pub fn rejection() -> Schema {
    let rejections = Code::ALL.iter().copied().filter(|code| code.kind() == Kind::Rejection);
    one_of(rejections, "Why it was refused.")
}

fn one_of(codes: impl Iterator<Item = Code>, description: &str) -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes.map(Code::as_str)))
        .description(Some(description))
        .into()
}

#[cfg(test)]
#[path = "openapi_tests.rs"]
mod tests;
