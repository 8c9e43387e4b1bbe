//! The committed schema is what the server serves: printed by the server, compared, rewritten.

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Where the schema is committed, relative to the repository.
const COMMITTED: &str = "protocol/schema.graphql";

const PRINT: &str = "run --package masterorder-server --bin masterorder --locked -- schema";

/// More differing lines than this are counted, not shown.
const SHOWN_LINES: usize = 20;

/// `cargo xtask schema`: writes what the server prints.
pub fn rewrite() -> Result<()> {
    let schema = printed_by_server()?;
    fs::write(workspace::root().join(COMMITTED), schema).with_context(|| format!("write {COMMITTED}"))
}

/// Compares the committed schema with what the server prints.
///
/// *Errors*: they differ; the message shows where and how to make them equal.
pub fn check() -> Result<()> {
    let actual = printed_by_server()?;
    let committed =
        fs::read_to_string(workspace::root().join(COMMITTED)).with_context(|| format!("read {COMMITTED}"))?;
    if actual != committed {
        bail!(
            "{COMMITTED} is not what the server serves; `cargo xtask schema` rewrites it\n{}",
            diff(&committed, &actual)
        );
    }
    Ok(())
}

fn printed_by_server() -> Result<String> {
    let output = workspace::cargo(PRINT)
        .stderr(Stdio::inherit())
        .output()
        .context("run masterorder schema")?;
    if !output.status.success() {
        bail!("masterorder schema ended with {}", output.status);
    }
    String::from_utf8(output.stdout).context("read the schema")
}

/// Shows the lines between what both texts begin and end with: first the old ones, then the new
/// ones.
fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let begin = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[begin..], &new[begin..]);
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let mut shown = format!("@@ line {} @@", begin + 1);
    for (sign, lines) in [('-', &old[..old.len() - end]), ('+', &new[..new.len() - end])] {
        for line in lines.iter().take(SHOWN_LINES) {
            shown += &format!("\n{sign} {line}");
        }
        if lines.len() > SHOWN_LINES {
            shown += &format!("\n{sign} … {} more lines", lines.len() - SHOWN_LINES);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_only_what_differs() {
        assert_eq!(diff("a\nb\nc\n", "a\nd\nc\n"), "@@ line 2 @@\n- b\n+ d");
        assert_eq!(diff("a\nc\n", "a\nb\nc\n"), "@@ line 2 @@\n+ b");
        assert_eq!(diff("a", "a\n"), "@@ line 2 @@\n+ ");
        assert_eq!(diff("a\na\n", "a\n"), "@@ line 2 @@\n- a");
    }

    #[test]
    fn a_long_diff_is_cut() {
        let new = "line\n".repeat(SHOWN_LINES + 5);
        assert!(diff("", &new).ends_with("+ … 5 more lines"), "{}", diff("", &new));
    }
}
