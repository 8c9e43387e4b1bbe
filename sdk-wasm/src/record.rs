//! Carts, lines and slots as objects: as the page gives them, as storage keeps them, as the server wants them.

use crate::host::Host;
use crate::js;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use js_sys::{Array, JSON};
use masterorder_sdk_core::cart::Cart;
use masterorder_sdk_core::line::{Line, Money, Note, Topping};
use masterorder_sdk_core::slot::{SLOT_VERSION, Slot, Standing};
use wasm_bindgen::JsValue;

fn note(host: &Host, of: &JsValue) -> Option<Note> {
    let note = js::get(of, "note");
    if js::is_absent(&note) {
        return Some(Note::default());
    }
    note.as_string().map(|note| host.note(&note))
}

fn money(host: &Host, of: &JsValue) -> Option<Money> {
    let money = js::get(of, "price");
    let currency = js::text(&money, "currency")?;
    let is_currency = currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_uppercase());
    let amount_minor = js::whole(&money, "amountMinor")?;
    is_currency.then(|| Money {
        amount_minor,
        currency: host.id(&currency),
    })
}

/// Makes an amount.
pub fn money_object(host: &Host, money: Money) -> JsValue {
    js::object(&[
        ("amountMinor", js::number(money.amount_minor)),
        ("currency", host.text_of(money.currency)),
    ])
}

/// Reads each element of an array; what is absent is empty. `None` if one can not be read.
pub fn list<T>(list: &JsValue, read: impl Fn(&JsValue) -> Option<T>) -> Option<Vec<T>> {
    if js::is_absent(list) {
        return Some(Vec::new());
    }
    if !Array::is_array(list) {
        return None;
    }
    let length = js::count(list, "length")?;
    let array: &Array = wasm_bindgen::JsCast::unchecked_ref(list);
    let mut read_so_far = Vec::new();
    for index in 0..length {
        read_so_far.push(read(&array.get(index))?);
    }
    Some(read_so_far)
}

/// Makes an array.
pub fn array(values: impl Iterator<Item = JsValue>) -> JsValue {
    let array = Array::new();
    for value in values {
        array.push(&value);
    }
    array.into()
}

/// Reads a line of the page or of storage. `None`: it is no such thing.
pub fn line(host: &Host, of: &JsValue) -> Option<Line> {
    Some(Line {
        menu_item_id: host.id_of(of, "menuItemId")?,
        price: money(host, of)?,
        quantity: js::count(of, "quantity")?,
        note: note(host, of)?,
        toppings: list(&js::get(of, "toppings"), |of| topping(host, of))?.into(),
    })
}

fn topping(host: &Host, of: &JsValue) -> Option<Topping> {
    let quantity = js::get(of, "quantity");
    Some(Topping {
        topping_id: host.id_of(of, "toppingId")?,
        price: money(host, of)?,
        quantity: if js::is_absent(&quantity) {
            1
        } else {
            js::count(of, "quantity")?
        },
    })
}

/// Whether lines carry prices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Priced {
    /// For the page and for storage.
    Yes,
    /// For the server, which knows them.
    No,
}

/// Makes an array of lines.
pub fn lines_object(host: &Host, lines: &[Line], priced: Priced) -> JsValue {
    let price = |object: &JsValue, price: Money| {
        if priced == Priced::Yes {
            js::set(object, "price", &money_object(host, price));
        }
    };
    array(lines.iter().map(|line| {
        let toppings = array(line.toppings.iter().map(|topping| {
            let object = js::object(&[
                ("toppingId", host.text_of(topping.topping_id)),
                ("quantity", js::number(topping.quantity.into())),
            ]);
            price(&object, topping.price);
            object
        }));
        let object = js::object(&[
            ("menuItemId", host.text_of(line.menu_item_id)),
            ("quantity", js::number(line.quantity.into())),
            ("note", host.text_of(line.note.sent)),
            ("toppings", toppings),
        ]);
        price(&object, line.price);
        object
    }))
}

fn cart_object(host: &Host, cart: &Cart) -> JsValue {
    js::object(&[
        ("version", js::number(SLOT_VERSION.into())),
        (
            "checkoutId",
            cart.checkout_id.map_or(JsValue::NULL, |id| host.text_of(id)),
        ),
        ("lines", lines_object(host, &cart.lines, Priced::Yes)),
    ])
}

fn cart_of(host: &Host, record: &JsValue) -> Option<Rc<Cart>> {
    Some(Rc::new(Cart {
        checkout_id: host.key_of(record, "checkoutId"),
        lines: list(&js::get(record, "lines"), |of| line(host, of))?,
    }))
}

fn written(record: &JsValue) -> String {
    JSON::stringify(record).map(String::from).unwrap_or_default()
}

fn record(text: &str) -> Option<JsValue> {
    let record = JSON::parse(text).ok()?;
    (js::count(&record, "version") == Some(SLOT_VERSION)).then_some(record)
}

/// Writes a cart.
pub fn write_cart(host: &Host, cart: &Cart) -> String {
    written(&cart_object(host, cart))
}

/// Reads a cart. `None`: it is none that this version can read.
pub fn read_cart(host: &Host, text: &str) -> Option<Rc<Cart>> {
    cart_of(host, &record(text)?)
}

/// Writes a slot.
pub fn write_slot(host: &Host, slot: &Slot) -> String {
    let record = js::object(&[
        ("version", js::number(SLOT_VERSION.into())),
        ("requestId", host.text_of(slot.request_id)),
        (
            "checkoutId",
            slot.cart.checkout_id.map_or(JsValue::NULL, |id| host.text_of(id)),
        ),
        ("input", input(host, slot, Priced::Yes)),
        ("sentAt", slot.sent_at_ms.map_or(JsValue::NULL, js::number)),
        ("state", js::string(slot.standing.as_str())),
    ]);
    written(&record)
}

/// Makes what is sent, but for the two ids.
pub fn input(host: &Host, slot: &Slot, priced: Priced) -> JsValue {
    let input = js::object(&[
        ("lines", lines_object(host, &slot.cart.lines, priced)),
        ("note", host.text_of(slot.note.sent)),
    ]);
    if let Some(total) = slot.cart.total() {
        js::set(&input, "expectedTotal", &money_object(host, total));
    }
    if let Some(id) = slot.confirm_duplicate_of {
        js::set(&input, "confirmDuplicateOf", &host.text_of(id));
    }
    input
}

/// Reads a slot. `None`: it is none that this version can read.
pub fn read_slot(host: &Host, text: &str) -> Option<Slot> {
    let record = record(text)?;
    let input = js::get(&record, "input");
    js::set(&input, "checkoutId", &js::get(&record, "checkoutId"));
    Some(Slot {
        request_id: host.key_of(&record, "requestId")?,
        cart: cart_of(host, &input)?,
        note: note(host, &input)?,
        confirm_duplicate_of: host.id_of(&input, "confirmDuplicateOf"),
        sent_at_ms: js::whole(&record, "sentAt"),
        standing: Standing::parse(&js::text(&record, "state")?)?,
    })
}
