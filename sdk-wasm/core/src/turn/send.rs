//! Requests, pauses and timers: at most one of them at a time.

use super::Turn;
use crate::effect::Effect;
use crate::policy::{self, ATTEMPT_TIMEOUT_MS, MAX_POLLS, MAX_WAITS, ONLINE_MS, POLL_MS};
use crate::run::{Call, Step};
use crate::slot::Standing;

impl Turn<'_, '_> {
    /// Sends a request.
    pub(super) fn call(&mut self, call: Call) {
        let slot = self.own_slot().cloned();
        let Some(key) = self.core.run.as_ref().and_then(|run| run.key) else {
            return;
        };
        let token = self.enter(Step::Flight(call), ATTEMPT_TIMEOUT_MS);
        self.push(match (call, slot) {
            (Call::Place, Some(slot)) => Effect::SendPlace { token, slot },
            (Call::Withdraw, _) => Effect::SendWithdraw { token, request_id: key },
            (Call::Status, _) => Effect::SendStatus { token, request_id: key },
            _ => Effect::SendHistory { token },
        });
    }

    /// Sends the order, as long as the guest's confirmation lasts and nobody has said otherwise in the meantime.
    pub(super) fn place(&mut self) {
        let now_ms = self.now_ms();
        let sendable = self.standing() == Some(Standing::Sent);
        match &mut self.core.run {
            Some(run) if sendable && now_ms <= run.place_until_ms => run.placed_once = true,
            _ => return self.call(Call::Status),
        }
        if self.age_ms().is_none() {
            if let Some(slot) = self.own_slot_mut() {
                slot.sent_at_ms = Some(now_ms);
            }
            self.persist_slot();
        }
        self.call(Call::Place);
    }

    /// Makes it known that the order is not wanted, before asking the server the same.
    pub(super) fn give_up(&mut self) {
        match self.standing() {
            Some(Standing::Withdrawing) => self.call(Call::Withdraw),
            Some(_) => {
                self.stand(Standing::Withdrawing);
                if let Some(run) = &mut self.core.run {
                    run.tries = 0;
                }
                self.call(Call::Withdraw);
            }
            // another tab has settled it
            None => self.call(Call::Status),
        }
    }

    /// An attempt brought no usable answer: again, after a pause, with the same key.
    pub(super) fn retry(&mut self, call: Call, retry_after_ms: Option<u32>) {
        let Some(run) = &mut self.core.run else { return };
        run.tries = run.tries.saturating_add(1);
        let ms = policy::pause_ms(run.tries, retry_after_ms, self.moment.jitter);
        let then_ms = self.moment.now_ms.wrapping_add(i64::from(ms));
        let in_time = call != Call::Place || then_ms <= run.place_until_ms;
        if in_time && policy::is_repeated(run.tries, retry_after_ms) {
            let step = retry_after_ms.map_or(Step::Pause(call), |_| Step::Wait(call));
            self.enter(step, ms);
        } else if call == Call::Place {
            self.call(Call::Status);
        } else {
            self.settle_open();
        }
    }

    /// Waits out a known "not placed yet", as long as the confirmation lasts.
    pub(super) fn wait_out(&mut self, retry_after_ms: Option<u32>) {
        let Some(run) = &mut self.core.run else { return };
        run.waits = run.waits.saturating_add(1);
        let ms = policy::pause_ms(run.waits, retry_after_ms, self.moment.jitter);
        let then_ms = self.moment.now_ms.wrapping_add(i64::from(ms));
        if run.waits <= MAX_WAITS && then_ms <= run.place_until_ms {
            self.enter(Step::Wait(Call::Place), ms);
        } else if run.lost && !run.pending {
            self.call(Call::Status);
        } else {
            self.settle_open();
        }
    }

    /// Looks into the history, later each time.
    pub(super) fn poll(&mut self) {
        let Some(run) = &mut self.core.run else { return };
        if run.polls >= MAX_POLLS {
            return self.settle_open();
        }
        run.polls += 1;
        let ms = POLL_MS * u32::from(run.polls);
        self.enter(Step::Pause(Call::History), ms);
    }

    /// The timer of the step went off, or the page slept through it.
    pub(super) fn due(&mut self) {
        match self.core.run.as_ref().map(|run| run.step) {
            Some(Step::Lock) => self.lock_is_late(),
            Some(Step::Flight(call)) => {
                self.abandon();
                self.lost(call, None);
            }
            Some(Step::Pause(call) | Step::Wait(call)) => match call {
                Call::Place => self.place(),
                Call::Withdraw => self.give_up(),
                Call::Status | Call::History => self.call(call),
            },
            None => {}
        }
    }

    /// Stops listening to the request on its way. It may arrive all the same.
    pub(super) fn abandon(&mut self) {
        if let Some(run) = &self.core.run
            && let Step::Flight(_) = run.step
        {
            let token = run.token;
            self.push(Effect::Abandon { token });
        }
    }

    /// The network is back: a pause that was made because nobody answered is over in a moment.
    pub(super) fn online(&mut self) {
        let ms = policy::spread_ms(ONLINE_MS, self.moment.jitter);
        let then_ms = self.now_ms().wrapping_add(i64::from(ms));
        if let Some(run) = &self.core.run
            && let Step::Pause(_) = run.step
            && then_ms < run.due_ms
        {
            self.enter(run.step, ms);
        }
    }

    /// Enters a step with a token and a timer of its own.
    pub(super) fn enter(&mut self, step: Step, ms: u32) -> u32 {
        let token = self.token();
        let due_ms = self.now_ms().wrapping_add(i64::from(ms));
        if let Some(run) = &mut self.core.run {
            run.step = step;
            run.token = token;
            run.due_ms = due_ms;
        }
        self.push(Effect::StartTimer { id: token, ms });
        token
    }
}
