//! The body of an order. Here it is given its form, and errors of form the path of their field; ranges are the use case's.

use crate::ordering::command::{InputError, RawLine, RawMoney, RawOrder, RawTopping};
use serde::Deserialize;
use serde_json::error::Category;
use utoipa::ToSchema;

/// Bytes of a field's path in an error: enough for every real one, and no echo of a long made-up one.
const MAX_PATH: usize = 80;

/// An order as a guest confirms it. The idempotency key travels in the `Idempotency-Key` header.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderInput {
    /// The permanent identity of the cart: a cart is placed once.
    #[schema(format = "uuid")]
    pub checkout_id: Option<String>,
    /// The party. Required of staff and integrators; guests leave it out.
    #[schema(format = "uuid")]
    pub table_session_id: Option<String>,
    /// What is ordered. Equal lines are added up.
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Vec<LineInput>,
    /// What the guest saw. If it is not what the order costs, nothing is placed.
    pub expected_total: Option<MoneyInput>,
    /// The guest's words for the kitchen.
    #[schema(max_length = 500)]
    pub note: Option<String>,
    /// "Yes, the same again": the order that `POSSIBLE_DUPLICATE` named.
    #[schema(format = "uuid")]
    pub confirm_duplicate_of: Option<String>,
}

/// A line of an order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineInput {
    /// A menu item.
    #[schema(format = "uuid")]
    pub menu_item_id: String,
    /// Pieces.
    #[schema(minimum = 1, maximum = 99)]
    pub quantity: i64,
    /// What comes with each piece.
    #[schema(max_items = 20)]
    pub toppings: Option<Vec<ToppingInput>>,
    /// The guest's words for this line.
    #[schema(max_length = 100)]
    pub note: Option<String>,
}

/// A topping of a line.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToppingInput {
    /// A topping of the menu item.
    #[schema(format = "uuid")]
    pub topping_id: String,
    /// Portions on each piece; 1 if left out.
    #[schema(minimum = 1, maximum = 9, default = 1)]
    pub quantity: Option<i64>,
}

/// An amount of money.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyInput {
    /// Minor units of the currency (yen, cents).
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub amount_minor: i64,
    /// ISO 4217.
    #[schema(pattern = "^[A-Z]{3}$", example = "JPY")]
    pub currency: String,
}

/// Reads an order from the body and its key from the header.
///
/// *Errors*: the first field that is missing, unknown or of another type.
pub fn parse(body: &[u8], key: Option<&str>) -> Result<RawOrder, InputError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let input: OrderInput = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        explain(&path, error.inner())
    })?;
    json.end().map_err(|error| explain("", &error))?;
    Ok(RawOrder {
        request_id: key.map(str::to_owned),
        ..input.into()
    })
}

/// Says it in the words of the contract: serde's own quote what was sent, however long it is, and name types of Rust.
fn explain(path: &str, error: &serde_json::Error) -> InputError {
    let text = error.to_string();
    if let Category::Syntax | Category::Eof | Category::Io = error.classify() {
        return InputError::new("body", format!("must be one JSON object: {text}"));
    }
    let said = text.rsplit_once(" at line ").map_or(text.as_str(), |(said, _)| said);
    let quoted = |prefix: &str| said.strip_prefix(prefix)?.strip_suffix('`');
    let field = |name: &str| match path {
        "." => name.to_owned(),
        _ => format!("{path}.{name}"),
    };
    if let Some(name) = quoted("missing field `") {
        return InputError::new(field(name), "is required");
    }
    if let Some(name) = quoted("duplicate field `") {
        return InputError::new(field(name), "must be there once");
    }
    if said.starts_with("unknown field `") {
        return unknown(path, said);
    }
    let path = if path == "." { "body" } else { path };
    // the last "expected": what was sent stands before it
    let expected = match said.rsplit_once(", expected ").map_or("", |(_, expected)| expected) {
        "i64" => "an integer",
        "a string" => "a text",
        "a sequence" => "an array",
        other if other.starts_with("struct ") => "an object",
        _ => "of another type",
    };
    InputError::new(shown(path), format!("must be {expected}"))
}

fn unknown(path: &str, said: &str) -> InputError {
    let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
    if name == "requestId" {
        return InputError::new(
            path,
            "does not belong in the body: send it in the Idempotency-Key header",
        );
    }
    let known = said.rsplit_once(", expected ").map_or("", |(_, expected)| expected);
    let known = known.trim_start_matches("one of ").replace('`', "");
    InputError::new(shown(path), format!("is no field here; known are {known}"))
}

fn shown(path: &str) -> String {
    if path.len() <= MAX_PATH {
        return path.to_owned();
    }
    let end = (0..=MAX_PATH)
        .rev()
        .find(|end| path.is_char_boundary(*end))
        .unwrap_or(0);
    format!("{}…", &path[..end])
}

impl From<OrderInput> for RawOrder {
    fn from(input: OrderInput) -> Self {
        Self {
            request_id: None,
            checkout_id: input.checkout_id,
            table_session_id: input.table_session_id,
            lines: input.lines.into_iter().map(RawLine::from).collect(),
            expected_total: input.expected_total.map(RawMoney::from),
            note: input.note,
            confirm_duplicate_of: input.confirm_duplicate_of,
        }
    }
}

impl From<LineInput> for RawLine {
    fn from(line: LineInput) -> Self {
        Self {
            menu_item_id: line.menu_item_id,
            quantity: line.quantity,
            toppings: line.toppings.into_iter().flatten().map(RawTopping::from).collect(),
            note: line.note,
        }
    }
}

impl From<ToppingInput> for RawTopping {
    fn from(topping: ToppingInput) -> Self {
        Self {
            topping_id: topping.topping_id,
            quantity: topping.quantity.unwrap_or(1),
        }
    }
}

impl From<MoneyInput> for RawMoney {
    fn from(money: MoneyInput) -> Self {
        Self {
            amount_minor: money.amount_minor,
            currency: money.currency,
        }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
