//! Whose turn it is, and what storage says. The tab that holds the lock sends; the others find out what became of it.

use super::Turn;
use crate::cart::Cart;
use crate::code::Code;
use crate::effect::{Blocked, Effect, Outcome};
use crate::event::Stored;
use crate::policy::{LOCK_TIMEOUT_MS, RETENTION_MS};
use crate::run::{Aim, Call, Run, Step};
use crate::slot::{Slot, Standing};

impl Turn<'_, '_> {
    /// The lock is held: go on with what storage says now, not with what it said when the guest tapped.
    pub(super) fn locked(&mut self, token: u32, stored: Stored) {
        let Some(run) = self
            .core
            .run
            .as_ref()
            .filter(|r| r.step == Step::Lock && r.lock == token)
        else {
            // nobody waits for it any more, and whoever holds another one keeps it
            self.push(Effect::Unlock { token });
            return;
        };
        let aim = run.aim;
        self.adopt(stored);
        let Some(run) = &mut self.core.run else { return };
        match (&self.core.slot, run.key) {
            // never send, confirm or give up what the guest did not mean
            (Some(slot), key) if aim == Aim::Resume || key == Some(slot.request_id) => {
                run.key = Some(slot.request_id);
                // any tab may have sent what was written
                run.lost = slot.sent_at_ms.is_some();
                self.proceed();
            }
            (Some(_), _) => self.settle(Outcome::Blocked(Blocked::Unsettled)),
            // another tab has settled it
            (None, Some(_)) => self.call(Call::Status),
            (None, None) if aim == Aim::Submit && !run.cart_changed => self.open(),
            (None, None) => self.settle(Outcome::Blocked(Blocked::CartChanged)),
        }
    }

    /// Asks for the lock.
    pub(super) fn queue_up(&mut self) {
        let token = self.enter(Step::Lock, LOCK_TIMEOUT_MS);
        if let Some(run) = &mut self.core.run {
            run.lock = token;
        }
        self.push(Effect::Lock { token });
    }

    /// The lock is lost: another tab goes on with what is stored, and this one waits for its turn like any other.
    pub(super) fn unlocked(&mut self, token: u32) {
        let held = |run: &&Run| run.step != Step::Lock && run.lock == token;
        if self.core.run.as_ref().filter(held).is_some() {
            self.abandon();
            self.push(Effect::Unlock { token });
            self.queue_up();
        }
    }

    /// The lock does not come: whoever holds it takes its time, or sleeps. To ask is to send nothing, and takes no turn.
    pub(super) fn lock_is_late(&mut self) {
        let locked = self.core.slot.is_some();
        let Some(run) = &mut self.core.run else { return };
        match run.key {
            Some(_) => {
                run.place_until_ms = i64::MIN;
                self.call(Call::Status);
            }
            None if locked => self.settle(Outcome::Unknown),
            None => self.settle(Outcome::Blocked(Blocked::OtherTab)),
        }
    }

    /// Another tab tells how a confirmation ended. That is the answer for whoever has not sent the same one, or waits for
    /// its turn again.
    pub(super) fn told(&mut self, slot: Slot, outcome: Outcome) {
        let listens = |run: &&mut Run| run.step == Step::Lock || !run.placed_once;
        let Some(run) = self.core.run.as_mut().filter(listens) else {
            return;
        };
        let same = match run.key {
            Some(key) => key == slot.request_id,
            None => slot.cart.checkout_id == run.cart.checkout_id && slot.is_of(&run.cart, run.note),
        };
        let outcome = match outcome {
            Outcome::Placed { order, .. } => Outcome::Placed { order, replay: true },
            // the tab that was told makes a new cart of the rest: here it is shown when it is stored
            Outcome::Refused {
                code: Code::CHECKOUT_ALREADY_PLACED,
                ..
            } => return,
            other => other,
        };
        if !same || !outcome.is_final() || !slot.is_sound() {
            return;
        }
        run.key = Some(slot.request_id);
        // what is shown and not this one is newer
        self.core.slot.get_or_insert(slot);
        self.abandon();
        self.settle(outcome);
    }

    /// Goes on with the slot, as the guest wants and as it stands.
    pub(super) fn proceed(&mut self) {
        let Some(aim) = self.core.run.as_ref().map(|run| run.aim) else {
            return;
        };
        let age_ms = self.age_ms();
        // an older key may have been forgotten by the server, and would be a new order
        let kept = age_ms.is_none_or(|ms| ms <= RETENTION_MS);
        match (aim, self.standing()) {
            (Aim::Withdraw, _) if age_ms.is_none() => self.settle(withdrawn()),
            (Aim::Withdraw, _) | (_, Some(Standing::Withdrawing)) => self.give_up(),
            (Aim::Confirm, Some(Standing::Asked)) if kept => {
                self.stand(Standing::Sent);
                self.place();
            }
            (Aim::Submit | Aim::Confirm, Some(Standing::Sent)) if kept => self.place(),
            // nothing left this phone, and nobody waits for it any more
            (Aim::Resume, Some(Standing::Sent)) if age_ms.is_none() => self.forget(Outcome::Nothing),
            _ => self.call(Call::Status),
        }
    }

    /// Opens the slot: from here on the confirmation survives whatever happens to the page.
    fn open(&mut self) {
        let now_ms = self.now_ms();
        let request_id = self.core.request_id.take();
        let (Some(run), Some(request_id)) = (&mut self.core.run, request_id) else {
            return;
        };
        if now_ms > run.place_until_ms {
            self.core.request_id = Some(request_id);
            return self.settle(Outcome::Blocked(Blocked::TooOld));
        }
        run.lost = false;
        run.key = Some(request_id);
        self.core.slot = Some(Slot {
            request_id,
            cart: self.core.cart.clone(),
            note: run.note,
            confirm_duplicate_of: None,
            sent_at_ms: Some(now_ms),
            standing: Standing::Sent,
        });
        // in this order: a page that dies in between must not leave a key behind that another tab may settle meanwhile
        self.push(Effect::ForgetRequestId);
        self.persist_slot();
        self.place();
    }

    /// Takes over what storage says.
    pub(super) fn adopt(&mut self, stored: Stored) {
        let spent = self.core.spent;
        let mut slot = stored.slot.filter(|slot| slot.is_sound());
        if let Some(late) = slot.take_if(|slot| spent.is_some_and(|spent| spent.request_id == slot.request_id)) {
            self.push(Effect::ForgetSlot(late.request_id));
        }
        let is_spent =
            |cart: &Cart| cart.checkout_id.is_some() && cart.checkout_id == spent.and_then(|s| s.checkout_id);
        // what is unsettled is what is shown, whatever became of the stored cart
        let cart = match &slot {
            Some(slot) => slot.cart.clone(),
            None => stored
                .cart
                .filter(|cart| cart.is_sound() && !is_spent(cart))
                .unwrap_or_default(),
        };
        let same_slot = match (&slot, &self.core.slot) {
            (None, None) => true,
            // cart and note never change under one key
            (Some(a), Some(b)) => {
                a.request_id == b.request_id
                    && a.standing == b.standing
                    && a.confirm_duplicate_of == b.confirm_duplicate_of
            }
            _ => false,
        };
        if !same_slot {
            // whoever wrote it may have sent it; and what was asked about the one before is not asked about this one
            self.lose();
            self.core.question = None;
        }
        let same_cart = cart.looks_like(&self.core.cart);
        if !same_slot || !same_cart {
            self.show(None);
        }
        if let Some(run) = &mut self.core.run
            && run.key.is_none()
        {
            match &slot {
                // another tab was faster with the same: its answer is this one's
                Some(slot) if slot.is_of(&self.core.cart, run.note) => run.key = Some(slot.request_id),
                _ => run.cart_changed |= !same_cart,
            }
        }
        let used_up = slot
            .as_ref()
            .is_some_and(|slot| stored.request_id == Some(slot.request_id));
        self.core.request_id = stored.request_id.filter(|_| !used_up);
        if used_up {
            // the tab was copied with its key
            self.push(Effect::ForgetRequestId);
        }
        self.core.cart = cart;
        self.core.slot = slot;
        self.issue_request_id();
    }

    /// Changes where the slot stands, in storage first.
    pub(super) fn stand(&mut self, standing: Standing) {
        if let Some(slot) = self.own_slot_mut() {
            slot.standing = standing;
        }
        self.persist_slot();
    }

    /// The slot, to be changed; `persist_slot` is to follow.
    pub(super) fn own_slot_mut(&mut self) -> Option<&mut Slot> {
        self.own_slot()?;
        self.core.slot.as_mut()
    }

    pub(super) fn persist_slot(&mut self) {
        if let Some(slot) = self.own_slot().cloned() {
            self.push(Effect::PersistSlot(slot));
        }
    }
}

/// Given up before it was ever sent: nobody has to be asked.
fn withdrawn() -> Outcome {
    Outcome::Rejected {
        code: Code::WITHDRAWN,
        problem: None,
    }
}
