//! API keys of staff and integrators. A secret is shown once and stored as its SHA-256.

/// Making and revoking keys.
pub mod keys;

use crate::app::App;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::store;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use masterorder_protocol::ids::{KeyId, TenantId};
use sha2::{Digest, Sha256};

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum KeyKind {
    /// Cooks and waiters.
    Staff,
    /// Third parties.
    Integrator,
}

impl KeyKind {
    /// As stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Staff => "STAFF",
            Self::Integrator => "INTEGRATOR",
        }
    }
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its public id.
    pub id: KeyId,
    /// Its account.
    pub tenant: TenantId,
    /// What it may do.
    pub kind: KeyKind,
    /// Whom it is for.
    pub name: String,
    /// The first characters of the secret.
    pub hint: String,
    /// *Units*: ms since the Unix epoch.
    pub created_at_ms: i64,
    /// *Units*: ms since the Unix epoch; `None` while valid.
    pub revoked_at_ms: Option<i64>,
}

/// A fresh secret. *Shape*: `mo_live_` or `mo_test_` and 32 characters of 192 random bits.
pub struct Secret(pub String);

impl Secret {
    /// Makes one. A test key belongs to a tenant that is marked as a test.
    pub fn generate(is_test: bool) -> Self {
        let bytes: [u8; 24] = rand::random();
        let prefix = if is_test { "mo_test_" } else { "mo_live_" };
        Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// What is stored of it.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// What a list shows of it.
    pub fn hint(&self) -> String {
        self.0.chars().take(12).collect()
    }
}

/// Finds the principal that a bearer token stands for.
///
/// *Errors*: one and the same for an unknown and a revoked key.
pub async fn bearer(app: &App, token: &str, client: Option<&str>) -> Result<Principal, Refusal> {
    let refused = Refusal::Unauthenticated("Authorization must be Bearer with a valid API key");
    let hash = Secret(token.to_owned()).sha256();
    let key = store::keys::find_valid(&app.db, &hash).await?.ok_or(refused)?;
    let role = match key.kind {
        KeyKind::Staff => Role::Staff(key.id),
        KeyKind::Integrator => Role::Integrator(key.id),
    };
    let device = match client {
        Some(client) => format!("key:{}/{client}", key.id),
        None => format!("key:{}", key.id),
    };
    Ok(Principal {
        tenant: key.tenant,
        role,
        device,
    })
}
