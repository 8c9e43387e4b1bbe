//! One request, from its body to its answer.

use super::caller::Caller;
use super::documents::Documents;
use super::limits::Exceeded;
use super::{Schema, error};
use async_graphql::{Request, Response};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Data and errors, with the headers that resolvers asked for.
    pub response: Response,
    /// The operation ran; otherwise the document or its variables did not fit and there is no `data`.
    pub ran: bool,
    /// When to come back. *Units*: ms.
    pub retry_after_ms: Option<i64>,
}

/// Checks a document and runs it.
///
/// *Errors*: it asks for more than anybody may; nothing ran.
pub async fn run(
    schema: &Schema,
    documents: &Documents,
    mut request: Request,
    caller: Caller,
) -> Result<Reply, Exceeded> {
    let lang = caller.lang;
    documents.parse(&mut request)?;
    let response = schema.execute(request.data(caller)).await;
    Ok(error::complete(response, lang))
}
