//! Storage: of the browser as long as it lets us, of this page otherwise.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use masterorder_sdk_core::event::Stored;
use masterorder_sdk_core::key;
use web_sys::{Storage, Window};

use crate::host::Host;
use crate::record;

/// What is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The cart, for all tabs.
    Cart,
    /// The unsettled confirmation, for all tabs.
    Slot,
    /// The id of this tab's next confirmation.
    RequestId,
}

/// This device, for all table sessions.
const CLIENT_ID: &str = "masterorder.client";

/// Where things are kept.
pub struct Store {
    shared: Option<Storage>,
    tab: Option<Storage>,
    /// From a failure on everything is in here.
    memory: RefCell<[Option<String>; 3]>,
    failed: Cell<bool>,
    /// Names, per table session.
    names: [String; 3],
}

impl Store {
    /// Keeps the things of a table session. `shared` is what the page brought; `None` is memory only.
    pub fn new(table_session_id: &str, shared: Option<Storage>, window: &Window) -> Self {
        let tab = shared.as_ref().and_then(|_| window.session_storage().ok().flatten());
        let name = |key: &str| ["masterorder.", table_session_id, key].concat();
        Self {
            failed: Cell::new(shared.is_none()),
            shared,
            tab,
            memory: RefCell::default(),
            names: [name(".cart"), name(".slot"), name(".request")],
        }
    }

    /// Nothing outlives this page.
    pub fn has_failed(&self) -> bool {
        self.failed.get()
    }

    fn place(&self, key: Key) -> Option<&Storage> {
        match key {
            _ if self.failed.get() => None,
            Key::Cart | Key::Slot => self.shared.as_ref(),
            Key::RequestId => self.tab.as_ref(),
        }
    }

    /// Reads what is kept.
    pub fn read(&self, key: Key) -> Option<String> {
        match self.place(key) {
            Some(storage) => storage.get_item(&self.names[key as usize]).ok().flatten(),
            None => self.memory.borrow()[key as usize].clone(),
        }
    }

    /// Keeps something. When the browser refuses, everything moves into memory.
    pub fn write(&self, key: Key, value: String) {
        if let Some(storage) = self.place(key) {
            if storage.set_item(&self.names[key as usize], &value).is_ok() {
                return;
            }
            let kept = [Key::Cart, Key::Slot, Key::RequestId].map(|key| self.read(key));
            self.memory.replace(kept);
            self.failed.set(true);
        }
        self.memory.borrow_mut()[key as usize] = Some(value);
    }

    /// Deletes something; in the browser too, even if it would not take anything new.
    pub fn remove(&self, key: Key) {
        let storage = if key == Key::RequestId { &self.tab } else { &self.shared };
        if let Some(storage) = storage {
            // what can not be deleted could not be read either
            let _ = storage.remove_item(&self.names[key as usize]);
        }
        self.memory.borrow_mut()[key as usize] = None;
    }

    /// Reads everything.
    pub fn stored(&self, host: &Host) -> Stored {
        Stored {
            cart: self.read(Key::Cart).and_then(|text| record::read_cart(host, &text)),
            slot: self.read(Key::Slot).and_then(|text| record::read_slot(host, &text)),
            request_id: self.read(Key::RequestId).and_then(|text| host.key(&text)),
        }
    }

    /// Finds this device's id, or gives it one.
    pub fn client_id(&self, host: &Host) -> String {
        let known = |id: &String| id.strip_prefix("guest-").is_some_and(key::is_v4);
        let kept = self.shared.as_ref().and_then(|s| s.get_item(CLIENT_ID).ok().flatten());
        if let Some(id) = kept.filter(known) {
            return id;
        }
        let id = [
            "guest-",
            &host.text_of(host.fresh_key()).as_string().unwrap_or_default(),
        ]
        .concat();
        if let Some(storage) = &self.shared {
            // without it the device has another id after a reload, and nothing else is lost
            let _ = storage.set_item(CLIENT_ID, &id);
        }
        id
    }

    /// The name of this table session's lock.
    pub fn lock_name(&self) -> &str {
        &self.names[Key::Slot as usize]
    }
}

/// A list that is short enough to be searched.
pub fn take<T>(list: &RefCell<Vec<(u32, T)>>, token: u32) -> Option<T> {
    let mut list = list.borrow_mut();
    let index = list.iter().position(|(t, _)| *t == token)?;
    Some(list.swap_remove(index).1)
}
