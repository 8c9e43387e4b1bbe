//! Everything there is, and what can happen next.

use crate::client::{Answer, Ask, Nr, Request, Start, Why};
use crate::database::{Database, Engine, OrderRow, Standing};
use crate::fault::Fault;
use crate::process::{Next, Process, need};
use crate::product::Product;
use crate::transaction::Turn;

/// How often what may go wrong does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Weather {
    /// A node dies; or the database, with everything that is open.
    pub(crate) crashes: Nr,
    /// A connection breaks, before COMMIT or while its answer is awaited; the node lives on.
    pub(crate) losses: Nr,
    /// Somebody who waits at a lock gives up.
    pub(crate) timeouts: Nr,
    /// Retention goes by, while nothing else happens.
    pub(crate) eras: Nr,
}

/// What is explored: who asks for what, in which weather, of which database, by which protocol.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) requests: Vec<Request>,
    pub(crate) weather: Weather,
    pub(crate) engine: Engine,
    pub(crate) faults: &'static [Fault],
    pub(crate) stock: Option<i8>,
    pub(crate) product: Product,
}

/// Everything there is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) db: Database,
    /// The first ones are the scene's requests.
    pub(crate) processes: Vec<Process>,
    pub(crate) weather: Weather,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// A process takes its next step.
    Step(Nr),
    /// A process has waited long enough.
    TimeOut(Nr),
    /// The connection of a process breaks.
    LoseConnection(Nr),
    /// The node of a process dies; with SQLite there is only one.
    Crash(Nr),
    /// PostgreSQL dies, and is there again.
    Restart,
    /// The database ends a transaction that nobody waits for.
    End {
        owner: Nr,
        standing: Standing,
        commits: bool,
    },
    /// Retention goes by.
    Era,
}

impl Scene {
    pub(crate) fn start(&self) -> World {
        let requests = 0..Nr::try_from(self.requests.len()).unwrap_or(Nr::MAX);
        World {
            db: Database::new(self.stock.unwrap_or(0)),
            processes: requests.map(|request| Process::new(request, None)).collect(),
            weather: self.weather,
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    pub(crate) fn tracks_stock(&self) -> bool {
        self.stock.is_some()
    }

    pub(crate) fn ask(&self, request: Nr) -> Ask {
        self.requests[usize::from(request)].ask
    }

    pub(crate) fn table_of(&self, request: Nr) -> Nr {
        match self.ask(request) {
            Ask::Place(order) => order.table,
            Ask::Withdraw { table, .. } | Ask::Cancel { table, .. } | Ask::Pay { table } => table,
            Ask::Purge => panic!("the purge sits at no table"),
        }
    }

    /// What an order takes from tracked stock.
    pub(crate) fn pieces(&self, request: Nr) -> i8 {
        match self.tracks_stock() {
            true => i8::try_from(self.product.order(request).dish + 1).unwrap_or(i8::MAX),
            false => 0,
        }
    }

    /// Everything that can happen now.
    pub(crate) fn moves(&self, world: &World) -> Vec<Move> {
        let mut moves = Vec::new();
        let weather = world.weather;
        for (me, process) in (0..).zip(&world.processes) {
            match process.next {
                Next::Ended { .. } => continue,
                Next::Arrive => {
                    if self.may_start(world, process) {
                        moves.push(Move::Step(me));
                    }
                    continue;
                }
                _ => {}
            }
            let asks = matches!(self.ask(process.request), Ask::Place(_) | Ask::Withdraw { .. });
            match is_blocked(self, world, me) {
                true if asks && weather.timeouts > 0 => moves.push(Move::TimeOut(me)),
                true => {}
                false => moves.push(Move::Step(me)),
            }
            if weather.crashes > 0 && (self.engine == Engine::Postgres || me == first_at_work(world)) {
                moves.push(Move::Crash(me));
            }
            if weather.losses > 0 && asks && process.told.is_none() && world.db.txn(me).is_some() {
                moves.push(Move::LoseConnection(me));
            }
        }
        if weather.crashes > 0 && self.engine == Engine::Postgres && !world.db.txns.is_empty() {
            moves.push(Move::Restart);
        }
        for txn in world.db.txns.iter().filter(|t| t.standing != Standing::Live) {
            for commits in [false, true] {
                if !commits || txn.standing == Standing::Hanging {
                    moves.push(Move::End {
                        owner: txn.owner,
                        standing: txn.standing,
                        commits,
                    });
                }
            }
        }
        let telling = |p: &Process| matches!(p.next, Next::Tell(_));
        let stored = world.db.claims.iter().any(Option::is_some);
        if weather.eras > 0 && stored && world.db.txns.is_empty() && !world.processes.iter().any(telling) {
            moves.push(Move::Era);
        }
        moves
    }

    /// The world after a move.
    pub(crate) fn after(&self, world: &World, a_move: Move) -> World {
        let mut world = world.clone();
        match a_move {
            Move::Step(me) => {
                let process = &world.processes[usize::from(me)];
                if process.next == Next::Arrive {
                    world.processes[usize::from(me)].about = self.about(&world, process);
                }
                Turn::of(self, &mut world, me).step();
            }
            Move::TimeOut(me) => {
                world.weather.timeouts -= 1;
                Turn::of(self, &mut world, me).time_out();
            }
            Move::LoseConnection(me) => {
                world.weather.losses -= 1;
                abandon(&mut world, me);
                Turn::of(self, &mut world, me).run();
            }
            Move::Crash(me) => {
                world.weather.crashes -= 1;
                match self.engine {
                    Engine::Postgres => {
                        abandon(&mut world, me);
                        self.die(&mut world, me);
                    }
                    Engine::Sqlite => {
                        world.db.txns.clear();
                        for me in at_work(&world) {
                            self.die(&mut world, me);
                        }
                    }
                }
            }
            Move::Restart => {
                world.weather.crashes -= 1;
                let broken: Vec<Nr> = at_work(&world)
                    .into_iter()
                    .filter(|me| world.db.txn(*me).is_some())
                    .collect();
                world.db.txns.clear();
                for me in broken {
                    Turn::of(self, &mut world, me).run();
                }
            }
            Move::End {
                owner,
                standing,
                commits,
            } => world.db.end(owner, standing, commits),
            Move::Era => {
                world.weather.eras -= 1;
                world.db.era += 1;
            }
        }
        world
    }

    fn die(&self, world: &mut World, me: Nr) {
        let told = world.processes[usize::from(me)].told;
        Turn::of(self, world, me).end(told.unwrap_or(Answer::Lost));
    }

    fn may_start(&self, world: &World, process: &Process) -> bool {
        let ended = |other: usize| matches!(world.processes[other].next, Next::Ended { .. });
        let ready = match self.requests[usize::from(process.request)].start {
            Start::Any => true,
            Start::After(other) => ended(other),
            Start::Confirming(_) => self.about(world, process).is_some(),
        };
        ready
            && match self.ask(process.request) {
                Ask::Cancel { .. } => self.about(world, process).is_some(),
                Ask::Purge => world.db.claims.iter().flatten().any(|c| c.era < world.db.era),
                _ => true,
            }
    }

    /// The order that a process which starts now is about.
    fn about(&self, world: &World, process: &Process) -> Option<Nr> {
        if let Ask::Cancel { key, .. } = self.ask(process.request) {
            let of_key = |o: &&OrderRow| self.product.order(o.request).key == key;
            return world.db.orders.iter().find(of_key).map(|o| o.id);
        }
        match self.requests[usize::from(process.request)].start {
            Start::Confirming(other) => match world.processes[other].next {
                Next::Ended {
                    answer: Answer::Conflict(Why::PossibleDuplicate(order)),
                    ..
                } => Some(order),
                _ => None,
            },
            // a process that settles brings it along
            _ => process.about,
        }
    }
}

/// Waits for somebody.
pub(crate) fn is_blocked(scene: &Scene, world: &World, me: Nr) -> bool {
    need(scene, world, me).is_some_and(|need| world.db.holders(me, need).next().is_some())
}

fn abandon(world: &mut World, me: Nr) {
    let standing = match world.processes[usize::from(me)].next {
        Next::Commit(_) => Standing::Hanging,
        _ => Standing::Orphaned,
    };
    world.db.abandon(me, standing);
}

fn at_work(world: &World) -> Vec<Nr> {
    let works = |p: &Process| !matches!(p.next, Next::Arrive | Next::Ended { .. });
    let processes = (0..).zip(&world.processes);
    processes.filter(|(_, p)| works(p)).map(|(me, _)| me).collect()
}

fn first_at_work(world: &World) -> Nr {
    at_work(world).first().copied().unwrap_or(Nr::MAX)
}
