//! Watching. Every feed begins with a snapshot and goes on with what changed; whoever reconnects begins anew.

/// What a socket may run.
pub mod executor;

use super::caller::Caller;
use super::object::kitchen::KitchenTicket;
use super::object::order::Order;
use crate::kitchen;
use crate::kitchen::BoardTicket;
use crate::live::feed::{Feed, News, Row};
use crate::ordering::command::{InputError, parse_uuid};
use crate::ordering::history;
use crate::principal::Role;
use crate::refusal::Refusal;
use async_graphql::{Context, Description, ID, Object, Subscription as GraphqlSubscription};
use futures_util::stream::{self, Stream};
use masterorder_protocol::ids::TableSessionId;
use std::sync::Arc;

/// Watching, over `/graphql/ws`.
#[derive(Description)]
pub struct Subscription;

#[GraphqlSubscription(use_type_description)]
impl Subscription {
    /// The kitchen's board: tickets that are not finished, and those that were finished within the last ten minutes. Staff
    /// only.
    async fn kitchen(&self, ctx: &Context<'_>) -> Result<impl Stream<Item = KitchenNews>, Refusal> {
        let caller = Caller::of(ctx);
        let feed = kitchen::watch(&caller.app, caller.principal()?)?;
        Ok(news(feed, KitchenNews))
    }

    /// The orders of a table session, newest first; a guest's own if no id is given.
    async fn table_session_orders(
        &self,
        ctx: &Context<'_>,
        table_session_id: Option<ID>,
    ) -> Result<impl Stream<Item = OrderNews>, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let session = match (table_session_id, principal.role) {
            (Some(id), _) => TableSessionId(parse_uuid("tableSessionId", &id)?),
            (None, Role::Guest(own)) => own,
            (None, _) => return Err(InputError::new("tableSessionId", "is required of staff and integrators").into()),
        };
        let feed = history::watch(&caller.app, principal, session).await?;
        Ok(news(feed, OrderNews))
    }
}

fn news<T: Row, N>(feed: Feed<T>, view: fn(News<T>) -> N) -> impl Stream<Item = N> {
    stream::unfold(feed, move |mut feed| async move {
        let news = feed.next().await?;
        Some((view(news), feed))
    })
}

/// What is new on the kitchen's board.
#[derive(Description)]
pub struct KitchenNews(News<BoardTicket>);

#[Object(use_type_description)]
impl KitchenNews {
    /// `tickets` is the whole board: forget what was shown before.
    async fn snapshot(&self) -> bool {
        self.0.snapshot
    }

    /// New and changed tickets, oldest first. Whoever keeps the highest `version` of each is never wrong.
    async fn tickets(&self) -> Vec<KitchenTicket<'_>> {
        self.0.rows.iter().cloned().map(KitchenTicket::from).collect()
    }

    /// Tickets that are no longer on the board.
    async fn removed(&self) -> Vec<ID> {
        self.0.removed.iter().map(|id| id.into()).collect()
    }
}

/// What is new at a table.
#[derive(Description)]
pub struct OrderNews(News<history::Order>);

#[Object(use_type_description)]
impl OrderNews {
    /// `orders` is everything: forget what was shown before.
    async fn snapshot(&self) -> bool {
        self.0.snapshot
    }

    /// New and changed orders, newest first.
    async fn orders(&self) -> Vec<Order> {
        self.0
            .rows
            .iter()
            .cloned()
            .map(|order| Order(Arc::new(order)))
            .collect()
    }

    /// Orders that are no longer shown.
    async fn removed(&self) -> Vec<ID> {
        self.0.removed.iter().map(|id| id.into()).collect()
    }
}
