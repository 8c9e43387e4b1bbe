//! The shop.

use super::int;
use super::language::{Language, render};
use crate::catalog;
use async_graphql::{Context, Description, ID, Object};

/// A shop.
#[derive(Description)]
pub struct Shop(pub catalog::Shop);

#[Object(use_type_description)]
impl Shop {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.0.name, ctx, lang)
    }

    /// The currency of every price, ISO 4217.
    async fn currency(&self) -> &str {
        self.0.currency.as_str()
    }

    /// Its time zone, IANA.
    async fn time_zone(&self) -> &str {
        &self.0.time_zone
    }

    /// When its business day begins, in minutes after midnight in its time zone.
    async fn business_day_starts_min(&self) -> i32 {
        int(self.0.business_day_starts_min)
    }

    /// It takes orders now. Who orders while it does not is told `ORDERING_PAUSED`.
    async fn takes_orders(&self) -> bool {
        self.0.takes_orders
    }

    /// How it takes orders.
    async fn ordering_policy(&self) -> OrderingPolicy {
        OrderingPolicy(self.0.policy)
    }
}

/// How a shop takes orders. All times are in milliseconds.
#[derive(Description)]
pub struct OrderingPolicy(catalog::OrderingPolicy);

#[Object(use_type_description)]
impl OrderingPolicy {
    /// How long equal content of one table session counts as a possible duplicate.
    async fn content_window_ms(&self) -> i32 {
        int(self.0.content_window_ms)
    }

    /// Between two orders of one device.
    async fn cooldown_ms(&self) -> i32 {
        int(self.0.cooldown_ms)
    }

    /// Between two orders of one table session.
    async fn burst_ms(&self) -> i32 {
        int(self.0.burst_ms)
    }

    /// How long a request waits for the one before it.
    async fn wait_bound_ms(&self) -> i32 {
        int(self.0.wait_bound_ms)
    }

    /// How long the outcome of a `requestId` is kept.
    async fn retention_ms(&self) -> i32 {
        int(self.0.retention_ms)
    }

    /// How long a worker owns a placement that outlasts one transaction.
    async fn lease_ms(&self) -> i32 {
        int(self.0.lease_ms)
    }
}
