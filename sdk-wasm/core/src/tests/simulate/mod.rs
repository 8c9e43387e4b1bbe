//! Long random lives: guests who tap, reload, wait and change their minds, on a network that drops, delays, duplicates and
//! reorders, with a server that is busy, paused or killed. Everything comes from a seed, so that a life can be lived again.
//!
//! What must hold is checked by `model::shell` at every effect and by `model::witness` at every promise and at the end.

/// Time, and who is where.
mod world;
/// What happened.
mod report;
/// The network and the server's bad days.
mod network;
/// What guests do.
mod guest;

use report::Report;
use std::env;
use std::println;
use std::string::String;
use world::World;

/// Lives in every `cargo test`.
const LIVES: u64 = 5_000;
/// Lives in a soak.
const SOAK_LIVES: u64 = 1_000_000;

/// Lives through this many schedules.
///
/// *Errors*: the first promise that was broken, with the seed that shows it again.
fn live(seeds: core::ops::Range<u64>, by_content: bool) -> Result<Report, String> {
    let mut report = Report::default();
    for seed in seeds {
        match World::new(seed, by_content).live() {
            Ok(life) => report.add(&life),
            Err(broken) => return Err(std::format!("seed {seed}: {broken}")),
        }
    }
    Ok(report)
}

#[test]
fn no_promise_is_broken_in_thousands_of_lives() {
    let report = live(0..LIVES, false).unwrap_or_else(|broken| panic!("{broken}"));
    println!("{LIVES} schedules: {report:?}");
    assert!(report.is_thorough(), "something never happened: {report:?}");
}

/// The mistake that others make: an equal order in the history is taken for this one. It must not survive here.
#[test]
fn reconciling_by_content_is_caught() {
    let broken = live(0..LIVES, true).err();
    println!("{broken:?}");
    assert!(broken.is_some_and(|b| b.contains("told Placed")));
}

/// `SCHEDULES=1000000 SEED=0 cargo test --release -- --ignored soak --nocapture`; with `WATCH=1` and `SCHEDULES=1` the life of
/// one seed is printed, event by event.
#[test]
#[ignore = "minutes long: run by the soak"]
fn soak() {
    let number = |name, otherwise| env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise);
    let (seed, lives) = (number("SEED", 0), number("SCHEDULES", SOAK_LIVES));
    let report = live(seed..seed + lives, false).unwrap_or_else(|broken| panic!("{broken}"));
    println!("{lives} schedules from seed {seed}: {report:?}");
    assert!(report.is_thorough(), "something never happened: {report:?}");
}
