//! The rows that a decision becomes. Set-based: a slice writes as many statements as a single order.

use super::step::{Step, Stuck};
use crate::app::App;
use crate::audit::Entry;
use crate::catalog::Shop;
use crate::kitchen::ticket::{State, Ticket};
use crate::ordering::command::PlaceOrder;
use crate::ordering::decide::{Draft, needs};
use crate::ordering::history::Order;
use crate::ordering::receipt::Receipt;
use crate::store::orders::NewOrder;
use crate::store::{self, Failure, Txn};
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

/// Writes stock, orders, lines, tickets and events. Returns the orders as they were written, one per placement.
pub async fn placements(
    app: &App,
    txn: &Txn,
    placements: Vec<Placement<'_>>,
    now_ms: i64,
) -> Result<Vec<Order>, Stuck> {
    if placements.is_empty() {
        return Ok(Vec::new());
    }
    take_stock(app, txn, &placements)
        .await
        .map_err(Stuck::at(Step::WriteStock))?;
    let orders = insert_orders(app, txn, &placements, now_ms)
        .await
        .map_err(Stuck::at(Step::WriteOrders))?;
    let receipts: Vec<&Receipt> = orders.iter().map(|o| &o.receipt).collect();
    let lines = async {
        store::orders::insert_lines(txn, &receipts).await?;
        app.faults.at("write_lines", Some(txn)).await
    };
    lines.await.map_err(Stuck::at(Step::WriteLines))?;
    let tickets = insert_tickets(app, txn, &orders)
        .await
        .map_err(Stuck::at(Step::WriteTickets))?;
    let events: Vec<_> = orders
        .iter()
        .map(|o| outbox::placed(app.new_id(), o.tenant, &o.receipt))
        .collect();
    let outbox = async {
        store::outbox::append(txn, &events).await?;
        app.faults.at("write_outbox", Some(txn)).await
    };
    outbox.await.map_err(Stuck::at(Step::WriteOutbox))?;
    let parties: BTreeSet<_> = placements.iter().map(|p| p.command.table_session).collect();
    let parties: Vec<_> = parties.into_iter().collect();
    store::tables::mark_placed(txn, &parties, now_ms)
        .await
        .map_err(Stuck::at(Step::WriteTableSession))?;
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

async fn take_stock(app: &App, txn: &Txn, placements: &[Placement<'_>]) -> Result<(), Failure> {
    let mut amounts = BTreeMap::new();
    for placement in placements {
        for (subject, taken) in needs(&placement.draft.lines) {
            *amounts.entry(subject.id()).or_insert(0) -= taken;
        }
    }
    store::stock::add(txn, &amounts).await?;
    app.faults.at("write_stock", Some(txn)).await
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

async fn insert_tickets(app: &App, txn: &Txn, orders: &[NewOrder]) -> Result<Vec<Ticket>, Failure> {
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
    store::tickets::append(txn, &tickets).await?;
    app.faults.at("write_tickets", Some(txn)).await?;
    Ok(tickets.into_iter().map(|(_, ticket)| ticket).collect())
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
