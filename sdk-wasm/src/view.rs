//! Outcomes and state for the page's module, which has the words for the numbers, and adds the texts.

use crate::host::Host;
use crate::record::{self, Priced};
use masterorder_sdk_core::Core;
use masterorder_sdk_core::effect::Outcome;
use masterorder_sdk_core::handle::{Id, Paper};
use wasm_bindgen::JsValue;

/// No order and no problem comes along.
const NO_PAPER: Paper = Paper(u32::MAX);

/// Makes an outcome; `null` for nothing to settle.
pub fn outcome(host: &Host, outcome: Outcome) -> JsValue {
    let none = Id::default();
    let (kind, text, paper, more) = match outcome {
        Outcome::Nothing => return JsValue::NULL,
        Outcome::Placed { order, replay } => (0, none, order, replay.into()),
        Outcome::Pending { request_id } => (1, request_id, NO_PAPER, 0),
        Outcome::Rejected { code, problem } => (2, code.0, problem.unwrap_or(NO_PAPER), 0),
        Outcome::Refused { code, problem } => (3, code.0, problem, 0),
        Outcome::Blocked(why) => (4, host.id(why.as_str()), NO_PAPER, 0),
        Outcome::Unknown => (5, none, NO_PAPER, 0),
        Outcome::PossibleDuplicate { question, earlier } => (6, none, earlier, question),
    };
    host.outcome(kind, text.0, paper.0, more)
}

/// Shows cart and state.
pub fn show(host: &Host, core: &Core) {
    let cart = core.cart();
    let state = core.state();
    let total = cart.total();
    host.changed(
        &record::lines_object(host, &cart.lines, Priced::Yes),
        &total.map_or(JsValue::NULL, |total| record::money_object(host, total)),
        state.phase as u32,
        &state.outcome.map_or(JsValue::NULL, |shown| outcome(host, shown)),
        state.locked,
        state.persistent,
    );
}
