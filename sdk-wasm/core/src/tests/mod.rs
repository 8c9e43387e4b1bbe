//! The proofs. Reading order: `model` (a shell and a server that are small enough to be believed) → `bench` (one tab, step
//! by step) → a file per rule → `explore` (every state to a depth) → `simulate` (long random lives).

mod model;
mod bench;

mod submitting;
mod aborting;
mod not_knowing;
mod waiting;
mod answers;
mod asking;
mod withdrawing;
mod resuming;
mod showing;
mod sleeping;
mod online;
mod retry_after;
mod locking;
mod tabs;
mod editing;
mod words;

mod explore;
mod simulate;
