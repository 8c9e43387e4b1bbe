//! Time, and who is where.

use super::network::{Message, Weather};
use super::report::Report;
use crate::effect::Outcome;
use crate::event::{Event, Moment};
use crate::handle::Id;
use crate::machine::{Core, Phase};
use crate::tests::bench::NOW_MS;
use crate::tests::model::browser::Browser;
use crate::tests::model::chance::Chance;
use crate::tests::model::dishes::FRESH;
use crate::tests::model::server::Server;
use crate::tests::model::shell::Storage;
use crate::tests::model::witness::Witness;
use std::collections::BTreeMap;
use std::format;
use std::println;
use std::string::String;
use std::vec::Vec;

/// How long guests do what they want, before they just want it settled.
const RESTLESS_MS: i64 = 120_000;
/// Longest time in which everything must be settled once the network is good and the guests tap.
const SETTLING_MS: i64 = 900_000;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// A message is on the network.
    Network(Message),
    /// An event reaches a page, if it is still the same page.
    Page { tab: usize, page: u32, event: Event },
    /// The next tab in the queue gets the lock.
    Grant,
    /// A storage event reaches a tab.
    StorageEvent { tab: usize },
    /// The guest looks at a tab.
    Guest { tab: usize },
    /// A page is loaded.
    Load { tab: usize },
    /// A page that slept is looked at again.
    Wake { tab: usize, restored: bool },
    /// Somebody else does something in the shop.
    Elsewhere,
}

/// A browser, a network, a shop.
pub(super) struct World {
    pub(super) chance: Chance,
    pub(super) now_ms: i64,
    pub(super) browser: Browser,
    pub(super) server: Server,
    pub(super) weather: Weather,
    /// Storage is denied: a reload forgets everything.
    pub(super) forgetful: bool,
    /// The question that a tab's guest is looking at.
    pub(super) questions: Vec<Option<u32>>,
    /// Every event is printed.
    watched: bool,
    /// Nothing is hard any more: the guests only want it settled.
    pub(super) calm: bool,
    pub(super) report: Report,
    queue: BTreeMap<(i64, u64), Happening>,
    scheduled: u64,
    /// Pages by tab; `None` while there is none.
    pages: Vec<Option<u32>>,
    loaded: u32,
    issued: u32,
    /// What waits for a page that sleeps.
    asleep: Vec<Option<Vec<Event>>>,
    witness: Witness,
}

impl World {
    pub(super) fn new(seed: u64, by_content: bool) -> Self {
        let mut chance = Chance::new(seed);
        let tabs = if chance.percent(30) { 2 } else { 1 };
        let mut world = Self {
            now_ms: NOW_MS,
            browser: Browser::new(tabs, chance.percent(80)),
            server: Server {
                cooldown_ms: if chance.percent(50) { 3_000 } else { 0 },
                has_till: chance.percent(15),
                ..Server::default()
            },
            weather: Weather::of_the_day(&mut chance),
            forgetful: tabs == 1 && chance.percent(5),
            questions: Vec::from_iter((0..tabs).map(|_| None)),
            watched: std::env::var_os("WATCH").is_some(),
            calm: false,
            report: Report::default(),
            queue: BTreeMap::new(),
            scheduled: 0,
            pages: Vec::from_iter((0..tabs).map(|_| None)),
            loaded: 0,
            issued: 0,
            asleep: Vec::from_iter((0..tabs).map(|_| None)),
            witness: Witness::default(),
            chance,
        };
        for tab in 0..tabs {
            world.browser.tabs[tab].core.by_content = by_content;
            world.later(0, Happening::Load { tab });
            world.later(10, Happening::Guest { tab });
        }
        world.later(5_000, Happening::Elsewhere);
        world
    }

    /// Lives to the end.
    ///
    /// *Errors*: a promise that was broken.
    pub(super) fn live(mut self) -> Result<Report, String> {
        while let Some(((at_ms, _), happening)) = self.queue.pop_first() {
            self.now_ms = self.now_ms.max(at_ms);
            if self.now_ms > NOW_MS + RESTLESS_MS && !self.calm {
                self.calm = true;
                self.weather = Weather::default();
                self.server.paused = false;
                self.server.sold_out = false;
            }
            self.happen(happening)?;
            if self.now_ms > NOW_MS + RESTLESS_MS + SETTLING_MS {
                return Err(String::from("it never settles"));
            }
        }
        for (tab, state) in self.browser.tabs.iter().map(|tab| (tab, tab.core.state())) {
            if state.locked
                || !tab.open.is_empty()
                || state.phase == Phase::Checking && self.browser.storage.slot.is_some()
            {
                return Err(format!("left hanging: {tab:?}"));
            }
        }
        self.witness
            .close(&self.server, !self.forgetful && self.is_exclusive())?;
        self.report.orders = self.server.orders.len() as u64;
        Ok(self.report)
    }

    fn happen(&mut self, happening: Happening) -> Result<(), String> {
        match happening {
            Happening::Network(message) => self.deliver(message),
            Happening::Page { tab, page, event } if self.pages[tab] == Some(page) => return self.page(tab, event),
            Happening::Page { .. } => {}
            Happening::Grant => {
                if let Some((tab, token)) = self.browser.grant() {
                    let stored = self.browser.tabs[tab].stored(&self.browser.storage);
                    return self.page(tab, Event::Locked { token, stored });
                }
            }
            Happening::StorageEvent { tab } => return self.look_into_storage(tab),
            Happening::Guest { tab } => return self.guest(tab),
            Happening::Load { tab } => return self.load(tab),
            Happening::Wake { tab, restored } => {
                let missed = self.asleep[tab].take().unwrap_or_default();
                self.look_into_storage(tab)?;
                self.page(tab, Event::Shown { restored })?;
                for event in missed {
                    self.page(tab, event)?;
                }
            }
            Happening::Elsewhere => self.elsewhere(),
        }
        Ok(())
    }

    /// Hands an event to the page that is loaded in a tab, if it is awake; the page may die in the middle of it.
    pub(super) fn page(&mut self, tab: usize, mut event: Event) -> Result<(), String> {
        let Some(page) = self.pages[tab] else { return Ok(()) };
        if let Some(missed) = &mut self.asleep[tab] {
            missed.push(event);
            return Ok(());
        }
        if let Event::Locked { stored, .. } = &mut event {
            // storage is read when the event is handed in, and not when the lock was given to a page that slept
            *stored = self.browser.tabs[tab].stored(&self.browser.storage);
        }
        if !self.browser.has_locks && !matches!(event, Event::StorageChanged(_) | Event::Opened(_)) {
            // whoever can not lock looks before every step
            self.look_into_storage(tab)?;
            let lost = self.browser.tabs[tab].lock.filter(|_| self.chance.percent(3));
            if let Some(token) = lost.filter(|_| !matches!(event, Event::Unlocked { .. })) {
                self.page(tab, Event::Unlocked { token })?;
            }
            if self.pages[tab] != Some(page) {
                return Ok(());
            }
        }
        self.report.events += 1;
        if self.watched {
            println!("{} tab {tab}: {event:?}", self.now_ms - NOW_MS);
        }
        let dies = !self.calm && self.chance.percent(1);
        let lives = if dies {
            self.chance.below(6) as usize
        } else {
            usize::MAX
        };
        let before = &self.browser.tabs[tab];
        let (flight, timer, storage) = (before.flight.clone(), before.timer, self.browser.storage.clone());
        let told = matches!(event, Event::Told { .. });
        let issued = &mut self.issued;
        let mut fresh = || {
            *issued += 1;
            Id(FRESH + *issued)
        };
        let mut moment = Moment {
            now_ms: self.now_ms,
            fresh: &mut fresh,
            jitter: self.chance.next() as u32,
        };
        for settled in self.browser.take(tab, event, &mut moment, lives)? {
            if self.is_exclusive() || !matches!(settled.outcome, Outcome::Refused { .. }) {
                self.witness.hear(&settled, &self.server)?;
            }
            self.report.count(&settled.outcome);
            self.report.told += u64::from(told);
            if let Outcome::PossibleDuplicate { question, .. } = settled.outcome {
                self.questions[tab] = Some(question);
            }
        }
        if self.watched {
            let Core { run, slot, .. } = &self.browser.tabs[tab].core;
            println!("    {run:?}\n    {slot:?} dies: {dies}");
        }
        let after = &self.browser.tabs[tab];
        if let Some((token, wire)) = after.flight.clone().filter(|now| flight.as_ref() != Some(now)) {
            self.report.requests += 1;
            self.send(tab, page, token, wire);
        }
        let after = &self.browser.tabs[tab];
        if let Some((id, due_ms)) = after.timer.filter(|now| timer.as_ref() != Some(now)) {
            let event = Event::TimerFired { id };
            self.later(due_ms - self.now_ms, Happening::Page { tab, page, event });
        }
        let wait_ms = self.chance.between(0, 3);
        self.later(wait_ms, Happening::Grant);
        for (slot, outcome) in std::mem::take(&mut self.browser.tabs[tab].words) {
            for other in (0..self.pages.len()).filter(|t| *t != tab) {
                // it may be later than everything else, and not come at all
                if let Some(page) = self.pages[other].filter(|_| self.chance.percent(80)) {
                    let wait_ms = self.chance.between(0, 60);
                    let event = Event::Told {
                        slot: slot.clone(),
                        outcome,
                    };
                    let told = Happening::Page {
                        tab: other,
                        page,
                        event,
                    };
                    self.later(wait_ms, told);
                }
            }
        }
        if self.browser.storage != storage {
            for other in (0..self.pages.len()).filter(|t| *t != tab) {
                let wait_ms = self.chance.between(0, 40);
                self.later(wait_ms, Happening::StorageEvent { tab: other });
            }
        }
        if dies {
            self.report.deaths += 1;
            self.unload(tab);
        }
        Ok(())
    }

    /// The page goes, and comes again.
    pub(super) fn unload(&mut self, tab: usize) {
        self.report.reloads += 1;
        self.browser.unload(tab);
        self.pages[tab] = None;
        self.asleep[tab] = None;
        self.questions[tab] = None;
        if self.forgetful {
            self.browser.storage = Storage::default();
            self.browser.tabs[tab].request_id = None;
        }
        let wait_ms = self.chance.between(50, 2_000);
        self.later(wait_ms, Happening::Load { tab });
        self.later(0, Happening::Grant);
    }

    /// The page is put to sleep, for seconds or for a walk.
    pub(super) fn nap(&mut self, tab: usize) {
        self.report.naps += 1;
        self.asleep[tab] = Some(Vec::new());
        let most_ms = if self.chance.percent(20) { 200_000 } else { 15_000 };
        let wait_ms = self.chance.between(500, most_ms);
        let restored = self.chance.percent(50);
        self.later(wait_ms, Happening::Wake { tab, restored });
    }

    /// The page is there and awake.
    pub(super) fn is_awake(&self, tab: usize) -> bool {
        self.pages[tab].is_some() && self.asleep[tab].is_none()
    }

    /// Nothing is open in any tab.
    pub(super) fn is_settled(&self) -> bool {
        let tabs = || self.browser.tabs.iter();
        self.browser.storage.slot.is_none() && tabs().all(|tab| !tab.core.state().locked && tab.open.is_empty())
    }

    /// One tab at a time. Tabs that can not lock do not know of each other's attempts: a "no" that is stored nowhere may be
    /// the answer to one while the other is placed. Even then there is no second ticket.
    fn is_exclusive(&self) -> bool {
        self.browser.has_locks || self.pages.len() == 1
    }

    pub(super) fn later(&mut self, wait_ms: i64, happening: Happening) {
        self.scheduled += 1;
        self.queue
            .insert((self.now_ms + wait_ms.max(0), self.scheduled), happening);
    }

    fn load(&mut self, tab: usize) -> Result<(), String> {
        self.loaded += 1;
        self.pages[tab] = Some(self.loaded);
        let stored = self.browser.tabs[tab].stored(&self.browser.storage);
        self.page(tab, Event::Opened(stored))?;
        if self.forgetful {
            self.page(tab, Event::StorageFailed)?;
        }
        match self.chance.percent(85) {
            true => self.page(tab, Event::Resume),
            false => Ok(()),
        }
    }

    fn look_into_storage(&mut self, tab: usize) -> Result<(), String> {
        if self.asleep[tab].is_some() {
            return Ok(());
        }
        let stored = self.browser.tabs[tab].stored(&self.browser.storage);
        self.page(tab, Event::StorageChanged(stored))
    }
}
