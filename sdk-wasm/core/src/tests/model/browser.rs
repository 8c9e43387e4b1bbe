//! Tabs that share storage and a lock.

use super::shell::{Settled, Storage, Tab};
use crate::event::{Event, Moment};
use std::string::String;
use std::vec::Vec;

/// A browser on one table session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Browser {
    pub(crate) storage: Storage,
    pub(crate) tabs: Vec<Tab>,
    /// Old browsers have no Web Locks: there every tab that asks gets one.
    pub(crate) has_locks: bool,
    holder: Option<usize>,
    queue: Vec<usize>,
}

impl Browser {
    /// A browser with this many tabs, none of which is opened yet.
    pub(crate) fn new(tabs: usize, has_locks: bool) -> Self {
        Self {
            storage: Storage::default(),
            tabs: (0..tabs).map(|_| Tab::default()).collect(),
            has_locks,
            holder: None,
            queue: Vec::new(),
        }
    }

    /// Hands an event to a tab. See `Tab::take`.
    pub(crate) fn take(
        &mut self,
        tab: usize,
        event: Event,
        moment: &mut Moment<'_>,
        lives: usize,
    ) -> Result<Vec<Settled>, String> {
        let asked = self.tabs[tab].lock;
        let settled = self.tabs[tab].take(&mut self.storage, event, moment, lives)?;
        let asks = self.tabs[tab].lock;
        if asks != asked {
            self.release(tab);
            if asks.is_some() {
                self.queue.push(tab);
            }
        }
        Ok(settled)
    }

    /// The next tab that holds the lock, with its token.
    pub(crate) fn grant(&mut self) -> Option<(usize, u32)> {
        if self.queue.is_empty() || (self.has_locks && self.holder.is_some()) {
            return None;
        }
        let tab = self.queue.remove(0);
        self.holder = Some(tab);
        self.tabs[tab].lock.map(|token| (tab, token))
    }

    /// The tab's page is gone, and with it everything but storage.
    pub(crate) fn unload(&mut self, tab: usize) {
        self.release(tab);
        let old = std::mem::take(&mut self.tabs[tab]);
        self.tabs[tab].request_id = old.request_id;
        self.tabs[tab].core.by_content = old.core.by_content;
    }

    fn release(&mut self, tab: usize) {
        self.queue.retain(|t| *t != tab);
        self.holder = self.holder.filter(|t| *t != tab);
    }
}
