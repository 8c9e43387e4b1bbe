//! What the SDK says of itself: `getVersions()`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::output;

/// What has to be as committed, for the commit to say what was built.
const BUILT_FROM: [&str; 4] = ["sdk-wasm", "protocol", "xtask", "package-lock.json"];

/// How the SHA-256 of a file begins.
const DIGEST: &str = "require('node:crypto').createHash('sha256').update(require('node:fs').readFileSync(process.argv[1])).digest('hex').slice(0, 12)";

/// Makes esbuild's flags that put the versions in.
pub fn defines(root: &Path) -> Result<[String; 3]> {
    let manifest = fs::read_to_string(root.join("sdk-wasm/Cargo.toml")).context("read the SDK's manifest")?;
    let sdk = version(&manifest).context("find the SDK's version")?;
    let mut digest = Command::new("node");
    let schema = output(digest.args(["-p", DIGEST]).arg(root.join("protocol/schema.graphql")))?;
    let commit = commit(root).map_or_else(|| "null".to_owned(), |commit| format!("\"{commit}\""));
    Ok([
        format!("--define:SDK_VERSION=\"{sdk}\""),
        format!("--define:SCHEMA_VERSION=\"{}\"", schema.trim()),
        format!("--define:COMMIT={commit}"),
    ])
}

/// Reads a manifest's version: the first, which is the package's.
fn version(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \""))?;
    line.strip_suffix('"')
}

/// Finds the commit that is built. `None`: this is no repository, or it was changed since.
fn commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
        let said = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| said.trim().to_owned())
    };
    let changed = git(&[&["status", "--porcelain", "--"], &BUILT_FROM[..]].concat())?;
    if !changed.is_empty() {
        return None;
    }
    git(&["rev-parse", "HEAD"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_packages_and_no_dependencys() {
        let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[dependencies.b]\nversion = \"2\"\n";
        assert_eq!(version(manifest), Some("0.1.0"));
        assert_eq!(version("[package]\nversion.workspace = true\n"), None);
    }

    #[test]
    fn the_commit_is_known_until_something_is_changed() -> Result<()> {
        let scratch = crate::scratch::Scratch::new("commit")?;
        let root = scratch.path();
        let file = root.join("sdk-wasm/file");
        fs::create_dir_all(root.join("sdk-wasm"))?;
        fs::write(&file, "old")?;
        for arguments in [
            "init --quiet",
            "add --all",
            "-c user.name=a -c user.email=a@b.example -c commit.gpgsign=false commit --quiet --message all",
        ] {
            let mut git = Command::new("git");
            crate::workspace::run(git.current_dir(root).args(arguments.split(' ')))?;
        }
        assert_eq!(commit(root).map(|commit| commit.len()), Some(40));
        fs::write(&file, "new")?;
        assert_eq!(commit(root), None);
        Ok(())
    }

    #[test]
    fn what_is_no_repository_has_no_commit() -> Result<()> {
        let scratch = crate::scratch::Scratch::new("versions")?;
        assert_eq!(commit(scratch.path()), None);
        Ok(())
    }
}
