//! Storage: of the browser as long as it lets us, of this page otherwise.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::Cell;
use masterorder_sdk_core::cart::Cart;
use masterorder_sdk_core::event::Stored;
use masterorder_sdk_core::key;
use masterorder_sdk_core::slot::Slot;
use web_sys::Storage;

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
    /// Of the browser, by key.
    browser: [Option<Storage>; 3],
    /// From a failure on everything is in here.
    memory: Storage,
    failed: Cell<bool>,
    /// `failed`, as it was when it was asked for.
    known_to_fail: Cell<bool>,
    /// Names, per table session and by key.
    names: [String; 3],
}

impl Store {
    /// Keeps the things of a table session. Without `shared` everything stays in memory.
    pub fn new(table_session_id: &str, shared: Option<Storage>, tab: Option<Storage>, host: &Host) -> Self {
        let tab = shared.as_ref().and(tab);
        let name = |key| String::from("masterorder.") + table_session_id + key;
        Self {
            failed: Cell::new(shared.is_none()),
            known_to_fail: Cell::default(),
            browser: [shared.clone(), shared, tab],
            memory: host.memory(),
            names: [name(".cart"), name(".slot"), name(".request")],
        }
    }

    /// From now on nothing outlives this page. Says so once.
    pub fn fails_since_last_asked(&self) -> bool {
        let failed = self.failed.get();
        failed && !self.known_to_fail.replace(failed)
    }

    fn place(&self, key: Key) -> &Storage {
        match &self.browser[key as usize] {
            Some(storage) if !self.failed.get() => storage,
            _ => &self.memory,
        }
    }

    /// Reads what is kept.
    pub fn read(&self, key: Key) -> Option<String> {
        self.place(key).get_item(&self.names[key as usize]).ok().flatten()
    }

    /// Keeps something. When the browser refuses, everything moves into memory.
    pub fn write(&self, key: Key, value: &str) {
        let write = |place: &Storage, key, value: &str| place.set_item(&self.names[key as usize], value);
        if write(self.place(key), key, value).is_err() {
            for key in [Key::Cart, Key::Slot, Key::RequestId] {
                if let Some(value) = self.read(key) {
                    let _ = write(&self.memory, key, &value);
                }
            }
            self.failed.set(true);
            let _ = write(&self.memory, key, value);
        }
    }

    /// Deletes something; in the browser too, even if it would not take anything new.
    pub fn remove(&self, key: Key) {
        for storage in self.browser[key as usize].iter().chain([&self.memory]) {
            // what can not be deleted could not be read either
            let _ = storage.remove_item(&self.names[key as usize]);
        }
    }

    /// Reads the cart.
    pub fn cart(&self, host: &Host) -> Option<Rc<Cart>> {
        record::read_cart(host, &self.read(Key::Cart)?)
    }

    /// Reads the slot.
    pub fn slot(&self, host: &Host) -> Option<Slot> {
        record::read_slot(host, &self.read(Key::Slot)?)
    }

    /// Reads everything.
    pub fn stored(&self, host: &Host) -> Stored {
        Stored {
            cart: self.cart(host),
            slot: self.slot(host),
            request_id: self.read(Key::RequestId).and_then(|text| host.key(&text)),
        }
    }

    /// Finds this device's id, or gives it one.
    pub fn client_id(&self) -> String {
        let known = |id: &String| id.strip_prefix("guest-").is_some_and(key::is_v4);
        let shared = self.browser[Key::Cart as usize].as_ref();
        let kept = shared.and_then(|s| s.get_item(CLIENT_ID).ok().flatten());
        if let Some(id) = kept.filter(known) {
            return id;
        }
        let id = String::from("guest-") + &key::v4(Host::random());
        if let Some(storage) = shared {
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
