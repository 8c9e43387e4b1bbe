//! Decides what shall become of a slice of commands, from what was read under the locks. Pure: no I/O, no clock, no
//! randomness. A slice is decided as its commands one by one would be.

use crate::catalog::{Catalogue, Shop};
use crate::lang::LocalText;
use crate::ordering::command::{InputError, PlaceOrder};
use crate::ordering::duplicates::{self, Duplicate, Earlier, Standing};
use crate::ordering::gates;
use crate::ordering::outcome::{Conflict, CurrentPrice, Rejection, ReplayReason, Shortage, Subject};
use crate::ordering::pricing::{self, Unpriced};
use crate::ordering::receipt::ReceiptLine;
use masterorder_protocol::ids::{OrderId, TableSessionId, TenantId};
use masterorder_protocol::money::Money;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use uuid::Uuid;

/// A table session under its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// Its account.
    pub tenant: TenantId,
    /// The table's label.
    pub table: String,
    /// Has not paid yet.
    pub open: bool,
    /// When its last order was placed. *Units*: ms since the Unix epoch.
    pub last_placed_at_ms: Option<i64>,
}

/// A shop with the menu that its row names.
#[derive(Debug, Clone)]
pub struct Counter {
    /// The shop.
    pub shop: Shop,
    /// Its menu.
    pub menu: Arc<Catalogue>,
}

/// Everything that was read under the locks.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The transaction's clock.
    pub now_ms: i64,
    /// By tenant.
    pub counters: HashMap<TenantId, Counter>,
    /// By id.
    pub parties: HashMap<TableSessionId, Party>,
    /// Orders that may be the same again.
    pub earlier: Vec<Earlier>,
    /// Tracked stock by item or topping.
    pub stock: BTreeMap<Uuid, i64>,
}

/// What shall become of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Place it.
    Place(Draft),
    /// It is that order.
    Alias(OrderId, ReplayReason),
    /// A stable "no".
    Reject(Rejection),
    /// Not now, or not like this.
    Conflict(Conflict),
    /// The input does not fit what is there.
    Input(InputError),
}

/// An order to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its id, made by the caller.
    pub order_id: OrderId,
    /// The table's label.
    pub table: String,
    /// Priced lines.
    pub lines: Vec<ReceiptLine>,
    /// Their sum.
    pub total_minor: i64,
}

/// Decides each command in turn; earlier members of the slice count as placed for later ones.
///
/// `ids[i]` becomes the order's id if command `i` is placed.
pub fn decide(commands: &[&PlaceOrder], ids: &[OrderId], mut situation: Situation) -> Vec<Ruling> {
    commands
        .iter()
        .zip(ids)
        .map(|(command, id)| {
            let ruling = rule(command, *id, &situation);
            if let Ruling::Place(draft) = &ruling {
                situation.place(command, draft);
            }
            ruling
        })
        .collect()
}

/// What a set of lines takes from tracked stock, items and toppings together. *Units*: pieces.
pub fn needs(lines: &[ReceiptLine]) -> BTreeMap<Subject, i64> {
    let mut needs = BTreeMap::new();
    for line in lines {
        let item = (Subject::Item(line.item_id), line.taken);
        let toppings = line.toppings.iter().map(|t| (Subject::Topping(t.topping_id), t.taken));
        for (subject, taken) in std::iter::once(item).chain(toppings) {
            if taken > 0 {
                *needs.entry(subject).or_default() += taken;
            }
        }
    }
    needs
}

impl Subject {
    /// The id of the item or topping.
    pub fn id(self) -> Uuid {
        match self {
            Self::Item(id) => id.0,
            Self::Topping(id) => id.0,
        }
    }
}

impl Situation {
    fn place(&mut self, command: &PlaceOrder, draft: &Draft) {
        for (subject, taken) in needs(&draft.lines) {
            if let Some(left) = self.stock.get_mut(&subject.id()) {
                *left -= taken;
            }
        }
        if let Some(party) = self.parties.get_mut(&command.table_session) {
            party.last_placed_at_ms = Some(self.now_ms);
        }
        self.earlier.push(Earlier {
            id: draft.order_id,
            tenant: command.principal.tenant,
            table_session: command.table_session,
            checkout: command.checkout,
            content_hash: command.content_hash.to_vec(),
            notes_hash: command.notes_hash.to_vec(),
            device: command.principal.device.clone(),
            standing: Standing::Placed,
            placed_at_ms: self.now_ms,
        });
    }
}

fn rule(command: &PlaceOrder, order_id: OrderId, situation: &Situation) -> Ruling {
    if let Some(duplicate) = duplicates::by_checkout(command, &situation.earlier) {
        return duplicate.into();
    }
    let tenant = command.principal.tenant;
    let (Some(counter), Some(party)) = (
        situation.counters.get(&tenant),
        situation
            .parties
            .get(&command.table_session)
            .filter(|p| p.tenant == tenant),
    ) else {
        return Ruling::Input(InputError::new("tableSessionId", "is not a table session of this shop"));
    };
    if !counter.shop.takes_orders {
        return Ruling::Conflict(Conflict::OrderingPaused);
    }
    if !party.open {
        return Ruling::Reject(Rejection::SessionClosed);
    }
    if let Some(confirmed) = command.confirm_duplicate_of {
        let own = |e: &&Earlier| e.id == confirmed && e.table_session == command.table_session;
        if !situation.earlier.iter().any(|e| own(&e)) {
            return Ruling::Input(InputError::new(
                "confirmDuplicateOf",
                "must be an order of this table session, as POSSIBLE_DUPLICATE named it",
            ));
        }
    }
    let window_ms = counter.shop.policy.content_window_ms;
    if let Some(duplicate) = duplicates::by_content(command, &situation.earlier, window_ms, situation.now_ms) {
        return duplicate.into();
    }
    let policy = counter.shop.policy;
    if let Some(wait) = gates::check(command, party, &situation.earlier, policy, situation.now_ms) {
        return Ruling::Conflict(wait);
    }
    if let Err(error) = pricing::check_currency(command, &counter.shop) {
        return Ruling::Input(error);
    }
    let (lines, total_minor) = match pricing::quote(command, &counter.menu) {
        Ok(quote) => quote,
        Err(Unpriced::Input(error)) => return Ruling::Input(error),
        Err(Unpriced::Rejected(rejection)) => return Ruling::Reject(rejection),
    };
    if let Some(changed) = price_changed(command, counter, &lines, total_minor) {
        return Ruling::Reject(changed);
    }
    let shortages = shortages(&lines, counter, &situation.stock);
    if !shortages.is_empty() {
        return Ruling::Reject(Rejection::SoldOut { shortages });
    }
    Ruling::Place(Draft {
        order_id,
        table: party.table.clone(),
        lines,
        total_minor,
    })
}

fn price_changed(
    command: &PlaceOrder,
    counter: &Counter,
    lines: &[ReceiptLine],
    total_minor: i64,
) -> Option<Rejection> {
    let expected = command.expected_total?;
    if expected.amount_minor == total_minor {
        return None;
    }
    Some(Rejection::PriceChanged {
        expected,
        actual: Money {
            amount_minor: total_minor,
            currency: counter.shop.currency,
        },
        lines: command
            .lines
            .iter()
            .zip(lines)
            .map(|(asked, priced)| CurrentPrice {
                line: asked.index,
                item: priced.item_id,
                name: priced.name.clone(),
                unit_price_minor: priced.unit_price_minor,
                line_total_minor: priced.line_total_minor,
            })
            .collect(),
    })
}

fn shortages(lines: &[ReceiptLine], counter: &Counter, stock: &BTreeMap<Uuid, i64>) -> Vec<Shortage> {
    let menu = &counter.menu;
    let name = |subject| match subject {
        Subject::Item(id) => menu.items.get(&id).map(|i| i.name.clone()),
        Subject::Topping(id) => menu.toppings.get(&id).map(|t| t.name.clone()),
    };
    needs(lines)
        .into_iter()
        .map(|(subject, requested)| (subject, requested, stock.get(&subject.id()).copied().unwrap_or(0)))
        .filter(|(_, requested, left)| left < requested)
        .map(|(subject, requested, left)| Shortage {
            subject,
            // what is priced is on the menu; what is short must be told in any case
            name: name(subject).unwrap_or_else(|| LocalText {
                ja: subject.id().to_string(),
                en: subject.id().to_string(),
            }),
            requested,
            left,
        })
        .collect()
}

impl From<Duplicate> for Ruling {
    fn from(duplicate: Duplicate) -> Self {
        match duplicate {
            Duplicate::Alias(order, reason) => Self::Alias(order, reason),
            Duplicate::Conflict(conflict) => Self::Conflict(conflict),
        }
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
