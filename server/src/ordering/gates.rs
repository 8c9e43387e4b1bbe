//! The gates: how soon one order may follow another. Pure. Only what would become a new order of a guest meets them; staff and
//! integrators enter orders as fast as they come.

use crate::catalog::OrderingPolicy;
use crate::ordering::command::PlaceOrder;
use crate::ordering::decide::Party;
use crate::ordering::duplicates::Earlier;
use crate::ordering::outcome::Conflict;
use crate::principal::Role;

/// Says how long a guest has to wait, if at all: cooldown counts from the last order of this device, burst from that of anybody
/// at the table. A gate of 0 ms stands open.
pub fn check(
    command: &PlaceOrder,
    party: &Party,
    earlier: &[Earlier],
    policy: OrderingPolicy,
    now_ms: i64,
) -> Option<Conflict> {
    let Role::Guest(session) = command.principal.role else {
        return None;
    };
    let own = |e: &&Earlier| e.table_session == session && e.device == command.principal.device;
    let last_own = earlier.iter().filter(own).map(|e| e.placed_at_ms).max();
    if let Some(wait_ms) = wait_ms(last_own, policy.cooldown_ms, now_ms) {
        return Some(Conflict::Cooldown { wait_ms });
    }
    wait_ms(party.last_placed_at_ms, policy.burst_ms, now_ms).map(|wait_ms| Conflict::Burst { wait_ms })
}

/// An order of a node whose clock is ahead counts as placed now.
fn wait_ms(last_ms: Option<i64>, gate_ms: i64, now_ms: i64) -> Option<i64> {
    let age_ms = (now_ms - last_ms?).max(0);
    (age_ms < gate_ms).then(|| gate_ms - age_ms)
}

#[cfg(test)]
#[path = "gates_tests.rs"]
mod tests;
