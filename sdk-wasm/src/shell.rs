//! The one client of this module instance: calls come in here, and nothing of a wait is kept on the stack.

use crate::host::{self, Host, Promised};
use crate::js::{self, Fields};
use crate::store::Store;
use crate::view;
use crate::wire::{self, Call};
use alloc::string::String;
use core::cell::{Cell, RefCell};
use js_sys::{Date, Function};
use masterorder_sdk_core::Core;
use masterorder_sdk_core::event::{Event, Moment, Stored};
use masterorder_sdk_core::key;
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, Response, Storage, Window};

/// A client. It lives as long as its module instance; every call works on its cells, and no borrow outlives a call.
pub(crate) struct Shell {
    pub(crate) core: RefCell<Core>,
    pub(crate) host: Host,
    pub(crate) window: Window,
    pub(crate) url: String,
    pub(crate) headers: JsValue,
    pub(crate) store: Store,
    /// The submission that the last call waits for.
    pub(crate) watched: Cell<u32>,
    /// Why the last call was a mistake; 0 if it was none.
    pub(crate) mistake: Cell<u32>,
    /// With the browser's number for it.
    pub(crate) timer: Cell<Option<(u32, i32)>>,
    /// There is at most one.
    flight: RefCell<Option<Flight>>,
}

/// A request on its way.
pub(crate) struct Flight {
    token: u32,
    call: Call,
    pub(crate) controller: AbortController,
    /// As its headers say.
    retry_after_ms: Option<u32>,
}

/// What the browser calls back for.
#[derive(Clone, Copy)]
pub(crate) enum News {
    /// The timer went off.
    Timer,
    /// A request was answered.
    Response,
    /// The answer's body was read.
    Body,
    /// A request was not answered, or not with JSON.
    Lost,
    /// A lock is held.
    Locked,
    /// It is not any more.
    Unlocked,
    /// Another tab tells something.
    Told,
}

impl News {
    const ALL: [Self; 7] = [
        Self::Timer,
        Self::Response,
        Self::Body,
        Self::Lost,
        Self::Locked,
        Self::Unlocked,
        Self::Told,
    ];
}

impl Shell {
    /// Makes a client.
    pub(crate) fn new(
        options: &JsValue,
        host: Host,
        window: Window,
        shared: Option<Storage>,
        tab: Option<Storage>,
    ) -> Self {
        host.name_words();
        let text = |key| js::text(options, key).unwrap_or_default();
        let session = text("tableSessionId");
        let store = Store::new(&session, shared, tab, &host);
        let headers = Fields::new()
            .with("Content-Type", js::string("application/json"))
            .with(
                "Accept",
                js::string("application/graphql-response+json, application/json"),
            )
            .with("Accept-Language", js::string(&text("lang")))
            .with("X-Session-Id", js::string(&session))
            .with("X-Session-PIN", js::string(&text("pin")))
            .with("X-MasterOrder-Client-Id", js::string(&store.client_id()));
        Self {
            core: RefCell::default(),
            host,
            window,
            url: text("url"),
            headers: headers.into(),
            store,
            watched: Cell::default(),
            mistake: Cell::default(),
            timer: Cell::default(),
            flight: RefCell::default(),
        }
    }

    /// Shows what is stored.
    pub(crate) fn start(&self) {
        self.dispatch(Event::Opened(self.stored()));
        self.show();
    }

    /// Hands an edit in. Answers why it was a mistake; 0 if it was none.
    pub(crate) fn edit(&self, event: Event) -> u32 {
        self.mistake.set(0);
        self.dispatch(event);
        self.mistake.get()
    }

    /// Hands a wish in. Answers the submission.
    pub(crate) fn wish(&self, event: Event) -> u32 {
        self.dispatch(event);
        self.watched.get()
    }

    /// Takes an event. The page's module sees to it that there is one at a time.
    pub(crate) fn dispatch(&self, event: Event) {
        // another tab may have written since, and without locks nothing keeps it from that; what is submitted is what the guest
        // saw, and is compared under the lock
        let is_news = matches!(
            event,
            Event::Opened(_) | Event::StorageChanged(_) | Event::Locked { .. } | Event::Submit { .. }
        );
        if !is_news && !self.host.locks() {
            self.hand_in(Event::StorageChanged(self.stored()));
        }
        self.hand_in(event);
        if self.store.fails_since_last_asked() {
            self.hand_in(Event::StorageFailed);
        }
    }

    /// Hands an event to the core and carries out what it wants.
    fn hand_in(&self, event: Event) {
        let mut jitter = [0; 4];
        host::fill_randomly(&mut jitter);
        let mut moment = Moment {
            now_ms: Date::now() as i64,
            fresh: &mut || self.host.id(&key::v4(Host::random())),
            jitter: u32::from_le_bytes(jitter),
        };
        let effects = self.core.borrow_mut().handle(event, &mut moment);
        for effect in effects {
            self.carry_out(effect);
        }
    }

    /// Reads what is stored.
    pub(crate) fn stored(&self) -> Stored {
        self.store.stored(&self.host)
    }

    /// Makes a callback for the browser.
    pub(crate) fn callback(&self, news: News, token: u32) -> Function {
        self.host.callback(news as u32, token)
    }

    /// Takes what a callback brings. Answers what the promise behind it goes on with.
    pub(crate) fn report(&self, news: u32, token: u32, value: JsValue) -> JsValue {
        let Some(news) = News::ALL.get(news as usize) else {
            return JsValue::UNDEFINED;
        };
        match news {
            News::Timer => self.dispatch(Event::TimerFired { id: token }),
            News::Response => return self.responded(token, &value.unchecked_into()),
            News::Body => {
                if let Some(flight) = self.land(token) {
                    self.dispatch(wire::read(
                        &self.host,
                        flight.call,
                        token,
                        &value,
                        flight.retry_after_ms,
                    ));
                }
            }
            News::Lost => {
                if let Some(Flight { retry_after_ms, .. }) = self.land(token) {
                    // rejected for whatever reason: nobody knows whether it arrived
                    self.dispatch(Event::Lost { token, retry_after_ms });
                }
            }
            News::Locked => {
                let stored = self.stored();
                self.dispatch(Event::Locked { token, stored });
            }
            News::Unlocked => self.dispatch(Event::Unlocked { token }),
            News::Told => {
                if let Some(told) = view::told(&self.host, &value) {
                    self.dispatch(told);
                }
            }
        }
        JsValue::UNDEFINED
    }

    /// Sends a request.
    pub(crate) fn send(&self, call: Call, token: u32, variables: JsValue) {
        // it can not fail; if it did, the attempt's timer would go off
        let Ok(controller) = AbortController::new() else { return };
        let init = Fields::new()
            .with("method", js::string("POST"))
            .with("headers", self.headers.clone())
            .with("body", wire::body(call, variables))
            .with("signal", controller.signal().into());
        self.flight.replace(Some(Flight {
            token,
            call,
            controller,
            retry_after_ms: None,
        }));
        let answer = self.window.fetch_with_str_and_init(&self.url, init.unchecked_ref());
        JsValue::from(answer)
            .unchecked_into::<Promised>()
            .then(&self.callback(News::Response, token), &JsValue::UNDEFINED)
            .then(&self.callback(News::Body, token), &self.callback(News::Lost, token));
    }

    fn responded(&self, token: u32, response: &Response) -> JsValue {
        if let Some(flight) = self.flight.borrow_mut().as_mut().filter(|flight| flight.token == token) {
            let ms = self.host.retry_after_ms(response) as u32;
            flight.retry_after_ms = (ms > 0).then_some(ms);
        }
        response.json().map_or(JsValue::UNDEFINED, JsValue::from)
    }

    /// Takes a request out whose answer is here or is not waited for; `None` if it was taken out before.
    pub(crate) fn land(&self, token: u32) -> Option<Flight> {
        self.flight.borrow_mut().take_if(|flight| flight.token == token)
    }

    /// Shows cart and state as they are.
    pub(crate) fn show(&self) {
        view::show(&self.host, &self.core.borrow());
    }

    /// Looks into storage.
    pub(crate) fn look(&self) {
        self.dispatch(Event::StorageChanged(self.stored()));
    }

    /// The page is visible again.
    pub(crate) fn shown(&self, restored: bool) {
        self.look();
        self.dispatch(Event::Shown { restored });
    }
}
