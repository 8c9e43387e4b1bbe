//! Runs the steps one by one, tells what each took, and closes with a table and the sum of all
//! tests.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::tally::Tally;

/// What has run so far.
pub struct Report {
    started: Instant,
    steps: Vec<Finished>,
    tally: Tally,
}

struct Finished {
    name: &'static str,
    took: Duration,
    ok: bool,
}

impl Report {
    /// Starts the clock.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
            steps: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Runs one step under a heading. Answers whether it succeeded; what failed is printed.
    pub fn step(&mut self, name: &'static str, about: &str, body: impl FnOnce(&mut Tally) -> Result<()>) -> bool {
        println!("\n== {name}: {about}");
        let started = Instant::now();
        let result = body(&mut self.tally);
        let took = started.elapsed();
        match &result {
            Ok(()) => println!("-- {name}: ok in {}", seconds(took)),
            Err(error) => println!("-- {name}: FAILED after {}\n{error:#}", seconds(took)),
        }
        self.steps.push(Finished {
            name,
            took,
            ok: result.is_ok(),
        });
        result.is_ok()
    }

    /// Prints the time of every step and, alone on the last line, the sum of all tests.
    pub fn close(&self) -> ExitCode {
        println!();
        for Finished { name, took, ok } in &self.steps {
            println!(
                "{name:<12} {:>10}  {}",
                seconds(*took),
                if *ok { "ok" } else { "FAILED" }
            );
        }
        println!("{:<12} {:>10}", "total", seconds(self.started.elapsed()));
        println!("\n{}", self.tally);
        let ok = self.tally.failed == 0 && self.steps.iter().all(|step| step.ok);
        if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Writes a duration as steps show it.
pub fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_step_fails_the_run_even_when_every_test_passed() {
        let mut report = Report::start();
        assert!(report.step("first", "passes", |tally| {
            tally.passed += 1;
            Ok(())
        }));
        assert_eq!(report.close(), ExitCode::SUCCESS);
        assert!(!report.step("second", "fails", |_| anyhow::bail!("no")));
        assert_eq!(report.close(), ExitCode::FAILURE);
    }
}
