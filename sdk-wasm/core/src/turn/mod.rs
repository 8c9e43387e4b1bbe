//! One event being handled: the core, the moment, and the effects so far.
//!
//! Reading order: `wish` (what the guest wants) → `lock` (whose turn it is, what storage says) → `send` (requests, pauses,
//! timers) → `answer` (what the server says) → `check` (what became of it) → `settle`. `edit` is the cart.

mod edit;
mod wish;
mod lock;
mod send;
mod answer;
mod check;
mod settle;

use self::edit::Change;
use crate::effect::Effect;
use crate::event::{Event, Moment};
use crate::handle::Id;
use crate::machine::Core;
use crate::run::{Call, Run, Step};
use crate::slot::{Slot, Standing};
use alloc::vec::Vec;

/// One event being handled.
pub(crate) struct Turn<'t, 's> {
    pub(crate) core: &'t mut Core,
    pub(crate) moment: &'t mut Moment<'s>,
    pub(crate) effects: Vec<Effect>,
}

impl Turn<'_, '_> {
    /// Handles an event.
    pub(crate) fn take(&mut self, event: Event) {
        match event {
            Event::Opened(stored) | Event::StorageChanged(stored) => self.adopt(stored),
            Event::StorageFailed => self.core.persistent = false,
            Event::Locked { token, stored } => self.locked(token, stored),
            Event::Unlocked { token } => self.unlocked(token),
            Event::Told { slot, outcome } => self.told(slot, outcome),
            Event::Shown { restored } => self.shown(restored),
            Event::Online => self.online(),
            Event::Add(line) => self.edit(Change::Add(line)),
            Event::SetQuantity { index, quantity } => self.edit(Change::SetQuantity { index, quantity }),
            Event::Clear => self.edit(Change::Clear),
            Event::Submit { note } => self.submit(note),
            Event::Abort { submission } => {
                if self.core.run.as_ref().is_some_and(|r| r.submission == submission) {
                    self.abort();
                }
            }
            Event::Close => self.abort(),
            Event::Confirm { question } => self.confirm(question),
            Event::Decline { question } => self.decline(question),
            Event::Withdraw => self.withdraw(),
            Event::Resume => self.resume(),
            Event::Answered { token, placement } => match self.answered(token) {
                Some(Call::Place) => self.placement(placement),
                Some(Call::Withdraw) => self.withdrawal(placement),
                _ => {}
            },
            Event::Status { token, status } => {
                if self.answered(token) == Some(Call::Status) {
                    self.status(status);
                }
            }
            Event::History { token, orders } => {
                if self.answered(token) == Some(Call::History) {
                    self.history(&orders);
                }
            }
            Event::Failed { token, failure } => {
                if let Some(call) = self.answered(token) {
                    self.failed(call, failure);
                }
            }
            Event::Lost { token, retry_after_ms } => {
                if let Some(call) = self.answered(token) {
                    self.lost(call, retry_after_ms);
                }
            }
            Event::TimerFired { id } => {
                if self.core.run.as_ref().is_some_and(|r| r.token == id) {
                    self.due();
                }
            }
        }
    }

    /// The request that an answer belongs to; `None` if nobody waits for it any more.
    fn answered(&self, token: u32) -> Option<Call> {
        match &self.core.run {
            Some(Run {
                step: Step::Flight(call),
                token: current,
                ..
            }) if *current == token => Some(*call),
            _ => None,
        }
    }

    /// The slot, if it is what the submission on its way is about. Without locks another tab may have taken it away.
    fn own_slot(&self) -> Option<&Slot> {
        let key = self.core.run.as_ref()?.key?;
        self.core.slot.as_ref().filter(|slot| slot.request_id == key)
    }

    /// Not even another tab has sent what the submission on its way is about.
    fn has_sent_nothing(&self) -> bool {
        let waits = |run: &Run| run.step == Step::Lock && run.key.is_none();
        self.core.slot.is_none() && self.core.run.as_ref().is_some_and(waits)
    }

    fn standing(&self) -> Option<Standing> {
        self.own_slot().map(|slot| slot.standing)
    }

    /// How long ago it left for the first time; `None` if it never did.
    fn age_ms(&self) -> Option<i64> {
        self.own_slot()?.sent_at_ms.map(|t| self.now_ms().wrapping_sub(t))
    }

    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    fn now_ms(&self) -> i64 {
        self.moment.now_ms
    }

    fn token(&mut self) -> u32 {
        self.core.tokens = self.core.tokens.wrapping_add(1);
        self.core.tokens
    }

    fn fresh(&mut self) -> Id {
        (self.moment.fresh)()
    }

    /// Issues the id of the next confirmation, unless there is one or the last is unsettled.
    fn issue_request_id(&mut self) {
        if self.core.slot.is_none() && self.core.request_id.is_none() {
            let id = self.fresh();
            self.core.request_id = Some(id);
            self.push(Effect::PersistRequestId(id));
        }
    }
}
