//! Outcomes and state as the page's module sees them. The texts are added there.

use crate::host::Host;
use crate::js;
use crate::record::{self, Priced};
use masterorder_sdk_core::Core;
use masterorder_sdk_core::effect::Outcome;
use masterorder_sdk_core::machine::Phase;
use wasm_bindgen::JsValue;

/// Makes an outcome; `null` for nothing to settle.
pub fn outcome(host: &Host, outcome: Outcome) -> JsValue {
    let (kind, fields): (_, [(&str, JsValue); 2]) = match outcome {
        Outcome::Placed { order, replay } => (
            "placed",
            [("order", host.value(order)), ("replay", JsValue::from_bool(replay))],
        ),
        Outcome::Pending { request_id } => ("pending", [("requestId", host.text_of(request_id)), NONE]),
        Outcome::Rejected { code, problem } => (
            "rejected",
            [
                ("code", host.text_of(code.0)),
                problem.map_or(NONE, |problem| ("problem", host.value(problem))),
            ],
        ),
        Outcome::Refused { code, problem } => (
            "refused",
            [("code", host.text_of(code.0)), ("problem", host.value(problem))],
        ),
        Outcome::Blocked(why) => ("blocked", [("code", js::string(why.as_str())), NONE]),
        Outcome::Unknown => ("unknown", [NONE, NONE]),
        Outcome::PossibleDuplicate { question, earlier } => (
            "possibleDuplicate",
            [
                ("question", js::number(question.into())),
                ("earlier", host.value(earlier)),
            ],
        ),
        Outcome::Nothing => return JsValue::NULL,
    };
    let object = js::object(&[("kind", js::string(kind))]);
    for (key, value) in fields {
        if !key.is_empty() {
            js::set(&object, key, &value);
        }
    }
    object
}

const NONE: (&str, JsValue) = ("", JsValue::UNDEFINED);

/// Makes a view of cart and state.
pub fn view(host: &Host, core: &Core) -> JsValue {
    let cart = core.cart();
    let state = core.state();
    let shown = state.outcome.map_or(JsValue::NULL, |shown| outcome(host, shown));
    js::object(&[
        ("lines", record::lines_object(host, &cart.lines, Priced::Yes)),
        (
            "total",
            cart.total()
                .map_or(JsValue::NULL, |total| record::money_object(host, total)),
        ),
        ("phase", js::string(phase(state.phase))),
        ("outcome", shown),
        ("locked", JsValue::from_bool(state.locked)),
        ("persistent", JsValue::from_bool(state.persistent)),
    ])
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Sending => "sending",
        Phase::Waiting => "waiting",
        Phase::Checking => "checking",
        Phase::Done => "done",
        Phase::Failed => "failed",
    }
}
