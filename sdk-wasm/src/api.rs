//! What the page's module calls. A module instance is one client: whoever needs another one makes another instance.

use crate::host::Host;
use crate::record;
use crate::shell::Shell;
use alloc::boxed::Box;
use core::cell::Cell;
use masterorder_sdk_core::event::Event;
use wasm_bindgen::prelude::*;
use web_sys::{Storage, Window};

struct Single(Cell<Option<&'static Shell>>);

// SAFETY: WebAssembly without threads has one thread.
#[allow(unsafe_code)]
unsafe impl Sync for Single {}

static SHELL: Single = Single(Cell::new(None));

/// What a call that can not be understood at all answers; smaller numbers are `Invalid` in its order, from 1.
const NOT_A_LINE: u32 = 7;

/// The client; a trap before it is opened.
fn shell() -> &'static Shell {
    SHELL.0.get().unwrap_or_else(|| core::arch::wasm32::unreachable())
}

/// Opens the client: reads storage, sends nothing. `shared` is kept by all tabs, `tab` by this one.
#[wasm_bindgen]
pub fn open(options: JsValue, host: Host, window: Window, shared: Option<Storage>, tab: Option<Storage>) {
    let shell = Box::leak(Box::new(Shell::new(&options, host, window, shared, tab)));
    SHELL.0.set(Some(shell));
    shell.start();
}

/// Adds a line. Answers why not; 0 if it did.
#[wasm_bindgen]
pub fn add(line: JsValue) -> u32 {
    match record::line(&shell().host, &line) {
        Some(line) => shell().edit(Event::Add(line)),
        None => NOT_A_LINE,
    }
}

/// Sets the pieces of a line. Answers why not; 0 if it did.
#[wasm_bindgen(js_name = setQuantity)]
pub fn set_quantity(index: u32, quantity: u32) -> u32 {
    let index = index as usize;
    shell().edit(Event::SetQuantity { index, quantity })
}

/// Empties the cart.
#[wasm_bindgen]
pub fn clear() -> u32 {
    shell().edit(Event::Clear)
}

/// Confirms what is shown. Answers the submission.
#[wasm_bindgen]
pub fn submit(note: JsValue) -> u32 {
    let note = note.as_string().map(|note| shell().host.note(&note));
    shell().wish(Event::Submit { note })
}

/// Gives a submission up.
#[wasm_bindgen]
pub fn abort(submission: u32) {
    shell().dispatch(Event::Abort { submission });
}

/// "Yes, the same again." Answers the submission.
#[wasm_bindgen]
pub fn confirm(question: u32) -> u32 {
    shell().wish(Event::Confirm { question })
}

/// "No, once is enough." Answers the submission.
#[wasm_bindgen]
pub fn decline(question: u32) -> u32 {
    shell().wish(Event::Decline { question })
}

/// Gives the unsettled confirmation up. Answers the submission.
#[wasm_bindgen]
pub fn withdraw() -> u32 {
    shell().wish(Event::Withdraw)
}

/// Settles what an earlier page left. Answers the submission.
#[wasm_bindgen]
pub fn resume() -> u32 {
    shell().wish(Event::Resume)
}

/// Looks into storage: somebody else wrote.
#[wasm_bindgen]
pub fn refresh() {
    shell().look();
}

/// The page is visible again; `restored`: it came back from the back/forward cache.
#[wasm_bindgen]
pub fn shown(restored: bool) {
    shell().shown(restored);
}

/// The browser says that the network is back.
#[wasm_bindgen]
pub fn online() {
    shell().dispatch(Event::Online);
}

/// Takes what a callback of `Host::callback` brings. Answers what the promise behind it goes on with.
#[wasm_bindgen]
pub fn report(news: u32, token: u32, value: JsValue) -> JsValue {
    shell().report(news, token, value)
}

/// Ends the client.
#[wasm_bindgen]
pub fn close() {
    shell().dispatch(Event::Close);
}
