//! The steps of a placement's transaction, as errors, logs and metrics name them.

use crate::metrics::waits::WaitOn;
use crate::store::Failure;

/// Where a transaction got stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Getting a connection, a turn, a transaction.
    Begin,
    /// Inserting claims and reading those that stand.
    Claim,
    /// Looking for placed carts before any lock.
    Checkout,
    /// Locking table sessions.
    Lock,
    /// Reading what the decision needs.
    Read,
    /// Locking stock.
    Stock,
    /// Inserting orders.
    WriteOrders,
    /// Taking stock, writing all that belongs to the orders, storing outcomes, releasing claims.
    Complete,
    /// Committing.
    Commit,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 9] = [
        Self::Begin,
        Self::Claim,
        Self::Checkout,
        Self::Lock,
        Self::Read,
        Self::Stock,
        Self::WriteOrders,
        Self::Complete,
        Self::Commit,
    ];

    /// Its word in logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Claim => "claim",
            Self::Checkout => "checkout",
            Self::Lock => "lock",
            Self::Read => "read",
            Self::Stock => "stock",
            Self::WriteOrders => "write_orders",
            Self::Complete => "complete",
            Self::Commit => "commit",
        }
    }

    /// What is waited for at this step.
    pub const fn waits_on(self) -> Option<WaitOn> {
        match self {
            Self::Claim => Some(WaitOn::Claim),
            Self::Lock => Some(WaitOn::TableSession),
            Self::Stock => Some(WaitOn::Stock),
            _ => None,
        }
    }
}

/// A transaction that failed, with the step.
#[derive(Debug)]
pub struct Stuck {
    /// Where.
    pub step: Step,
    /// Why.
    pub failure: Failure,
}

impl Stuck {
    /// For `map_err`.
    pub fn at(step: Step) -> impl Fn(Failure) -> Self {
        move |failure| Self { step, failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_steps_wait_for_what_others_hold() {
        let waits: Vec<_> = Step::ALL.iter().filter_map(|s| Some((*s, s.waits_on()?))).collect();
        assert_eq!(
            waits,
            [
                (Step::Claim, WaitOn::Claim),
                (Step::Lock, WaitOn::TableSession),
                (Step::Stock, WaitOn::Stock)
            ]
        );
    }
}
