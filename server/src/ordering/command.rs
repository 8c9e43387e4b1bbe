//! From untrusted input to a validated command. Pure: no catalogue, no database.

use crate::idempotency::PLACE_ORDER;
use crate::idempotency::fingerprint::{self, Fingerprint};
use crate::principal::{Principal, Role};
use masterorder_protocol::ids::{CheckoutId, MenuItemId, OrderId, TableSessionId, ToppingId};
use masterorder_protocol::lines::{AskedLine, AskedTopping, Line, MAX_ORDER_NOTE, canonical};
use masterorder_protocol::money::{Currency, MAX_AMOUNT_MINOR, Money};
use masterorder_protocol::request_id::RequestId;
use masterorder_protocol::text::Text;
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

/// `placeOrder` as it came in through any door: nothing is checked yet.
#[derive(Debug, Clone, Default)]
pub struct RawOrder {
    /// The idempotency key.
    pub request_id: Option<String>,
    /// The cart.
    pub checkout_id: Option<String>,
    /// The party; guests are known by their headers.
    pub table_session_id: Option<String>,
    /// What is ordered.
    pub lines: Vec<RawLine>,
    /// What the guest saw.
    pub expected_total: Option<RawMoney>,
    /// The guest's words.
    pub note: Option<String>,
    /// "Yes, the same again."
    pub confirm_duplicate_of: Option<String>,
}

/// A line as it came in.
#[derive(Debug, Clone, Default)]
pub struct RawLine {
    /// A menu item's id.
    pub menu_item_id: String,
    /// Pieces.
    pub quantity: i64,
    /// Toppings of each piece.
    pub toppings: Vec<RawTopping>,
    /// The guest's words.
    pub note: Option<String>,
}

/// A topping as it came in.
#[derive(Debug, Clone, Default)]
pub struct RawTopping {
    /// A topping's id.
    pub topping_id: String,
    /// Portions on each piece.
    pub quantity: i64,
}

/// An amount as it came in.
#[derive(Debug, Clone, Default)]
pub struct RawMoney {
    /// Minor units.
    pub amount_minor: i64,
    /// ISO 4217.
    pub currency: String,
}

/// A validated command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceOrder {
    /// Who asks.
    pub principal: Principal,
    /// The party that pays.
    pub table_session: TableSessionId,
    /// The idempotency key.
    pub request: RequestId,
    /// The cart.
    pub checkout: Option<CheckoutId>,
    /// Canonical.
    pub lines: Vec<Line>,
    /// As sent, compared in one form.
    pub note: Text,
    /// What the guest saw.
    pub expected_total: Option<Money>,
    /// "Yes, the same again."
    pub confirm_duplicate_of: Option<OrderId>,
    /// The content window looks at this command.
    pub window_applies: bool,
    /// Of everything that makes it this request.
    pub fingerprint: Fingerprint,
    /// Of what is ordered.
    pub content_hash: [u8; 32],
    /// Of what is said about it.
    pub notes_hash: [u8; 32],
    /// This very attempt, over all its inner retries.
    pub attempt: Uuid,
}

/// An input that does not fit. The message names the range and never echoes long input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct InputError {
    /// The field, as in `lines[2].toppings[0].quantity`.
    pub path: String,
    /// What it must be.
    pub message: String,
}

impl InputError {
    /// An error about a field.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

/// Ids that the caller of `parse` made: parsing has no randomness of its own.
#[derive(Debug, Clone, Copy)]
pub struct Minted {
    /// For this attempt.
    pub attempt: Uuid,
    /// For staff who send no key: a UUID v4.
    pub request: Uuid,
}

/// Validates.
///
/// *Errors*: the first field that does not fit.
pub fn parse(raw: &RawOrder, principal: &Principal, minted: Minted) -> Result<PlaceOrder, InputError> {
    let request = match &raw.request_id {
        Some(text) => parse_request_id(text)?,
        None if matches!(principal.role, Role::Staff(_)) => {
            RequestId::from_uuid(minted.request).map_err(|e| InputError::new("requestId", e.to_string()))?
        }
        None => {
            return Err(InputError::new(
                "requestId",
                "is required: a UUID v4, made once per cart view and kept over retries",
            ));
        }
    };
    let window_applies = match principal.role {
        Role::Guest(_) => true,
        // a double click in the playground has no key: then the window must catch it
        Role::Staff(_) => raw.request_id.is_none(),
        Role::Integrator(_) => false,
    };
    let table_session = parse_table_session(raw.table_session_id.as_deref(), principal)?;
    let checkout = raw
        .checkout_id
        .as_deref()
        .map(|text| parse_uuid("checkoutId", text).map(CheckoutId))
        .transpose()?;
    let lines = parse_lines(&raw.lines)?;
    let note = parse_text("note", raw.note.as_deref())?;
    let length = note.as_sent().chars().count();
    if length > MAX_ORDER_NOTE {
        return Err(InputError::new(
            "note",
            format!("must be at most {MAX_ORDER_NOTE} characters (Unicode scalar values), not {length}"),
        ));
    }
    let expected_total = raw.expected_total.as_ref().map(parse_money).transpose()?;
    let confirm_duplicate_of = raw
        .confirm_duplicate_of
        .as_deref()
        .map(|text| parse_uuid("confirmDuplicateOf", text).map(OrderId))
        .transpose()?;
    let fingerprint = fingerprint::compute(
        fingerprint::VERSION,
        &fingerprint::Subject {
            tenant: principal.tenant,
            table_session,
            principal_kind: principal.kind(),
            operation: PLACE_ORDER,
            checkout,
            lines: &lines,
            note: &note,
            expected_total,
        },
    )
    .ok_or_else(|| InputError::new("requestId", "fingerprint version is not supported"))?;
    Ok(PlaceOrder {
        content_hash: fingerprint::content_hash(table_session, &lines),
        notes_hash: fingerprint::notes_hash(&lines, &note),
        principal: principal.clone(),
        table_session,
        request,
        checkout,
        lines,
        note,
        expected_total,
        confirm_duplicate_of,
        window_applies,
        fingerprint,
        attempt: minted.attempt,
    })
}

impl PlaceOrder {
    /// Its fingerprint in the encoding of the given version, to compare with a stored one.
    pub fn fingerprint_in(&self, version: i64) -> Option<Fingerprint> {
        if version == self.fingerprint.version {
            return Some(self.fingerprint.clone());
        }
        fingerprint::compute(
            version,
            &fingerprint::Subject {
                tenant: self.principal.tenant,
                table_session: self.table_session,
                principal_kind: self.principal.kind(),
                operation: PLACE_ORDER,
                checkout: self.checkout,
                lines: &self.lines,
                note: &self.note,
                expected_total: self.expected_total,
            },
        )
    }
}

/// Parses an idempotency key.
pub fn parse_request_id(text: &str) -> Result<RequestId, InputError> {
    RequestId::parse(text).map_err(|e| InputError::new("requestId", e.to_string()))
}

/// Parses an id.
pub fn parse_uuid(path: impl Into<String>, text: &str) -> Result<Uuid, InputError> {
    match text.len() {
        36 => Uuid::try_parse(text).ok(),
        _ => None,
    }
    .ok_or_else(|| InputError::new(path, "must be a UUID like 0190a5d2-7c3e-7b1a-8f00-3c9a1e5c8f10"))
}

fn parse_table_session(asked: Option<&str>, principal: &Principal) -> Result<TableSessionId, InputError> {
    const PATH: &str = "tableSessionId";
    let asked = asked
        .map(|text| parse_uuid(PATH, text).map(TableSessionId))
        .transpose()?;
    match (principal.role, asked) {
        (Role::Guest(own), None) => Ok(own),
        (Role::Guest(own), Some(asked)) if own == asked => Ok(own),
        (Role::Guest(_), Some(_)) => Err(InputError::new(
            PATH,
            "must be left out, or be the table session of the X-Session-Id header",
        )),
        (_, Some(asked)) => Ok(asked),
        (_, None) => Err(InputError::new(PATH, "is required of staff and integrators")),
    }
}

fn parse_lines(raw: &[RawLine]) -> Result<Vec<Line>, InputError> {
    let mut asked = Vec::with_capacity(raw.len().min(masterorder_protocol::lines::MAX_LINES + 1));
    for (i, line) in raw.iter().enumerate() {
        let mut toppings = Vec::with_capacity(line.toppings.len());
        for (j, topping) in line.toppings.iter().enumerate() {
            toppings.push(AskedTopping {
                topping: ToppingId(parse_uuid(
                    format!("lines[{i}].toppings[{j}].toppingId"),
                    &topping.topping_id,
                )?),
                quantity: topping.quantity,
            });
        }
        asked.push(AskedLine {
            item: MenuItemId(parse_uuid(format!("lines[{i}].menuItemId"), &line.menu_item_id)?),
            quantity: line.quantity,
            toppings,
            note: parse_text(&format!("lines[{i}].note"), line.note.as_deref())?,
        });
    }
    canonical(&asked).map_err(|e| InputError::new(e.path(), e.to_string()))
}

fn parse_money(raw: &RawMoney) -> Result<Money, InputError> {
    if !(0..=MAX_AMOUNT_MINOR).contains(&raw.amount_minor) {
        return Err(InputError::new(
            "expectedTotal.amountMinor",
            format!("must be 0 to {MAX_AMOUNT_MINOR}, not {}", raw.amount_minor),
        ));
    }
    let currency =
        Currency::parse(&raw.currency).map_err(|e| InputError::new("expectedTotal.currency", e.to_string()))?;
    Ok(Money {
        amount_minor: raw.amount_minor,
        currency,
    })
}

fn parse_text(path: &str, text: Option<&str>) -> Result<Text, InputError> {
    let text = text.unwrap_or_default();
    if text.contains('\0') {
        // PostgreSQL can not store it, and nobody means it
        return Err(InputError::new(path, "must not hold the character U+0000"));
    }
    let nfc: String = text.nfc().collect();
    let text = Text::new(text, &nfc);
    // white space alone says nothing: missing, empty and blank are the same
    Ok(if text.is_blank() { Text::default() } else { text })
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
