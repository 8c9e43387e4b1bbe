//! The log, on standard error.

use clap::ValueEnum;
use std::io::{self, IsTerminal};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// How a line of the log looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

/// Libraries that write out what goes over the wire when they are asked for details: PINs and keys are in it.
const ON_THE_WIRE: [&str; 5] = ["tungstenite", "tokio_tungstenite", "h2", "hyper", "hyper_util"];

/// Starts the log. `MASTERORDER_LOG` filters it.
pub(super) fn init(format: Format) {
    let filter = EnvFilter::try_from_env("MASTERORDER_LOG")
        .unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn,sea_orm=warn,sea_orm_migration=warn"));
    let lines = match format {
        Format::Text => fmt::layer()
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .boxed(),
        Format::Json => fmt::layer().json().with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(is_harmless))
        .with(lines)
        .init();
}

/// No filter that somebody sets turns these details on.
fn is_harmless(what: &Metadata<'_>) -> bool {
    let library = what.target().split("::").next().unwrap_or_default();
    *what.level() <= Level::INFO || !ON_THE_WIRE.contains(&library)
}
