//! What guests do.

use super::world::{Happening, World};
use crate::event::Event;
use crate::machine::Phase;
use crate::tests::model::dishes::{beer, ramen, words};
use std::string::String;

impl World {
    /// The guest looks at a tab and does something.
    pub(super) fn guest(&mut self, tab: usize) -> Result<(), String> {
        if self.calm {
            return self.impatient_guest(tab);
        }
        let wait_ms = match self.chance.percent(20) {
            true => self.chance.between(20, 200),
            false => self.chance.between(200, 6_000),
        };
        self.later(wait_ms, Happening::Guest { tab });
        if !self.is_awake(tab) {
            return Ok(());
        }
        match self.chance.below(100) {
            0..=3 => {
                self.unload(tab);
                return Ok(());
            }
            4..=6 => {
                self.nap(tab);
                return Ok(());
            }
            7..=9 => return self.page(tab, Event::Online),
            _ => {}
        }
        let core = &self.browser.tabs[tab].core;
        let (phase, busy, locked) = (core.state().phase, core.run.is_some(), core.state().locked);
        let empty = core.cart().lines.is_empty();
        match (phase, self.questions[tab]) {
            (Phase::Waiting, Some(question)) if !busy && locked => self.answer_question(tab, question),
            _ if busy => self.fidget(tab),
            _ if locked => self.try_again(tab),
            _ if empty => self.fill(tab),
            (Phase::Done | Phase::Failed | Phase::Idle, _) => self.confirm(tab),
            _ => self.try_again(tab),
        }
    }

    /// It is late, the network is good: whatever is open is tapped until it is settled.
    fn impatient_guest(&mut self, tab: usize) -> Result<(), String> {
        if self.is_settled() {
            return Ok(());
        }
        self.later(2_000, Happening::Guest { tab });
        let core = &self.browser.tabs[tab].core;
        if !self.is_awake(tab) || core.run.is_some() || !core.state().locked {
            return Ok(());
        }
        match (core.state().phase, self.questions[tab]) {
            (Phase::Waiting, Some(question)) => self.answer_question(tab, question),
            _ => self.try_again(tab),
        }
    }

    /// Usually the same again, so that content is no help.
    fn fill(&mut self, tab: usize) -> Result<(), String> {
        let line = if self.chance.percent(75) { ramen() } else { beer() };
        self.page(tab, Event::Add(line))?;
        match self.chance.percent(60) {
            true => self.confirm(tab),
            false => Ok(()),
        }
    }

    fn confirm(&mut self, tab: usize) -> Result<(), String> {
        match self.chance.below(100) {
            0..=79 => {
                let taps = 1 + self.chance.below(3);
                (0..taps).try_for_each(|_| self.page(tab, Event::Submit { note: Some(words("")) }))
            }
            80..=89 => self.page(tab, Event::Add(beer())),
            90..=94 => self.page(tab, Event::SetQuantity { index: 0, quantity: 1 }),
            _ => self.page(tab, Event::Clear),
        }
    }

    fn answer_question(&mut self, tab: usize, question: u32) -> Result<(), String> {
        match self.chance.below(100) {
            0..=44 => self.page(tab, Event::Confirm { question }),
            45..=84 => self.page(tab, Event::Decline { question }),
            85..=94 => self.page(tab, Event::Submit { note: Some(words("")) }),
            _ => self.page(tab, Event::Resume),
        }
    }

    /// It takes too long, and something must be tapped.
    fn fidget(&mut self, tab: usize) -> Result<(), String> {
        let submission = self.browser.tabs[tab].watched;
        match self.chance.below(100) {
            0..=59 => self.page(tab, Event::Submit { note: Some(words("")) }),
            60..=69 => self.page(
                tab,
                Event::Submit {
                    note: Some(words("no onion")),
                },
            ),
            70..=74 => self.page(tab, Event::Withdraw),
            75..=79 => self.page(tab, Event::Abort { submission }),
            80..=84 => self.page(tab, Event::Resume),
            85..=89 => self.page(tab, Event::Add(beer())),
            _ => Ok(()),
        }
    }

    /// Nobody knows what became of it.
    fn try_again(&mut self, tab: usize) -> Result<(), String> {
        match self.chance.below(100) {
            0..=59 => self.page(tab, Event::Submit { note: Some(words("")) }),
            60..=74 => self.page(tab, Event::Resume),
            _ => self.page(tab, Event::Withdraw),
        }
    }
}
