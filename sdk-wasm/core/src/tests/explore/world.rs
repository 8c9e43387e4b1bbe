//! One tab, one shop, and what can happen next.

use super::moves::Move;
use crate::code::Code;
use crate::effect::Outcome;
use crate::event::{Event, Failure, Moment};
use crate::handle::{Id, Paper};
use crate::machine::Phase;
use crate::run::Step;
use crate::tests::bench::NOW_MS;
use crate::tests::model::dishes::{FRESH, beer, ramen, words};
use crate::tests::model::server::Server;
use crate::tests::model::shell::{Storage, Tab, Wire};
use crate::tests::model::witness::Witness;
use std::format;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::string::String;
use std::vec::Vec;

/// Copies that may be late at a time.
const MAX_LATE: usize = 1;
/// Moves after which everything must be settled once nothing goes wrong any more.
const SETTLING_MOVES: usize = 100;

/// Everything there is.
#[derive(Clone, Debug, Hash)]
pub(super) struct World {
    pub(super) tab: Tab,
    pub(super) storage: Storage,
    pub(super) server: Server,
    pub(super) now_ms: i64,
    pub(super) late: Vec<Wire>,
    pub(super) question: Option<u32>,
    pub(super) witness: Witness,
    pub(super) issued: u32,
    pub(super) path: Vec<Move>,
}

impl World {
    /// A page with ramen in the cart.
    pub(super) fn new() -> Self {
        let mut world = Self {
            tab: Tab::default(),
            storage: Storage::default(),
            server: Server::default(),
            now_ms: NOW_MS,
            late: Vec::new(),
            question: None,
            witness: Witness::default(),
            issued: 0,
            path: Vec::new(),
        };
        let stored = world.tab.stored(&world.storage);
        for event in [Event::Opened(stored), Event::Add(ramen())] {
            world.event(event).unwrap_or_else(|broken| panic!("{broken}"));
        }
        world
    }

    /// The world after a move; `None` if it can not happen, or changes nothing.
    pub(super) fn after(&self, a_move: Move) -> Option<Result<Self, String>> {
        if !self.can(a_move) {
            return None;
        }
        let mut world = self.clone();
        world.path.push(a_move);
        let result = world
            .make(a_move)
            .and_then(|()| world.witness.close(&world.server, false));
        Some(match result {
            Ok(()) => Ok(world),
            Err(broken) => Err(format!("{:?}: {broken}", world.path)),
        })
    }

    fn can(&self, a_move: Move) -> bool {
        let flight = self.tab.flight.as_ref().map(|(_, wire)| wire);
        let writes = matches!(flight, Some(Wire::Place(_) | Wire::Withdraw(_)));
        match a_move {
            Move::Submit | Move::SubmitOther | Move::Reload | Move::Pause | Move::Stock => true,
            Move::SubmitAgain => self.tab.core.is_locked(),
            Move::Edit => !self.tab.core.state().locked && self.tab.core.cart().lines.len() < 2,
            Move::Confirm | Move::Decline => self.question.is_some(),
            Move::Withdraw => self.tab.core.state().locked,
            Move::Abort => self.tab.core.run.is_some(),
            Move::Answer | Move::Drop | Move::Trouble | Move::Stranger => flight.is_some(),
            Move::Mute => writes,
            Move::Hang => writes && self.late.len() < MAX_LATE,
            Move::Late => !self.late.is_empty(),
            Move::Time => flight.is_none() && self.tab.core.run.is_some(),
            Move::Online => matches!(self.tab.core.run.as_ref().map(|run| run.step), Some(Step::Pause(_))),
            Move::Sleep => self.tab.core.is_locked(),
            Move::OtherPhone => self.server.orders.len() < 2,
        }
    }

    fn make(&mut self, a_move: Move) -> Result<(), String> {
        match a_move {
            Move::Submit => self.event(Event::Submit { note: Some(words("")) }),
            Move::SubmitOther => self.event(Event::Submit {
                note: Some(words("no onion")),
            }),
            Move::SubmitAgain => self.event(Event::Submit { note: None }),
            Move::Edit => self.event(Event::Add(beer())),
            Move::Confirm => self.event(Event::Confirm {
                question: self.question.unwrap_or(0),
            }),
            Move::Decline => self.event(Event::Decline {
                question: self.question.unwrap_or(0),
            }),
            Move::Withdraw => self.event(Event::Withdraw),
            Move::Abort => self.event(Event::Close),
            Move::Reload => self.reload(),
            Move::Answer => {
                let event = self.serve();
                self.event(event)
            }
            Move::Mute => {
                self.serve();
                self.lose()
            }
            Move::Drop => self.lose(),
            Move::Hang => {
                self.late.extend(self.tab.flight.clone().map(|(_, wire)| wire));
                self.time()
            }
            Move::Trouble => self.fail(Code::UNAVAILABLE, true),
            Move::Stranger => self.fail(Code::UNAUTHENTICATED, false),
            Move::Late => {
                match self.late.remove(0) {
                    Wire::Place(slot) => drop(self.server.place(&slot, self.now_ms)),
                    Wire::Withdraw(key) => drop(self.server.withdraw(&key)),
                    Wire::Status(_) | Wire::History => {}
                }
                Ok(())
            }
            Move::Time => self.time(),
            Move::Online => self.event(Event::Online),
            Move::Sleep => {
                self.now_ms += 180_000;
                self.event(Event::Shown { restored: true })
            }
            Move::OtherPhone => {
                self.server.other_phone_orders(Vec::from([ramen()]), self.now_ms);
                Ok(())
            }
            Move::Pause => {
                self.server.paused = !self.server.paused;
                Ok(())
            }
            Move::Stock => {
                self.server.sold_out = !self.server.sold_out;
                Ok(())
            }
        }
    }

    /// From here a good network and a guest who taps settle everything.
    ///
    /// *Errors*: what is left open, or untrue.
    pub(super) fn settle(&self) -> Result<(), String> {
        let mut world = self.clone();
        world.server.paused = false;
        for _ in 0..SETTLING_MOVES {
            // a page that was loaded again does not know the guest's words any more
            let a_move = match world.tab.core.state() {
                _ if world.tab.flight.is_some() => Move::Answer,
                _ if world.tab.core.run.is_some() => Move::Time,
                state if !state.locked => break,
                state if state.phase == Phase::Waiting && world.question.is_some() => Move::Confirm,
                _ => Move::SubmitAgain,
            };
            world.path.push(a_move);
            world
                .make(a_move)
                .map_err(|broken| format!("{:?}: {broken}", world.path))?;
        }
        while !world.late.is_empty() {
            world.make(Move::Late)?;
        }
        let open = world.tab.core.state().locked || !world.tab.open.is_empty() || world.storage.slot.is_some();
        match world.witness.close(&world.server, true) {
            _ if open => Err(format!("{:?}: left open: {:?}", world.path, world.tab)),
            told => told.map_err(|broken| format!("{:?}: {broken}", world.path)),
        }
    }

    /// The server handles the request on its way.
    fn serve(&mut self) -> Event {
        let Some((token, wire)) = self.tab.flight.clone() else {
            panic!("nothing is on its way")
        };
        match wire {
            Wire::Place(slot) => Event::Answered {
                token,
                placement: self.server.place(&slot, self.now_ms),
            },
            Wire::Withdraw(key) => Event::Answered {
                token,
                placement: self.server.withdraw(&key),
            },
            Wire::Status(key) => Event::Status {
                token,
                status: self.server.status(&key),
            },
            Wire::History => Event::History {
                token,
                orders: self.server.history(),
            },
        }
    }

    fn lose(&mut self) -> Result<(), String> {
        let token = self.tab.flight.as_ref().map_or(0, |(token, _)| *token);
        self.event(Event::Lost {
            token,
            retry_after_ms: None,
        })
    }

    fn fail(&mut self, code: Code, retryable: bool) -> Result<(), String> {
        let token = self.tab.flight.as_ref().map_or(0, |(token, _)| *token);
        let failure = Failure {
            code,
            retryable,
            retry_after_ms: None,
            problem: Paper(0),
        };
        self.event(Event::Failed { token, failure })
    }

    /// Time goes by until the timer goes off.
    fn time(&mut self) -> Result<(), String> {
        let (id, due_ms) = self.tab.timer.unwrap_or((0, 0));
        self.now_ms = self.now_ms.max(due_ms);
        self.event(Event::TimerFired { id })
    }

    fn reload(&mut self) -> Result<(), String> {
        self.question = None;
        self.tab = Tab {
            request_id: self.tab.request_id,
            ..Tab::default()
        };
        let stored = self.tab.stored(&self.storage);
        self.event(Event::Opened(stored))?;
        self.event(Event::Resume)
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        let issued = &mut self.issued;
        let mut fresh = || {
            *issued += 1;
            Id(FRESH + *issued)
        };
        let mut moment = Moment {
            now_ms: self.now_ms,
            fresh: &mut fresh,
            jitter: 0,
        };
        let settled = self.tab.take(&mut self.storage, event, &mut moment, usize::MAX)?;
        for settled in settled {
            self.witness.hear(&settled, &self.server)?;
            if let Outcome::PossibleDuplicate { question, .. } = settled.outcome {
                self.question = Some(question);
            }
        }
        match (&self.tab.core.run, self.tab.lock) {
            (Some(run), Some(token)) if run.step == Step::Lock => {
                let stored = self.tab.stored(&self.storage);
                self.event(Event::Locked { token, stored })
            }
            _ => Ok(()),
        }
    }

    /// Equal for worlds that differ only in how numbers were counted up and in how they came about.
    pub(super) fn digest(&self) -> (u64, u64) {
        let mut world = self.clone();
        world.path.clear();
        let core = &mut world.tab.core;
        let (tokens, submissions) = (core.tokens, core.submissions);
        let token = |t: u32| t.wrapping_sub(tokens);
        let submission = |s: u32| s.wrapping_sub(submissions);
        (core.tokens, core.submissions, core.revision, world.tab.watched) = (0, 0, 0, 0);
        if let Some(run) = &mut core.run {
            (run.token, run.lock) = (token(run.token), token(run.lock));
            run.submission = submission(run.submission);
        }
        if let Some(question) = &mut core.question {
            question.id = submission(question.id);
        }
        if let Some(Outcome::PossibleDuplicate { question, .. }) = &mut core.last {
            *question = submission(*question);
        }
        world.question = world.question.map(submission);
        world.tab.timer = world.tab.timer.map(|(id, due_ms)| (token(id), due_ms));
        world.tab.flight = world.tab.flight.map(|(id, wire)| (token(id), wire));
        world.tab.lock = world.tab.lock.map(token);
        for open in &mut world.tab.open {
            *open = submission(*open);
        }
        let hash = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &world).hash(&mut hasher);
            hasher.finish()
        };
        // two hashes, for too many worlds for one
        (hash(0), hash(1))
    }
}
