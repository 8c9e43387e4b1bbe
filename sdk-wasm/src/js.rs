//! Reading and making JavaScript values.

use alloc::string::String;
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// What every integer on the wire is below: 2^53.
const UNSAFE: f64 = 9_007_199_254_740_992.0;

/// Reads a property; `undefined` of what has none.
pub fn get(of: &JsValue, key: &str) -> JsValue {
    Reflect::get(of, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
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

/// Reads a count.
pub fn count(of: &JsValue, key: &str) -> Option<u32> {
    whole(of, key)?.try_into().ok()
}

/// `null` and `undefined`.
pub fn is_absent(value: &JsValue) -> bool {
    value.is_null() || value.is_undefined()
}

/// Makes an object.
pub fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (key, value) in fields {
        set(&object, key, value);
    }
    object
}

/// Sets a property of an object of ours.
pub fn set(of: &JsValue, key: &str, value: &JsValue) {
    // our own objects are never frozen
    let _ = Reflect::set(of, &JsValue::from_str(key), value);
}

/// A text.
pub fn string(text: &str) -> JsValue {
    JsValue::from_str(text)
}

/// A number. *Shape*: below 2^53.
pub fn number(whole: i64) -> JsValue {
    JsValue::from_f64(whole as f64)
}
