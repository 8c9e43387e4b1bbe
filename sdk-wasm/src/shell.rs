//! The object that the page's module holds: calls come in here, and nothing of a wait is kept on the stack.

use crate::host::{self, Host};
use crate::js;
use crate::record;
use crate::store::Store;
use crate::wire;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use js_sys::{Date, Function};
use masterorder_sdk_core::Core;
use masterorder_sdk_core::event::{Event, Moment};
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, PageTransitionEvent, Storage, VisibilityState, Window};

/// One client. Every method works on shared cells: no borrow outlives a call.
#[wasm_bindgen]
pub struct Shell(Rc<Inner>);

/// What lives as long as a callback does.
pub(crate) struct Inner {
    pub(crate) core: RefCell<Core>,
    pub(crate) host: Host,
    pub(crate) window: Window,
    pub(crate) url: String,
    pub(crate) headers: JsValue,
    pub(crate) store: Store,
    inbox: RefCell<Vec<Event>>,
    busy: Cell<bool>,
    /// The submission that the last call waits for.
    pub(crate) watched: Cell<u32>,
    /// Why the last call was a mistake; 0 if it was none.
    pub(crate) mistake: Cell<u32>,
    /// With the browser's number for it.
    pub(crate) timer: Cell<Option<(u32, i32)>>,
    pub(crate) flights: RefCell<Vec<(u32, AbortController)>>,
    /// With the functions that give them back.
    pub(crate) locks: RefCell<Vec<(u32, Function)>>,
    listeners: RefCell<Vec<(&'static str, Function)>>,
}

/// What a call that can not be understood at all answers; smaller numbers are `Invalid` in its order, from 1.
const NOT_A_LINE: u32 = 7;

#[wasm_bindgen]
impl Shell {
    /// Opens a client: reads storage, sends nothing. `None` where there is no window.
    pub fn open(options: JsValue, host: Host) -> Option<Shell> {
        let window = web_sys::window()?;
        host.name_codes();
        let text = |key| js::text(&options, key).unwrap_or_default();
        let given = js::get(&options, "storage");
        let shared = match given.is_undefined() {
            true => window.local_storage().ok().flatten(),
            false if given.is_null() => None,
            false => Some(given.unchecked_into::<Storage>()),
        };
        let store = Store::new(&text("tableSessionId"), shared, &window);
        let headers = js::object(&[
            ("Content-Type", js::string("application/json")),
            (
                "Accept",
                js::string("application/graphql-response+json, application/json"),
            ),
            ("Accept-Language", js::string(&text("lang"))),
            ("X-Session-Id", js::string(&text("tableSessionId"))),
            ("X-Session-PIN", js::string(&text("pin"))),
            ("X-MasterOrder-Client-Id", js::string(&store.client_id(&host))),
        ]);
        let inner = Rc::new(Inner {
            core: RefCell::default(),
            host,
            window,
            url: text("url"),
            headers,
            store,
            inbox: RefCell::default(),
            busy: Cell::default(),
            watched: Cell::default(),
            mistake: Cell::default(),
            timer: Cell::default(),
            flights: RefCell::default(),
            locks: RefCell::default(),
            listeners: RefCell::default(),
        });
        inner.dispatch(Event::Opened(inner.store.stored(&inner.host)));
        if inner.store.has_failed() {
            inner.dispatch(Event::StorageFailed);
        }
        inner.listen();
        inner.show();
        Some(Self(inner))
    }

    /// Adds a line. Answers why not; 0 if it did.
    pub fn add(&self, line: JsValue) -> u32 {
        match record::line(&self.0.host, &line) {
            Some(line) => self.edit(Event::Add(line)),
            None => NOT_A_LINE,
        }
    }

    /// Sets the pieces of a line. Answers why not; 0 if it did.
    #[wasm_bindgen(js_name = setQuantity)]
    pub fn set_quantity(&self, index: u32, quantity: u32) -> u32 {
        let index = index as usize;
        self.edit(Event::SetQuantity { index, quantity })
    }

    /// Empties the cart.
    pub fn clear(&self) -> u32 {
        self.edit(Event::Clear)
    }

    /// Confirms what is shown. Answers the submission.
    pub fn submit(&self, note: JsValue) -> u32 {
        let note = note.as_string().map(|note| self.0.host.note(&note));
        self.wish(Event::Submit { note })
    }

    /// Gives a submission up.
    pub fn abort(&self, submission: u32) {
        self.0.dispatch(Event::Abort { submission });
    }

    /// "Yes, the same again." Answers the submission.
    pub fn confirm(&self, question: u32) -> u32 {
        self.wish(Event::Confirm { question })
    }

    /// "No, once is enough." Answers the submission.
    pub fn decline(&self, question: u32) -> u32 {
        self.wish(Event::Decline { question })
    }

    /// Gives the unsettled confirmation up. Answers the submission.
    pub fn withdraw(&self) -> u32 {
        self.wish(Event::Withdraw)
    }

    /// Settles what an earlier page left. Answers the submission.
    pub fn resume(&self) -> u32 {
        self.wish(Event::Resume)
    }

    /// Looks into storage: another client in this page wrote.
    pub fn refresh(&self) {
        self.0.look();
    }

    /// Ends the client.
    pub fn close(&self) {
        self.0.dispatch(Event::Close);
        for (name, listener) in self.0.listeners.take() {
            let _ = self.0.window.remove_event_listener_with_callback(name, &listener);
            if let Some(document) = self.0.window.document() {
                let _ = document.remove_event_listener_with_callback(name, &listener);
            }
        }
    }
}

impl Shell {
    fn edit(&self, event: Event) -> u32 {
        self.0.mistake.set(0);
        self.0.dispatch(event);
        self.0.mistake.get()
    }

    fn wish(&self, event: Event) -> u32 {
        self.0.dispatch(event);
        self.0.watched.get()
    }
}

impl Inner {
    /// Hands an event to the core and carries out what it wants. An event that comes up meanwhile waits for its turn.
    pub(crate) fn dispatch(self: &Rc<Self>, event: Event) {
        // another tab may have written since, and without locks nothing keeps it from that; what is submitted is what the guest
        // saw, and is compared under the lock
        let is_news = matches!(
            event,
            Event::Opened(_) | Event::StorageChanged(_) | Event::Locked { .. } | Event::Submit { .. }
        );
        let look = !is_news && !self.busy.get() && !self.host.locks();
        let mut inbox = self.inbox.borrow_mut();
        if look {
            inbox.push(Event::StorageChanged(self.store.stored(&self.host)));
        }
        inbox.push(event);
        drop(inbox);
        if self.busy.replace(true) {
            return;
        }
        loop {
            let next = {
                let mut inbox = self.inbox.borrow_mut();
                if inbox.is_empty() { None } else { Some(inbox.remove(0)) }
            };
            let Some(event) = next else { break };
            let mut jitter = [0; 4];
            host::fill_randomly(&mut jitter);
            let mut moment = Moment {
                now_ms: Date::now() as i64,
                fresh: &mut || self.host.fresh_key(),
                jitter: u32::from_le_bytes(jitter),
            };
            let effects = self.core.borrow_mut().handle(event, &mut moment);
            for effect in effects {
                self.carry_out(effect);
            }
        }
        self.busy.set(false);
    }

    /// Makes a callback for the browser. A trap in it reaches the page's module.
    pub(crate) fn callback(self: &Rc<Self>, act: impl Fn(&Rc<Self>, JsValue) -> JsValue + 'static) -> Function {
        let inner = self.clone();
        let act: Box<dyn FnMut(JsValue) -> JsValue> = Box::new(move |value| act(&inner, value));
        self.host.guard(&Closure::wrap(act).into_js_value())
    }

    /// Sends a request.
    pub(crate) fn send(self: &Rc<Self>, call: wire::Call, token: u32, variables: &JsValue) {
        let init = web_sys::RequestInit::new();
        init.set_method("POST");
        init.set_headers(&self.headers);
        init.set_body(&JsValue::from_str(&wire::body(call, variables)));
        if let Ok(controller) = AbortController::new() {
            init.set_signal(Some(&controller.signal()));
            self.flights.borrow_mut().push((token, controller));
        }
        let retry_after = Rc::new(Cell::new(None));
        let told = retry_after.clone();
        let read_later = retry_after.clone();
        let responded = self.callback(move |_, response| {
            let response: web_sys::Response = response.unchecked_into();
            told.set(wire::retry_after_ms(&response));
            response.json().map_or(JsValue::UNDEFINED, JsValue::from)
        });
        let answered = self.callback(move |inner, body| {
            inner.land(token);
            inner.dispatch(wire::read(&inner.host, call, token, &body, read_later.get()));
            JsValue::UNDEFINED
        });
        // rejected for whatever reason: nobody knows whether it arrived
        let lost = self.callback(move |inner, _| {
            inner.land(token);
            let retry_after_ms = retry_after.get();
            inner.dispatch(Event::Lost { token, retry_after_ms });
            JsValue::UNDEFINED
        });
        let promise: host::Promised =
            JsValue::from(self.window.fetch_with_str_and_init(&self.url, &init)).unchecked_into();
        promise.after(&responded).then(&answered, &lost);
    }

    fn land(&self, token: u32) {
        crate::store::take(&self.flights, token);
    }

    /// Shows cart and state as they are.
    pub(crate) fn show(&self) {
        let view = crate::view::view(&self.host, &self.core.borrow());
        self.host.changed(&view);
    }

    fn look(self: &Rc<Self>) {
        self.dispatch(Event::StorageChanged(self.store.stored(&self.host)));
    }

    fn listen(self: &Rc<Self>) {
        let stored = self.callback(|inner, _| {
            inner.look();
            JsValue::UNDEFINED
        });
        let shown = self.callback(|inner, event| {
            let restored = event.unchecked_into::<PageTransitionEvent>().persisted();
            inner.shown(restored);
            JsValue::UNDEFINED
        });
        let visible = self.callback(|inner, _| {
            let state = inner.window.document().map(|document| document.visibility_state());
            if state == Some(VisibilityState::Visible) {
                inner.shown(false);
            }
            JsValue::UNDEFINED
        });
        let _ = self.window.add_event_listener_with_callback("storage", &stored);
        let _ = self.window.add_event_listener_with_callback("pageshow", &shown);
        if let Some(document) = self.window.document() {
            let _ = document.add_event_listener_with_callback("visibilitychange", &visible);
        }
        self.listeners
            .replace([("storage", stored), ("pageshow", shown), ("visibilitychange", visible)].into());
    }

    fn shown(self: &Rc<Self>, restored: bool) {
        self.look();
        self.dispatch(Event::Shown { restored });
    }
}
