//! Carries out what the core wants, in the order in which it wants it.

use crate::record;
use crate::shell::{News, Shell};
use crate::store::Key;
use crate::view;
use crate::wire::{self, Call};
use masterorder_sdk_core::effect::Effect;
use wasm_bindgen::JsValue;

impl Shell {
    pub(crate) fn carry_out(&self, effect: Effect) {
        match effect {
            Effect::Watch { submission } => self.watched.set(submission),
            Effect::Settle { submission, outcome } => self.host.settle(submission, &view::outcome(&self.host, outcome)),
            Effect::Invalid(invalid) => self.mistake.set(1 + invalid as u32),
            Effect::Lock { token } => {
                let [granted, lost, told] =
                    [News::Locked, News::Unlocked, News::Told].map(|news| self.callback(news, token));
                self.host.lock(token, self.store.lock_name(), &granted, &lost, &told);
            }
            Effect::Tell { token, slot, outcome } => view::tell(&self.host, token, &slot, outcome),
            Effect::Unlock { token } => self.host.unlock(token),
            Effect::PersistCart(cart) => self.write(Key::Cart, &record::write_cart(&self.host, &cart)),
            Effect::ForgetCart(id) => {
                let cart = self.store.cart(&self.host);
                if cart.is_none_or(|cart| cart.checkout_id == Some(id)) {
                    self.remove(Key::Cart);
                }
            }
            Effect::PersistSlot(slot) => {
                let held = self.store.slot(&self.host);
                if held.is_none_or(|held| held.request_id == slot.request_id) {
                    self.write(Key::Slot, &record::write_slot(&self.host, &slot));
                }
            }
            Effect::ForgetSlot(id) => {
                let slot = self.store.slot(&self.host);
                if slot.is_none_or(|slot| slot.request_id == id) {
                    self.remove(Key::Slot);
                }
            }
            Effect::PersistRequestId(id) => {
                self.write(Key::RequestId, &self.host.text_of(id).as_string().unwrap_or_default())
            }
            Effect::ForgetRequestId => self.store.remove(Key::RequestId),
            Effect::SendPlace { token, slot } => self.send(Call::Place, token, wire::order(&self.host, &slot)),
            Effect::SendWithdraw { token, request_id } => {
                self.send(Call::Withdraw, token, wire::key(&self.host, request_id))
            }
            Effect::SendStatus { token, request_id } => {
                self.send(Call::Status, token, wire::key(&self.host, request_id))
            }
            Effect::SendHistory { token } => self.send(Call::History, token, JsValue::UNDEFINED),
            Effect::Abandon { token } => {
                if let Some(flight) = self.land(token) {
                    flight.controller.abort();
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

    fn write(&self, key: Key, value: &str) {
        self.store.write(key, value);
        if key != Key::RequestId {
            self.host.wrote();
        }
    }

    fn remove(&self, key: Key) {
        self.store.remove(key);
        self.host.wrote();
    }

    fn start_timer(&self, id: u32, ms: u32) {
        self.stop_timer();
        let fired = self.callback(News::Timer, id);
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
