//! Twins that wait for one another in this process, so that fifty taps hold one connection. Across nodes they wait in the
//! database; nothing here decides who owns a key.

use crate::idempotency::decision::Claim;
use crate::ordering::command::PlaceOrder;
use crate::ordering::outcome::{Conflict, Outcome};
use crate::store::idempotency::Scope;
use masterorder_protocol::ids::OrderId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What a leader found out, for its twins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published {
    /// An outcome stands under the key. A twin compares itself with the claim, as with a stored one.
    Finished(Arc<(Claim, Outcome)>),
    /// Nothing was stored; holds for requests like the leader's only.
    Conflict(Likeness, Conflict),
    /// A failure, bad input or panic: one twin leads on.
    Nothing,
}

/// What two requests must share to share a conflict. The fingerprint leaves `confirmDuplicateOf` out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness {
    fingerprint: [u8; 32],
    device: String,
    confirmed: Option<OrderId>,
}

impl Likeness {
    /// Of a command.
    pub fn of(command: &PlaceOrder) -> Self {
        Self {
            fingerprint: command.fingerprint.digest,
            device: command.principal.device.clone(),
            confirmed: command.confirm_duplicate_of,
        }
    }
}

/// The leader's caller, and where it publishes.
type Seats = HashMap<Scope, (String, watch::Receiver<Option<Published>>)>;

/// Who is at work, by key.
#[derive(Default)]
pub struct Inflight(Mutex<Seats>);

/// A place at the table of one key.
pub enum Seat {
    /// Go ahead; twins wait for you.
    Lead(Lead),
    /// Somebody leads already.
    Wait(watch::Receiver<Option<Published>>),
}

/// The leader's duty to publish; dropping it publishes `Nothing`.
pub struct Lead {
    inflight: Arc<Inflight>,
    scope: Scope,
    sender: watch::Sender<Option<Published>>,
}

impl Inflight {
    /// Takes the lead of a key, or a place behind its leader.
    pub fn seat(self: &Arc<Self>, scope: Scope, caller: String) -> Seat {
        let mut seats = self.seats();
        if let Some((_, leader)) = seats.get(&scope) {
            return Seat::Wait(leader.clone());
        }
        let (sender, receiver) = watch::channel(None);
        seats.insert(scope, (caller, receiver));
        Seat::Lead(Lead {
            inflight: self.clone(),
            scope,
            sender,
        })
    }

    /// A placement of this caller under this key is at work here.
    pub fn led_by(&self, scope: Scope, caller: &str) -> bool {
        self.seats().get(&scope).is_some_and(|(leader, _)| leader == caller)
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lead {
    /// Gives the seat up and tells the twins.
    pub fn publish(self, published: Published) {
        // the seat first: a twin that is told to lead on must find it free
        self.inflight.seats().remove(&self.scope);
        self.sender.send_replace(Some(published));
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        if self.sender.borrow().is_none() {
            self.inflight.seats().remove(&self.scope);
            self.sender.send_replace(Some(Published::Nothing));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idempotency::PLACE_ORDER;
    use masterorder_protocol::ids::TenantId;
    use masterorder_protocol::request_id::RequestId;
    use uuid::Uuid;

    fn scope(tenant: u128) -> Scope {
        Scope {
            tenant: TenantId(Uuid::from_u128(tenant)),
            operation: PLACE_ORDER,
            key: RequestId::parse("550e8400-e29b-41d4-a716-446655440000").unwrap_or_else(|e| panic!("{e}")),
        }
    }

    #[tokio::test]
    async fn a_leader_that_is_dropped_frees_the_seat_and_wakes_its_twins() {
        let inflight = Arc::new(Inflight::default());
        let Seat::Lead(lead) = inflight.seat(scope(1), "session:1".into()) else {
            panic!("the first must lead");
        };
        let Seat::Wait(mut twin) = inflight.seat(scope(1), "session:1".into()) else {
            panic!("the second must wait");
        };
        assert!(
            matches!(inflight.seat(scope(2), "session:2".into()), Seat::Lead(_)),
            "tenants never meet"
        );
        drop(lead);
        let told = twin.wait_for(Option::is_some).await.map(|p| p.clone());
        assert_eq!(told.ok().flatten(), Some(Published::Nothing));
        assert!(matches!(inflight.seat(scope(1), "session:1".into()), Seat::Lead(_)));
    }

    #[tokio::test]
    async fn what_a_leader_publishes_stays_published() {
        let inflight = Arc::new(Inflight::default());
        let (Seat::Lead(lead), Seat::Wait(twin)) = (
            inflight.seat(scope(1), "session:1".into()),
            inflight.seat(scope(1), "session:1".into()),
        ) else {
            panic!("one leads, one waits");
        };
        let likeness = Likeness {
            fingerprint: [1; 32],
            device: "guest-1".into(),
            confirmed: None,
        };
        let published = Published::Conflict(likeness, Conflict::SessionBusy);
        lead.publish(published.clone());
        assert_eq!(*twin.borrow(), Some(published));
        assert!(!inflight.led_by(scope(1), "session:1"));
    }
}
