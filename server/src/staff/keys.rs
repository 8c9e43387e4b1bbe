//! Making and revoking keys. Every request looks its key up: a revoked one is refused from the next request on.

use super::{ApiKey, KeyKind, Secret};
use crate::app::App;
use crate::audit::Entry;
use crate::ordering::command::InputError;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use masterorder_protocol::ids::{KeyId, TenantId};

/// Characters of a key's name.
const MAX_NAME: usize = 100;

/// A key that was just made.
pub struct Created {
    /// As it is listed.
    pub key: ApiKey,
    /// Shown now and never again.
    pub secret: Secret,
}

/// What revoking came to.
pub struct Revoked {
    /// As it is listed.
    pub key: ApiKey,
    /// It was revoked by this call; a second call changes nothing.
    pub changed: bool,
}

/// Makes a key for the caller's shop. Staff only.
///
/// *Errors*: a name that is empty or longer than 100 characters.
pub async fn create(app: &App, principal: &Principal, kind: KeyKind, name: &str) -> Result<Created, Refusal> {
    principal.staff_only("keys are made with staff keys")?;
    check_name(name)?;
    Ok(issue(app, principal.tenant, kind, name, Some(principal)).await?)
}

/// Checks a key's name.
///
/// *Errors*: empty, longer than 100 characters, or with control characters.
pub fn check_name(name: &str) -> Result<(), InputError> {
    let fits = (1..=MAX_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    fits.then_some(())
        .ok_or_else(|| InputError::new("name", format!("must be 1 to {MAX_NAME} printable characters")))
}

/// Makes a key without asking who wants it; `by` goes into the audit trail.
pub async fn issue(
    app: &App,
    tenant: TenantId,
    kind: KeyKind,
    name: &str,
    by: Option<&Principal>,
) -> Result<Created, Failure> {
    let secret = Secret::generate(store::keys::is_test(&app.db, tenant).await?);
    let id = KeyId(app.new_id());
    store::txn::write(&app.db, Priority::Request, async |txn| {
        let now_ms = txn.now_ms().await?;
        let key = ApiKey {
            id,
            tenant,
            kind,
            name: name.to_owned(),
            hint: secret.hint(),
            created_at_ms: now_ms,
            revoked_at_ms: None,
        };
        store::keys::insert(txn, &key, &secret).await?;
        if let Some(by) = by {
            store::audit::append(txn, &[Entry::by(by, "createKey", kind.as_str(), now_ms)]).await?;
        }
        Ok(key)
    })
    .await
    .map(|key| Created { key, secret })
}

/// Revokes a key of the caller's shop for good, also the one that asks. Staff only.
pub async fn revoke(app: &App, principal: &Principal, id: KeyId) -> Result<Revoked, Refusal> {
    principal.staff_only("keys are revoked with staff keys")?;
    let (db, by) = (app.db.clone(), principal.clone());
    let revoked = app
        .detach(async move {
            store::txn::write(&db, Priority::Request, async |txn| {
                let Some(key) = store::keys::find(txn, by.tenant, id).await? else {
                    return Ok(None);
                };
                let now_ms = txn.now_ms().await?;
                let changed = store::keys::revoke(txn, id, now_ms).await?;
                if changed {
                    store::audit::append(txn, &[Entry::by(&by, "revokeKey", key.kind.as_str(), now_ms)]).await?;
                }
                let revoked_at_ms = key.revoked_at_ms.or(Some(now_ms));
                let key = ApiKey { revoked_at_ms, ..key };
                Ok(Some(Revoked { key, changed }))
            })
            .await
        })
        .await??;
    revoked.ok_or(Refusal::NotFound("key"))
}
