//! `cargo xtask test`: everything that CI runs, step by step.

use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::ValueEnum;

use crate::preflight::{self, Need};
use crate::report::Report;
use crate::suite::{self, Suite};
use crate::tally::{self, Tally};
use crate::{absences, audit, browser, schema, workspace};

const FMT: &str = "fmt --all --check";
const CLIPPY: &str = "clippy --workspace --all-targets --locked -- -D warnings";
const UNITS: &str = "test --workspace --exclude masterorder-tests --locked --no-fail-fast";

/// What `cargo xtask test` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run these steps only
    #[arg(long, value_name = "STEP", value_enum, value_delimiter = ',')]
    only: Vec<Step>,
}

/// A step, in the order in which they run: what is quick and fails often comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// The formatting
    Fmt,
    /// The lints
    Clippy,
    /// The architecture, stated as absences
    Absences,
    /// The committed schema
    Schema,
    /// The tests inside the crates
    Units,
    /// The product from outside, on SQLite and PostgreSQL
    Suite,
    /// GraphQL over HTTP
    Audit,
    /// The SDK and the pages in Chromium
    Browser,
}

/// Runs the steps until one fails, then tells what each took.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let all = Step::value_variants().iter().copied();
    let steps: Vec<_> = all
        .filter(|step| arguments.only.is_empty() || arguments.only.contains(step))
        .collect();
    preflight::check(&needs(&steps))?;

    let mut report = Report::start();
    for step in steps {
        if !report.step(step.name(), &step.about(), |tally| step.run(tally)) {
            break;
        }
    }
    Ok(report.close())
}

/// Gathers what the steps need, each once.
fn needs(steps: &[Step]) -> Vec<Need> {
    let mut needs = Vec::new();
    for need in steps.iter().flat_map(|step| step.needs()) {
        if !needs.contains(need) {
            needs.push(*need);
        }
    }
    needs
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Absences => "absences",
            Self::Schema => "schema",
            Self::Units => "units",
            Self::Suite => "suite",
            Self::Audit => "audit",
            Self::Browser => "browser",
        }
    }

    fn about(self) -> String {
        match self {
            Self::Fmt => format!("cargo {FMT}"),
            Self::Clippy => format!("cargo {CLIPPY}"),
            Self::Absences => "the architecture's invariants".into(),
            Self::Schema => "protocol/schema.graphql is what the server serves".into(),
            Self::Units => format!("cargo {UNITS}"),
            Self::Suite => format!("cargo {}, on SQLite and PostgreSQL", suite::COMMAND),
            Self::Audit => "GraphQL over HTTP, by graphql-http".into(),
            Self::Browser => "the SDK and the pages in Chromium, by node --test".into(),
        }
    }

    fn needs(self) -> &'static [Need] {
        match self {
            Self::Fmt => &[Need::Rustfmt],
            Self::Clippy => &[Need::CCompiler, Need::Clippy],
            Self::Absences => &[],
            Self::Schema | Self::Units => &[Need::CCompiler],
            Self::Suite => &[Need::CCompiler, Need::Postgres, Need::PgBouncer],
            Self::Audit => &[Need::CCompiler, Need::Node, Need::Npm],
            Self::Browser => &[
                Need::CCompiler,
                Need::Rustfmt,
                Need::Clippy,
                Need::Node,
                Need::Npm,
                Need::Chromium,
                Need::Nginx,
                Need::OpenSsl,
            ],
        }
    }

    fn run(self, tally: &mut Tally) -> Result<()> {
        match self {
            Self::Fmt => workspace::run(&mut workspace::cargo(FMT)),
            Self::Clippy => workspace::run(&mut workspace::cargo(CLIPPY)),
            Self::Absences => absences::check(&workspace::root()),
            Self::Schema => schema::check(),
            Self::Units => run_cargo_test(&mut workspace::cargo(UNITS), tally),
            Self::Suite => run_cargo_test(&mut Suite::prepare()?.command, tally),
            Self::Audit => audit::run(tally),
            Self::Browser => browser::run(tally),
        }
    }
}

fn run_cargo_test(command: &mut Command, tally: &mut Tally) -> Result<()> {
    tally::run(command, tally::cargo_closing_line, tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_asks_only_for_the_tools_that_it_needs() {
        assert_eq!(needs(&[Step::Fmt, Step::Absences]), [Need::Rustfmt]);
        assert_eq!(
            needs(&[Step::Units, Step::Suite]),
            [Need::CCompiler, Need::Postgres, Need::PgBouncer]
        );
    }
}
