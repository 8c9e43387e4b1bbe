//! Holds the REST door against its description: schemathesis makes requests up from `/openapi.json`, and checks every answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::server::Server;
use crate::tally::{self, Tally};
use crate::workspace;

const FOLDER: &str = "tests/rest-fuzz";
/// A fuzzer is quicker than any caller.
const WITHOUT_LIMITS: [&str; 3] = ["--rate-limit-guest=0", "--rate-limit-key=0", "--rate-limit-address=0"];

/// Fuzzes the door once as a guest and once as an integrator, on one database, and then looks whether its ledger holds.
///
/// *Errors*: a finding; schemathesis has printed it with a curl command that shows it again.
pub fn fuzz(seed: u64, examples: u64, tally: &mut Tally) -> Result<()> {
    let schemathesis = install()?;
    let binary = workspace::build_server()?;
    let server = Server::start_with(&binary, &WITHOUT_LIMITS)?;
    let shop = open_shop(&binary, &server)?;
    let seeded: Value = serde_json::from_str(&fs::read_to_string(&shop)?).context("read what seed-demo printed")?;
    for (role, credentials) in [
        ("guest", guest(&seeded["tableSessions"][0])?),
        ("integrator", integrator(&seeded)?),
    ] {
        println!("As {role}:");
        let mut run = Command::new(&schemathesis);
        run.arg("run")
            .arg(format!("{}/openapi.json", server.url()))
            .args(credentials.iter().flat_map(|header| ["-H", header]))
            // what a schema allows may still be sold out, or somebody else's
            .args(["--exclude-checks", "positive_data_acceptance"])
            .args(["--seed", &seed.to_string(), "--max-examples", &examples.to_string()])
            .args(["--continue-on-failure", "--no-color", "--warnings", "off"])
            .env("SCHEMATHESIS_HOOKS", workspace::root().join(FOLDER).join("hooks.py"))
            .env("MASTERORDER_ROLE", role)
            .env("MASTERORDER_SEED", &shop)
            .env("MASTERORDER_URL", server.url())
            // it keeps a database of examples where it runs, which would make a second run another one
            .current_dir(server.folder());
        tally::run(&mut run, closing_line, tally).with_context(|| format!("the server's log:\n{}", server.log()))?;
    }
    check_ledger(&binary, &server)
}

/// Makes a virtual environment with what `requirements.txt` names, unless it is there. Answers schemathesis's program.
fn install() -> Result<PathBuf> {
    let wanted = workspace::root().join(FOLDER).join("requirements.txt");
    let environment = workspace::target_dir()?.join("rest-fuzz");
    let installed = environment.join("requirements.txt");
    let program = environment.join("bin/schemathesis");
    let requirements = fs::read(&wanted).with_context(|| format!("read {}", wanted.display()))?;
    if program.is_file() && fs::read(&installed).is_ok_and(|text| text == requirements) {
        return Ok(program);
    }
    let in_environment = |name: &str| environment.join("bin").join(name);
    workspace::run(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&environment),
    )?;
    workspace::run(
        Command::new(in_environment("pip"))
            .args(["install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&wanted),
    )?;
    // last: what was cut off halfway is made again
    fs::write(&installed, requirements).context("note what was installed")?;
    Ok(program)
}

/// Opens a shop in the running server's database. Answers the file with what there is in it.
fn open_shop(binary: &Path, server: &Server) -> Result<PathBuf> {
    let output = Command::new(binary)
        .args(["seed-demo", "--json", "--database-url", &server.database_url()])
        .output()
        .context("start masterorder seed-demo")?;
    if !output.status.success() {
        bail!("seed-demo failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let file = server.folder().join("shop.json");
    fs::write(&file, output.stdout).context("write down what seed-demo printed")?;
    Ok(file)
}

fn guest(table: &Value) -> Result<Vec<String>> {
    let text = |name: &str| table[name].as_str().context("seed-demo opened no table");
    Ok(vec![
        format!("X-Session-Id: {}", text("id")?),
        format!("X-Session-PIN: {}", text("pin")?),
        "X-MasterOrder-Client-Id: guest-7d793037-a076-4f4b-9d2b-3c9a1e5c8f10".into(),
    ])
}

fn integrator(seeded: &Value) -> Result<Vec<String>> {
    let key = seeded["integratorKey"].as_str().context("seed-demo made no key")?;
    Ok(vec![format!("Authorization: Bearer {key}")])
}

fn check_ledger(binary: &Path, server: &Server) -> Result<()> {
    let output = Command::new(binary)
        .args(["doctor", "--database-url", &server.database_url()])
        .output()
        .context("start masterorder doctor")?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    if !output.status.success() {
        bail!("the ledger does not hold\n{}", String::from_utf8_lossy(&output.stderr));
    }
    if placed(&said).is_none_or(|orders| orders == 0) {
        bail!("no order was placed: the requests did not get far enough to find anything");
    }
    Ok(())
}

/// Reads the 12 of `orders placed   12`.
fn placed(said: &str) -> Option<u64> {
    said.lines()
        .find_map(|line| line.strip_prefix("orders placed"))?
        .trim()
        .parse()
        .ok()
}

/// Reads `  1927 generated, 1920 passed, 7 failed, 10 skipped` of schemathesis.
fn closing_line(line: &str) -> Option<Tally> {
    let mut counts = line.trim().split(", ");
    counts.next()?.strip_suffix(" generated")?;
    let mut tally = Tally::default();
    for count in counts {
        let (number, what) = count.split_once(' ')?;
        match what {
            "passed" => tally.passed = number.parse().ok()?,
            "skipped" => {}
            // failed, errored: whatever else there is did not pass
            _ => tally.failed += number.parse::<u64>().ok()?,
        }
    }
    Some(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemathesis_s_closing_line_is_counted() {
        let line = "  1927 generated, 1920 passed, 7 found 2 unique failures, 10 skipped\n";
        assert_eq!(
            closing_line(line),
            Some(Tally {
                passed: 1920,
                failed: 7
            })
        );
        assert_eq!(
            closing_line("  1927 generated, 1927 passed, 10 skipped").map(|t| t.failed),
            Some(0)
        );
        assert_eq!(closing_line("  2 passed"), None);
    }

    #[test]
    fn the_orders_that_doctor_counted_are_read() {
        assert_eq!(
            placed("orders placed             3\nkitchen tickets           3\n"),
            Some(3)
        );
        assert_eq!(placed("the ledger holds"), None);
    }
}
