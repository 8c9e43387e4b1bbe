//! Carries out what the core wants, in the order in which it wants it.

use crate::record;
use crate::shell::Inner;
use crate::store::{self, Key};
use crate::view;
use crate::wire::{self, Call};
use alloc::rc::Rc;
use alloc::string::String;
use masterorder_sdk_core::effect::Effect;
use masterorder_sdk_core::event::Event;
use wasm_bindgen::JsValue;

impl Inner {
    pub(crate) fn carry_out(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::Watch { submission } => self.watched.set(submission),
            Effect::Settle { submission, outcome } => self.host.settle(submission, &view::outcome(&self.host, outcome)),
            Effect::Invalid(invalid) => self.mistake.set(1 + invalid as u32),
            Effect::Lock { token } => self.lock(token),
            Effect::Unlock { token } => {
                if let Some(release) = store::take(&self.locks, token) {
                    let _ = release.call0(&JsValue::UNDEFINED);
                }
            }
            Effect::PersistCart(cart) => self.write(Key::Cart, record::write_cart(&self.host, &cart)),
            Effect::ForgetCart(id) => {
                if self
                    .store
                    .stored(&self.host)
                    .cart
                    .is_none_or(|cart| cart.checkout_id == Some(id))
                {
                    self.remove(Key::Cart);
                }
            }
            Effect::PersistSlot(slot) => {
                let free = self
                    .store
                    .stored(&self.host)
                    .slot
                    .is_none_or(|held| held.request_id == slot.request_id);
                if free {
                    self.write(Key::Slot, record::write_slot(&self.host, &slot));
                }
            }
            Effect::ForgetSlot(id) => {
                if self
                    .store
                    .stored(&self.host)
                    .slot
                    .is_none_or(|slot| slot.request_id == id)
                {
                    self.remove(Key::Slot);
                }
            }
            Effect::PersistRequestId(id) => {
                self.write(Key::RequestId, self.host.text_of(id).as_string().unwrap_or_default())
            }
            Effect::ForgetRequestId => self.store.remove(Key::RequestId),
            Effect::SendPlace { token, slot } => self.send(Call::Place, token, &wire::order(&self.host, &slot)),
            Effect::SendWithdraw { token, request_id } => {
                self.send(Call::Withdraw, token, &wire::key(&self.host, request_id))
            }
            Effect::SendStatus { token, request_id } => {
                self.send(Call::Status, token, &wire::key(&self.host, request_id))
            }
            Effect::SendHistory { token } => self.send(Call::History, token, &JsValue::UNDEFINED),
            Effect::Abandon { token } => {
                if let Some(controller) = store::take(&self.flights, token) {
                    controller.abort();
                }
            }
            Effect::StartTimer { id, ms } => self.start_timer(id, ms),
            Effect::CancelTimer { id } => {
                if self.timer.get().is_some_and(|(current, _)| current == id) {
                    self.stop_timer();
                }
            }
            Effect::StateChanged => self.show(),
        }
    }

    fn write(self: &Rc<Self>, key: Key, value: String) {
        let failed = self.store.has_failed();
        self.store.write(key, value);
        if self.store.has_failed() && !failed {
            self.dispatch(Event::StorageFailed);
        }
        if key != Key::RequestId {
            self.host.wrote();
        }
    }

    fn remove(&self, key: Key) {
        self.store.remove(key);
        self.host.wrote();
    }

    fn lock(self: &Rc<Self>, token: u32) {
        let granted = self.callback(move |inner, _| {
            let stored = inner.store.stored(&inner.host);
            inner.dispatch(Event::Locked { token, stored });
            JsValue::UNDEFINED
        });
        let release = self.host.lock(self.store.lock_name(), &granted);
        self.locks.borrow_mut().push((token, release));
    }

    fn start_timer(self: &Rc<Self>, id: u32, ms: u32) {
        self.stop_timer();
        let fired = self.callback(move |inner, _| {
            inner.dispatch(Event::TimerFired { id });
            JsValue::UNDEFINED
        });
        let ms = i32::try_from(ms).unwrap_or(i32::MAX);
        let started = self
            .window
            .set_timeout_with_callback_and_timeout_and_arguments_0(&fired, ms);
        self.timer.set(started.ok().map(|handle| (id, handle)));
    }

    fn stop_timer(&self) {
        if let Some((_, handle)) = self.timer.take() {
            self.window.clear_timeout_with_handle(handle);
        }
    }
}
