//! The GraphQL endpoint, after the GraphQL-over-HTTP draft. Only POST: a mutation must never be a link that somebody can
//! be made to follow. The request's content type keeps other sites out, too: a browser asks before it sends JSON there.

use super::limiter::Limiter;
use super::media::Media;
use super::peer::Peer;
use super::principal::authenticate;
use super::refused::{Refused, retry_after};
use super::socket::MAX_SOCKETS;
use super::{body, headers};
use crate::app::App;
use crate::graphql::caller::Caller;
use crate::graphql::documents::Documents;
use crate::graphql::engine::{self, Reply};
use crate::graphql::error::Errors;
use crate::graphql::{Schema, request};
use crate::refusal::Refusal;
use axum::body::Bytes;
use axum::extract::{FromRef, Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What the handlers share.
#[derive(Clone)]
pub struct Door {
    /// The use cases' world.
    pub app: Arc<App>,
    /// The schema.
    pub schema: Schema,
    /// Documents that were parsed before.
    pub documents: Arc<Documents>,
    /// Pages that may call from a browser.
    pub allowed_origins: Arc<[String]>,
    /// Places for sockets.
    pub sockets: Arc<Semaphore>,
    /// How many requests one caller may send.
    pub limiter: Arc<Limiter>,
    sdl: Bytes,
}

impl Door {
    /// Builds the schema.
    pub fn new(app: Arc<App>, allowed_origins: &[String]) -> Self {
        Self {
            limiter: Arc::new(Limiter::new(app.settings.rate_limits)),
            app,
            schema: crate::graphql::schema(),
            documents: Arc::default(),
            allowed_origins: allowed_origins.into(),
            sockets: Arc::new(Semaphore::new(MAX_SOCKETS)),
            sdl: crate::graphql::sdl().into(),
        }
    }
}

impl FromRef<Door> for Arc<App> {
    fn from_ref(door: &Door) -> Self {
        door.app.clone()
    }
}

/// Runs one operation.
pub async fn execute(State(door): State<Door>, peer: Peer, request: Request) -> Response {
    let Some(media) = Media::accepted(request.headers()) else {
        let offered = "the answer is application/graphql-response+json or application/json";
        return Refused::new(StatusCode::NOT_ACCEPTABLE, offered).respond(Media::Json);
    };
    let ran = run(&door, peer, request).await.and_then(|reply| respond(&reply, media));
    ran.unwrap_or_else(|refused| refused.respond(media))
}

/// Anything but POST, the playground aside.
pub async fn method_not_allowed() -> Response {
    let mut response = Refused::new(StatusCode::METHOD_NOT_ALLOWED, "send operations by POST").respond(Media::Json);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    response
}

/// The schema in SDL.
pub async fn schema(State(door): State<Door>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], door.sdl)
}

async fn run(door: &Door, peer: Peer, request: Request) -> Result<Reply, Refused> {
    let headers = request.headers().clone();
    let lang = headers::lang(&headers);
    let because = |refusal: Refusal| Refused::because(&refusal, lang);
    let body = body::json(request).await?;
    let request = request::parse(&body).map_err(|error| because(error.into()))?;
    let principal = authenticate(door, &headers, peer).await.map_err(because)?;
    let caller = Caller::new(door.app.clone(), principal, lang, headers::idempotency_key(&headers));
    engine::run(&door.schema, &door.documents, request, caller)
        .await
        .map_err(|exceeded| Refused::new(StatusCode::BAD_REQUEST, exceeded.0))
}

fn respond(reply: &Reply, media: Media) -> Result<Response, Refused> {
    let body = if reply.ran {
        serde_json::to_vec(&reply.response)
    } else {
        serde_json::to_vec(&Errors {
            errors: &reply.response.errors,
        })
    };
    let body = body.map_err(|error| {
        tracing::error!(error = %error, "an answer could not be written");
        Refused::because(&Refusal::Internal, crate::lang::Lang::default())
    })?;
    let status = match (reply.ran, media) {
        (true, _) | (false, Media::Json) => StatusCode::OK,
        (false, Media::GraphqlResponse) => StatusCode::BAD_REQUEST,
    };
    let mut headers: HeaderMap = reply.response.http_headers.clone();
    headers.insert(CONTENT_TYPE, media.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(after_ms) = reply.retry_after_ms {
        headers.insert(RETRY_AFTER, retry_after(after_ms));
    }
    Ok((status, headers, body).into_response())
}
