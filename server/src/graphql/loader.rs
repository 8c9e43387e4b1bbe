//! Orders, read in batches: a list of tickets asks for its orders in one statement.

use crate::app::App;
use crate::ordering::history::{self, Order};
use crate::principal::Principal;
use crate::refusal::Refusal;
use async_graphql::dataloader::Loader;
use masterorder_protocol::ids::OrderId;
use std::collections::HashMap;
use std::sync::Arc;

/// Reads orders for one caller. It batches and does not remember: a mutation later in the same document may have changed
/// what an earlier one read.
pub struct OrderLoader {
    /// The use cases' world.
    pub app: Arc<App>,
    /// For whom.
    pub principal: Arc<Principal>,
}

impl Loader<OrderId> for OrderLoader {
    type Value = Arc<Order>;
    type Error = Refusal;

    async fn load(&self, ids: &[OrderId]) -> Result<HashMap<OrderId, Arc<Order>>, Refusal> {
        let orders = history::find(&self.app, &self.principal, ids).await?;
        Ok(orders
            .into_iter()
            .map(|order| (order.receipt.order_id, Arc::new(order)))
            .collect())
    }
}
