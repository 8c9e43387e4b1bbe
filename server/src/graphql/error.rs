//! Errors as they leave the house: every one carries `extensions { code status retryable retryAfterMs }`.
//!
//! Resolvers return a use case's `Refusal` as it is; what comes without one is async-graphql's own complaint about a
//! document, or a fault of ours.

use super::engine::Reply;
use super::messages;
use super::scalar;
use crate::lang::Lang;
use crate::refusal::Refusal;
use async_graphql::{ErrorExtensionValues, PathSegment, Response, ServerError, Value};
use masterorder_protocol::codes::Code;
use serde::Serialize;

/// Complaints about one document. Whoever has more of them reads the first ones first.
const MAX_COMPLAINTS: usize = 20;

/// Gives every error its code, and the response its form.
pub fn complete(mut response: Response, lang: Lang) -> Reply {
    // an operation that ran has data, or an error with a cause of our own
    let ran = response.errors.is_empty()
        || response.data != Value::Null
        || response.errors.iter().any(|error| error.source.is_some());
    if ran {
        settle_data(&mut response);
    } else {
        response.errors.truncate(MAX_COMPLAINTS);
    }
    let mut retry_after_ms = None;
    for error in &mut response.errors {
        if !ran {
            // there is no data that it could point into
            error.path.clear();
        }
        retry_after_ms = dress(error, lang).or(retry_after_ms);
    }
    Reply {
        response,
        ran,
        retry_after_ms,
    }
}

/// The text of a refusal.
pub fn text(refusal: &Refusal, lang: Lang) -> String {
    match refusal {
        Refusal::Input(error) => error.to_string(),
        Refusal::Unauthenticated(detail) | Refusal::Forbidden(detail) => (*detail).to_owned(),
        Refusal::NotFound(what) => format!("{what} not found"),
        Refusal::RateLimited(_) | Refusal::Unavailable | Refusal::Internal => {
            messages::sentence(refusal.code(), lang).to_owned()
        }
    }
}

/// An answer without `data`, as the specification asks for when nothing ran.
#[derive(Serialize)]
pub struct Errors<'e> {
    /// At least one.
    pub errors: &'e [ServerError],
}

/// The error of a request that was refused before GraphQL saw it. `status` is the code's own unless HTTP knows a closer
/// one. *Units*: ms.
pub fn refused(message: impl Into<String>, code: Code, status: u16, retry_after_ms: Option<i64>) -> ServerError {
    let mut error = ServerError::new(message, None);
    error.extensions = Some(extensions(code, status, retry_after_ms));
    error
}

fn extensions(code: Code, status: u16, retry_after_ms: Option<i64>) -> ErrorExtensionValues {
    let mut extensions = ErrorExtensionValues::default();
    extensions.set("code", code.as_str());
    extensions.set("status", status);
    extensions.set("retryable", code.retryable());
    extensions.set("retryAfterMs", retry_after_ms);
    extensions
}

/// Answers when to come back. *Units*: ms.
fn dress(error: &mut ServerError, lang: Lang) -> Option<i64> {
    let mut retry_after_ms = None;
    let code = if let Some(refusal) = error.source::<Refusal>() {
        let (code, message) = (refusal.code(), text(refusal, lang));
        retry_after_ms = refusal.retry_after_ms();
        error.message = message;
        code
    } else if error.source.is_some() {
        tracing::error!(error = %error.message, "a resolver failed with an error that is no refusal");
        messages::sentence(Code::Internal, lang).clone_into(&mut error.message);
        Code::Internal
    } else {
        clarify(&mut error.message);
        Code::BadUserInput
    };
    error.extensions = Some(extensions(code, code.status(), retry_after_ms));
    retry_after_ms
}

/// Makes the better of async-graphql's words: a syntax error comes as a drawing of the whole line, a scalar that does not
/// fit without a word on what would.
fn clarify(message: &mut String) {
    if message.starts_with(" --> ")
        && let Some((_, expected)) = message.rsplit_once("= ")
    {
        *message = format!("the document is not GraphQL: {expected}");
    } else if let Some(shape) = scalar::expected_shape(message) {
        message.push_str(": ");
        message.push_str(shape);
    }
}

/// Gives `data` the form that the specification asks for, where async-graphql leaves it short: an object even if every
/// field was skipped, and `null` if a field of the root that can not be null failed (async-graphql leaves such a field
/// out; below the root every field that can fail is nullable).
fn settle_data(response: &mut Response) {
    match &response.data {
        Value::Null if response.errors.is_empty() => response.data = Value::Object(Default::default()),
        Value::Object(fields) => {
            let missing = response.errors.iter().any(|error| {
                matches!(error.path.first(), Some(PathSegment::Field(name)) if !fields.contains_key(name.as_str()))
            });
            if missing {
                response.data = Value::Null;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
