//! What a socket may run: subscriptions, a few at a time, within the limits of a document.

use crate::graphql::caller::Caller;
use crate::graphql::limits::{self, Exceeded};
use crate::graphql::{Schema, error, tokens};
use crate::lang::Lang;
use crate::metrics::Live;
use async_graphql::{Data, Executor, Request, Response, ServerError};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::any::TypeId;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Subscriptions of one socket: a page needs one or two.
pub const MAX_SUBSCRIPTIONS: usize = 8;

/// Runs the subscriptions of one socket.
#[derive(Clone)]
pub struct Watcher {
    schema: Schema,
    places: Arc<Semaphore>,
    metrics: Live,
}

impl Watcher {
    /// For a socket.
    pub fn new(schema: Schema, metrics: Live) -> Self {
        Self {
            schema,
            places: Arc::new(Semaphore::new(MAX_SUBSCRIPTIONS)),
            metrics,
        }
    }

    fn check(&self, request: &mut Request) -> Result<OwnedSemaphorePermit, ServerError> {
        let exceeded = |e: Exceeded| ServerError::new(e.0, None);
        tokens::check(&request.query).map_err(exceeded)?;
        limits::check_watching(request.parsed_query()?).map_err(exceeded)?;
        self.places.clone().try_acquire_owned().map_err(|_| {
            ServerError::new(
                format!("a socket carries at most {MAX_SUBSCRIPTIONS} subscriptions"),
                None,
            )
        })
    }
}

impl Executor for Watcher {
    /// Nothing but subscriptions runs over a socket.
    fn execute(&self, _request: Request) -> impl Future<Output = Response> + Send {
        std::future::ready(Response::from_errors(vec![ServerError::new(
            "only subscriptions are served over the socket",
            None,
        )]))
    }

    fn execute_stream(&self, mut request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let lang = data.as_deref().map_or_else(Lang::default, lang);
        let dressed = move |response| error::complete(response, lang).response;
        match self.check(&mut request) {
            Err(refused) => stream::once(async move { dressed(Response::from_errors(vec![refused])) }).boxed(),
            Ok(place) => {
                let taken = (place, self.metrics.subscription());
                self.schema
                    .execute_stream_with_session_data(request, data.unwrap_or_default())
                    .map(move |response| {
                        // the place is taken for as long as the stream lives
                        let _taken = &taken;
                        dressed(response)
                    })
                    .boxed()
            }
        }
    }
}

fn lang(data: &Data) -> Lang {
    data.get(&TypeId::of::<Caller>())
        .and_then(|caller| caller.downcast_ref::<Caller>())
        .map_or_else(Lang::default, |caller| caller.lang)
}
