//! `cargo xtask bench`: builds the server the way it is released, starts a PostgreSQL the way it comes, and measures.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::postgres::{self, Durability, Postgres};
use crate::preflight::{self, Need};
use crate::workspace;

const BUILD: &str = "build --release --package masterorder-server --package masterorder-bench --bins --locked";
/// Where the figures of a whole run go; those of a part go to the target directory.
const PAGES: &str = "docs/performance";

/// What `cargo xtask bench` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only these measures: limit, place, replay, floor, peak, storm, size, idle
    #[arg(long, value_name = "MEASURE", value_delimiter = ',')]
    only: Vec<String>,
    /// Only this database
    #[arg(long, value_parser = ["sqlite", "postgres"])]
    database: Option<String>,
    /// Seconds of each sample
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Two seconds, one round, small sizes: to see that it runs, not what comes out
    #[arg(long)]
    quick: bool,
    /// Print what PostgreSQL spent its time on
    #[arg(long)]
    profile: bool,
}

/// Runs the benchmark. A figure that is missed is printed; a broken ledger or a refusal fails the run.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let with_postgres = arguments.database.as_deref() != Some("sqlite");
    preflight::check(match with_postgres {
        true => &[Need::CCompiler, Need::PgBench],
        false => &[Need::CCompiler],
    })?;
    workspace::run(&mut workspace::cargo(BUILD))?;
    let target = workspace::target_dir()?;
    let programs = target.join("release");
    let output = if arguments.is_whole() {
        workspace::root().join(PAGES)
    } else {
        target.join("bench")
    };
    fs::create_dir_all(&output).with_context(|| format!("make {}", output.display()))?;

    let mut bench = Command::new(programs.join("masterorder-bench"));
    bench.args(["--commit", &workspace::commit()?]);
    bench.arg("--server").arg(programs.join("masterorder"));
    arguments.pass_on(&mut bench, &output);
    let _server = match with_postgres {
        true => Some(start_postgres(arguments.profile, &mut bench)?),
        false => None,
    };
    workspace::run(&mut bench)?;
    Ok(ExitCode::SUCCESS)
}

fn start_postgres(profiled: bool, bench: &mut Command) -> Result<Postgres> {
    let server = Postgres::start(Durability::Default { profiled })?;
    bench.arg("--postgres").arg(server.base_url());
    for program in ["psql", "pgbench"] {
        let file = postgres::find_program(program).with_context(|| format!("{program} is gone"))?;
        bench.arg(format!("--{program}")).arg(file);
    }
    Ok(server)
}

impl Arguments {
    /// Whether its figures are fit to be kept.
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.database.is_none() && !self.quick && !self.profile
    }

    fn pass_on(&self, bench: &mut Command, output: &Path) {
        bench.arg("--output").arg(output);
        bench.args(["--seconds", &self.seconds.to_string()]);
        if !self.only.is_empty() {
            bench.args(["--only", &self.only.join(",")]);
        }
        if let Some(database) = &self.database {
            bench.args(["--database", database]);
        }
        for (flag, wanted) in [("--quick", self.quick), ("--profile", self.profile)] {
            if wanted {
                bench.arg(flag);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &[&str]) -> Option<Arguments> {
        let words = std::iter::once(&"bench").chain(line);
        Line::try_parse_from(words).ok().map(|line| line.arguments)
    }

    #[test]
    fn only_the_figures_of_a_whole_run_are_kept() {
        for (line, whole) in [
            (&[][..], true),
            (&["--seconds", "30"], true),
            (&["--only", "place"], false),
            (&["--database", "sqlite"], false),
            (&["--quick"], false),
            (&["--profile"], false),
        ] {
            assert_eq!(parse(line).map(|a| a.is_whole()), Some(whole), "{line:?}");
        }
    }
}
