//! What the server says.

use super::Turn;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Failure, Placement};
use crate::handle::{Id, Paper};
use crate::machine::Question;
use crate::run::{Aim, Call};
use crate::slot::Standing;

impl Turn<'_, '_> {
    /// `placeOrder` answered.
    pub(super) fn placement(&mut self, placement: Placement) {
        match placement {
            Placement::Placed { order, replay } => self.settle(Outcome::Placed { order, replay }),
            Placement::Pending { poll_after_ms } => {
                self.mark_pending();
                self.wait_out(Some(poll_after_ms));
            }
            Placement::Rejected { code, problem } => self.settle(rejected(code, problem)),
            Placement::Conflict {
                code,
                retryable,
                retry_after_ms,
                earlier,
                problem,
            } => match (code, earlier) {
                (Code::POSSIBLE_DUPLICATE, Some((id, order))) => self.ask(id, order),
                (Code::IDEMPOTENCY_IN_PROGRESS, _) => {
                    // somebody is at work under this key, and not for this attempt
                    self.lose();
                    self.retry(Call::Place, retry_after_ms);
                }
                (Code::IDEMPOTENCY_KEY_REUSED | Code::CHECKOUT_ALREADY_PLACED, _) => {
                    self.settle(Outcome::Refused { code, problem });
                }
                _ if retryable || code.is_waited_out() => self.wait_out(retry_after_ms),
                _ => self.refuse(code, problem),
            },
        }
    }

    /// `withdrawPlacement` answered.
    pub(super) fn withdrawal(&mut self, placement: Placement) {
        match placement {
            Placement::Placed { order, replay } => self.settle(Outcome::Placed { order, replay }),
            Placement::Pending { .. } => {
                // the shop has it already: it can not be given up any more
                self.stand(Standing::Sent);
                self.mark_pending();
                self.settle_open();
            }
            Placement::Rejected { code, problem } => {
                let reason = self.core.run.as_mut().and_then(|run| run.reason.take());
                self.settle(match reason {
                    Some((reason, problem)) if code == Code::WITHDRAWN => Outcome::Refused { code: reason, problem },
                    _ => rejected(code, problem),
                });
            }
            Placement::Conflict {
                code,
                retryable,
                retry_after_ms,
                problem,
                ..
            } => {
                if retryable || code.is_waited_out() || code == Code::IDEMPOTENCY_IN_PROGRESS {
                    self.retry(Call::Withdraw, retry_after_ms);
                } else {
                    self.settle(Outcome::Refused { code, problem });
                }
            }
        }
    }

    /// Any request was answered with a top-level error.
    pub(super) fn failed(&mut self, call: Call, failure: Failure) {
        let Failure {
            code,
            retryable,
            retry_after_ms,
            problem,
        } = failure;
        let again = retryable || code.is_waited_out();
        match call {
            _ if code.is_trouble() => self.lost(call, retry_after_ms),
            Call::Place if again => self.wait_out(retry_after_ms),
            // it says nothing about the attempt that was lost before
            Call::Place if self.has_lost() => self.call(Call::Status),
            Call::Place => self.settle(Outcome::Refused { code, problem }),
            Call::Withdraw if again => self.retry(call, retry_after_ms),
            Call::Withdraw => self.settle(Outcome::Unknown),
            Call::Status | Call::History => self.lost(call, retry_after_ms),
        }
    }

    /// No answer, or none that can be used: nobody knows.
    pub(super) fn lost(&mut self, call: Call, retry_after_ms: Option<u32>) {
        match call {
            Call::Place => {
                self.lose();
                self.retry(call, retry_after_ms);
            }
            Call::Withdraw => self.retry(call, retry_after_ms),
            Call::Status => self.no_status(),
            Call::History => self.poll(),
        }
    }

    /// Puts the question to the guest. It is written down with the order that it is about: a reload must not forget that
    /// it was asked, nor send anything by itself.
    pub(super) fn ask(&mut self, earlier_id: Id, earlier: Paper) {
        let question = match &self.core.run {
            Some(run) if self.own_slot().is_some() => run.submission,
            // another tab has settled it meanwhile: there is nothing left to ask about
            _ => return self.settle(Outcome::Blocked(Blocked::CartChanged)),
        };
        if let Some(slot) = self.own_slot_mut() {
            slot.confirm_duplicate_of = Some(earlier_id);
        }
        self.stand(Standing::Asked);
        self.core.question = Some(Question { id: question, earlier });
        self.settle(Outcome::PossibleDuplicate { question, earlier });
    }

    /// Tells a "no" that is stored nowhere. If an attempt was lost it may still arrive and be taken, so the key is given up
    /// first: what the guest is told must stay true.
    fn refuse(&mut self, code: Code, problem: Paper) {
        match &mut self.core.run {
            Some(run) if run.lost => {
                run.aim = Aim::Withdraw;
                run.reason = Some((code, problem));
                self.give_up();
            }
            _ => self.settle(Outcome::Refused { code, problem }),
        }
    }

    /// From now on an attempt may be on its way that nobody listens to.
    pub(super) fn lose(&mut self) {
        if let Some(run) = &mut self.core.run {
            run.lost = true;
        }
    }

    fn has_lost(&self) -> bool {
        self.core.run.as_ref().is_some_and(|run| run.lost)
    }

    /// The shop has it: it may become an order whatever else is said, and whoever stops waiting can be told that much.
    pub(super) fn mark_pending(&mut self) {
        self.lose();
        if let Some(run) = &mut self.core.run {
            run.pending = true;
        }
    }
}

fn rejected(code: Code, problem: Paper) -> Outcome {
    Outcome::Rejected {
        code,
        problem: Some(problem),
    }
}
