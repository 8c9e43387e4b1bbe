//! What a swarm is told on its standard input, and what it tells on its standard output, a line per wish.

use crate::fixture::Table;
use crate::storm::oracle::Intent;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use uuid::Uuid;

/// A swarm of guests.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// Where the shop can be reached.
    pub nodes: Vec<SocketAddr>,
    /// One guest each.
    pub guests: Vec<Guest>,
    /// Wishes of each guest, one after the other.
    pub intents: usize,
}

/// Who sits where, and eats what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Guest {
    /// The table session.
    pub table: Uuid,
    /// Its PIN.
    pub pin: String,
    /// What is ordered.
    pub dish: Uuid,
    /// What comes with it.
    pub topping: Uuid,
    /// The first of this guest's contents: no two wishes of a table are alike.
    pub first_content: usize,
    /// The shop forgets keys soon: every wish is a cart with an identity.
    pub carts_only: bool,
}

impl Guest {
    /// The table as the harness names it.
    pub fn seat(&self) -> Table {
        Table {
            id: self.table,
            pin: self.pin.clone(),
            label: String::new(),
        }
    }
}

/// What became of a wish.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Line {
    /// For the oracle.
    pub intent: Intent,
    /// How often what happened.
    pub tally: BTreeMap<String, u64>,
}

impl Line {
    /// It happened once more.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.tally.entry(what.into()).or_default() += 1;
    }
}
