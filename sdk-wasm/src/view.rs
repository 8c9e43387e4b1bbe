//! Outcomes and state for the page's module, which has the words for the numbers, and adds the texts.

use crate::host::Host;
use crate::js;
use crate::names::word;
use crate::record::{self, Priced};
use crate::wire;
use masterorder_sdk_core::Core;
use masterorder_sdk_core::code::Code;
use masterorder_sdk_core::effect::{Blocked, Outcome};
use masterorder_sdk_core::event::Event;
use masterorder_sdk_core::handle::{Id, Paper};
use masterorder_sdk_core::slot::Slot;
use wasm_bindgen::JsValue;

/// No order and no problem comes along.
const NO_PAPER: Paper = Paper(u32::MAX);

/// The kinds of outcome that tabs tell one another, among those of the page's module.
mod kind {
    pub const PLACED: u32 = 0;
    pub const REJECTED: u32 = 2;
    pub const REFUSED: u32 = 3;
    pub const NOTHING: u32 = 7;
}

/// Makes an outcome; `null` for nothing to settle.
pub fn outcome(host: &Host, outcome: Outcome) -> JsValue {
    match numbers(outcome) {
        (kind::NOTHING, ..) => JsValue::NULL,
        (kind, text, paper, more) => host.outcome(kind, text.0, paper.0, more),
    }
}

/// Tells other tabs how a confirmation ended.
pub fn tell(host: &Host, token: u32, slot: &Slot, outcome: Outcome) {
    let (kind, code, paper, _) = numbers(outcome);
    host.tell(token, &record::write_slot(host, slot), kind, code.0, paper.0);
}

/// Reads what another tab told. `None`: it is nothing that this version can read.
pub fn told(host: &Host, of: &JsValue) -> Option<Event> {
    let slot = record::read_slot(host, &js::text(of, "0")?)?;
    let paper = wire::paper(host, &js::get(of, "3"));
    let code = || host.id_of(of, "2").map(Code);
    let outcome = match js::count(of, "1")? {
        kind::PLACED => Outcome::Placed {
            order: paper?,
            replay: true,
        },
        kind::REJECTED => Outcome::Rejected {
            code: code()?,
            problem: paper,
        },
        kind::REFUSED => Outcome::Refused {
            code: code()?,
            problem: paper?,
        },
        _ => return None,
    };
    Some(Event::Told { slot, outcome })
}

fn numbers(outcome: Outcome) -> (u32, Id, Paper, u32) {
    let none = Id::default();
    match outcome {
        Outcome::Nothing => (kind::NOTHING, none, NO_PAPER, 0),
        Outcome::Placed { order, replay } => (kind::PLACED, none, order, replay.into()),
        Outcome::Pending { request_id } => (1, request_id, NO_PAPER, 0),
        Outcome::Rejected { code, problem } => (kind::REJECTED, code.0, problem.unwrap_or(NO_PAPER), 0),
        Outcome::Refused { code, problem } => (kind::REFUSED, code.0, problem, 0),
        Outcome::Blocked(why) => (4, word_of(why), NO_PAPER, 0),
        Outcome::Unknown => (5, none, NO_PAPER, 0),
        Outcome::PossibleDuplicate { question, earlier } => (6, none, earlier, question),
    }
}

fn word_of(why: Blocked) -> Id {
    match why {
        Blocked::CartEmpty => word::CART_EMPTY,
        Blocked::InvalidInput => Code::BAD_USER_INPUT.0,
        Blocked::CartChanged => word::CART_CHANGED,
        Blocked::Unsettled => word::ORDER_UNSETTLED,
        Blocked::OtherTab => word::OTHER_TAB,
        Blocked::TooOld => word::CONFIRMATION_TOO_OLD,
        Blocked::NoQuestion => word::NO_QUESTION,
        Blocked::NothingToWithdraw => word::NOTHING_TO_WITHDRAW,
        Blocked::Aborted => word::ABORTED,
    }
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
