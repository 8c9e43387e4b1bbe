//! Tabs whose storage events and locks come at once.

use crate::effect::Outcome;
use crate::event::{Event, Moment, Placement};
use crate::handle::Id;
use crate::tests::bench::NOW_MS;
use crate::tests::model::browser::Browser;
use crate::tests::model::dishes::{FRESH, words};
use crate::tests::model::shell::{Settled, Wire};
use std::vec::Vec;

/// Tabs whose storage events and locks come at once.
pub(super) struct Tabs {
    pub(super) browser: Browser,
    pub(super) settled: Vec<(usize, Settled)>,
    /// `placeOrder` requests.
    pub(super) placed: usize,
    issued: u32,
    /// Storage events are on their way.
    pub(super) deaf: bool,
    /// What tabs tell one another gets lost.
    pub(super) mute: bool,
}

impl Tabs {
    pub(super) fn open(tabs: usize, has_locks: bool) -> Self {
        let mut tabs = Self {
            browser: Browser::new(tabs, has_locks),
            settled: Vec::new(),
            placed: 0,
            issued: 0,
            deaf: false,
            mute: false,
        };
        for tab in 0..tabs.browser.tabs.len() {
            let stored = tabs.browser.tabs[tab].stored(&tabs.browser.storage);
            tabs.event(tab, Event::Opened(stored));
        }
        tabs
    }

    pub(super) fn event(&mut self, tab: usize, event: Event) {
        let storage = self.browser.storage.clone();
        let waiting = self.browser.tabs[tab].flight.clone();
        let issued = &mut self.issued;
        let mut fresh = || {
            *issued += 1;
            Id(FRESH + *issued)
        };
        let mut moment = Moment {
            now_ms: NOW_MS,
            fresh: &mut fresh,
            jitter: 0,
        };
        let result = self.browser.take(tab, event, &mut moment, usize::MAX);
        let settled = result.unwrap_or_else(|broken| panic!("{broken}"));
        self.settled.extend(settled.into_iter().map(|s| (tab, s)));
        let flight = &self.browser.tabs[tab].flight;
        if *flight != waiting && matches!(flight, Some((_, Wire::Place(_)))) {
            self.placed += 1;
        }
        let words = std::mem::take(&mut self.browser.tabs[tab].words);
        if !self.mute {
            for other in (0..self.browser.tabs.len()).filter(|t| *t != tab) {
                for (slot, outcome) in words.iter().cloned() {
                    self.event(other, Event::Told { slot, outcome });
                }
            }
        }
        if self.browser.storage != storage && !self.deaf {
            for other in (0..self.browser.tabs.len()).filter(|t| *t != tab) {
                self.tell(other);
            }
        }
        self.grant();
    }

    pub(super) fn tell(&mut self, tab: usize) {
        let stored = self.browser.tabs[tab].stored(&self.browser.storage);
        self.event(tab, Event::StorageChanged(stored));
    }

    pub(super) fn grant(&mut self) {
        while let Some((tab, token)) = self.browser.grant() {
            let stored = self.browser.tabs[tab].stored(&self.browser.storage);
            self.event(tab, Event::Locked { token, stored });
        }
    }

    pub(super) fn submit(&mut self, tab: usize) {
        self.event(tab, Event::Submit { note: Some(words("")) });
    }

    pub(super) fn token(&self, tab: usize) -> u32 {
        self.browser.tabs[tab].flight.as_ref().map_or(0, |(token, _)| *token)
    }

    pub(super) fn answer(&mut self, tab: usize, placement: Placement) {
        let token = self.token(tab);
        self.event(tab, Event::Answered { token, placement });
    }

    pub(super) fn outcomes(&self) -> Vec<(usize, Outcome)> {
        self.settled.iter().map(|(tab, s)| (*tab, s.outcome)).collect()
    }
}
