//! What became of it: first by asking for the key, then by looking for the key in the history. Never by content: two equal
//! orders are two orders.

use super::Turn;
use crate::effect::{Blocked, Outcome};
use crate::event::{Listed, Status};
use crate::policy::RETENTION_MS;
use crate::run::{Aim, Call};
use crate::slot::Standing;

impl Turn<'_, '_> {
    /// `placementStatus` answered.
    pub(super) fn status(&mut self, status: Status) {
        match status {
            Status::Placed(order) => self.settle(Outcome::Placed { order, replay: true }),
            Status::Rejected(code) => self.settle(Outcome::Rejected { code, problem: None }),
            Status::Unknown => self.nothing_yet(),
            Status::InProgress if self.may_place_again() => self.retry(Call::Place, None),
            Status::InProgress => self.poll(),
        }
    }

    /// `placementStatus` did not answer.
    pub(super) fn no_status(&mut self) {
        if self.may_place_again() {
            self.place();
        } else {
            self.poll();
        }
    }

    /// Nothing is committed under the key, yet.
    fn nothing_yet(&mut self) {
        let forgotten = self.age_ms().is_some_and(|ms| ms > RETENTION_MS);
        let resuming = self
            .core
            .run
            .as_ref()
            .is_some_and(|run| run.aim == Aim::Resume && !run.placed_once);
        match self.standing() {
            // another tab was told a "no" that is stored nowhere
            None => self.settle(Outcome::Blocked(Blocked::CartChanged)),
            Some(_) if forgotten => self.forget(Outcome::Blocked(Blocked::TooOld)),
            Some(Standing::Asked) => self.call(Call::History),
            Some(_) if self.may_place_again() => self.place(),
            // too late to send it unasked: the guest's next tap sends it, or gives it up
            Some(_) if resuming => self.settle(Outcome::Unknown),
            Some(_) => self.poll(),
        }
    }

    /// `orders` answered.
    pub(super) fn history(&mut self, orders: &[Listed]) {
        if let Some(found) = orders.iter().find(|listed| self.is_ours(listed)) {
            let (order, pending) = (found.order, found.pending);
            if pending {
                self.mark_pending();
                return self.settle_open();
            }
            return self.settle(Outcome::Placed { order, replay: true });
        }
        let asked = self.own_slot().filter(|slot| slot.standing == Standing::Asked);
        let asked_about = asked.and_then(|slot| slot.confirm_duplicate_of);
        match orders.iter().find(|listed| asked_about == Some(listed.order_id)) {
            Some(earlier) => self.ask(earlier.order_id, earlier.order),
            None => self.poll(),
        }
    }

    fn is_ours(&self, listed: &Listed) -> bool {
        #[cfg(test)]
        if self.core.by_content {
            return self
                .core
                .slot
                .as_ref()
                .is_some_and(|slot| crate::line::are_same(&slot.cart.lines, &listed.lines));
        }
        self.core
            .run
            .as_ref()
            .is_some_and(|run| run.key == Some(listed.request_id))
    }

    /// What an earlier page left and is still fresh, or was tapped again, and was not sent by this run.
    fn may_place_again(&self) -> bool {
        let sent = self.standing() == Some(Standing::Sent);
        sent && self
            .core
            .run
            .as_ref()
            .is_some_and(|run| run.aim != Aim::Withdraw && !run.placed_once && self.now_ms() <= run.place_until_ms)
    }
}
