//! Carts, lines and slots as objects: as the page gives them, as storage keeps them, as the server wants them.

use crate::host::Host;
use crate::js::{self, Fields, List};
use crate::names::word;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use js_sys::{Array, JSON};
use masterorder_sdk_core::cart::Cart;
use masterorder_sdk_core::handle::Id;
use masterorder_sdk_core::line::{Line, Money, Note, Topping};
use masterorder_sdk_core::slot::{SLOT_VERSION, Slot, Standing};
use wasm_bindgen::{JsCast, JsValue};

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
    Fields::new()
        .with("amountMinor", js::number(money.amount_minor))
        .with("currency", host.text_of(money.currency))
        .into()
}

/// Reads each element of an array; what is absent is empty. `None` if one can not be read.
pub fn each(list: &JsValue, read: &mut dyn FnMut(&JsValue) -> Option<()>) -> Option<()> {
    if js::is_absent(list) {
        return Some(());
    }
    if !Array::is_array(list) {
        return None;
    }
    let array: &Array = list.unchecked_ref();
    for index in 0..array.length() {
        read(&array.get(index))?;
    }
    Some(())
}

/// Reads a line of the page or of storage. `None`: it is no such thing.
pub fn line(host: &Host, of: &JsValue) -> Option<Line> {
    let mut toppings = Vec::new();
    each(&js::get(of, "toppings"), &mut |of| {
        toppings.push(topping(host, of)?);
        Some(())
    })?;
    Some(Line {
        menu_item_id: host.id_of(of, "menuItemId")?,
        price: money(host, of)?,
        quantity: js::count(of, "quantity")?,
        note: note(host, of)?,
        toppings: toppings.into(),
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
    let price = |of: &Fields, price: Money| {
        if priced == Priced::Yes {
            of.set("price", money_object(host, price));
        }
    };
    let list = List::new();
    for line in lines {
        let toppings = List::new();
        for topping in &*line.toppings {
            let object = Fields::new()
                .with("toppingId", host.text_of(topping.topping_id))
                .with("quantity", js::number(topping.quantity.into()));
            price(&object, topping.price);
            toppings.push(object.into());
        }
        let object = Fields::new()
            .with("menuItemId", host.text_of(line.menu_item_id))
            .with("quantity", js::number(line.quantity.into()))
            .with("note", host.text_of(line.note.sent))
            .with("toppings", toppings.into());
        price(&object, line.price);
        list.push(object.into());
    }
    list.into()
}

/// Makes what every record begins with.
fn record_of(host: &Host, cart: &Cart) -> Fields {
    let checkout_id = cart.checkout_id.map_or(JsValue::NULL, |id| host.text_of(id));
    Fields::new()
        .with("version", js::number(SLOT_VERSION.into()))
        .with("checkoutId", checkout_id)
}

/// Reads the cart of a record, whose lines may be further in.
fn cart_of(host: &Host, record: &JsValue, of: &JsValue) -> Option<Rc<Cart>> {
    let mut lines = Vec::new();
    each(&js::get(of, "lines"), &mut |of| {
        lines.push(line(host, of)?);
        Some(())
    })?;
    let checkout_id = host.key_of(record, "checkoutId");
    Some(Rc::new(Cart { checkout_id, lines }))
}

fn written(record: Fields) -> String {
    let text = JSON::stringify(&record).ok();
    text.and_then(|text| text.as_string()).unwrap_or_default()
}

fn record(text: &str) -> Option<JsValue> {
    let record = JSON::parse(text).ok()?;
    (js::count(&record, "version") == Some(SLOT_VERSION)).then_some(record)
}

/// Writes a cart.
pub fn write_cart(host: &Host, cart: &Cart) -> String {
    written(record_of(host, cart).with("lines", lines_object(host, &cart.lines, Priced::Yes)))
}

/// Reads a cart. `None`: it is none that this version can read.
pub fn read_cart(host: &Host, text: &str) -> Option<Rc<Cart>> {
    let record = record(text)?;
    cart_of(host, &record, &record)
}

fn word_of(standing: Standing) -> Id {
    match standing {
        Standing::Sent => word::SENT,
        Standing::Asked => word::ASKED,
        Standing::Withdrawing => word::WITHDRAWING,
    }
}

fn standing(word: Id) -> Option<Standing> {
    match word {
        word::SENT => Some(Standing::Sent),
        word::ASKED => Some(Standing::Asked),
        word::WITHDRAWING => Some(Standing::Withdrawing),
        _ => None,
    }
}

/// Writes a slot.
pub fn write_slot(host: &Host, slot: &Slot) -> String {
    let record = record_of(host, &slot.cart)
        .with("requestId", host.text_of(slot.request_id))
        .with("input", input(host, slot, Priced::Yes).into())
        .with("sentAt", slot.sent_at_ms.map_or(JsValue::NULL, js::number))
        .with("state", host.text_of(word_of(slot.standing)));
    written(record)
}

/// Makes what is sent, but for the two ids.
pub fn input(host: &Host, slot: &Slot, priced: Priced) -> Fields {
    let input = Fields::new()
        .with("lines", lines_object(host, &slot.cart.lines, priced))
        .with("note", host.text_of(slot.note.sent));
    if let Some(total) = slot.cart.total() {
        input.set("expectedTotal", money_object(host, total));
    }
    if let Some(id) = slot.confirm_duplicate_of {
        input.set("confirmDuplicateOf", host.text_of(id));
    }
    input
}

/// Reads a slot. `None`: it is none that this version can read.
pub fn read_slot(host: &Host, text: &str) -> Option<Slot> {
    let record = record(text)?;
    let input = js::get(&record, "input");
    Some(Slot {
        request_id: host.key_of(&record, "requestId")?,
        cart: cart_of(host, &record, &input)?,
        note: note(host, &input)?,
        confirm_duplicate_of: host.id_of(&input, "confirmDuplicateOf"),
        sent_at_ms: js::whole(&record, "sentAt"),
        standing: standing(host.id_of(&record, "state")?)?,
    })
}
