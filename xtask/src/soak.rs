//! `cargo xtask soak`: the long versions of what `cargo xtask test` does in seconds, step by step.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::preflight::{self, Need};
use crate::report::{Report, seconds};
use crate::suite::Suite;
use crate::tally::{self, Tally};
use crate::{browser, bundlers, rest, workspace};

/// The soak among the tests of the SDK's planner. With the profile of a release it is twenty times as fast.
const SCHEDULES: &str = "test --package masterorder-sdk-core --lib --release --locked";
/// That one test, and what it prints.
const ONLY_THE_SOAK: [&str; 5] = ["--", "--ignored", "--exact", "tests::simulate::soak", "--nocapture"];
/// A release forgives what a debug build stops at.
const CHECKS: [&str; 2] = [
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS",
    "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS",
];
/// Schedules between two lines of progress: some ten seconds.
const BATCH: u64 = 50_000;

/// What `cargo xtask soak` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run these steps only
    #[arg(value_name = "STEP", value_enum)]
    steps: Vec<Step>,
    /// How many schedules the step `schedules` lives through
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// The seed of the first schedule, each later one has the next; and of the step `rest`
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How often ten tabs confirm at once in the step `tabs`
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    tab_rounds: u64,
    /// How many pages die in the step `tabs`: one half is cut off, of the other half the process is killed
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    kills: u64,
    /// How often the step `crash-matrix` lives through each cell
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// How many orders the step `storm` places on each database
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..))]
    placements: u64,
    /// How many requests the step `rest` makes up for each operation in each of its phases, at most
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    examples: u64,
}

/// A step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Random lives of the browser SDK: reloads, deaths, two tabs, every bad network
    Schedules,
    /// The browser SDK in Chromium: ten tabs that confirm at once, pages that die at every point of a submission
    Tabs,
    /// The server killed, and its connections cut, at every step of a placement; writes docs/crash-matrix.md
    CrashMatrix,
    /// Swarms of guests in bad weather at servers that die, on both databases
    Storm,
    /// Requests made up from /openapi.json, well-formed and not, as a guest and as an integrator
    Rest,
    /// The SDK's npm package in Vite, webpack, Rollup and Next, and its README's quick starts
    Bundlers,
    /// What the browser SDK costs a guest in Chromium; only on a machine that does nothing else
    Speed,
}

/// Runs the steps until one fails, then tells what each took.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let all = Step::value_variants().iter().copied();
    let steps: Vec<_> = all
        .filter(|step| arguments.steps.is_empty() || arguments.steps.contains(step))
        .collect();
    let mut needs = vec![Need::CCompiler];
    if steps.iter().any(|step| matches!(step, Step::CrashMatrix | Step::Storm)) {
        needs.push(Need::Postgres);
    }
    if steps.contains(&Step::Rest) {
        needs.push(Need::Python);
    }
    if steps
        .iter()
        .any(|step| matches!(step, Step::Tabs | Step::Bundlers | Step::Speed))
    {
        needs.extend([Need::Node, Need::Npm, Need::Chromium]);
    }
    preflight::check(&needs)?;
    let mut report = Report::start();
    for step in steps {
        if !report.step(step.name(), &step.about(arguments), |tally| step.run(arguments, tally)) {
            break;
        }
    }
    Ok(report.close())
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Schedules => "schedules",
            Self::Tabs => "tabs",
            Self::CrashMatrix => "crash-matrix",
            Self::Storm => "storm",
            Self::Rest => "rest",
            Self::Bundlers => "bundlers",
            Self::Speed => "speed",
        }
    }

    fn about(self, arguments: &Arguments) -> String {
        match self {
            Self::Schedules => format!("{} random lives of the browser SDK", grouped(arguments.count)),
            Self::Tabs => format!(
                "{} rounds of ten tabs, {} pages that die in the middle of an order",
                arguments.tab_rounds, arguments.kills
            ),
            Self::CrashMatrix => format!("{} rounds of every cell, on SQLite and PostgreSQL", arguments.rounds),
            Self::Storm => format!("{} orders on each database", grouped(arguments.placements)),
            Self::Rest => "the REST door against its description, by schemathesis".into(),
            Self::Bundlers => "the SDK's package built by each bundler, in Chromium".into(),
            Self::Speed => "ready, and submit() beside a bare fetch, in Chromium".into(),
        }
    }

    fn run(self, arguments: &Arguments, tally: &mut Tally) -> Result<()> {
        match self {
            Self::Schedules => live(arguments, tally),
            Self::Tabs => browser::run_tabs(arguments.tab_rounds, arguments.kills, tally),
            Self::CrashMatrix => crash(arguments, tally),
            Self::Storm => storm(arguments, tally),
            Self::Rest => rest::fuzz(arguments.seed, arguments.examples, tally),
            Self::Bundlers => bundlers::run(tally),
            Self::Speed => browser::run_speed(tally),
        }
    }
}

/// Lives through the crash matrix. The test writes the page, with the commit that it ran at.
fn crash(arguments: &Arguments, tally: &mut Tally) -> Result<()> {
    let mut suite = Suite::prepare()?;
    suite
        .command
        .env("CRASH_MATRIX_ROUNDS", arguments.rounds.to_string())
        .env("CRASH_MATRIX_COMMIT", workspace::commit()?);
    run_ignored(suite, "crash_matrix::soak", tally)
}

/// Sends a storm over each database. The test prints its figures.
fn storm(arguments: &Arguments, tally: &mut Tally) -> Result<()> {
    let mut suite = Suite::prepare()?;
    suite.command.env("STORM_PLACEMENTS", arguments.placements.to_string());
    run_ignored(suite, "storm::soak", tally)
}

/// Runs the ignored tests of a name, one after the other, with what they print.
fn run_ignored(mut suite: Suite, name: &str, tally: &mut Tally) -> Result<()> {
    let before = tally.passed;
    suite.command.args([
        "--test",
        "suite",
        "--",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
        name,
    ]);
    tally::run(&mut suite.command, tally::cargo_closing_line, tally)?;
    // a filter that fits no test passes too
    if tally.passed == before {
        bail!("no test has the name {name}");
    }
    Ok(())
}

/// Lives through the schedules, batch by batch.
///
/// *Errors*: the first broken promise; what the test said is printed, with the seed that shows it again.
fn live(arguments: &Arguments, tally: &mut Tally) -> Result<()> {
    workspace::run(soak().arg("--no-run"))?;
    let started = Instant::now();
    let mut figures = BTreeMap::new();
    let mut done = 0;
    while done < arguments.count {
        let schedules = BATCH.min(arguments.count - done);
        let first = arguments.seed.checked_add(done).context("there are no more seeds")?;
        let said = batch(first, schedules, tally)?;
        for (name, number) in said.lines().filter_map(figures_of).flatten() {
            *figures.entry(name).or_insert(0) += number;
        }
        done += schedules;
        println!("{}", progress(done, arguments.count, started.elapsed()));
    }
    for (name, number) in figures {
        println!("{name:<10} {:>14}", grouped(number));
    }
    Ok(())
}

/// Prepares the soak; the nested Cargo builds it once.
fn soak() -> Command {
    let mut command = workspace::cargo(SCHEDULES);
    command.envs(CHECKS.map(|check| (check, "true")));
    command
}

/// Runs one batch. Answers what it printed.
fn batch(first: u64, schedules: u64, tally: &mut Tally) -> Result<String> {
    let mut command = soak();
    command
        .arg("--quiet")
        .args(ONLY_THE_SOAK)
        .env("SEED", first.to_string())
        .env("SCHEDULES", schedules.to_string());
    let output = command.output().context("start the soak")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let counts: Vec<_> = said.lines().filter_map(tally::cargo_closing_line).collect();
    for &counts in &counts {
        *tally += counts;
    }
    if !output.status.success() {
        println!("{said}{}", String::from_utf8_lossy(&output.stderr));
        bail!("a promise was broken in the {schedules} schedules from seed {first} on");
    }
    // a filter that fits no test passes too
    if counts.iter().map(|counts| counts.passed).sum::<u64>() != 1 {
        bail!("the soak did not run\n{said}");
    }
    Ok(said)
}

/// Reads the numbers of `50000 schedules from seed 0: Report { events: 12, requests: 3 }`.
fn figures_of(line: &str) -> Option<Vec<(String, u64)>> {
    let (_, figures) = line.split_once(" schedules from seed ")?;
    let figures = figures.split_once("Report { ")?.1.strip_suffix(" }")?;
    figures
        .split(", ")
        .map(|figure| {
            let (name, number) = figure.split_once(": ")?;
            Some((name.to_owned(), number.parse().ok()?))
        })
        .collect()
}

/// Tells how far it is, how fast, and how long it will take if it goes on like this.
fn progress(done: u64, all: u64, took: Duration) -> String {
    let per_second = done as f64 / took.as_secs_f64().max(0.001);
    let left = Duration::from_secs_f64((all - done) as f64 / per_second);
    format!(
        "{:>11} of {}, {:.0} a second, {} left",
        grouped(done),
        grouped(all),
        per_second,
        seconds(left)
    )
}

/// Writes 1000000 as 1,000,000.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
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
    fn the_figures_of_a_batch_are_read() {
        let line = "50000 schedules from seed 0: Report { events: 12, requests: 3 }";
        assert_eq!(
            figures_of(line),
            Some(vec![("events".to_owned(), 12), ("requests".to_owned(), 3)])
        );
        assert_eq!(figures_of("test tests::simulate::soak ... ok"), None);
    }

    #[test]
    fn progress_tells_how_long_the_rest_takes() {
        assert_eq!(
            progress(50_000, 1_000_000, Duration::from_secs(10)),
            "     50,000 of 1,000,000, 5000 a second, 190.0 s left"
        );
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
