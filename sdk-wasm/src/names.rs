//! What the core names by numbers and the page's module keeps: texts and papers.

use crate::host::{self, Host};
use crate::js;
use masterorder_sdk_core::code::{self, Code};
use masterorder_sdk_core::handle::{Id, Paper};
use masterorder_sdk_core::key::{self, RandomBytes};
use masterorder_sdk_core::line::Note;
use wasm_bindgen::JsValue;

/// Words other than the server's codes: of its answers, of storage, and why nothing was sent. Named right after those, and
/// numbered in the order in which they are spelled.
pub mod word {
    use super::{Id, code};

    macro_rules! words {
        ($($name:ident = $number:literal, $wire:literal;)*) => {
            pub const SPELLINGS: &str = concat!($($wire, " "),*);
            $(pub const $name: Id = Id(code::COUNT + $number);)*

            const _: () = {
                let (numbers, mut at) = ([$($number),*], 0);
                while at < numbers.len() {
                    at += 1;
                    assert!(numbers[at - 1] == at);
                }
            };
        };
    }

    words! {
        ORDER_PLACED = 1, "OrderPlaced";
        ORDER_PENDING = 2, "OrderPending";
        ORDER_REJECTED = 3, "OrderRejected";
        PLACEMENT_CONFLICT = 4, "PlacementConflict";
        UNKNOWN = 5, "UNKNOWN";
        IN_PROGRESS = 6, "IN_PROGRESS";
        PLACED = 7, "PLACED";
        EXPIRED = 8, "EXPIRED";
        REJECTED = 9, "REJECTED";
        PENDING = 10, "PENDING";
        SENT = 11, "sent";
        ASKED = 12, "asked";
        WITHDRAWING = 13, "withdrawing";
        CART_EMPTY = 14, "CART_EMPTY";
        CART_CHANGED = 15, "CART_CHANGED";
        ORDER_UNSETTLED = 16, "ORDER_UNSETTLED";
        OTHER_TAB = 17, "OTHER_TAB";
        CONFIRMATION_TOO_OLD = 18, "CONFIRMATION_TOO_OLD";
        NO_QUESTION = 19, "NO_QUESTION";
        NOTHING_TO_WITHDRAW = 20, "NOTHING_TO_WITHDRAW";
        ABORTED = 21, "ABORTED";
    }
}

/// What the page's module names what is no text.
const NO_TEXT: u32 = u32::MAX;

impl Host {
    /// Gives codes and words the numbers that they are known by.
    pub fn name_words(&self) {
        self.name_all(code::SPELLINGS);
        self.name_all(word::SPELLINGS);
    }

    /// Names a text.
    pub fn id(&self, text: &str) -> Id {
        Id(self.name(&js::string(text)))
    }

    /// Reads a property that is a text, and names it.
    pub fn id_of(&self, of: &JsValue, key: &str) -> Option<Id> {
        let name = self.name(&js::get(of, key));
        (name != NO_TEXT).then_some(Id(name))
    }

    /// Reads a property that may be a key.
    pub fn key_of(&self, of: &JsValue, key: &str) -> Option<Id> {
        self.key(&js::text(of, key)?)
    }

    /// Names a key. `None`: the server would not take it for one.
    pub fn key(&self, text: &str) -> Option<Id> {
        key::is_v4(text).then(|| self.id(&text.to_ascii_lowercase()))
    }

    /// Bytes for a new key.
    pub fn random() -> RandomBytes {
        let mut random = RandomBytes::default();
        host::fill_randomly(&mut random);
        random
    }

    /// Reads a code.
    pub fn code_of(&self, of: &JsValue) -> Option<Code> {
        self.id_of(of, "code").map(Code)
    }

    /// Takes the guest's words.
    pub fn note(&self, sent: &str) -> Note {
        // every byte that does not go on with a character begins one
        let mut length = sent.bytes().filter(|byte| byte & 0xc0 != 0x80).count() as u32;
        if sent.bytes().any(|byte| byte == 0) {
            length = u32::MAX;
        }
        Note {
            sent: self.id(sent),
            compared: Id(self.name(&self.plain(sent))),
            length,
        }
    }

    /// The text of a name.
    pub fn text_of(&self, id: Id) -> JsValue {
        self.text(id.0)
    }

    /// Keeps what the core only passes on.
    pub fn paper(&self, value: &JsValue) -> Paper {
        Paper(self.keep(value))
    }

    /// What was kept.
    pub fn value(&self, paper: Paper) -> JsValue {
        self.kept(paper.0)
    }
}
