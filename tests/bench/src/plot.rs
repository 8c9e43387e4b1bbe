//! The plots, as SVG on white, so that they can be read on any page.

use crate::run::Curve;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

const SIZE: (u32, u32) = (860, 480);
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(36, 41, 47);
const FAINT: RGBColor = RGBColor(225, 228, 232);
/// Told apart by people who see colours differently (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scale {
    /// Evenly, from zero.
    Linear,
    /// By powers of this.
    Log(f64),
}

struct Plot {
    of: &'static str,
    title: &'static str,
    x: (&'static str, Scale),
    y: (&'static str, Scale),
}

const PLOTS: [Plot; 6] = [
    Plot {
        of: "connections-postgres",
        title: "Orders per second on PostgreSQL",
        x: ("connections", Scale::Log(2.0)),
        y: ("orders per second", Scale::Linear),
    },
    Plot {
        of: "connections-sqlite",
        title: "Orders per second on SQLite",
        x: ("connections", Scale::Log(2.0)),
        y: ("orders per second", Scale::Linear),
    },
    Plot {
        of: "throughput",
        title: "Throughput over load",
        x: ("orders per second that guests send", Scale::Linear),
        y: ("orders per second that go through", Scale::Linear),
    },
    Plot {
        of: "latency-postgres",
        title: "Latency over load on PostgreSQL, from the moment a guest meant to order",
        x: ("orders per second that guests send", Scale::Linear),
        y: ("ms", Scale::Log(10.0)),
    },
    Plot {
        of: "latency-sqlite",
        title: "Latency over load on SQLite, from the moment a guest meant to order",
        x: ("orders per second that guests send", Scale::Linear),
        y: ("ms", Scale::Log(10.0)),
    },
    Plot {
        of: "size",
        title: "Cost over size, at 64 connections",
        x: ("orders there already", Scale::Log(10.0)),
        y: ("orders per second", Scale::Linear),
    },
];

/// Draws all plots for which something was measured.
pub fn draw(curves: &[Curve], folder: &Path) -> Result<()> {
    for plot in &PLOTS {
        let lines: Vec<&Curve> = curves.iter().filter(|curve| curve.plot == plot.of).collect();
        if !lines.is_empty() {
            let file = folder.join(format!("{}.svg", plot.of));
            let area = SVGBackend::new(&file, SIZE).into_drawing_area();
            plot.draw(&lines, &area)
                .map_err(|error| anyhow!("draw {}: {error}", plot.of))?;
        }
    }
    Ok(())
}

impl Plot {
    fn draw(
        &self,
        lines: &[&Curve],
        area: &DrawingArea<SVGBackend<'_>, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        let points = || lines.iter().flat_map(|line| line.points.iter().copied());
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .margin_right(32)
            .caption(self.title, (FONT, 20).into_font().color(&INK))
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(
                self.x.1.range(points().map(|p| p.0), 1.02),
                self.y.1.range(points().map(|p| p.1), 1.4),
            )?;
        chart
            .configure_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .label_style((FONT, 14).into_font().color(&INK))
            .axis_desc_style((FONT, 14).into_font().color(&INK))
            .x_desc(self.x.0)
            .y_desc(self.y.0)
            .x_label_formatter(&|x| self.x.1.label(*x))
            .y_label_formatter(&|y| self.y.1.label(*y))
            .draw()?;
        for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            let along = line
                .points
                .iter()
                .map(|(x, y)| (self.x.1.place(*x), self.y.1.place(*y)));
            let style = colour.stroke_width(2);
            let drawn = if line.is_level {
                chart.draw_series(DashedLineSeries::new(along, 6, 4, style))?
            } else {
                chart.draw_series(along.clone().map(|point| Circle::new(point, 3, colour.filled())))?;
                chart.draw_series(LineSeries::new(along, style))?
            };
            drawn
                .label(line.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .border_style(FAINT)
            .label_font((FONT, 13).into_font().color(&INK))
            .draw()?;
        area.present()?;
        Ok(())
    }
}

impl Scale {
    /// Where a value goes on the axis.
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log(base) => value.max(f64::MIN_POSITIVE).log(base),
        }
    }

    /// From where to where the axis goes; an even one goes on past the largest value, to leave room for the legend.
    fn range(self, values: impl Iterator<Item = f64>, on: f64) -> Range<f64> {
        let (least, most) = values.fold((f64::MAX, f64::MIN), |(a, b), value| (a.min(value), b.max(value)));
        match self {
            Self::Linear => 0.0..most.max(1.0) * on,
            Self::Log(_) => {
                let (from, to) = (self.place(least).floor(), self.place(most).ceil());
                from..if to > from { to } else { from + 1.0 }
            }
        }
    }

    /// What stands at the axis: whole powers only.
    fn label(self, place: f64) -> String {
        match self {
            Self::Linear => grouped(place),
            Self::Log(base) if (place - place.round()).abs() < 1e-6 => grouped(base.powf(place)),
            Self::Log(_) => String::new(),
        }
    }
}

/// Writes 1000000 as 1,000,000, and small numbers with their fraction.
fn grouped(value: f64) -> String {
    if value != 0.0 && value.abs() < 10.0 && value.fract() != 0.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_by_powers_says_whole_powers_only() {
        let scale = Scale::Log(10.0);
        assert_eq!(scale.range([20.0, 900.0].into_iter(), 1.4), 1.0..3.0);
        assert_eq!([1.0, 1.5, 3.0].map(|place| scale.label(place)), ["10", "", "1,000"]);
    }

    #[test]
    fn an_even_axis_begins_at_zero() {
        assert_eq!(Scale::Linear.range([50.0, 100.0].into_iter(), 1.5), 0.0..150.0);
        assert_eq!([0.0, 0.5, 1500.0].map(grouped), ["0", "0.5", "1,500"]);
    }

    #[test]
    fn every_plot_is_drawn() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let curves: Vec<Curve> = PLOTS
            .iter()
            .map(|plot| Curve {
                plot: plot.of,
                name: "a line".into(),
                is_level: false,
                points: vec![(1.0, 2.0), (64.0, 900.0)],
            })
            .collect();
        draw(&curves, folder.path())?;
        for plot in &PLOTS {
            let svg = std::fs::read_to_string(folder.path().join(format!("{}.svg", plot.of)))?;
            assert!(svg.contains(plot.title) && svg.contains("a line"), "{}", plot.of);
        }
        Ok(())
    }
}
