//! GraphQL: what is asked, and what an answer says.

use crate::host::Host;
use crate::js::{self, Fields};
use crate::names::word;
use crate::record::{self, Priced};
use alloc::vec::Vec;
use js_sys::JSON;
use masterorder_sdk_core::event::{Event, Failure, Listed, Placement, Status};
use masterorder_sdk_core::handle::{Id, Paper};
use masterorder_sdk_core::slot::Slot;
use wasm_bindgen::{JsCast, JsValue};

macro_rules! operation {
    ($($name:literal)*) => {{
        const WRITTEN: &str = concat!($(include_str!(concat!("../../protocol/operations/", $name, ".graphql"))),*);
        const LENGTH: usize = squeezed::<{ WRITTEN.len() }>(WRITTEN).1;
        const SENT: [u8; LENGTH] = squeezed(WRITTEN).0;
        match core::str::from_utf8(&SENT) {
            Ok(document) => document,
            Err(_) => panic!(),
        }
    }};
}

/// A document with one space where people write lines, and its length. Does not compile if a line's end means more than that.
const fn squeezed<const N: usize>(written: &str) -> ([u8; N], usize) {
    let written = written.as_bytes();
    let (mut sent, mut length, mut at) = ([0; N], 0, 0);
    while at < written.len() {
        let byte = written[at];
        assert!(byte != b'#' && byte != b'"');
        let is_white = byte.is_ascii_whitespace();
        if !is_white || length > 0 && sent[length - 1] != b' ' {
            sent[length] = if is_white { b' ' } else { byte };
            length += 1;
        }
        at += 1;
    }
    (sent, length)
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
pub fn body(call: Call, variables: JsValue) -> JsValue {
    let body = Fields::new()
        .with("query", js::string(call.document()))
        .with("variables", variables);
    JSON::stringify(&body).map_or(JsValue::UNDEFINED, JsValue::from)
}

/// Makes the variables of `placeOrder`.
pub fn order(host: &Host, slot: &Slot) -> JsValue {
    let input = record::input(host, slot, Priced::No).with("requestId", host.text_of(slot.request_id));
    if let Some(id) = slot.cart.checkout_id {
        input.set("checkoutId", host.text_of(id));
    }
    Fields::new().with("input", input.into()).into()
}

/// Makes the variables of what asks about a key.
pub fn key(host: &Host, request_id: Id) -> JsValue {
    Fields::new().with("requestId", host.text_of(request_id)).into()
}

/// Reads an answer.
pub fn read(host: &Host, call: Call, token: u32, body: &JsValue, retry_after_ms: Option<u32>) -> Event {
    let data = js::get(&js::get(body, "data"), call.field());
    if let Some(answer) = answer(host, call, token, &data) {
        return answer;
    }
    match failure(host, body, retry_after_ms) {
        Some(failure) => Event::Failed { token, failure },
        None => Event::Lost { token, retry_after_ms },
    }
}

fn answer(host: &Host, call: Call, token: u32, data: &JsValue) -> Option<Event> {
    Some(match call {
        Call::Place => {
            let replay = js::flag(data, "idempotentReplay")?;
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

/// Keeps what may be absent.
pub fn paper(host: &Host, order: &JsValue) -> Option<Paper> {
    (!js::is_absent(order)).then(|| host.paper(order))
}

fn placement(host: &Host, result: &JsValue, replay: bool) -> Option<Placement> {
    let order = js::get(result, "order");
    Some(match host.id_of(result, "__typename")? {
        word::ORDER_PLACED => Placement::Placed {
            // the order as it is now may not be readable any more; what was placed always is
            order: paper(host, &order).or_else(|| paper(host, &js::get(result, "receipt")))?,
            replay,
        },
        word::ORDER_PENDING => Placement::Pending {
            poll_after_ms: js::count(result, "pollAfterMs").unwrap_or(1000),
        },
        word::ORDER_REJECTED => Placement::Rejected {
            code: host.code_of(result)?,
            problem: host.paper(result),
        },
        word::PLACEMENT_CONFLICT => Placement::Conflict {
            code: host.code_of(result)?,
            retryable: js::flag(result, "retryable").unwrap_or_default(),
            retry_after_ms: js::count(result, "retryAfterMs"),
            earlier: host.id_of(&order, "id").map(|id| (id, host.paper(&order))),
            problem: host.paper(result),
        },
        _ => return None,
    })
}

fn status(host: &Host, data: &JsValue) -> Option<Status> {
    Some(match host.id_of(data, "state")? {
        word::UNKNOWN => Status::Unknown,
        word::IN_PROGRESS => Status::InProgress,
        word::PLACED | word::EXPIRED => Status::Placed(paper(host, &js::get(data, "order"))?),
        word::REJECTED => Status::Rejected(host.code_of(data)?),
        _ => return None,
    })
}

fn history(host: &Host, data: &JsValue) -> Option<Vec<Listed>> {
    let nodes = js::get(data, "nodes");
    if js::is_absent(&nodes) {
        return None;
    }
    let mut orders = Vec::new();
    record::each(&nodes, &mut |order| {
        orders.push(Listed {
            order_id: host.id_of(order, "id")?,
            request_id: host.key_of(order, "requestId")?,
            pending: host.id_of(order, "status")? == word::PENDING,
            order: host.paper(order),
        });
        Some(())
    })?;
    Some(orders)
}

/// Reads the first top-level error, if it is one of ours.
fn failure(host: &Host, body: &JsValue, retry_after_ms: Option<u32>) -> Option<Failure> {
    let error = js::get(&js::get(body, "errors"), "0");
    let problem = js::get(&error, "extensions");
    let code = host.code_of(&problem)?;
    // parsed from JSON, and nobody else's
    let problem: &Fields = problem.unchecked_ref();
    problem.set("message", js::get(&error, "message"));
    Some(Failure {
        code,
        retryable: js::flag(problem, "retryable").unwrap_or_default(),
        retry_after_ms: js::count(problem, "retryAfterMs").or(retry_after_ms),
        problem: host.paper(problem),
    })
}
