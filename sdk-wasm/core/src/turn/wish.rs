//! What the guest wants. Every wish is answered by one promise, its own or the one of the submission that it joins.

use super::Turn;
use crate::effect::{Blocked, Effect, Outcome};
use crate::line::Note;
use crate::machine::Question;
use crate::policy::RESEND_MS;
use crate::run::{Aim, Call, Run, Step};
use crate::slot::Standing;
use masterorder_protocol::lines::MAX_ORDER_NOTE;

impl Turn<'_, '_> {
    /// The guest confirms what is shown.
    pub(super) fn submit(&mut self, note: Option<Note>) {
        let cart = self.core.cart.clone();
        let confirmed = self.core.slot.as_ref().map(|slot| slot.note);
        let confirmed = confirmed.or(self.core.run.as_ref().map(|run| run.note));
        let note = note.or(confirmed).unwrap_or_default();
        let same_as_slot = self.core.slot.as_ref().map(|slot| slot.is_of(&cart, note));
        if let Some(run) = &mut self.core.run {
            // the cart can not be edited meanwhile: only the words can be others
            if !same_as_slot.unwrap_or(run.note == note) {
                return self.blocked(Blocked::Unsettled);
            }
            if run.aim == Aim::Resume {
                // what a page did by itself is now the guest's will
                run.aim = Aim::Submit;
                run.note = note;
                run.place_until_ms = self.moment.now_ms.wrapping_add(RESEND_MS);
            }
            return self.join();
        }
        match same_as_slot {
            Some(false) => self.blocked(Blocked::Unsettled),
            Some(true) if self.is_asked() => self.ask_again(),
            Some(true) => self.begin(Aim::Submit, note),
            None if cart.lines.is_empty() => self.blocked(Blocked::CartEmpty),
            None if cart.total().is_none() || !note.fits(MAX_ORDER_NOTE) => self.blocked(Blocked::InvalidInput),
            None => self.begin(Aim::Submit, note),
        }
    }

    /// "Yes, the same again."
    pub(super) fn confirm(&mut self, question: u32) {
        if !self.is_open(question) {
            self.blocked(Blocked::NoQuestion);
        } else if self.core.run.is_some() {
            self.join();
        } else {
            self.begin(Aim::Confirm, Note::default());
        }
    }

    /// "No, once is enough."
    pub(super) fn decline(&mut self, question: u32) {
        if self.is_open(question) {
            self.withdraw();
        } else {
            self.blocked(Blocked::NoQuestion);
        }
    }

    /// Gives the unsettled confirmation up, in the middle of being sent if need be.
    pub(super) fn withdraw(&mut self) {
        let unsettled = self.core.slot.is_some();
        let nothing_sent = self.has_sent_nothing();
        let own = self.own_slot().is_some();
        let Some(run) = &mut self.core.run else {
            return match unsettled {
                true => self.begin(Aim::Withdraw, Note::default()),
                false => self.blocked(Blocked::NothingToWithdraw),
            };
        };
        let underway = run.aim == Aim::Withdraw || run.step == Step::Flight(Call::Withdraw);
        run.aim = Aim::Withdraw;
        let locking = run.step == Step::Lock;
        self.join();
        if nothing_sent {
            self.settle(Outcome::Blocked(Blocked::Aborted));
        } else if own && !locking && !underway {
            self.abandon();
            self.proceed();
        }
    }

    /// Settles what an earlier page left.
    pub(super) fn resume(&mut self) {
        if self.core.run.is_some() {
            self.join();
        } else if self.core.slot.is_none() {
            self.answer_at_once(Outcome::Nothing);
        } else if self.is_asked() {
            self.ask_again();
        } else {
            self.begin(Aim::Resume, Note::default());
        }
    }

    /// The caller gave up: before anything was sent that means nothing was sent, afterwards nobody knows.
    pub(super) fn abort(&mut self) {
        let outcome = if self.has_sent_nothing() {
            Outcome::Blocked(Blocked::Aborted)
        } else {
            Outcome::Unknown
        };
        self.abandon();
        self.settle(outcome);
    }

    /// Opens a submission and asks for the lock.
    fn begin(&mut self, aim: Aim, note: Note) {
        let now_ms = self.now_ms();
        let sent_at_ms = self.core.slot.as_ref().and_then(|slot| slot.sent_at_ms);
        let place_until_ms = match aim {
            Aim::Submit | Aim::Confirm => now_ms.wrapping_add(RESEND_MS),
            // a time in the future is a clock that was set back: then nobody knows how old it is
            Aim::Resume => sent_at_ms
                .filter(|t| *t <= now_ms)
                .map_or(i64::MIN, |t| t.wrapping_add(RESEND_MS)),
            Aim::Withdraw => i64::MIN,
        };
        let submission = self.next_submission();
        self.core.last = None;
        self.core.run = Some(Run {
            submission,
            aim,
            step: Step::Lock,
            token: 0,
            due_ms: 0,
            lock: 0,
            key: self.core.slot.as_ref().map(|slot| slot.request_id),
            cart: self.core.cart.clone(),
            cart_changed: false,
            note,
            lost: false,
            pending: false,
            tries: 0,
            waits: 0,
            polls: 0,
            placed_once: false,
            place_until_ms,
            reason: None,
        });
        self.push(Effect::Watch { submission });
        self.queue_up();
    }

    fn join(&mut self) {
        if let Some(run) = &self.core.run {
            let submission = run.submission;
            self.push(Effect::Watch { submission });
        }
    }

    fn blocked(&mut self, why: Blocked) {
        self.answer_at_once(Outcome::Blocked(why));
    }

    /// Puts the open question again: whoever asks twice is asked twice, and nothing is sent.
    fn ask_again(&mut self) {
        if let Some(question) = &self.core.question {
            let outcome = Outcome::PossibleDuplicate {
                question: question.id,
                earlier: question.earlier,
            };
            self.answer_at_once(outcome);
        }
    }

    fn answer_at_once(&mut self, outcome: Outcome) {
        let submission = self.next_submission();
        self.push(Effect::Watch { submission });
        self.push(Effect::Settle { submission, outcome });
    }

    fn next_submission(&mut self) -> u32 {
        self.core.submissions = self.core.submissions.wrapping_add(1);
        self.core.submissions
    }

    /// The question stands, and what it is about is known in this page.
    fn is_asked(&self) -> bool {
        let asked = self
            .core
            .slot
            .as_ref()
            .is_some_and(|slot| slot.standing == Standing::Asked);
        asked && self.core.question.is_some()
    }

    fn is_open(&self, question: u32) -> bool {
        self.core
            .question
            .as_ref()
            .is_some_and(|Question { id, .. }| *id == question)
    }
}
