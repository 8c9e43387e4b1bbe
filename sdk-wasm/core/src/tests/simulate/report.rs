//! What happened, to see that the tests are about something.

use crate::effect::Outcome;

/// Counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) events: u64,
    pub(super) requests: u64,
    pub(super) orders: u64,
    pub(super) placed: u64,
    pub(super) replayed: u64,
    pub(super) rejected: u64,
    pub(super) refused: u64,
    pub(super) blocked: u64,
    pub(super) unknown: u64,
    pub(super) asked: u64,
    pub(super) pending: u64,
    pub(super) reloads: u64,
    pub(super) deaths: u64,
    pub(super) naps: u64,
    /// Other tabs' words that settled something here.
    pub(super) told: u64,
}

impl Report {
    /// Adds a life.
    pub(super) fn add(&mut self, life: &Self) {
        for (sum, n) in self.all_mut().into_iter().zip(life.clone().all_mut()) {
            *sum += *n;
        }
    }

    /// Everything has happened.
    pub(super) fn is_thorough(&self) -> bool {
        self.clone().all_mut().into_iter().all(|n| *n > 0)
    }

    fn all_mut(&mut self) -> [&mut u64; 15] {
        [
            &mut self.events,
            &mut self.requests,
            &mut self.orders,
            &mut self.placed,
            &mut self.replayed,
            &mut self.rejected,
            &mut self.refused,
            &mut self.blocked,
            &mut self.unknown,
            &mut self.asked,
            &mut self.pending,
            &mut self.reloads,
            &mut self.deaths,
            &mut self.naps,
            &mut self.told,
        ]
    }

    /// A guest was told something.
    pub(super) fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Placed { replay: false, .. } => self.placed += 1,
            Outcome::Placed { replay: true, .. } => self.replayed += 1,
            Outcome::Rejected { .. } => self.rejected += 1,
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Blocked(_) => self.blocked += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::PossibleDuplicate { .. } => self.asked += 1,
            Outcome::Pending { .. } => self.pending += 1,
            Outcome::Nothing => {}
        }
    }
}
