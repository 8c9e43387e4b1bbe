//! What the page's module does for the shell: it holds the promises, so that they outlive a trap.

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{Response, Storage};

#[wasm_bindgen]
extern "C" {
    /// The other side, made by the page's module.
    pub type Host;

    /// Makes a callback for the browser: it calls `report` with these numbers and what it is called with, and notices a trap.
    #[wasm_bindgen(method)]
    pub fn callback(this: &Host, news: u32, token: u32) -> Function;

    /// Resolves the promise of a submission.
    #[wasm_bindgen(method)]
    pub fn settle(this: &Host, submission: u32, outcome: &JsValue);

    /// Makes an outcome.
    #[wasm_bindgen(method)]
    pub fn outcome(this: &Host, kind: u32, text: u32, paper: u32, more: u32) -> JsValue;

    /// Takes a new view of cart and state.
    #[wasm_bindgen(method)]
    pub fn changed(
        this: &Host,
        lines: &JsValue,
        total: &JsValue,
        phase: u32,
        outcome: &JsValue,
        locked: bool,
        persistent: bool,
    );

    /// Other clients in this page should look into storage: the browser tells other tabs only.
    #[wasm_bindgen(method)]
    pub fn wrote(this: &Host);

    /// The browser has locks of all tabs.
    #[wasm_bindgen(method, getter)]
    pub fn locks(this: &Host) -> bool;

    /// Asks for a lock of all tabs, or of this one where there can be none. All are called later: `granted`, `lost` if it is
    /// taken away again, `told` with what other tabs tell as long as it is not given back.
    #[wasm_bindgen(method)]
    pub fn lock(this: &Host, token: u32, name: &str, granted: &Function, lost: &Function, told: &Function);

    /// Tells other tabs, under a lock.
    #[wasm_bindgen(method)]
    pub fn tell(this: &Host, token: u32, slot: &str, kind: u32, code: u32, paper: u32);

    /// Gives a lock back, or stops asking for it.
    #[wasm_bindgen(method)]
    pub fn unlock(this: &Host, token: u32);

    /// What keeps things as long as the page lives, and never refuses.
    #[wasm_bindgen(method, getter)]
    pub fn memory(this: &Host) -> Storage;

    /// Names texts, each with a space behind it.
    #[wasm_bindgen(method, js_name = nameAll)]
    pub fn name_all(this: &Host, texts: &str);

    /// Names a text: equal texts have equal numbers. The empty one is 0, the first one named is 1; what is no text is the
    /// greatest number.
    #[wasm_bindgen(method)]
    pub fn name(this: &Host, text: &JsValue) -> u32;

    /// The text of a name.
    #[wasm_bindgen(method)]
    pub fn text(this: &Host, name: u32) -> JsValue;

    /// Another spelling of the same words: NFC, without the white space (`White_Space`) around them.
    #[wasm_bindgen(method)]
    pub fn plain(this: &Host, text: &str) -> JsValue;

    /// Keeps what the core only passes on.
    #[wasm_bindgen(method)]
    pub fn keep(this: &Host, paper: &JsValue) -> u32;

    /// What was kept.
    #[wasm_bindgen(method)]
    pub fn kept(this: &Host, paper: u32) -> JsValue;

    /// Reads `Retry-After`, which is seconds or a date; nothing useful is below 1 or no number, and nothing is above 2^31.
    /// *Units*: ms.
    #[wasm_bindgen(method, js_name = retryAfterMs)]
    pub fn retry_after_ms(this: &Host, response: &Response) -> f64;

    /// A promise, whatever it brings.
    pub type Promised;

    /// Goes on with what a promise brings.
    #[wasm_bindgen(method)]
    pub fn then(this: &Promised, fulfilled: &Function, rejected: &JsValue) -> Promised;

    /// Bytes that nobody guesses. `randomUUID` is missing on plain http and on old phones.
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    pub fn fill_randomly(bytes: &mut [u8]);
}
