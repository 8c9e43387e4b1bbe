//! The examples of the description, made by the same code that makes the real answers.

use super::order::Placed;
use super::problem::Problem;
use super::status::{Order, PlacementState, PlacementStatus};
use crate::kitchen::ticket::{State, Ticket};
use crate::lang::{Lang, LocalText};
use crate::ordering::command::InputError;
use crate::ordering::duplicates::Standing;
use crate::ordering::history;
use crate::ordering::outcome::{Conflict, CurrentPrice, Named, Rejection, Shortage, Subject};
use crate::ordering::receipt::{Receipt, ReceiptLine};
use crate::refusal::Refusal;
use masterorder_protocol::codes::Code;
use masterorder_protocol::ids::{CheckoutId, MenuItemId, OrderId, TableSessionId, TicketId};
use masterorder_protocol::money::{Currency, Money};
use masterorder_protocol::request_id::RequestId;
use serde_json::{Value, json};
use uuid::{Uuid, uuid};

const KEY: Uuid = uuid!("550e8400-e29b-41d4-a716-446655440000");
const CART: Uuid = uuid!("7d793037-a076-4f4b-9d2b-3c9a1e5c8f10");
const PARTY: Uuid = uuid!("0197a3f4-0c11-7d02-8f3e-6a1b9c4d2e03");
const ITEM: Uuid = uuid!("0197a3f4-0f2b-7c3d-8a54-3d6c1b2e9f01");
const ORDER: Uuid = uuid!("0197a3f4-52d1-7e88-9b0c-5f7a2d4c6e02");
const TICKET: Uuid = uuid!("0197a3f4-52d1-7e90-a1c7-2b8d5e3f4a04");
const PLACED_AT_MS: i64 = 1_767_225_600_000;

/// The body of a request.
pub fn input() -> Value {
    json!({
        "checkoutId": CART,
        "tableSessionId": PARTY,
        "lines": [{ "menuItemId": ITEM, "quantity": 2, "note": "no leek" }],
        "expectedTotal": { "amountMinor": 1_700, "currency": "JPY" },
    })
}

/// An order that was placed.
pub fn placed() -> Option<Placed> {
    let receipt = receipt()?;
    Some(Placed::render(receipt.request_id, &receipt, None, Lang::En))
}

/// A placement whose order is on the way.
pub fn status() -> Option<PlacementStatus> {
    let order = OrderId(ORDER);
    let cooking = history::Order {
        receipt: receipt()?,
        checkout: Some(CheckoutId(CART)),
        standing: Standing::Placed,
        cancelled_at_ms: None,
        version: 2,
        ticket: Some(Ticket {
            id: TicketId(TICKET),
            order,
            state: State::Cooking,
            created_at_ms: PLACED_AT_MS,
            updated_at_ms: PLACED_AT_MS + 90_000,
            version: 2,
        }),
    };
    Some(PlacementStatus {
        state: PlacementState::Placed,
        code: None,
        order: Some(Order::render(&cooking, Lang::En)),
    })
}

fn receipt() -> Option<Receipt> {
    let line = ReceiptLine {
        item_id: MenuItemId(ITEM),
        sku: "N-RAMEN".into(),
        name: ramen(),
        station: "noodle".into(),
        quantity: 2,
        unit_price_minor: 850,
        line_total_minor: 1_700,
        tax_rate_bp: 1_000,
        note: "no leek".into(),
        taken: 2,
        toppings: Vec::new(),
    };
    Some(Receipt {
        order_id: OrderId(ORDER),
        request_id: RequestId::from_uuid(KEY).ok()?,
        number: 42,
        table_session_id: TableSessionId(PARTY),
        table: "5".into(),
        placed_at_ms: PLACED_AT_MS,
        currency: Currency::parse("JPY").ok()?,
        total_minor: 1_700,
        note: String::new(),
        lines: vec![line],
    })
}

fn ramen() -> LocalText {
    LocalText {
        ja: "ラーメン".into(),
        en: "Ramen".into(),
    }
}

/// The problem of a code.
pub fn problem(code: Code) -> Problem {
    let lang = Lang::En;
    let subject = Subject::Item(MenuItemId(ITEM));
    let rejected = |rejection| placement(Problem::rejected(&rejection, lang));
    let conflict = |conflict| placement(Problem::conflict(&conflict, lang));
    let refused = |refusal| Problem::refused(&refusal, lang);
    match code {
        Code::SoldOut => rejected(Rejection::SoldOut {
            shortages: vec![Shortage {
                subject,
                name: ramen(),
                requested: 2,
                left: 1,
            }],
        }),
        Code::ItemUnavailable => rejected(Rejection::ItemUnavailable {
            items: vec![Named { subject, name: ramen() }],
        }),
        Code::PriceChanged => rejected(price_changed()),
        Code::SessionClosed => rejected(Rejection::SessionClosed),
        Code::Withdrawn => rejected(Rejection::Withdrawn),
        Code::IdempotencyKeyReused => conflict(Conflict::KeyReused(vec!["lines".into()])),
        Code::CheckoutAlreadyPlaced => conflict(Conflict::CheckoutAlreadyPlaced(Some(OrderId(ORDER)))),
        Code::PossibleDuplicate => conflict(Conflict::PossibleDuplicate {
            earlier: OrderId(ORDER),
            age_ms: 8_000,
        }),
        Code::IdempotencyInProgress => conflict(Conflict::InProgress),
        Code::DuplicatePayload => conflict(Conflict::DuplicatePayload),
        Code::SessionOrderInProgress => conflict(Conflict::Burst { wait_ms: 700 }),
        Code::CooldownActive => conflict(Conflict::Cooldown { wait_ms: 2_400 }),
        Code::OrderingPaused => conflict(Conflict::OrderingPaused),
        Code::SessionBusy => conflict(Conflict::SessionBusy),
        Code::BadUserInput => refused(InputError::new("lines[2].quantity", "must be 1 to 99, not 0").into()),
        Code::RateLimited => refused(Refusal::RateLimited(1_500)),
        Code::Unauthenticated => refused(Refusal::ANONYMOUS),
        Code::Forbidden => refused(Refusal::Forbidden("staff only")),
        Code::NotFound => refused(Refusal::NotFound("operation")),
        Code::Unavailable => refused(Refusal::Unavailable),
        Code::Internal => refused(Refusal::Internal),
    }
}

fn placement(problem: Problem) -> Problem {
    match RequestId::from_uuid(KEY) {
        Ok(key) => problem.about(key),
        Err(_) => problem,
    }
}

fn price_changed() -> Rejection {
    let yen = |amount_minor| {
        Currency::parse("JPY")
            .ok()
            .map(|currency| Money { amount_minor, currency })
    };
    let (Some(expected), Some(actual)) = (yen(850), yen(900)) else {
        return Rejection::Withdrawn;
    };
    Rejection::PriceChanged {
        expected,
        actual,
        lines: vec![CurrentPrice {
            line: 0,
            item: MenuItemId(ITEM),
            name: ramen(),
            unit_price_minor: 900,
            line_total_minor: 900,
        }],
    }
}
