//! A metric per value of a closed set. All of them are made at the start: counting is one atomic add without a look-up under a
//! lock, and a series stands at zero before its first event, so that a rate sees the first one.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use std::sync::Arc;

/// Upper bounds of the buckets, in seconds. They end at 10 s, the SDK's attempt timeout, and have an edge at every bound that
/// work may run into: 2 s (locks, the writer queue, connections), 5 s (the answer budget), 8 s (a statement).
pub const SECONDS: [f64; 15] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0,
];

/// A label that nobody outside can choose.
type Label = [(&'static str, &'static str); 1];

/// Metrics by one label.
#[derive(Debug, Clone)]
pub struct Labelled<M> {
    family: Family<Label, M>,
    members: Arc<[(&'static str, M)]>,
}

impl<M: Clone> Labelled<M> {
    fn new(make: fn() -> M, label: &'static str, values: impl IntoIterator<Item = &'static str>) -> Self {
        let family = Family::new_with_constructor(make);
        let members = values
            .into_iter()
            .map(|value| (value, family.get_or_create_owned(&[(label, value)])))
            .collect();
        Self { family, members }
    }

    /// The metric of a value; `None` outside of the set.
    pub fn of(&self, value: &str) -> Option<&M> {
        self.members.iter().find(|(name, _)| *name == value).map(|(_, m)| m)
    }

    /// What the registry takes.
    pub fn family(&self) -> Family<Label, M> {
        self.family.clone()
    }
}

impl Labelled<Counter> {
    /// Counters.
    pub fn counters(label: &'static str, values: impl IntoIterator<Item = &'static str>) -> Self {
        Self::new(Counter::default, label, values)
    }

    /// Counts one.
    pub fn count(&self, value: &str) {
        if let Some(counter) = self.of(value) {
            counter.inc();
        }
    }
}

impl Labelled<Histogram> {
    /// Histograms of durations.
    pub fn durations(label: &'static str, values: impl IntoIterator<Item = &'static str>) -> Self {
        Self::new(|| Histogram::new(SECONDS), label, values)
    }

    /// Takes a duration in.
    pub fn took(&self, value: &str, duration: std::time::Duration) {
        if let Some(histogram) = self.of(value) {
            histogram.observe(duration.as_secs_f64());
        }
    }
}

impl Labelled<Gauge> {
    /// Gauges.
    pub fn gauges(label: &'static str, values: impl IntoIterator<Item = &'static str>) -> Self {
        Self::new(Gauge::default, label, values)
    }
}
