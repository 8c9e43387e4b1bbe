//! Table sessions.

use crate::graphql::caller::Caller;
use crate::graphql::scalar::DateTime;
use crate::principal::Role;
use crate::tables;
use async_graphql::{Context, Description, ID, Object};

/// One party at one table.
#[derive(Description)]
pub struct TableSession(pub tables::TableSession);

#[Object(use_type_description)]
impl TableSession {
    /// Its id, as in the `X-Session-Id` header.
    async fn id(&self) -> ID {
        self.0.id.into()
    }

    /// The table's label.
    async fn table(&self) -> &str {
        &self.0.table
    }

    /// The 4 digits of the `X-Session-PIN` header, for staff and for who sits there; null for everybody else.
    async fn pin(&self, ctx: &Context<'_>) -> Option<&str> {
        let shown = Caller::of(ctx).principal().is_ok_and(|principal| match principal.role {
            Role::Staff(_) => true,
            Role::Guest(own) => own == self.0.id,
            Role::Integrator(_) => false,
        });
        shown.then_some(&self.0.pin)
    }

    /// The party has not paid yet.
    async fn open(&self) -> bool {
        self.0.closed_at_ms.is_none()
    }

    /// When the party sat down.
    async fn opened_at(&self) -> DateTime {
        DateTime(self.0.opened_at_ms)
    }

    /// When the party paid.
    async fn closed_at(&self) -> Option<DateTime> {
        self.0.closed_at_ms.map(DateTime)
    }
}
