//! Prices, in integers of minor units. Pure.

use crate::catalog::{Catalogue, Item, Shop, Topping};
use crate::ordering::command::{InputError, PlaceOrder};
use crate::ordering::outcome::{Named, Rejection, Subject};
use crate::ordering::receipt::{ReceiptLine, ReceiptTopping};
use masterorder_protocol::lines::Line;
use masterorder_protocol::money::MAX_AMOUNT_MINOR;

/// Why lines can not be priced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unpriced {
    /// They never existed here, or do not fit together.
    Input(InputError),
    /// They are off the menu.
    Rejected(Rejection),
}

/// Prices the lines of a command at the current menu.
///
/// *Shape*: one line each, with `taken` as what it takes from tracked stock.
/// *Errors*: what is unknown in this tenant or breaks a topping group's bounds is an input error; what is archived or
/// switched off is `ITEM_UNAVAILABLE`. A cart from before a change of the menu may hold a topping whose whole group is gone: it
/// is archived, so the guest learns that it is off, not that it never existed.
pub fn quote(command: &PlaceOrder, menu: &Catalogue) -> Result<(Vec<ReceiptLine>, i64), Unpriced> {
    let mut lines = Vec::with_capacity(command.lines.len());
    let mut total: i64 = 0;
    let mut off: Vec<Named> = Vec::new();
    for line in &command.lines {
        let (item, toppings) = resolve(line, menu).map_err(Unpriced::Input)?;
        let unavailable = |subject, available: bool, name: &crate::lang::LocalText| {
            (!available).then(|| Named {
                subject,
                name: name.clone(),
            })
        };
        off.extend(unavailable(
            Subject::Item(item.id),
            item.available && !item.archived,
            &item.name,
        ));
        for (topping, _) in &toppings {
            let on = topping.available && !topping.archived;
            off.extend(unavailable(Subject::Topping(topping.id), on, &topping.name));
        }
        let priced = price(line, item, &toppings, menu);
        total = total.saturating_add(priced.line_total_minor);
        lines.push(priced);
    }
    if !off.is_empty() {
        let mut seen = std::collections::BTreeSet::new();
        off.retain(|o| seen.insert(o.subject));
        return Err(Unpriced::Rejected(Rejection::ItemUnavailable { items: off }));
    }
    if total > MAX_AMOUNT_MINOR {
        return Err(Unpriced::Input(InputError::new(
            "lines",
            format!("must cost at most {MAX_AMOUNT_MINOR} minor units together"),
        )));
    }
    Ok((lines, total))
}

/// Checks the currency of what the guest saw: an amount in another one can not be compared.
pub fn check_currency(command: &PlaceOrder, shop: &Shop) -> Result<(), InputError> {
    match command.expected_total {
        Some(expected) if expected.currency != shop.currency => Err(InputError::new(
            "expectedTotal.currency",
            format!("must be {}, the shop's currency", shop.currency),
        )),
        _ => Ok(()),
    }
}

/// Toppings with their portions on each piece.
type Portions<'m> = Vec<(&'m Topping, i64)>;

fn resolve<'m>(line: &Line, menu: &'m Catalogue) -> Result<(&'m Item, Portions<'m>), InputError> {
    let i = line.index;
    let item = menu
        .items
        .get(&line.item)
        .ok_or_else(|| InputError::new(format!("lines[{i}].menuItemId"), "is not on the menu of this shop"))?;
    let mut toppings = Vec::with_capacity(line.toppings.len());
    for asked in &line.toppings {
        let topping = menu
            .toppings
            .get(&asked.topping)
            .filter(|t| t.archived || item.groups.contains(&t.group))
            .ok_or_else(|| {
                InputError::new(
                    format!("lines[{i}].toppings"),
                    format!("topping {} is not offered with this item", asked.topping),
                )
            })?;
        toppings.push((topping, i64::from(asked.quantity)));
    }
    // what is off the menu may have had other choices
    if item.archived || toppings.iter().any(|(t, _)| t.archived) {
        return Ok((item, toppings));
    }
    for group in item.groups.iter().filter_map(|g| menu.groups.get(g)) {
        let chosen: i64 = toppings
            .iter()
            .filter(|(t, _)| t.group == group.id)
            .map(|(_, q)| q)
            .sum();
        if !(group.min..=group.max).contains(&chosen) {
            let bounds = match (group.min, group.max) {
                (min, max) if min == max => format!("exactly {min}"),
                (0, max) => format!("at most {max}"),
                (min, max) => format!("{min} to {max}"),
            };
            return Err(InputError::new(
                format!("lines[{i}].toppings"),
                format!(
                    "choose {bounds} of {:?} ({}), not {chosen}",
                    group.name.en, group.name.ja
                ),
            ));
        }
    }
    Ok((item, toppings))
}

/// Prices are bounded by the schema (10^12 each, 20 toppings of 9, 99 pieces), so nothing here can overflow an `i64`
/// before `quote` has checked the total.
fn price(line: &Line, item: &Item, toppings: &[(&Topping, i64)], menu: &Catalogue) -> ReceiptLine {
    let quantity = i64::from(line.quantity);
    let taken = |id, pieces| if menu.tracked.contains(&id) { pieces } else { 0 };
    let extras: i64 = toppings.iter().map(|(t, q)| t.price_minor.saturating_mul(*q)).sum();
    let unit_price_minor = item.price_minor.saturating_add(extras);
    ReceiptLine {
        item_id: item.id,
        sku: item.sku.clone(),
        name: item.name.clone(),
        station: item.station.clone(),
        quantity,
        unit_price_minor,
        line_total_minor: unit_price_minor.saturating_mul(quantity),
        tax_rate_bp: item.tax_rate_bp,
        note: line.note.as_sent().to_owned(),
        taken: taken(item.id.0, quantity),
        toppings: toppings
            .iter()
            .map(|(topping, portions)| ReceiptTopping {
                topping_id: topping.id,
                name: topping.name.clone(),
                quantity: *portions,
                unit_price_minor: topping.price_minor,
                taken: taken(topping.id.0, portions * quantity),
            })
            .collect(),
    }
}

#[cfg(test)]
#[path = "pricing_tests.rs"]
mod tests;
