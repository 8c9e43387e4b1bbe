//! GraphQL: what is asked, and what an answer says.

use crate::host::Host;
use crate::js;
use crate::record::{self, Priced};
use alloc::string::String;
use alloc::vec::Vec;
use js_sys::{Date, JSON};
use masterorder_sdk_core::event::{Event, Failure, Listed, Placement, Status};
use masterorder_sdk_core::handle::{Id, Paper};
use masterorder_sdk_core::slot::Slot;
use wasm_bindgen::JsValue;
use web_sys::Response;

macro_rules! operation {
    ($($name:literal)*) => {
        concat!($(include_str!(concat!("../../protocol/operations/", $name, ".graphql"))),*)
    };
}

const PLACE: &str = operation!("place_order" "result" "order" "line");
const WITHDRAW: &str = operation!("withdraw_placement" "result" "order" "line");
const STATUS: &str = operation!("placement_status" "order" "line");
const HISTORY: &str = operation!("orders" "order" "line");

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `placeOrder`.
    Place,
    /// `withdrawPlacement`.
    Withdraw,
    /// `placementStatus`.
    Status,
    /// `orders`.
    History,
}

impl Call {
    fn document(self) -> &'static str {
        match self {
            Self::Place => PLACE,
            Self::Withdraw => WITHDRAW,
            Self::Status => STATUS,
            Self::History => HISTORY,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Place => "placeOrder",
            Self::Withdraw => "withdrawPlacement",
            Self::Status => "placementStatus",
            Self::History => "orders",
        }
    }
}

/// Makes a request's body.
pub fn body(call: Call, variables: &JsValue) -> String {
    let body = js::object(&[("query", js::string(call.document())), ("variables", variables.clone())]);
    JSON::stringify(&body).map(String::from).unwrap_or_default()
}

/// Makes the variables of `placeOrder`.
pub fn order(host: &Host, slot: &Slot) -> JsValue {
    let input = record::input(host, slot, Priced::No);
    js::set(&input, "requestId", &host.text_of(slot.request_id));
    if let Some(id) = slot.cart.checkout_id {
        js::set(&input, "checkoutId", &host.text_of(id));
    }
    js::object(&[("input", input)])
}

/// Makes the variables of what asks about a key.
pub fn key(host: &Host, request_id: Id) -> JsValue {
    js::object(&[("requestId", host.text_of(request_id))])
}

/// Reads `Retry-After`, which is seconds or a date. *Units*: ms.
pub fn retry_after_ms(response: &Response) -> Option<u32> {
    let text = response.headers().get("Retry-After").ok().flatten()?;
    let ms = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        js_sys::Number::parse_float(&text) * 1000.0
    } else {
        Date::parse(&text) - Date::now()
    };
    // what is no date is not greater than anything
    (ms > 0.0).then_some(ms as u32)
}

/// Reads an answer.
pub fn read(host: &Host, call: Call, token: u32, body: &JsValue, retry_after_ms: Option<u32>) -> Event {
    let data = js::get(&js::get(body, "data"), call.field());
    answer(host, call, token, &data)
        .or_else(|| failure(host, body, retry_after_ms).map(|failure| Event::Failed { token, failure }))
        .unwrap_or(Event::Lost { token, retry_after_ms })
}

fn answer(host: &Host, call: Call, token: u32, data: &JsValue) -> Option<Event> {
    Some(match call {
        Call::Place => {
            let replay = js::get(data, "idempotentReplay").as_bool()?;
            let placement = placement(host, &js::get(data, "result"), replay)?;
            Event::Answered { token, placement }
        }
        Call::Withdraw => Event::Answered {
            token,
            placement: placement(host, data, true)?,
        },
        Call::Status => Event::Status {
            token,
            status: status(host, data)?,
        },
        Call::History => Event::History {
            token,
            orders: history(host, data)?,
        },
    })
}

/// Keeps an order. `None`: there is none.
fn paper(host: &Host, order: &JsValue) -> Option<Paper> {
    (!js::is_absent(order)).then(|| host.paper(order))
}

fn placement(host: &Host, result: &JsValue, replay: bool) -> Option<Placement> {
    let order = js::get(result, "order");
    Some(match js::text(result, "__typename")?.as_str() {
        "OrderPlaced" => Placement::Placed {
            // the order as it is now may not be readable any more; what was placed always is
            order: paper(host, &order).or_else(|| paper(host, &js::get(result, "receipt")))?,
            replay,
        },
        "OrderPending" => Placement::Pending {
            poll_after_ms: js::count(result, "pollAfterMs").unwrap_or(1000),
        },
        "OrderRejected" => Placement::Rejected {
            code: host.code_of(result)?,
            problem: host.paper(result),
        },
        "PlacementConflict" => Placement::Conflict {
            code: host.code_of(result)?,
            retryable: js::get(result, "retryable").is_truthy(),
            retry_after_ms: js::count(result, "retryAfterMs"),
            earlier: host.id_of(&order, "id").map(|id| (id, host.paper(&order))),
            problem: host.paper(result),
        },
        _ => return None,
    })
}

fn status(host: &Host, data: &JsValue) -> Option<Status> {
    Some(match js::text(data, "state")?.as_str() {
        "UNKNOWN" => Status::Unknown,
        "IN_PROGRESS" => Status::InProgress,
        "PLACED" | "EXPIRED" => Status::Placed(paper(host, &js::get(data, "order"))?),
        "REJECTED" => Status::Rejected(host.code_of(data)?),
        _ => return None,
    })
}

fn history(host: &Host, data: &JsValue) -> Option<Vec<Listed>> {
    let nodes = js::get(data, "nodes");
    record::list(&nodes, |order| {
        Some(Listed {
            order_id: host.id_of(order, "id")?,
            request_id: host.key_of(order, "requestId")?,
            pending: js::text(order, "status")? == "PENDING",
            order: host.paper(order),
        })
    })
    .filter(|_| !js::is_absent(&nodes))
}

/// Reads the first top-level error, if it is one of ours.
fn failure(host: &Host, body: &JsValue, retry_after_ms: Option<u32>) -> Option<Failure> {
    let error = js::get(&js::get(body, "errors"), "0");
    let problem = js::get(&error, "extensions");
    let code = host.code_of(&problem)?;
    js::set(&problem, "message", &js::get(&error, "message"));
    Some(Failure {
        code,
        retryable: js::get(&problem, "retryable").is_truthy(),
        retry_after_ms: js::count(&problem, "retryAfterMs").or(retry_after_ms),
        problem: host.paper(&problem),
    })
}
