//! The shell of the browser SDK: carries out what `masterorder-sdk-core` plans, with the browser's own fetch, storage and
//! timer, and tells it what happened.
//!
//! No rule lives here: when to send, to wait, to ask or to give up is the core's business. Nothing is formatted, the browser
//! parses the JSON, and nothing is borrowed over a wait. Reading order: `api` (what the page's module calls) → `shell` →
//! `effects` → `wire`, `store`, `record`, `view` (one border each) → `names` → `js`.
#![no_std]
#![cfg(target_arch = "wasm32")]

extern crate alloc;

mod api;
mod shell;
mod effects;
mod wire;
mod store;
mod record;
mod view;
mod names;
mod host;
mod js;

use lol_alloc::{AssumeSingleThreaded, FreeListAllocator};

// SAFETY: WebAssembly without threads has one thread.
#[allow(unsafe_code)]
#[global_allocator]
static ALLOCATOR: AssumeSingleThreaded<FreeListAllocator> =
    unsafe { AssumeSingleThreaded::new(FreeListAllocator::new()) };

/// A panic is a trap: the page's module rebuilds from what is stored. A message would cost more than all texts.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
