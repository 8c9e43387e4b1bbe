//! What must be true: in every state; and from every state in which nobody is at work, when everything is asked again.

use crate::client::{Answer, Ask, No, Nr, Why};
use crate::database::{OrderRow, Outcome, Standing};
use crate::process::{Next, Process, need};
use crate::transaction::Turn;
use crate::world::{Scene, World, is_blocked};

/// Steps after which a request that nobody disturbs must have ended.
const SETTLING_STEPS: usize = 60;
/// How often the same request may be asked "the same again?".
const CONFIRMATIONS: usize = 3;

/// Looks at one state.
///
/// *Errors*: the promise that is broken.
pub(crate) fn check(scene: &Scene, world: &World) -> Result<(), String> {
    orders(scene, world)?;
    claims(scene, world)?;
    answers(scene, world)?;
    nobody_waits_for_ever(scene, world)
}

/// At most one order per cart, per key until its retention is over, and per content inside the window; stock adds up.
fn orders(scene: &Scene, world: &World) -> Result<(), String> {
    let orders = &world.db.orders;
    for (i, one) in orders.iter().enumerate() {
        let asked = scene.product.order(one.request);
        for other in &orders[i + 1..] {
            let also = scene.product.order(other.request);
            if asked.cart.is_some() && asked.cart == also.cart {
                return Err("a cart has two orders".into());
            }
            if one.era != other.era {
                continue;
            }
            if asked.key == also.key {
                return Err("a key has two orders".into());
            }
            let stand = !one.cancelled && !other.cancelled;
            let unasked = !one.confirmed && !other.confirmed;
            if stand && unasked && (asked.table, asked.dish) == (also.table, also.dish) {
                return Err("the same was ordered twice, and nobody was asked".into());
            }
        }
    }
    let taken: i8 = orders
        .iter()
        .filter(|o| !o.cancelled)
        .map(|o| scene.pieces(o.request))
        .sum();
    match world.db.stock {
        ..0 => Err("more was sold than there is".into()),
        left if left + taken == scene.stock.unwrap_or(0) => Ok(()),
        _ => Err("stock does not add up".into()),
    }
}

/// Outcomes name orders that are there; a key that was given up has none; nothing is left half done.
fn claims(scene: &Scene, world: &World) -> Result<(), String> {
    for (key, claim) in (0..).zip(&world.db.claims) {
        match claim.map(|c| c.outcome) {
            Some(Some(Outcome::Placed(order) | Outcome::Alias(order))) if !has_order(world, order) => {
                return Err(format!("key {key} stands for order {order}, which is not there"));
            }
            Some(Some(Outcome::Rejected(No::Withdrawn))) => {
                let of_key = |o: &&OrderRow| scene.product.order(o.request).key == key;
                if let Some(order) = world.db.orders.iter().find(of_key) {
                    return Err(format!("key {key} is withdrawn, and placed order {}", order.id));
                }
            }
            Some(None) if is_quiet(world) => {
                return Err(format!("key {key} is claimed, and nobody is at work"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What was told is true, stays true, and is told alike to everybody who asks.
fn answers(scene: &Scene, world: &World) -> Result<(), String> {
    for (i, process) in world.processes.iter().enumerate() {
        let Some((answer, era)) = process.answer() else {
            continue;
        };
        let ask = scene.ask(process.request);
        match answer {
            Answer::Placed { order, .. } if !has_order(world, order) => {
                return Err(format!("process {i} was told of order {order}, which is not there"));
            }
            Answer::Internal => return Err(format!("process {i} was told of an internal error")),
            _ => {}
        }
        if !answer.is_fact() {
            continue;
        }
        for (j, other) in world.processes.iter().enumerate().skip(i + 1) {
            let Some((also, other_era)) = other.answer().filter(|(a, _)| a.is_fact()) else {
                continue;
            };
            let same_key = ask.key().is_some() && ask.key() == scene.ask(other.request).key();
            if same_key && era == other_era && !answer.agrees_with(also) {
                return Err(format!(
                    "processes {i} and {j}, same key, were told {answer:?} and {also:?}"
                ));
            }
            if let (Answer::Placed { order: one, new }, Answer::Placed { order: two, new: again }) = (answer, also) {
                if one != two && share_cart(ask, scene.ask(other.request)) {
                    return Err(format!("processes {i} and {j}, same cart, were told of two orders"));
                }
                if one == two && new && again {
                    return Err(format!("order {one} was told as new twice"));
                }
            }
        }
    }
    Ok(())
}

/// No circle of processes that wait for one another: a lock order that all keep to.
fn nobody_waits_for_ever(scene: &Scene, world: &World) -> Result<(), String> {
    let waits_for = |me: Nr| -> Vec<Nr> {
        let need = need(scene, world, me).filter(|_| world.db.txn(me).is_some());
        let holders = need.into_iter().flat_map(|need| world.db.holders(me, need));
        holders
            .filter(|t| t.standing == Standing::Live)
            .map(|t| t.owner)
            .collect()
    };
    for start in 0..Nr::try_from(world.processes.len()).unwrap_or(Nr::MAX) {
        let mut reached = Vec::new();
        let mut next = waits_for(start);
        while let Some(me) = next.pop() {
            if me == start {
                return Err(format!("process {start} waits for itself in a circle: a deadlock"));
            }
            if !reached.contains(&me) {
                reached.push(me);
                next.extend(waits_for(me));
            }
        }
    }
    Ok(())
}

/// Nobody is at work, and the database has nothing left to end.
pub(crate) fn is_quiet(world: &World) -> bool {
    let rests = |p: &Process| matches!(p.next, Next::Arrive | Next::Ended { .. });
    world.db.txns.is_empty() && world.processes.iter().all(rests)
}

/// Asks everything again, one after the other and in good weather: everybody gets the answer that was given before, or a
/// first one; no key is burnt.
///
/// *Errors*: the promise that is broken.
pub(crate) fn settle(scene: &Scene, world: &World) -> Result<(), String> {
    let mut world = world.clone();
    let mut asked: Vec<Ask> = Vec::new();
    for (request, ask) in (0..).zip(scene.requests.iter().map(|r| r.ask)) {
        if ask.key().is_none() || asked.contains(&ask) {
            continue;
        }
        asked.push(ask);
        let mut answer = again(scene, &mut world, request, None)?;
        for _ in 0..CONFIRMATIONS {
            let Answer::Conflict(Why::PossibleDuplicate(earlier)) = answer else {
                break;
            };
            answer = again(scene, &mut world, request, Some(earlier))?;
        }
        let explained = match answer {
            Answer::Placed { .. } | Answer::Rejected(_) => true,
            Answer::Conflict(Why::KeyReused) => belongs_to_another(scene, &world, request),
            Answer::Conflict(Why::CheckoutAlreadyPlaced) => {
                let cart = scene.product.sharing_cart(request);
                world.db.orders.iter().any(|o| cart.has(o.request))
            }
            _ => false,
        };
        let told_before = world.processes.iter().filter(|p| scene.ask(p.request) == ask);
        let fact = told_before
            .filter_map(Process::answer)
            .find(|(a, era)| a.is_fact() && *era == Some(world.db.era));
        if let Some((fact, _)) = fact.filter(|(fact, _)| !fact.agrees_with(answer)) {
            return Err(format!("asked again, {ask:?} is told {answer:?}; it was told {fact:?}"));
        }
        if !explained {
            return Err(format!("asked again, {ask:?} is told {answer:?}: a burnt key"));
        }
    }
    check(scene, &world).map_err(|broken| format!("everything was asked again: {broken}"))
}

/// Sends a request once more and runs it to its end.
fn again(scene: &Scene, world: &mut World, request: Nr, about: Option<Nr>) -> Result<Answer, String> {
    let me = Nr::try_from(world.processes.len()).unwrap_or(Nr::MAX);
    world.processes.push(Process::new(request, about));
    for _ in 0..SETTLING_STEPS {
        if let Next::Ended { answer, .. } = world.processes[usize::from(me)].next {
            return Ok(answer);
        }
        if is_blocked(scene, world, me) {
            return Err(format!("asked again, {:?} waits for nobody", scene.ask(request)));
        }
        Turn::of(scene, world, me).step();
    }
    Err(format!("asked again, {:?} does not end", scene.ask(request)))
}

/// The key stands for what another request asked for.
fn belongs_to_another(scene: &Scene, world: &World, request: Nr) -> bool {
    let ask = scene.ask(request);
    let claim = ask.key().and_then(|key| world.db.claims[usize::from(key)]);
    claim.is_some_and(|c| c.outcome.is_some() && scene.ask(c.request) != ask)
}

fn share_cart(one: Ask, other: Ask) -> bool {
    match (one.order(), other.order()) {
        (Some(one), Some(other)) => one.cart.is_some() && one.cart == other.cart,
        _ => false,
    }
}

fn has_order(world: &World, order: Nr) -> bool {
    world.db.orders.iter().any(|o| o.id == order)
}
