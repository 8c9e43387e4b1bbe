//! Placements that arrive together share one transaction and one COMMIT.
//!
//! They stand in line. A runner takes who is there, runs them as one slice, and comes back; who arrives meanwhile is the next
//! slice. With nothing to do, a single placement is a slice of one at once. A second runner begins for a crowd only, or for who
//! has waited for some milliseconds.
//!
//! A slice holds one placement per table session and cart, no two slices of a node want the same table session, cart or stock,
//! and a slice waits for locks only shortly. If it fails, its members run alone, each as if it had never stood in line: what
//! happens to one never happens to its neighbours.

use super::command::PlaceOrder;
use super::slice::Ending;
use super::step::Stuck;
use super::transaction;
use crate::app::App;
use crate::store::Failure;
use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;
use uuid::Uuid;

/// Members of a slice at most: past some dozens a COMMIT is cheap enough, and a slice that is run again dear enough.
const MEMBERS: usize = 64;

/// Rows that the orders of a slice may have at most: lines and toppings, far below what a statement can bind.
const ROWS: usize = 1_000;

/// How long a slice of several waits for a lock: longer than others' transactions take, short against anybody's wait bound.
const WAIT_BOUND_MS: i64 = 200;

/// A slice that takes longer than this has no claim to its turn any more: another runner starts beside it, and who orders at its
/// tables waits at the database.
const PATIENCE: Duration = Duration::from_millis(250);

/// Beside a slice that runs, another one begins when so many wait: smaller ones cost the processors more than they save anybody.
const COMPANY: usize = 16;

/// Or when somebody has waited so long: the slice that runs is a slow one.
const COMPANY_WAIT: Duration = Duration::from_millis(10);

/// How a placement that stood in line ended, or where its transaction got stuck; or why it has no end yet.
type Told = Result<Result<Ending, Stuck>, Fallen>;

/// A slice that came to nothing.
enum Fallen {
    /// There were others in it.
    Apart,
    /// It panicked, and nobody else was there.
    Panic(Box<dyn Any + Send>),
}

/// The line, and who is being served.
#[derive(Default)]
pub struct GroupCommit(Arc<Mutex<Line>>);

#[derive(Default)]
struct Line {
    waiting: VecDeque<Member>,
    running: Vec<Running>,
    slices: u64,
}

struct Member {
    command: Arc<PlaceOrder>,
    since: Instant,
    /// Its table session and cart: what nobody else in its slice may want.
    own: Vec<Uuid>,
    /// Its stock: what no other slice may want.
    stock: Vec<Uuid>,
    /// Its lines and toppings.
    rows: usize,
    wait_bound_ms: i64,
    tell: oneshot::Sender<Told>,
}

struct Running {
    slice: u64,
    since: Instant,
    /// Table sessions, carts and stock.
    holds: HashSet<Uuid>,
}

struct Slice {
    number: u64,
    members: Vec<Member>,
}

impl GroupCommit {
    /// Places an order together with whoever comes at the same time. `None`: they could not be placed together, and nothing of it
    /// remains; run alone.
    ///
    /// `wait_bound_ms` is how long it may wait for a lock when nobody else is there. *Panics*: as the placement does.
    pub async fn place(
        &self,
        app: &Arc<App>,
        command: &Arc<PlaceOrder>,
        wait_bound_ms: i64,
    ) -> Option<Result<Ending, Stuck>> {
        let (tell, mut told) = oneshot::channel();
        lock(&self.0).waiting.push_back(Member {
            command: command.clone(),
            since: Instant::now(),
            own: own(command),
            stock: stock(app, command),
            rows: rows(command),
            wait_bound_ms,
            tell,
        });
        let mut look_again = COMPANY_WAIT;
        loop {
            let next = lock(&self.0).next(app.db.writers());
            if let Some(slice) = next {
                app.tasks.spawn(serve(app.clone(), self.0.clone(), slice));
            }
            match timeout(look_again, &mut told).await {
                Ok(Ok(Ok(ended))) => return Some(ended),
                Ok(Ok(Err(Fallen::Panic(panic)))) => resume_unwind(panic),
                Ok(Ok(Err(Fallen::Apart)) | Err(_)) => return None,
                Err(_) => look_again = PATIENCE,
            }
        }
    }
}

/// Runs slices until nobody waits.
async fn serve(app: Arc<App>, line: Arc<Mutex<Line>>, first: Slice) {
    let mut next = Some(first);
    while let Some(Slice { number, members }) = next {
        let (commands, tells): (Vec<_>, Vec<_>) = members
            .into_iter()
            .map(|m| ((m.command, m.wait_bound_ms), m.tell))
            .unzip();
        let alone = tells.len() == 1;
        let ended = app.tasks.spawn(run(app.clone(), commands)).await;
        next = {
            let mut line = lock(&line);
            line.running.retain(|r| r.slice != number);
            line.next(app.db.writers())
        };
        match ended {
            Ok(Ok(endings)) => tells.into_iter().zip(endings).for_each(|(tell, ending)| {
                // nobody is there when the node is being killed
                let _ = tell.send(Ok(Ok(ending)));
            }),
            Ok(Err(stuck)) if alone || matches!(stuck.failure, Failure::Overloaded) => {
                for tell in tells {
                    let Stuck { step, failure } = &stuck;
                    let _ = tell.send(Ok(Err(Stuck::at(*step)(failure.clone()))));
                }
            }
            Ok(Err(stuck)) => {
                tracing::debug!(step = stuck.step.as_str(), error = %stuck.failure, members = tells.len(), "a slice falls apart");
                app.metrics.placements.retried(stuck.step);
                for tell in tells {
                    let _ = tell.send(Err(Fallen::Apart));
                }
            }
            Err(error) => {
                let mut panic = error.try_into_panic().ok().filter(|_| alone);
                for tell in tells {
                    let _ = tell.send(Err(panic.take().map_or(Fallen::Apart, Fallen::Panic)));
                }
            }
        }
    }
}

async fn run(app: Arc<App>, members: Vec<(Arc<PlaceOrder>, i64)>) -> Result<Vec<Ending>, Stuck> {
    let (commands, bounds): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    let wait_bound_ms = match &bounds[..] {
        [own] => *own,
        several => several.iter().copied().fold(WAIT_BOUND_MS, i64::min),
    };
    transaction::run(&app, &commands, wait_bound_ms).await
}

impl Line {
    /// Takes the next slice, if a runner is free for it and somebody is there whom no other slice is in the way of.
    fn next(&mut self, runners: usize) -> Option<Slice> {
        let on_time = || self.running.iter().filter(|r| r.since.elapsed() < PATIENCE);
        let at_work = on_time().count();
        if at_work >= runners || (at_work > 0 && !self.is_worth_another()) {
            return None;
        }
        let busy: HashSet<Uuid> = on_time().flat_map(|r| &r.holds).copied().collect();
        let members = self.take(&busy);
        if members.is_empty() {
            return None;
        }
        self.slices += 1;
        self.running.push(Running {
            slice: self.slices,
            since: Instant::now(),
            holds: members
                .iter()
                .flat_map(|m| m.own.iter().chain(&m.stock))
                .copied()
                .collect(),
        });
        Some(Slice {
            number: self.slices,
            members,
        })
    }

    fn is_worth_another(&self) -> bool {
        let oldest = self.waiting.front().map(|member| member.since.elapsed());
        self.waiting.len() >= COMPANY || oldest.is_some_and(|waited| waited >= COMPANY_WAIT)
    }

    fn take(&mut self, busy: &HashSet<Uuid>) -> Vec<Member> {
        let mut taken = Vec::new();
        let mut stay = VecDeque::new();
        let mut held: HashSet<Uuid> = HashSet::new();
        let mut reserved: HashSet<Uuid> = HashSet::new();
        let mut rows = 0;
        while let Some(member) = self.waiting.pop_front() {
            if !taken.is_empty() && (taken.len() == MEMBERS || rows + member.rows > ROWS) {
                self.waiting.push_front(member);
                break;
            }
            let waits = member.own.iter().any(|id| busy.contains(id) || held.contains(id))
                || member.stock.iter().any(|id| busy.contains(id) || reserved.contains(id));
            // who has to wait keeps its place before those of its table who come after it
            held.extend(&member.own);
            if !waits {
                rows += member.rows;
                taken.push(member);
                continue;
            }
            // two slices might pass its stock between them for ever
            if member.since.elapsed() > PATIENCE {
                reserved.extend(&member.stock);
            }
            stay.push_back(member);
        }
        stay.append(&mut self.waiting);
        self.waiting = stay;
        taken
    }
}

fn own(command: &PlaceOrder) -> Vec<Uuid> {
    std::iter::once(command.table_session.0)
        .chain(command.checkout.map(|c| c.0))
        .collect()
}

/// By the newest menu that is known here; a wrong guess costs a wait for a lock.
fn stock(app: &App, command: &PlaceOrder) -> Vec<Uuid> {
    let Some(menu) = app.menus.newest(command.principal.tenant) else {
        return Vec::new();
    };
    let subjects = command
        .lines
        .iter()
        .flat_map(|line| std::iter::once(line.item.0).chain(line.toppings.iter().map(|t| t.topping.0)));
    subjects.filter(|id| menu.tracked.contains(id)).collect()
}

fn rows(command: &PlaceOrder) -> usize {
    command.lines.iter().map(|line| 1 + line.toppings.len()).sum()
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "group_commit_tests.rs"]
mod tests;
