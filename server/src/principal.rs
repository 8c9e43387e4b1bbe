//! Who asks. Made by authentication only; the tenant of everything that follows comes from here.

use crate::refusal::Refusal;
use masterorder_protocol::ids::{KeyId, TableSessionId, TenantId};

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The account. Every statement is scoped to it.
    pub tenant: TenantId,
    /// What kind, with its scope.
    pub role: Role,
    /// One device: a guest's client id; for a key its id, with the client id if one was sent.
    pub device: String,
}

/// What kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Somebody at a table, with its PIN.
    Guest(TableSessionId),
    /// A cook or waiter, by API key.
    Staff(KeyId),
    /// A third party, by API key.
    Integrator(KeyId),
}

impl Principal {
    /// The kind as fingerprints and the audit know it.
    pub fn kind(&self) -> &'static str {
        match self.role {
            Role::Guest(_) => "guest",
            Role::Staff(_) => "staff",
            Role::Integrator(_) => "integrator",
        }
    }

    /// The scope that owns a key's claim: a table session or an API key.
    pub fn caller(&self) -> String {
        match self.role {
            Role::Guest(session) => format!("session:{session}"),
            Role::Staff(key) | Role::Integrator(key) => format!("key:{key}"),
        }
    }

    /// Lets staff pass.
    ///
    /// *Errors*: `FORBIDDEN` for everybody else, with this text.
    pub fn staff_only(&self, refusal: &'static str) -> Result<(), Refusal> {
        match self.role {
            Role::Staff(_) => Ok(()),
            Role::Guest(_) | Role::Integrator(_) => Err(Refusal::Forbidden(refusal)),
        }
    }

    /// May read orders of this table session (of the own tenant; others are never found).
    pub fn may_read(&self, session: TableSessionId) -> bool {
        match self.role {
            Role::Guest(own) => own == session,
            Role::Staff(_) | Role::Integrator(_) => true,
        }
    }
}
