//! What `placeOrder` takes in. Nothing is checked here: ranges and forms are the use case's, which names the field.

use crate::catalog::ordering::PolicyChange;
use crate::graphql::defaulted::IntOr;
use crate::graphql::scalar::{MinorUnits, Uuid};
use crate::ordering::command::{RawLine, RawMoney, RawOrder, RawTopping};
use async_graphql::{ID, InputObject};

/// An order as a guest confirms it.
#[derive(InputObject)]
pub struct PlaceOrderInput {
    /// The idempotency key, a UUID v4: made once per cart view and kept over every retry. Required of guests and
    /// integrators.
    pub request_id: Option<Uuid>,
    /// The permanent identity of the cart: a cart is placed once.
    pub checkout_id: Option<Uuid>,
    /// The party. Required of staff and integrators; guests leave it out.
    pub table_session_id: Option<ID>,
    /// What is ordered: 1 to 100 lines. Equal lines are added up.
    pub lines: Vec<OrderLineInput>,
    /// What the guest saw. If it is not what the order costs, nothing is placed.
    pub expected_total: Option<MoneyInput>,
    /// The guest's words for the kitchen: at most 500 characters.
    pub note: Option<String>,
    /// "Yes, the same again": the order that `POSSIBLE_DUPLICATE` named.
    pub confirm_duplicate_of: Option<ID>,
}

/// A line of an order.
#[derive(InputObject)]
pub struct OrderLineInput {
    /// A menu item.
    pub menu_item_id: ID,
    /// Pieces: 1 to 99.
    pub quantity: i64,
    /// What comes with each piece: at most 20.
    pub toppings: Option<Vec<ToppingInput>>,
    /// The guest's words for this line: at most 100 characters.
    pub note: Option<String>,
}

/// A topping of a line.
#[derive(InputObject)]
pub struct ToppingInput {
    /// A topping of the menu item.
    pub topping_id: ID,
    /// Portions on each piece: 1 to 9.
    #[graphql(default)]
    pub quantity: IntOr<1>,
}

/// An amount of money.
#[derive(InputObject)]
pub struct MoneyInput {
    /// Minor units of the currency.
    pub amount_minor: MinorUnits,
    /// ISO 4217, as in `JPY`.
    pub currency: String,
}

/// New values of the ordering policy, in milliseconds. What is left out stays as it is.
#[derive(InputObject)]
pub struct OrderingPolicyInput {
    /// How long equal content of one table session counts as a possible duplicate: 0 to 3600000; 0 is off.
    pub content_window_ms: Option<i64>,
    /// Between two orders of one device: 0 to 600000; 0 is off.
    pub cooldown_ms: Option<i64>,
    /// Between two orders of one table session: 0 to 600000; 0 is off.
    pub burst_ms: Option<i64>,
    /// How long a request waits for the one before it: 1 to 4000.
    pub wait_bound_ms: Option<i64>,
    /// How long the outcome of a `requestId` is kept: 600000 (10 minutes) to 2073600000 (24 days).
    pub retention_ms: Option<i64>,
    /// How long a worker owns a placement that outlasts one transaction: 1000 to 3600000.
    pub lease_ms: Option<i64>,
}

impl From<OrderingPolicyInput> for PolicyChange {
    fn from(input: OrderingPolicyInput) -> Self {
        Self {
            content_window_ms: input.content_window_ms,
            cooldown_ms: input.cooldown_ms,
            burst_ms: input.burst_ms,
            wait_bound_ms: input.wait_bound_ms,
            retention_ms: input.retention_ms,
            lease_ms: input.lease_ms,
        }
    }
}

impl From<PlaceOrderInput> for RawOrder {
    fn from(input: PlaceOrderInput) -> Self {
        Self {
            request_id: input.request_id.map(|id| id.0),
            checkout_id: input.checkout_id.map(|id| id.0),
            table_session_id: input.table_session_id.map(|id| id.0),
            lines: input.lines.into_iter().map(RawLine::from).collect(),
            expected_total: input.expected_total.map(RawMoney::from),
            note: input.note,
            confirm_duplicate_of: input.confirm_duplicate_of.map(|id| id.0),
        }
    }
}

impl From<OrderLineInput> for RawLine {
    fn from(line: OrderLineInput) -> Self {
        Self {
            menu_item_id: line.menu_item_id.0,
            quantity: line.quantity,
            toppings: line.toppings.into_iter().flatten().map(RawTopping::from).collect(),
            note: line.note,
        }
    }
}

impl From<ToppingInput> for RawTopping {
    fn from(topping: ToppingInput) -> Self {
        Self {
            topping_id: topping.topping_id.0,
            quantity: topping.quantity.0,
        }
    }
}

impl From<MoneyInput> for RawMoney {
    fn from(money: MoneyInput) -> Self {
        Self {
            amount_minor: money.amount_minor.0,
            currency: money.currency,
        }
    }
}
