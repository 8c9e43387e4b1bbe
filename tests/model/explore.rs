//! Every state that can be reached, breadth first: the first broken promise is found by a shortest path.

use crate::client::{Ask, Nr};
use crate::process::{Next, Process};
use crate::properties;
use crate::world::{Move, Scene, World};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Explored {
    pub(crate) states: usize,
    pub(crate) moves: usize,
    /// States from which everything was asked again.
    pub(crate) quiet: usize,
    /// What somebody was told somewhere, in a word.
    pub(crate) told: BTreeSet<&'static str>,
}

/// Explores a scene.
///
/// *Errors*: the promise that is broken, and how it came to that.
pub(crate) fn explore(scene: &Scene) -> Result<Explored, String> {
    let start = scene.start();
    let mut seen = HashSet::from([digest(&start)]);
    let mut came_by: Vec<Option<(usize, Move)>> = vec![None];
    let mut frontier = VecDeque::from([(0, start)]);
    let mut explored = Explored::default();
    while let Some((at, world)) = frontier.pop_front() {
        let quiet = properties::is_quiet(&world);
        let answers = world.processes.iter().filter_map(Process::answer);
        explored.told.extend(answers.map(|(answer, _)| answer.word()));
        let mut looked_at = properties::check(scene, &world);
        if quiet {
            explored.quiet += 1;
            looked_at = looked_at.and_then(|()| properties::settle(scene, &world));
        }
        let moves = scene.moves(&world);
        if moves.is_empty() && !quiet {
            looked_at = looked_at.and(Err("everybody waits".into()));
        }
        looked_at.map_err(|broken| format!("{broken}\n{}", trace(scene, &came_by, at)))?;
        for a_move in moves {
            explored.moves += 1;
            let next = scene.after(&world, a_move);
            if seen.insert(digest(&next)) {
                came_by.push(Some((at, a_move)));
                frontier.push_back((came_by.len() - 1, next));
            }
        }
    }
    explored.states = seen.len();
    Ok(explored)
}

/// Two hashes, for too many worlds for one.
fn digest(world: &World) -> (u64, u64) {
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, world).hash(&mut hasher);
        hasher.finish()
    };
    (hash(0), hash(1))
}

/// How it came to a state, for people.
fn trace(scene: &Scene, came_by: &[Option<(usize, Move)>], mut at: usize) -> String {
    let mut moves = Vec::new();
    while let Some((from, a_move)) = came_by[at] {
        moves.push(a_move);
        at = from;
    }
    let mut text = format!("{}, {:?}, {:?}:\n", scene.name, scene.engine, scene.faults);
    let mut world = scene.start();
    for (line, a_move) in (1..).zip(moves.into_iter().rev()) {
        let next = scene.after(&world, a_move);
        // writing to a String can not fail
        let _ = writeln!(text, "{line:>4}. {}", told(scene, &world, &next, a_move));
        world = next;
    }
    let _ = writeln!(
        text,
        "      orders: {:?}\n      claims: {:?}",
        world.db.orders, world.db.claims
    );
    text
}

fn told(scene: &Scene, before: &World, after: &World, a_move: Move) -> String {
    let who = |me: Nr| {
        let process = &before.processes[usize::from(me)];
        format!("process {me} ({})", words(scene.ask(process.request)))
    };
    let ends = |me: Nr| match after.processes[usize::from(me)].next {
        Next::Ended { answer, .. } => format!(", and ends: {answer:?}"),
        _ => String::new(),
    };
    match a_move {
        Move::Step(me) => format!("{}: {:?}{}", who(me), before.processes[usize::from(me)].next, ends(me)),
        Move::TimeOut(me) => format!("{} has waited long enough{}", who(me), ends(me)),
        Move::LoseConnection(me) => format!("{} loses its connection and runs again", who(me)),
        Move::Crash(me) => format!("the node of {} dies", who(me)),
        Move::Restart => "the database dies, and is there again".into(),
        Move::End { owner, commits, .. } => format!(
            "the database {} what process {owner} left",
            if commits { "commits" } else { "rolls back" }
        ),
        Move::Era => "retention goes by".into(),
    }
}

fn words(ask: Ask) -> String {
    match ask {
        Ask::Place(order) => {
            let cart = order
                .cart
                .map_or_else(|| "no cart".into(), |cart| format!("cart {cart}"));
            format!(
                "order of dish {} under key {}, {cart}, table {}, phone {}",
                order.dish, order.key, order.table, order.phone
            )
        }
        Ask::Withdraw { key, .. } => format!("withdrawal of key {key}"),
        Ask::Cancel { key, .. } => format!("cancelling the order of key {key}"),
        Ask::Pay { table } => format!("paying at table {table}"),
        Ask::Purge => "purge".into(),
    }
}
