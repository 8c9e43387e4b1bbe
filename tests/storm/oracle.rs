//! Compares what guests wanted and were told with the orders that stand. Pure.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use uuid::Uuid;

/// One wish of one guest: one order, however it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The guest's table session.
    pub table: Uuid,
    /// Every key that it was sent under.
    pub requests: Vec<Uuid>,
    /// The identity of the cart, if it had one.
    pub checkout: Option<Uuid>,
    /// The guest went on until it was placed; who gave up may have an order or none.
    pub insisted: bool,
    /// Every order that an answer named.
    pub told: Vec<Uuid>,
    /// An answer that no weather explains.
    pub refused: Option<String>,
}

/// An order as it stands in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Its id.
    pub id: Uuid,
    /// Its table session.
    pub table: Uuid,
    /// The key that placed it.
    pub request: Uuid,
    /// Its cart.
    pub checkout: Option<Uuid>,
}

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// More than one order came of one wish.
    Duplicate(Intent, Vec<Uuid>),
    /// A guest was told of an order that does not stand.
    Lost(Intent, Uuid),
    /// A guest insisted, and there is no order.
    Missing(Intent),
    /// A guest was told of somebody else's order.
    Foreign(Intent, Uuid),
    /// A guest was refused for no reason.
    Refused(Intent),
    /// Nobody wanted this order.
    Orphan(Uuid),
}

/// Finds all broken promises.
pub fn judge(intents: &[Intent], orders: &[Order]) -> Vec<Finding> {
    let ids: HashMap<Uuid, &Order> = orders.iter().map(|o| (o.id, o)).collect();
    let mut owner = HashMap::new();
    for (i, intent) in intents.iter().enumerate() {
        for request in intent.requests.iter().chain(&intent.checkout) {
            owner.insert((intent.table, *request), i);
        }
    }
    let mut findings = Vec::new();
    let mut of_intent = vec![Vec::new(); intents.len()];
    for order in orders {
        let by = |name| owner.get(&(order.table, name)).copied();
        match by(order.request).or_else(|| by(order.checkout?)) {
            Some(i) => of_intent[i].push(order.id),
            None => findings.push(Finding::Orphan(order.id)),
        }
    }
    for (intent, stand) in intents.iter().zip(of_intent) {
        if stand.len() > 1 {
            findings.push(Finding::Duplicate(intent.clone(), stand.clone()));
        }
        if stand.is_empty() && intent.insisted {
            findings.push(Finding::Missing(intent.clone()));
        }
        if intent.refused.is_some() {
            findings.push(Finding::Refused(intent.clone()));
        }
        for told in &intent.told {
            if !ids.contains_key(told) {
                findings.push(Finding::Lost(intent.clone(), *told));
            } else if !stand.contains(told) {
                findings.push(Finding::Foreign(intent.clone(), *told));
            }
        }
    }
    findings
}
