//! What the page's module does for the shell: it holds the promises, so that they outlive a trap.

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The other side, made by the page's module.
    pub type Host;

    /// Wraps a callback so that a trap in it is noticed.
    #[wasm_bindgen(method)]
    pub fn guard(this: &Host, callback: &JsValue) -> Function;

    /// Resolves the promise of a submission.
    #[wasm_bindgen(method)]
    pub fn settle(this: &Host, submission: u32, outcome: &JsValue);

    /// Takes a new view of cart and state.
    #[wasm_bindgen(method)]
    pub fn changed(this: &Host, view: &JsValue);

    /// Other clients in this page should look into storage: the browser tells other tabs only.
    #[wasm_bindgen(method)]
    pub fn wrote(this: &Host);

    /// The browser has locks of all tabs.
    #[wasm_bindgen(method, getter)]
    pub fn locks(this: &Host) -> bool;

    /// Asks for a lock of all tabs, or of this one where there are no such locks; `granted` is called later. Answers the
    /// function that gives it back, or stops asking.
    #[wasm_bindgen(method)]
    pub fn lock(this: &Host, name: &str, granted: &Function) -> Function;

    /// Names a text: equal texts have equal numbers. The empty one is 0, the first one named is 1.
    #[wasm_bindgen(method)]
    pub fn name(this: &Host, text: &JsValue) -> u32;

    /// The text of a name.
    #[wasm_bindgen(method)]
    pub fn text(this: &Host, name: u32) -> JsValue;

    /// Keeps what the core only passes on.
    #[wasm_bindgen(method)]
    pub fn keep(this: &Host, paper: &JsValue) -> u32;

    /// What was kept.
    #[wasm_bindgen(method)]
    pub fn kept(this: &Host, paper: u32) -> JsValue;

    /// A promise, whatever it brings.
    pub type Promised;

    /// Goes on with what a promise brings.
    #[wasm_bindgen(method)]
    pub fn then(this: &Promised, fulfilled: &Function, rejected: &Function) -> Promised;

    /// Goes on with what a promise brings, if it brings something.
    #[wasm_bindgen(method, js_name = then)]
    pub fn after(this: &Promised, fulfilled: &Function) -> Promised;

    /// Bytes that nobody guesses. `randomUUID` is missing on plain http and on old phones.
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    pub fn fill_randomly(bytes: &mut [u8]);
}
