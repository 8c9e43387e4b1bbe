//! What is asked of the figures.

use crate::database::Backend::{self, Postgres, Sqlite};
use crate::figures::Figures;
use crate::measures::{idle, peak, size, throughput};
use crate::requests::Door;
use crate::server::GroupCommit;
use serde::Serialize;

/// Something that a figure, or two of them, must come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Target {
    /// What.
    pub name: &'static str,
    /// On which database.
    pub database: &'static str,
    /// What it is; `None`: not measured in this run.
    pub value: Option<f64>,
    /// What it must be.
    pub required: Bound,
    /// What it should be.
    pub aim: Option<f64>,
}

/// Which side is good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl Target {
    /// Whether it is what it must be.
    pub fn is_met(&self) -> Option<bool> {
        Some(match self.required {
            Bound::AtLeast(bound) => self.value? >= bound,
            Bound::AtMost(bound) => self.value? <= bound,
        })
    }
}

/// Holds the figures against what is asked of them.
pub fn judge(figures: &Figures, backends: &[Backend], quick: bool) -> Vec<Target> {
    let [small, _, large] = size::sizes(quick);
    let mut targets = Vec::new();
    for backend in backends.iter().copied() {
        let figure = |measure, what: &str| figures.median(measure, Some(backend), what);
        let ratio = |over: Option<f64>, under: Option<f64>| Some(over? / under?);
        let mut target = |name, value, required, aim| {
            targets.push(Target {
                name,
                database: backend.name(),
                value,
                required,
                aim,
            });
        };
        let place = figure(
            "place",
            &throughput::what(Door::GraphQl, throughput::COMPARED, GroupCommit::On),
        );
        match backend {
            Postgres => {
                let one_call = figure("limit", throughput::ONE_CALL);
                let statements = figure("limit", throughput::STATEMENTS);
                target(
                    "place at 64 ÷ one call per order",
                    ratio(place, one_call),
                    Bound::AtLeast(0.9),
                    Some(1.5),
                );
                let name = "place at 64 ÷ hand-written statements";
                target(name, ratio(place, statements), Bound::AtLeast(1.5), Some(2.5));
            }
            Sqlite => {
                let plain = figure("limit", throughput::PLAIN_LOOP);
                target(
                    "place at 64 ÷ a plain loop",
                    ratio(place, plain),
                    Bound::AtLeast(0.8),
                    Some(1.5),
                );
            }
        }
        let replay = ratio(figure("replay", throughput::REPLAY), figure("floor", throughput::FLOOR));
        target("replay ÷ floor", replay, Bound::AtLeast(0.3), Some(0.45));
        let slowest = figure("limit", throughput::COMMIT).map_or(15.0, |ms| (10.0 * ms).max(15.0));
        let name = "p99 at half the saturation rate, ms";
        target(name, figure("peak", peak::HALF_P99), Bound::AtMost(slowest), None);
        let grown = ratio(figure("size", &size::what(large)), figure("size", &size::what(small)));
        target(
            "place with most orders ÷ with fewest",
            grown,
            Bound::AtLeast(0.8),
            Some(0.95),
        );
        let purging = ratio(figure("size", size::PURGING), figure("size", size::NOT_PURGING));
        target(
            "place while the purge runs ÷ before",
            purging,
            Bound::AtLeast(0.9),
            None,
        );
        target(
            "resident memory, idle, MiB",
            figure("idle", idle::RESIDENT),
            Bound::AtMost(40.0),
            None,
        );
        target(
            "memory per guest who watches, KiB",
            figure("idle", idle::PER_GUEST),
            Bound::AtMost(32.0),
            None,
        );
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Unit;

    fn replay(requests: f64) -> Option<bool> {
        let mut figures = Figures::default();
        figures.note("replay", Some(Sqlite), throughput::REPLAY, Unit::Requests, requests);
        figures.note("floor", Some(Sqlite), throughput::FLOOR, Unit::Requests, 1000.0);
        let targets = judge(&figures, &[Sqlite], false);
        targets
            .iter()
            .find(|t| t.name == "replay ÷ floor")
            .and_then(Target::is_met)
    }

    #[test]
    fn a_ratio_is_held_against_its_bound() {
        assert_eq!(replay(300.0), Some(true));
        assert_eq!(replay(299.0), Some(false));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        assert!(
            judge(&Figures::default(), &[Sqlite, Postgres], true)
                .iter()
                .all(|t| t.is_met().is_none())
        );
    }
}
