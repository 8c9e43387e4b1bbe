//! How many tests passed and failed, read from the runners' closing lines while their output
//! streams through.

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::AddAssign;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// How long a runner's output is read after the runner has ended. A process that it left behind may
/// hold the pipe open for ever; what the runner itself wrote is in the pipe already.
const DRAIN: Duration = Duration::from_secs(2);

/// Counts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Reads one line of a runner: its counts when it is a closing line.
pub type ClosingLine = fn(&str) -> Option<Tally>;

/// Reads `test result: ok. 12 passed; 0 failed; 1 ignored; …`, which `cargo test` prints per test
/// binary.
pub fn cargo_closing_line(line: &str) -> Option<Tally> {
    let (_verdict, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = counts.split("; ");
    Some(Tally {
        passed: count(counts.next()?, " passed")?,
        failed: count(counts.next()?, " failed")?,
    })
}

/// Reads `12 passed, 0 failed`, which our own scripts print last.
pub fn script_closing_line(line: &str) -> Option<Tally> {
    let (passed, failed) = line.split_once(", ")?;
    Some(Tally {
        passed: count(passed, " passed")?,
        failed: count(failed, " failed")?,
    })
}

/// Reads `ℹ pass 12` and `ℹ fail 3` (`# pass 12` in TAP), which Node's test runner prints among its
/// last lines. A test that was cancelled has failed.
pub fn node_closing_line(line: &str) -> Option<Tally> {
    let (word, number) = line
        .strip_prefix("ℹ ")
        .or_else(|| line.strip_prefix("# "))?
        .split_once(' ')?;
    let number = number.parse().ok()?;
    let mut tally = Tally::default();
    match word {
        "pass" => tally.passed = number,
        "fail" | "cancelled" => tally.failed = number,
        _ => return None,
    }
    Some(tally)
}

fn count(text: &str, unit: &str) -> Option<u64> {
    text.strip_suffix(unit)?.parse().ok()
}

/// Runs a test runner, shows its output live and unaltered, and adds its closing lines to `tally`.
///
/// *Errors*: it could not start, or ended with another status than 0; the closing lines are counted
/// all the same.
pub fn run(command: &mut Command, closing_line: ClosingLine, tally: &mut Tally) -> Result<()> {
    run_into(io::stdout(), command, closing_line, tally)
}

fn run_into(
    shown: impl Write + Send + 'static,
    command: &mut Command,
    closing_line: ClosingLine,
    tally: &mut Tally,
) -> Result<()> {
    let name = workspace::shown(command);
    let spawned = command.stdout(Stdio::piped()).spawn();
    let mut child = spawned.with_context(|| format!("start {name}"))?;
    let output = child.stdout.take().context("the runner's output is not piped")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || copy(output, shown, closing_line, &sender));

    let status = child.wait().with_context(|| format!("wait for {name}"))?;
    while let Ok(counts) = receiver.recv_timeout(DRAIN) {
        *tally += counts;
    }
    if !status.success() {
        bail!("{name} ended with {status}");
    }
    Ok(())
}

/// Copies the output as it comes, half lines included, and sends what its closing lines say.
fn copy(
    mut output: impl Read,
    mut shown: impl Write,
    closing_line: ClosingLine,
    sender: &Sender<Tally>,
) -> io::Result<()> {
    let mut line = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let read = output.read(&mut chunk)?;
        if read == 0 {
            return Ok(());
        }
        shown.write_all(&chunk[..read])?;
        shown.flush()?;
        for &byte in &chunk[..read] {
            if byte != b'\n' {
                line.push(byte);
                continue;
            }
            let counts = closing_line(String::from_utf8_lossy(&line).trim_end());
            if counts.is_some_and(|counts| sender.send(counts).is_err()) {
                return Ok(());
            }
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_s_closing_lines_are_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; finished in 0.01s";
        assert_eq!(cargo_closing_line(line), Some(Tally { passed: 12, failed: 3 }));
        assert_eq!(cargo_closing_line("test a_replay_is_stored ... ok"), None);
        assert_eq!(cargo_closing_line("12 passed, 3 failed"), None);
    }

    #[test]
    fn a_script_s_closing_line_is_counted() {
        assert_eq!(
            script_closing_line("12 passed, 3 failed"),
            Some(Tally { passed: 12, failed: 3 })
        );
        assert_eq!(script_closing_line("about 12 passed, 3 failed"), None);
        assert_eq!(script_closing_line("12 passed, 3 failed, 1 skipped"), None);
    }

    #[test]
    fn node_s_closing_lines_are_counted() {
        let lines = "# tests 15\n# pass 12\n# fail 2\n# cancelled 1\n# skipped 0\n# duration_ms 81.5";
        for lines in [lines.to_owned(), lines.replace('#', "ℹ")] {
            let mut tally = Tally::default();
            lines
                .lines()
                .filter_map(node_closing_line)
                .for_each(|counts| tally += counts);
            assert_eq!(tally, Tally { passed: 12, failed: 3 });
        }
        assert_eq!(node_closing_line("# Subtest: pass 12"), None);
        assert_eq!(node_closing_line("pass 12"), None);
    }

    #[test]
    fn a_failing_runner_is_an_error_and_its_tests_are_counted() {
        let mut runner = Command::new("sh");
        runner.args(["-c", "printf '2 passed, '; printf '1 failed\\n'; exit 1"]);
        let mut tally = Tally { passed: 1, failed: 0 };
        assert!(run_into(io::sink(), &mut runner, script_closing_line, &mut tally).is_err());
        assert_eq!(tally, Tally { passed: 3, failed: 1 });
    }

    #[test]
    fn a_process_that_keeps_the_pipe_open_does_not_hold_up_the_run() {
        let mut runner = Command::new("sh");
        runner.args(["-c", "sleep 10 & echo '1 passed, 0 failed'"]);
        let mut tally = Tally::default();
        let started = std::time::Instant::now();
        assert!(run_into(io::sink(), &mut runner, script_closing_line, &mut tally).is_ok());
        assert_eq!(tally, Tally { passed: 1, failed: 0 });
        assert!(started.elapsed() < Duration::from_secs(8));
    }
}
