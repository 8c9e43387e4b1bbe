//! The rows that a decision becomes. Set-based: a slice writes as many statements as a single order.

use crate::app::App;
use crate::audit::Entry;
use crate::catalog::Shop;
use crate::kitchen::ticket::{State, Ticket};
use crate::ordering::command::PlaceOrder;
use crate::ordering::decide::{Draft, needs};
use crate::ordering::history::Order;
use crate::ordering::receipt::Receipt;
use crate::store::orders::NewOrder;
use crate::store::{self, Failure, Txn, Writes};
use crate::{idempotency, outbox};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use masterorder_protocol::ids::TicketId;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers tried with 4 digits before going to 6: past some thousand orders a day collisions become the rule, and each is a
/// statement more.
const SHORT_NUMBER_TRIES: u32 = 3;
/// Numbers tried at all.
const NUMBER_TRIES: u32 = 16;

/// An order about to be written.
pub struct Placement<'a> {
    /// What was asked.
    pub command: &'a PlaceOrder,
    /// What was decided.
    pub draft: Draft,
    /// Where.
    pub shop: &'a Shop,
}

/// Inserts orders, whose numbers are settled thereby; stock, lines, tickets, events and the table sessions' marks are added to what
/// the slice writes. Returns the orders as they are then, one per placement.
pub async fn placements(
    app: &App,
    txn: &Txn,
    writes: &mut Writes<'_>,
    placements: Vec<Placement<'_>>,
    now_ms: i64,
) -> Result<Vec<Order>, Failure> {
    if placements.is_empty() {
        return Ok(Vec::new());
    }
    let orders = insert_orders(app, txn, &placements, now_ms).await?;
    take_stock(writes, &placements);
    let receipts: Vec<&Receipt> = orders.iter().map(|o| &o.receipt).collect();
    store::orders::insert_lines(writes, &receipts);
    let tickets = insert_tickets(app, writes, &orders);
    let events: Vec<_> = orders
        .iter()
        .map(|o| outbox::placed(app.new_id(), o.tenant, &o.receipt))
        .collect();
    store::outbox::add(writes, &events);
    let parties: BTreeSet<_> = placements.iter().map(|p| p.command.table_session).collect();
    let parties: Vec<_> = parties.into_iter().collect();
    store::tables::mark_placed(writes, &parties, now_ms);
    let written = orders.into_iter().zip(tickets);
    Ok(written.map(|(order, ticket)| order.written(ticket)).collect())
}

/// The audit entry of an attempt that was decided inside its transaction.
pub fn audit_entry(command: &PlaceOrder, result: &str, receipt: Option<&Receipt>, now_ms: i64) -> Entry {
    Entry {
        request: Some(command.request),
        table_session: Some(command.table_session),
        order: receipt.map(|r| r.order_id),
        ..Entry::by(&command.principal, idempotency::PLACE_ORDER, result, now_ms)
    }
}

fn take_stock(writes: &mut Writes<'_>, placements: &[Placement<'_>]) {
    let mut amounts = BTreeMap::new();
    for placement in placements {
        for (subject, taken) in needs(&placement.draft.lines) {
            *amounts.entry(subject.id()).or_insert(0) -= taken;
        }
    }
    store::stock::add(writes, &amounts);
}

async fn insert_orders(
    app: &App,
    txn: &Txn,
    placements: &[Placement<'_>],
    now_ms: i64,
) -> Result<Vec<NewOrder>, Failure> {
    let mut waiting: Vec<NewOrder> = placements.iter().map(|p| new_order(p, now_ms)).collect();
    let mut inserted: Vec<NewOrder> = Vec::with_capacity(waiting.len());
    for tries in 0..NUMBER_TRIES {
        for order in &mut waiting {
            order.receipt.number = match tries {
                0..SHORT_NUMBER_TRIES => rand::random_range(1_000..10_000),
                _ => rand::random_range(100_000..1_000_000),
            };
        }
        let ids = store::orders::insert(txn, &waiting).await?;
        let (went_in, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|o| ids.contains(&o.receipt.order_id));
        inserted.extend(went_in);
        waiting = rest;
        if waiting.is_empty() {
            break;
        }
    }
    if let Some(order) = waiting.first() {
        return Err(Failure::Inconsistent {
            table: "orders",
            column: "number",
            row: order.receipt.order_id.to_string(),
        });
    }
    app.faults.at("write_orders", Some(txn)).await?;
    // in the order of the placements again
    let place = |o: &NewOrder| placements.iter().position(|p| p.draft.order_id == o.receipt.order_id);
    inserted.sort_by_key(place);
    Ok(inserted)
}

fn new_order(placement: &Placement<'_>, now_ms: i64) -> NewOrder {
    let Placement { command, draft, shop } = placement;
    NewOrder {
        tenant: command.principal.tenant,
        business_day: business_day(shop, now_ms),
        checkout: command.checkout,
        content_hash: command.content_hash,
        notes_hash: command.notes_hash,
        caller: command.principal.caller(),
        device: command.principal.device.clone(),
        receipt: Receipt {
            order_id: draft.order_id,
            request_id: command.request,
            number: 0,
            table_session_id: command.table_session,
            table: draft.table.clone(),
            placed_at_ms: now_ms,
            currency: shop.currency,
            total_minor: draft.total_minor,
            note: command.note.as_sent().to_owned(),
            lines: draft.lines.clone(),
        },
    }
}

fn insert_tickets(app: &App, writes: &mut Writes<'_>, orders: &[NewOrder]) -> Vec<Ticket> {
    let tickets: Vec<_> = orders
        .iter()
        .map(|order| {
            let ticket = Ticket {
                id: TicketId(app.new_id()),
                order: order.receipt.order_id,
                state: State::Received,
                created_at_ms: order.receipt.placed_at_ms,
                updated_at_ms: order.receipt.placed_at_ms,
                version: 1,
            };
            (order.tenant, ticket)
        })
        .collect();
    store::tickets::add(writes, &tickets);
    tickets.into_iter().map(|(_, ticket)| ticket).collect()
}

/// The shop's business day, `YYYY-MM-DD`: an order at 02:00 belongs to the evening before. An unknown time zone counts as
/// UTC; shops are created with a known one.
fn business_day(shop: &Shop, now_ms: i64) -> String {
    let zone = TimeZone::get(&shop.time_zone).unwrap_or(TimeZone::UTC);
    // by the clock on the wall: where it changed in the night, five o'clock is not five hours after midnight
    let now = zone.to_datetime(Timestamp::from_millisecond(now_ms).unwrap_or_default());
    let shifted = now.checked_sub(shop.business_day_starts_min.minutes()).unwrap_or(now);
    shifted.date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::OrderingPolicy;
    use crate::lang::LocalText;
    use masterorder_protocol::ids::TenantId;
    use masterorder_protocol::money::Currency;
    use uuid::Uuid;

    #[test]
    fn the_business_day_changes_at_five_shop_time() {
        let Ok(currency) = Currency::parse("JPY") else {
            panic!("JPY is a currency");
        };
        let shop = Shop {
            id: Uuid::nil(),
            tenant: TenantId(Uuid::nil()),
            name: LocalText {
                ja: String::new(),
                en: String::new(),
            },
            currency,
            time_zone: "Asia/Tokyo".into(),
            business_day_starts_min: 300,
            policy: OrderingPolicy::default(),
            takes_orders: true,
            catalogue_version: 1,
        };
        for (utc, day) in [
            ("2026-11-28T19:59:59Z", "2026-11-28"),
            ("2026-11-28T20:00:00Z", "2026-11-29"),
            ("2026-11-29T17:00:00Z", "2026-11-29"),
        ] {
            let at: Timestamp = utc.parse().unwrap_or_default();
            assert_eq!(business_day(&shop, at.as_millisecond()), day, "{utc}");
        }
    }
}
