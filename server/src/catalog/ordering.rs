//! How a shop takes orders: its policy, and the switch that stops them. Both hold from the next placement that looks, because
//! every placement reads them under its lock.

use super::Shop;
use crate::app::App;
use crate::audit::Entry;
use crate::ordering::command::InputError;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store;
use crate::store::writer_queue::Priority;

/// The longest wait for a lock that a shop may choose: below the answer budget.
pub(crate) const MAX_WAIT_BOUND_MS: i64 = 4_000;

/// What the switch came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// The shop as it is now.
    pub shop: Shop,
    /// It was switched by this call; a second tap changes nothing.
    pub changed: bool,
}

/// New values of a policy. *Units*: ms; `None` leaves a value as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PolicyChange {
    /// See `OrderingPolicy`, also for the others.
    pub content_window_ms: Option<i64>,
    /// Between two orders of one device.
    pub cooldown_ms: Option<i64>,
    /// Between two orders of one table session.
    pub burst_ms: Option<i64>,
    /// For locks.
    pub wait_bound_ms: Option<i64>,
    /// How long outcomes are kept.
    pub retention_ms: Option<i64>,
    /// How long a worker owns a long placement.
    pub lease_ms: Option<i64>,
}

/// Starts or stops the orders of the caller's shop: at last order, or when the kitchen can not keep up. Staff only.
pub async fn switch(app: &App, principal: &Principal, takes_orders: bool) -> Result<Switched, Refusal> {
    principal.staff_only("orders are started and stopped with staff keys")?;
    let (db, by) = (app.db.clone(), principal.clone());
    let changed = app
        .detach(async move {
            store::txn::write(&db, Priority::Request, async |txn| {
                let changed = store::catalog::switch(txn, by.tenant, takes_orders).await?;
                if changed {
                    let result = if takes_orders { "STARTED" } else { "STOPPED" };
                    let now_ms = txn.now_ms().await?;
                    store::audit::append(txn, &[Entry::by(&by, "setOrdering", result, now_ms)]).await?;
                }
                Ok(changed)
            })
            .await
        })
        .await??;
    let shop = super::read::shop(app, principal).await?;
    Ok(Switched { shop, changed })
}

/// Changes the policy of the caller's shop. Staff only.
///
/// *Errors*: a value out of its bounds, by name; then nothing is changed.
pub async fn set_policy(app: &App, principal: &Principal, change: PolicyChange) -> Result<Shop, Refusal> {
    principal.staff_only("the ordering policy is set with staff keys")?;
    change.check()?;
    let (db, by) = (app.db.clone(), principal.clone());
    app.detach(async move {
        store::txn::write(&db, Priority::Request, async |txn| {
            if store::catalog::set_policy(txn, by.tenant, change).await? {
                let now_ms = txn.now_ms().await?;
                store::audit::append(txn, &[Entry::by(&by, "setOrderingPolicy", "CHANGED", now_ms)]).await?;
            }
            Ok(())
        })
        .await
    })
    .await??;
    super::read::shop(app, principal).await
}

impl PolicyChange {
    /// Checks every value. Retention stays longer than the SDK keeps an order unsent (10 min), and in days below what `Int`
    /// holds (24).
    fn check(&self) -> Result<(), InputError> {
        for (field, value, min, max) in [
            ("contentWindowMs", self.content_window_ms, 0, 3_600_000),
            ("cooldownMs", self.cooldown_ms, 0, 600_000),
            ("burstMs", self.burst_ms, 0, 600_000),
            ("waitBoundMs", self.wait_bound_ms, 1, MAX_WAIT_BOUND_MS),
            ("retentionMs", self.retention_ms, 600_000, 2_073_600_000),
            ("leaseMs", self.lease_ms, 1_000, 3_600_000),
        ] {
            if value.is_some_and(|value| !(min..=max).contains(&value)) {
                return Err(InputError::new(
                    format!("input.{field}"),
                    format!("must be {min} to {max} ms"),
                ));
            }
        }
        Ok(())
    }
}
