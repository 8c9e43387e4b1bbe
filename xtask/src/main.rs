//! The project's commands: `cargo xtask demo` and `cargo xtask test`, and the small ones that
//! developers use beside them. Runs on Linux and macOS. No product logic lives here: the server
//! binary does the work.

mod absences;
mod audit;
mod bench;
mod browser;
mod bundlers;
mod demo;
mod npm;
mod postgres;
mod preflight;
mod report;
mod rest;
mod rust_tokens;
mod schema;
mod scratch;
mod sdk;
mod server;
mod soak;
mod suite;
mod tally;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// MasterOrder's commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the SDK and the server, play the proof that 13 requests make one order, then serve
    Demo(demo::Arguments),
    /// Run everything that CI runs
    Test(test::Arguments),
    /// Run the long versions of the tests, for minutes
    Soak(soak::Arguments),
    /// Measure the server beside what its databases do alone, and keep the figures in docs/performance
    Bench(bench::Arguments),
    /// Build the browser SDK into sdk-wasm/dist, and its npm package into sdk-wasm/pkg
    Sdk,
    /// Rewrite protocol/schema.graphql from the server
    Schema,
    /// Keep a throw-away PostgreSQL until Ctrl-C, for running single tests
    Postgres,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Sdk => sdk::run(),
        Command::Schema => schema::rewrite().map(|()| ExitCode::SUCCESS),
        Command::Postgres => postgres::keep(),
    }
}
