//! The matrix: what is done × the step at which it is struck × how × the database.

use harness::{Backend, STEPS};
use std::fmt;

/// What a phone is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `placeOrder`.
    Place,
    /// `withdrawPlacement` of a key that never came.
    Withdraw,
    /// `cancelOrder` of an order that was placed before.
    Cancel,
}

/// What strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The server process dies by SIGKILL, and is started again.
    Killed,
    /// All connections to the database are cut before the next statement is sent.
    Cut,
    /// The next statement arrives, its answer does not, and all connections are cut.
    AnswerLost,
}

/// A step of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Point {
    action: Action,
    step: &'static str,
    /// Without it the step is not met.
    beforehand: &'static str,
    /// What was done stands when a process dies here.
    stands: bool,
    /// Another statement of the transaction follows, and can be lost.
    inside: bool,
}

/// A cell of the matrix.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// On which database.
    pub backend: Backend,
    /// What strikes.
    pub kind: Kind,
    point: Point,
}

impl Cell {
    /// What the phone is about to do.
    pub fn action(&self) -> Action {
        self.point.action
    }

    /// The step at which it is struck.
    pub fn step(&self) -> &'static str {
        self.point.step
    }

    /// What was done stands when a process dies here.
    pub fn stands(&self) -> bool {
        self.point.stands
    }

    /// The faults that a process is started with, as `MASTERORDER_DEBUG_FAULTS` takes them.
    pub fn faults(&self) -> String {
        let halt = match self.kind {
            Kind::Killed => "pause",
            // long enough to strike meanwhile, short enough for the wait bound
            Kind::Cut | Kind::AnswerLost => "stall:250",
        };
        format!("{}{}={halt}", self.point.beforehand, self.point.step)
    }

    /// The step with what is done, as the committed table names it.
    pub fn label(&self) -> String {
        match self.point.action {
            Action::Place => format!("place: {}", self.point.step),
            Action::Withdraw => format!("withdraw: {}", self.point.step),
            Action::Cancel => format!("cancel: {}", self.point.step),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {:?} on {:?}", self.kind, self.label(), self.backend)
    }
}

/// All cells of a database.
pub fn on(backend: Backend) -> Vec<Cell> {
    let kinds: &[Kind] = match backend {
        // a file has no wire
        Backend::Sqlite => &[Kind::Killed],
        Backend::Postgres => &[Kind::Killed, Kind::Cut, Kind::AnswerLost],
    };
    let mut cells = Vec::new();
    for &kind in kinds {
        for point in points() {
            if point.inside || kind == Kind::Killed {
                cells.push(Cell { backend, kind, point });
            }
        }
    }
    cells
}

fn points() -> Vec<Point> {
    let before = |action, step| Point {
        action,
        step,
        beforehand: "",
        stands: false,
        inside: true,
    };
    let after = |action, step| Point {
        stands: true,
        inside: false,
        ..before(action, step)
    };
    let mut points: Vec<Point> = STEPS.into_iter().map(|step| before(Action::Place, step)).collect();
    points.extend([
        // the answer to a lost COMMIT is looked for in a new transaction
        Point {
            beforehand: "commit=lose; ",
            stands: true,
            ..before(Action::Place, "replay")
        },
        after(Action::Place, "committed"),
        after(Action::Place, "answer"),
        before(Action::Withdraw, "withdraw_claim"),
        before(Action::Withdraw, "commit"),
        after(Action::Withdraw, "committed"),
        before(Action::Cancel, "cancel"),
        after(Action::Cancel, "cancelled"),
    ]);
    points
}
