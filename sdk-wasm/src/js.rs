//! Reading and making JavaScript values.

use alloc::string::String;
use wasm_bindgen::prelude::*;

/// What every integer on the wire is below: 2^53.
const UNSAFE: f64 = 9_007_199_254_740_992.0;

#[wasm_bindgen]
extern "C" {
    /// An object of ours: setting a property of it never fails.
    #[wasm_bindgen(js_name = Object)]
    pub type Fields;

    /// Makes an object without properties.
    #[wasm_bindgen(constructor, js_class = Object)]
    pub fn new() -> Fields;

    /// Sets a property.
    #[wasm_bindgen(method, structural, indexing_setter)]
    pub fn set(this: &Fields, key: &str, value: JsValue);

    /// An array of ours.
    #[wasm_bindgen(js_name = Array)]
    pub type List;

    /// Makes an empty array.
    #[wasm_bindgen(constructor, js_class = Array)]
    pub fn new() -> List;

    /// Appends a value.
    #[wasm_bindgen(method, js_class = Array)]
    pub fn push(this: &List, value: JsValue);

    /// Whatever the page, storage or the server brought.
    type Brought;

    #[wasm_bindgen(method, structural, indexing_getter, catch)]
    fn get(this: &Brought, key: &str) -> Result<JsValue, JsValue>;
}

impl Fields {
    /// Sets a property.
    pub fn with(self, key: &str, value: JsValue) -> Self {
        self.set(key, value);
        self
    }
}

/// Reads a property; `undefined` of what has none.
pub fn get(of: &JsValue, key: &str) -> JsValue {
    of.unchecked_ref::<Brought>().get(key).unwrap_or(JsValue::UNDEFINED)
}

/// Reads a text.
pub fn text(of: &JsValue, key: &str) -> Option<String> {
    get(of, key).as_string()
}

/// Reads a whole number that a JSON number carries exactly.
pub fn whole(of: &JsValue, key: &str) -> Option<i64> {
    let number = get(of, key).as_f64()?;
    // what is cut off or does not fit does not come back equal
    let whole = number as i64;
    (number.abs() < UNSAFE && whole as f64 == number).then_some(whole)
}

/// Reads yes or no.
pub fn flag(of: &JsValue, key: &str) -> Option<bool> {
    get(of, key).as_bool()
}

/// Reads a count.
pub fn count(of: &JsValue, key: &str) -> Option<u32> {
    whole(of, key)?.try_into().ok()
}

/// `null` and `undefined`.
pub fn is_absent(value: &JsValue) -> bool {
    value.is_null() || value.is_undefined()
}

/// A text.
pub fn string(text: &str) -> JsValue {
    JsValue::from_str(text)
}

/// A number. *Shape*: below 2^53.
pub fn number(whole: i64) -> JsValue {
    JsValue::from_f64(whole as f64)
}
