//! What the shell does with effects, and what must hold whenever it does.
//!
//! The checks stand here and not in the tests, so that every test makes every one of them: an effect that breaks a promise
//! is an error wherever it comes from.

use crate::cart::Cart;
use crate::effect::{Effect, Outcome};
use crate::event::{Event, Moment, Stored};
use crate::handle::Id;
use crate::machine::Core;
use crate::slot::{Slot, Standing};
use alloc::rc::Rc;
use std::format;
use std::string::String;
use std::vec::Vec;

/// What all tabs of a browser share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Storage {
    pub(crate) cart: Option<Rc<Cart>>,
    pub(crate) slot: Option<Slot>,
    /// The key that has been sent and has no final answer.
    pub(crate) unsettled: Option<Id>,
}

/// A request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wire {
    Place(Slot),
    Withdraw(Id),
    Status(Id),
    History,
}

/// A promise that was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) submission: u32,
    pub(crate) outcome: Outcome,
    /// The key that it was about.
    pub(crate) key: Option<Id>,
    /// The lines that it was about.
    pub(crate) slot: Option<Slot>,
}

/// A tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Tab {
    pub(crate) core: Core,
    /// In sessionStorage.
    pub(crate) request_id: Option<Id>,
    /// With the time when it goes off.
    pub(crate) timer: Option<(u32, i64)>,
    /// The request that is being waited for.
    pub(crate) flight: Option<(u32, Wire)>,
    /// Asked for and not yet given back.
    pub(crate) lock: Option<u32>,
    /// Promises that are not resolved.
    pub(crate) open: Vec<u32>,
    /// The promise that the last call got.
    pub(crate) watched: u32,
    /// What it told the other tabs, to be brought there.
    pub(crate) words: Vec<(Slot, Outcome)>,
    /// The page threw at its author.
    pub(crate) threw: bool,
}

impl Tab {
    /// What the shell reads for this tab.
    pub(crate) fn stored(&self, storage: &Storage) -> Stored {
        Stored {
            cart: storage.cart.clone(),
            slot: storage.slot.clone(),
            request_id: self.request_id,
        }
    }

    /// Hands an event in and carries the effects out; a page that dies does so after `lives` effects.
    ///
    /// *Errors*: what was promised and not kept.
    pub(crate) fn take(
        &mut self,
        storage: &mut Storage,
        event: Event,
        moment: &mut Moment<'_>,
        lives: usize,
    ) -> Result<Vec<Settled>, String> {
        let answered = match &event {
            Event::Answered { token, .. }
            | Event::Status { token, .. }
            | Event::History { token, .. }
            | Event::Failed { token, .. }
            | Event::Lost { token, .. } => Some(*token),
            _ => None,
        };
        if self.flight.as_ref().is_some_and(|(token, _)| Some(*token) == answered) {
            self.flight = None;
        }
        let (key, slot) = match &event {
            Event::Told { slot, .. } => (Some(slot.request_id), Some(slot.clone())),
            _ => {
                let key = self.core.run.as_ref().and_then(|run| run.key);
                (key, self.core.slot.clone().filter(|slot| Some(slot.request_id) == key))
            }
        };
        let is_wish = matches!(
            event,
            Event::Submit { .. } | Event::Confirm { .. } | Event::Decline { .. } | Event::Withdraw | Event::Resume
        );
        let mut settled = Vec::new();
        let effects = self.core.handle(event, moment);
        let promises = effects.iter().filter(|e| matches!(e, Effect::Watch { .. })).count();
        if promises != usize::from(is_wish) {
            return Err(format!("a call got {promises} promises: {effects:?}"));
        }
        for effect in effects.into_iter().take(lives) {
            if let Effect::Settle { submission, outcome } = &effect {
                settled.push(Settled {
                    submission: *submission,
                    outcome: *outcome,
                    key,
                    slot: slot.clone(),
                });
                if outcome.is_final() && storage.unsettled == key {
                    storage.unsettled = None;
                }
            }
            self.carry_out(storage, effect, moment.now_ms)?;
        }
        Ok(settled)
    }

    fn carry_out(&mut self, storage: &mut Storage, effect: Effect, now_ms: i64) -> Result<(), String> {
        let holds = |slot: &Option<Slot>, id: Id| slot.as_ref().is_some_and(|slot| slot.request_id == id);
        match effect {
            Effect::Watch { submission } => {
                self.watched = submission;
                if !self.open.contains(&submission) {
                    if self.open.iter().any(|open| *open > submission) {
                        return Err(format!("submission {submission} is watched after it was settled"));
                    }
                    self.open.push(submission);
                }
            }
            Effect::Settle { submission, .. } => {
                let open = self.open.len();
                self.open.retain(|s| *s != submission);
                if self.open.len() + 1 != open {
                    return Err(format!("submission {submission} is settled, and was not open"));
                }
            }
            Effect::Invalid(_) => self.threw = true,
            Effect::Lock { token } => self.lock = Some(token),
            Effect::Unlock { token } => self.lock = self.lock.filter(|held| *held != token),
            Effect::Tell { token, slot, outcome } => {
                if !outcome.is_final() {
                    return Err(format!("told what is not final: {outcome:?}"));
                }
                if holds(&storage.slot, slot.request_id) {
                    return Err(format!("told before it was forgotten: {slot:?}"));
                }
                // whoever has given the lock back, or asks without it, has nobody to tell
                if self.lock == Some(token) {
                    self.words.push((slot, outcome));
                }
            }
            Effect::PersistCart(cart) => storage.cart = Some(cart),
            Effect::ForgetCart(id) => storage.cart = storage.cart.take().filter(|c| c.checkout_id != Some(id)),
            Effect::PersistSlot(slot) => {
                if storage.slot.is_none() || holds(&storage.slot, slot.request_id) {
                    storage.slot = Some(slot);
                }
            }
            Effect::ForgetSlot(id) => {
                storage.slot = storage.slot.take().filter(|slot| slot.request_id != id);
                storage.unsettled = storage.unsettled.take().filter(|key| *key != id);
            }
            Effect::PersistRequestId(id) => self.request_id = Some(id),
            Effect::ForgetRequestId => self.request_id = None,
            Effect::SendPlace { token, slot } => {
                if slot.standing != Standing::Sent || slot.sent_at_ms.is_none() || storage.slot.as_ref() != Some(&slot)
                {
                    return Err(format!("sent before it was written: {slot:?}"));
                }
                let key = slot.request_id;
                match &storage.unsettled {
                    Some(other) if *other != key => {
                        return Err(format!("{key:?} is sent while {other:?} is unsettled"));
                    }
                    _ => storage.unsettled = Some(key),
                }
                self.send(token, Wire::Place(slot))?;
            }
            Effect::SendWithdraw { token, request_id } => {
                let written = storage.slot.as_ref().map(|slot| (slot.request_id, slot.standing));
                if written != Some((request_id, Standing::Withdrawing)) {
                    return Err(format!("{request_id:?} is withdrawn before that was written"));
                }
                self.send(token, Wire::Withdraw(request_id))?;
            }
            Effect::SendStatus { token, request_id } => self.send(token, Wire::Status(request_id))?,
            Effect::SendHistory { token } => self.send(token, Wire::History)?,
            Effect::Abandon { token } => self.flight = self.flight.take().filter(|(current, _)| *current != token),
            Effect::StartTimer { id, ms } => self.timer = Some((id, now_ms + i64::from(ms))),
            Effect::CancelTimer { id } => self.timer = self.timer.filter(|(current, _)| *current != id),
            Effect::StateChanged => {}
        }
        Ok(())
    }

    fn send(&mut self, token: u32, wire: Wire) -> Result<(), String> {
        if let Some((_, other)) = &self.flight {
            return Err(format!("{wire:?} is sent while {other:?} is on its way"));
        }
        if self.timer.is_none_or(|(id, _)| id != token) {
            return Err(format!("{wire:?} is sent without a timer of its own"));
        }
        self.flight = Some((token, wire));
        Ok(())
    }
}
