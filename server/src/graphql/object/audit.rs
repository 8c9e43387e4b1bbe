//! The audit trail.

use crate::audit::Entry;
use crate::graphql::scalar::{DateTime, Uuid};
use async_graphql::{Description, ID, Object};

/// Who asked what under which key, and what became of it.
#[derive(Description)]
pub struct AuditEntry(pub Entry);

#[Object(use_type_description)]
impl AuditEntry {
    /// When.
    async fn at(&self) -> DateTime {
        DateTime(self.0.at_ms)
    }

    /// The use case, as in `placeOrder`.
    async fn action(&self) -> &str {
        &self.0.action
    }

    /// What became of it: a code, or a word like `PLACED` or `REPLAYED_KEY`.
    async fn result(&self) -> &str {
        &self.0.result
    }

    /// The table session or API key that asked.
    async fn caller(&self) -> &str {
        &self.0.caller
    }

    /// The device that asked.
    async fn device(&self) -> &str {
        &self.0.device
    }

    /// The key that it came under.
    async fn request_id(&self) -> Option<Uuid> {
        self.0.request.map(|request| request.as_uuid().into())
    }

    /// The party that it was about.
    async fn table_session_id(&self) -> Option<ID> {
        self.0.table_session.map(ID::from)
    }

    /// The order that it was about.
    async fn order_id(&self) -> Option<ID> {
        self.0.order.map(ID::from)
    }
}
