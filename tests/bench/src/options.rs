//! The command line.

use crate::database::Backend;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Measures MasterOrder. Started by `cargo xtask bench`, which builds and brings what it needs.
#[derive(Debug, Parser)]
#[command(name = "masterorder-bench")]
pub struct Options {
    /// The release build of masterorder.
    #[arg(long)]
    pub server: PathBuf,
    /// A PostgreSQL with default durability, as in postgres://postgres@127.0.0.1:5432.
    #[arg(long)]
    pub postgres: Option<String>,
    /// PostgreSQL's client.
    #[arg(long, default_value = "psql")]
    pub psql: PathBuf,
    /// PostgreSQL's load generator.
    #[arg(long, default_value = "pgbench")]
    pub pgbench: PathBuf,
    /// Where figures.json and the plots go.
    #[arg(long)]
    pub output: PathBuf,
    /// What is measured: the commit of this build.
    #[arg(long, default_value = "unknown")]
    pub commit: String,
    /// Only these measures.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Measure>,
    /// Only this database.
    #[arg(long, value_enum)]
    pub database: Option<Backend>,
    /// Seconds of each sample.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: u64,
    /// Two seconds, one round, small sizes: to see that it runs, not what comes out.
    #[arg(long)]
    pub quick: bool,
    /// Print what PostgreSQL spent its time on; the server must have pg_stat_statements loaded.
    #[arg(long)]
    pub profile: bool,
}

/// A measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// What the databases do alone.
    Limit,
    /// Orders at 1, 16, 64 and 256 connections, through both doors.
    Place,
    /// Answers to orders that stand.
    Replay,
    /// Answers to nothing.
    Floor,
    /// Latency at rising rates.
    Peak,
    /// Double taps, new keys, hang-ups, and people who watch.
    Storm,
    /// With 10 thousand to 1 million orders there already, and while outcomes are purged.
    Size,
    /// Memory, start-up and the size of the program.
    Idle,
}

impl Options {
    /// Whether to take this measure.
    pub fn wants(&self, measure: Measure) -> bool {
        self.only.is_empty() || self.only.contains(&measure)
    }

    /// The databases to measure.
    pub fn backends(&self) -> Vec<Backend> {
        match self.database {
            Some(backend) => vec![backend],
            None => vec![Backend::Postgres, Backend::Sqlite],
        }
    }

    /// Rounds of which the median is taken.
    pub fn rounds(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// How long a sample is measured.
    pub fn sample(&self) -> Duration {
        Duration::from_secs(if self.quick { 2 } else { self.seconds })
    }

    /// How long it is not.
    pub fn warm_up(&self) -> Duration {
        Duration::from_secs(if self.quick { 1 } else { 3 })
    }
}
