//! One tab, step by step: the test plays guest, network and server.

use super::model::dishes::{FRESH, words};
use super::model::server::rejected;
use super::model::shell::{Settled, Storage, Tab, Wire};
use crate::code::Code;
use crate::effect::{Effect, Outcome};
use crate::event::{Event, Failure, Listed, Moment, Placement, Status};
use crate::handle::{Id, Paper};
use crate::machine::{Core, Phase};
use crate::slot::Slot;
use std::vec::Vec;

/// A code that this version of the SDK has never heard of.
pub(crate) const NEWER: Code = Code(Id(FRESH - 1));

/// Some day.
pub(crate) const NOW_MS: i64 = 1_800_000_000_000;

/// One tab on a table.
pub(crate) struct Bench {
    pub(crate) tab: Tab,
    pub(crate) storage: Storage,
    pub(crate) now_ms: i64,
    /// All keys that `placeOrder` was sent with, in order.
    pub(crate) keys: Vec<Id>,
    /// All promises that were resolved, in order.
    pub(crate) settled: Vec<Settled>,
    /// Locks are given at once.
    pub(crate) alone: bool,
    pub(crate) jitter: u32,
    issued: u32,
}

impl Bench {
    /// A page that was just opened for the first time.
    pub(crate) fn new() -> Self {
        Self::with_storage(Storage::default())
    }

    /// A page that was just opened.
    pub(crate) fn with_storage(storage: Storage) -> Self {
        Self::with_storage_at(storage, NOW_MS)
    }

    /// A page that is opened some other day.
    pub(crate) fn with_storage_at(storage: Storage, now_ms: i64) -> Self {
        let mut bench = Self {
            tab: Tab::default(),
            storage,
            now_ms,
            keys: Vec::new(),
            settled: Vec::new(),
            alone: true,
            jitter: 0,
            issued: 0,
        };
        bench.open();
        bench
    }

    /// A page with a cart that was just confirmed: the first attempt is on its way.
    pub(crate) fn submitted() -> Self {
        let mut bench = Self::new();
        bench.event(Event::Add(super::model::dishes::ramen()));
        bench.submit("");
        bench
    }

    /// Hands an event in.
    pub(crate) fn event(&mut self, event: Event) {
        let before = self.flight_token();
        let issued = &mut self.issued;
        let mut fresh = || {
            *issued += 1;
            Id(FRESH + *issued)
        };
        let mut moment = Moment {
            now_ms: self.now_ms,
            fresh: &mut fresh,
            jitter: self.jitter,
        };
        let result = self.tab.take(&mut self.storage, event, &mut moment, usize::MAX);
        self.settled.extend(result.unwrap_or_else(|broken| panic!("{broken}")));
        if let Some((token, Wire::Place(slot))) = &self.tab.flight
            && Some(*token) != before
        {
            self.keys.push(slot.request_id);
        }
        if let Some(token) = self.tab.lock.filter(|_| self.alone && self.is_locking()) {
            self.give_lock(token);
        }
    }

    /// Gives the lock that is asked for.
    pub(crate) fn give_lock(&mut self, token: u32) {
        let stored = self.tab.stored(&self.storage);
        self.event(Event::Locked { token, stored });
    }

    /// The page is loaded again; what was on its way is lost. `resume` is called as pages do.
    pub(crate) fn reload(&mut self) {
        self.open();
        self.event(Event::Resume);
    }

    fn open(&mut self) {
        self.tab = Tab {
            request_id: self.tab.request_id,
            ..Tab::default()
        };
        let stored = self.tab.stored(&self.storage);
        self.event(Event::Opened(stored));
    }

    pub(crate) fn submit(&mut self, note: &str) {
        self.event(Event::Submit {
            note: Some(words(note)),
        });
    }

    /// `placeOrder` or `withdrawPlacement` answers.
    pub(crate) fn answer(&mut self, placement: Placement) {
        let token = self.token();
        self.event(Event::Answered { token, placement });
    }

    pub(crate) fn placed(&mut self, order: u32) {
        let order = Paper(order);
        self.answer(Placement::Placed { order, replay: false });
    }

    pub(crate) fn rejected(&mut self, code: Code) {
        self.answer(rejected(code));
    }

    pub(crate) fn status(&mut self, status: Status) {
        let token = self.token();
        self.event(Event::Status { token, status });
    }

    pub(crate) fn history(&mut self, orders: Vec<Listed>) {
        let token = self.token();
        self.event(Event::History { token, orders });
    }

    pub(crate) fn failed(&mut self, code: Code, retryable: bool) {
        let token = self.token();
        let failure = Failure {
            code,
            retryable,
            retry_after_ms: None,
            problem: Paper(0),
        };
        self.event(Event::Failed { token, failure });
    }

    /// The answer does not come, or is none.
    pub(crate) fn lose(&mut self) {
        let token = self.token();
        self.event(Event::Lost {
            token,
            retry_after_ms: None,
        });
    }

    /// Time goes by until the timer goes off; answers how long that was.
    pub(crate) fn wait(&mut self) -> i64 {
        let Some((id, due_ms)) = self.tab.timer else {
            panic!("no timer is set")
        };
        let waited_ms = due_ms - self.now_ms;
        self.now_ms = self.now_ms.max(due_ms);
        self.event(Event::TimerFired { id });
        waited_ms
    }

    /// What is on its way.
    pub(crate) fn wire(&self) -> Option<&Wire> {
        self.tab.flight.as_ref().map(|(_, wire)| wire)
    }

    pub(crate) fn is_placing(&self) -> bool {
        matches!(self.wire(), Some(Wire::Place(_)))
    }

    pub(crate) fn is_withdrawing(&self) -> bool {
        matches!(self.wire(), Some(Wire::Withdraw(_)))
    }

    pub(crate) fn is_asking_status(&self) -> bool {
        matches!(self.wire(), Some(Wire::Status(_)))
    }

    pub(crate) fn is_reading_history(&self) -> bool {
        matches!(self.wire(), Some(Wire::History))
    }

    /// The stored confirmation.
    pub(crate) fn slot(&self) -> Slot {
        self.storage.slot.clone().unwrap_or_else(|| panic!("no slot is stored"))
    }

    /// What the last promise was resolved with.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.settled.last().map(|s| &s.outcome)
    }

    pub(crate) fn phase(&self) -> Phase {
        self.tab.core.state().phase
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.tab.core.state().locked
    }

    fn token(&self) -> u32 {
        self.flight_token().unwrap_or_else(|| panic!("nothing is on its way"))
    }

    fn flight_token(&self) -> Option<u32> {
        self.tab.flight.as_ref().map(|(token, _)| *token)
    }

    fn is_locking(&self) -> bool {
        self.tab
            .core
            .run
            .as_ref()
            .is_some_and(|run| run.step == crate::run::Step::Lock)
    }
}

/// Hands an event to a core without a shell around it.
pub(crate) fn handle(core: &mut Core, event: Event) -> Vec<Effect> {
    let mut issued = FRESH / 2;
    let mut fresh = || {
        issued += 1;
        Id(issued)
    };
    let mut moment = Moment {
        now_ms: NOW_MS,
        fresh: &mut fresh,
        jitter: 0,
    };
    core.handle(event, &mut moment)
}
