//! What was measured: samples by name, and their medians.

use crate::database::Backend;
use serde::Serialize;

/// What a figure is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// More is better.
    #[serde(rename = "orders/s")]
    Orders,
    /// More is better.
    #[serde(rename = "requests/s")]
    Requests,
    /// Less is better.
    #[serde(rename = "ms")]
    Ms,
    /// Less is better.
    #[serde(rename = "MiB")]
    Mib,
    /// Less is better.
    #[serde(rename = "KiB")]
    Kib,
}

impl Unit {
    /// For tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Orders => "orders/s",
            Self::Requests => "requests/s",
            Self::Ms => "ms",
            Self::Mib => "MiB",
            Self::Kib => "KiB",
        }
    }
}

/// Something that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Under which measure.
    pub measure: &'static str,
    /// On which database.
    pub database: Option<&'static str>,
    /// What exactly.
    pub what: String,
    /// In what.
    pub unit: Unit,
    /// Of all samples.
    pub median: f64,
    /// One per round.
    pub samples: Vec<f64>,
}

/// All figures, in the order in which they came first.
#[derive(Debug, Clone, Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// Takes a sample.
    pub fn note(&mut self, measure: &'static str, backend: Option<Backend>, what: &str, unit: Unit, sample: f64) {
        let database = backend.map(Backend::name);
        let known =
            |f: &&mut Figure| f.measure == measure && f.database == database && f.what == what && f.unit == unit;
        match self.0.iter_mut().find(known) {
            Some(figure) => {
                figure.samples.push(sample);
                figure.median = median(&figure.samples);
            }
            None => self.0.push(Figure {
                measure,
                database,
                what: what.to_owned(),
                unit,
                median: sample,
                samples: vec![sample],
            }),
        }
    }

    /// The median of a figure, if it was measured.
    pub fn median(&self, measure: &str, backend: Option<Backend>, what: &str) -> Option<f64> {
        let database = backend.map(Backend::name);
        let found = self
            .0
            .iter()
            .find(|f| f.measure == measure && f.database == database && f.what == what);
        found.map(|f| f.median)
    }

    /// All of them.
    pub fn all(&self) -> &[Figure] {
        &self.0
    }
}

/// The middle one; of an even number, the mean of the two in the middle. *Shape*: 0 of none.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(half)) {
        (_, None) => 0.0,
        (1, Some(middle)) => *middle,
        (_, Some(upper)) => (sorted[half - 1] + upper) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), 3.0);
    }

    #[test]
    fn samples_of_one_name_are_one_figure() {
        let mut figures = Figures::default();
        for sample in [3.0, 1.0, 2.0] {
            figures.note("place", Some(Backend::Sqlite), "64", Unit::Orders, sample);
        }
        figures.note("place", Some(Backend::Postgres), "64", Unit::Orders, 9.0);
        assert_eq!(figures.all().len(), 2);
        assert_eq!(figures.median("place", Some(Backend::Sqlite), "64"), Some(2.0));
        assert_eq!(figures.median("place", None, "64"), None);
    }
}
