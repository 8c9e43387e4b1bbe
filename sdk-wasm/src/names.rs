//! What the core names by numbers and the page's module keeps: texts and papers.

use crate::host::{self, Host};
use crate::js;
use alloc::string::String;
use js_sys::JsString;
use masterorder_sdk_core::code::{Code, SPELLINGS};
use masterorder_sdk_core::handle::{Id, Paper};
use masterorder_sdk_core::key::{self, RandomBytes};
use masterorder_sdk_core::line::Note;
use wasm_bindgen::JsValue;

impl Host {
    /// Gives the codes the numbers that the core knows them by.
    pub fn name_codes(&self) {
        for spelling in SPELLINGS {
            self.name(&js::string(spelling));
        }
    }

    /// Names a text.
    pub fn id(&self, text: &str) -> Id {
        Id(self.name(&js::string(text)))
    }

    /// Reads a property that is a text, and names it.
    pub fn id_of(&self, of: &JsValue, key: &str) -> Option<Id> {
        let text = js::get(of, key);
        text.is_string().then(|| Id(self.name(&text)))
    }

    /// Reads a property that may be a key.
    pub fn key_of(&self, of: &JsValue, key: &str) -> Option<Id> {
        self.key(&js::text(of, key)?)
    }

    /// Names a key. `None`: the server would not take it for one.
    pub fn key(&self, text: &str) -> Option<Id> {
        key::is_v4(text).then(|| self.id(&text.to_ascii_lowercase()))
    }

    /// Makes a key.
    pub fn fresh_key(&self) -> Id {
        let mut random = RandomBytes::default();
        host::fill_randomly(&mut random);
        // letters, digits and hyphens
        self.id(core::str::from_utf8(&key::v4(random)).unwrap_or_default())
    }

    /// Reads a code.
    pub fn code_of(&self, of: &JsValue) -> Option<Code> {
        self.id_of(of, "code").map(Code)
    }

    /// Takes the guest's words.
    pub fn note(&self, sent: &str) -> Note {
        let normalised: String = JsString::from(sent).normalize("NFC").into();
        let length = if sent.contains('\0') {
            u32::MAX
        } else {
            sent.chars().count() as u32
        };
        Note {
            sent: self.id(sent),
            compared: self.id(normalised.trim()),
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
