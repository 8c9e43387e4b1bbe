//! API keys.

use crate::graphql::scalar::DateTime;
use crate::staff;
use async_graphql::{Description, Enum, ID, Object};

/// An API key. Its secret is shown once, when it is made.
#[derive(Description)]
pub struct ApiKey(pub staff::ApiKey);

/// What an API key may do.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "staff::KeyKind")]
pub enum ApiKeyKind {
    /// Cooks and waiters.
    Staff,
    /// Third parties.
    Integrator,
}

#[Object(use_type_description)]
impl ApiKey {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.into()
    }

    /// What it may do.
    async fn kind(&self) -> ApiKeyKind {
        self.0.kind.into()
    }

    /// Whom it is for.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The first characters of the secret.
    async fn hint(&self) -> &str {
        &self.0.hint
    }

    /// When it was made.
    async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at_ms)
    }

    /// When it was revoked.
    async fn revoked_at(&self) -> Option<DateTime> {
        self.0.revoked_at_ms.map(DateTime)
    }
}
