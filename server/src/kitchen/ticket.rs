//! Tickets and their states. Pure.

use masterorder_protocol::ids::{OrderId, TicketId};

/// A kitchen ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// Its id.
    pub id: TicketId,
    /// The order, of which there is exactly one ticket.
    pub order: OrderId,
    /// Where it is.
    pub state: State,
    /// *Units*: ms since the Unix epoch.
    pub created_at_ms: i64,
    /// *Units*: ms since the Unix epoch.
    pub updated_at_ms: i64,
    /// Counts changes.
    pub version: i64,
}

/// Where a ticket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Not begun.
    Received,
    /// Being made.
    Cooking,
    /// Waiting to be carried.
    Ready,
    /// On the table.
    Served,
    /// Its order was cancelled.
    Cancelled,
}

impl State {
    /// All of them, in the order of a ticket's life.
    pub const ALL: [Self; 5] = [
        Self::Received,
        Self::Cooking,
        Self::Ready,
        Self::Served,
        Self::Cancelled,
    ];

    /// As stored and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "RECEIVED",
            Self::Cooking => "COOKING",
            Self::Ready => "READY",
            Self::Served => "SERVED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Back from text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Where a cook may move it: one step on, or one step back to undo a slip. Cancelling is the order's business.
    pub const fn steps(self) -> &'static [Self] {
        match self {
            Self::Received => &[Self::Cooking],
            Self::Cooking => &[Self::Ready, Self::Received],
            Self::Ready => &[Self::Served, Self::Cooking],
            Self::Served => &[Self::Ready],
            Self::Cancelled => &[],
        }
    }

    /// A cook may move it there.
    pub fn leads_to(self, to: Self) -> bool {
        self.steps().contains(&to)
    }

    /// The steps in words.
    pub fn steps_text(self) -> String {
        match self.steps() {
            [] => "a cancelled ticket stays".into(),
            steps => steps.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" or "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_undone_and_none_leads_out_of_or_into_cancelled() {
        for from in State::ALL {
            for to in State::ALL {
                if from.leads_to(to) && to != State::Cooking && from != State::Received {
                    assert!(to.leads_to(from), "{from:?} {to:?}");
                }
                assert!(!(from.leads_to(to) && (from == State::Cancelled || to == State::Cancelled)));
            }
            assert_eq!(State::parse(from.as_str()), Some(from));
        }
    }
}
