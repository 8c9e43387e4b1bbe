//! The `masterorder` program.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match masterorder_server::cli::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
