//! Every state that can be reached in eight moves of a guest, a network, a server and a clock.
//!
//! In each of them: at most one request is on its way, the key is constant until the final answer, every promise is resolved
//! once, nothing that was told is untrue (`model::shell`, `model::witness`); and from each of them a good network and a
//! guest who taps settle everything.

/// What can happen.
mod moves;
/// One tab, one shop, and what happens next.
mod world;

use moves::Move;
use std::collections::HashSet;
use std::println;
use std::vec::Vec;
use world::World;

/// Moves from the confirmed cart.
const DEPTH: usize = 8;

#[test]
fn every_state_to_depth_8_keeps_every_promise_and_can_be_settled() {
    let mut seen = HashSet::new();
    let mut frontier = Vec::from([World::new()]);
    let mut steps = 0_u64;
    for depth in 1..=DEPTH {
        let mut next = Vec::new();
        for world in &frontier {
            for a_move in Move::ALL {
                let Some(result) = world.after(a_move) else { continue };
                let world = result.unwrap_or_else(|broken| panic!("{broken}"));
                steps += 1;
                if seen.insert(world.digest()) {
                    next.push(world);
                }
            }
        }
        println!("depth {depth}: {} distinct states", seen.len());
        for world in &next {
            if let Err(broken) = world.settle() {
                panic!("{broken}");
            }
        }
        frontier = next;
    }
    println!("{} distinct states, {steps} steps to depth {DEPTH}", seen.len());
    assert!(seen.len() > 10_000, "too few to prove anything");
}
