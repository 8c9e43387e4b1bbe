//! Menus kept in memory. A menu is used only at the version that its shop's row names, so a cached one is never stale;
//! every writer of the menu adds one to that version in the same transaction.

use super::Catalogue;
use masterorder_protocol::ids::TenantId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// One menu per tenant, the newest that was asked for.
#[derive(Default)]
pub struct Cache {
    menus: Mutex<HashMap<TenantId, Arc<Catalogue>>>,
    wait_bounds_ms: Mutex<HashMap<TenantId, i64>>,
}

impl Cache {
    /// The menu at this version, if it is here.
    pub fn get(&self, tenant: TenantId, version: i64) -> Option<Arc<Catalogue>> {
        let menus = self.menus.lock().ok()?;
        menus.get(&tenant).filter(|m| m.version == version).cloned()
    }

    /// The newest menu that was asked for, for guesses: it may have changed since.
    pub fn newest(&self, tenant: TenantId) -> Option<Arc<Catalogue>> {
        self.menus.lock().ok()?.get(&tenant).cloned()
    }

    /// Keeps a menu.
    pub fn put(&self, tenant: TenantId, menu: Arc<Catalogue>) {
        if let Ok(mut menus) = self.menus.lock() {
            menus.insert(tenant, menu);
        }
    }

    /// The wait bound of a tenant's policy as its last placement saw it. A transaction must know it before it can read the
    /// policy, and an old bound does no harm. *Units*: ms.
    pub fn wait_bound_ms(&self, tenant: TenantId) -> Option<i64> {
        self.wait_bounds_ms.lock().ok()?.get(&tenant).copied()
    }

    /// Keeps a wait bound. *Units*: ms.
    pub fn note_wait_bound(&self, tenant: TenantId, wait_bound_ms: i64) {
        if let Ok(mut bounds) = self.wait_bounds_ms.lock() {
            bounds.insert(tenant, wait_bound_ms);
        }
    }
}
