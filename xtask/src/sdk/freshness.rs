//! Whether the SDK has to be built again.

use std::path::Path;
use std::time::SystemTime;
use std::{fs, io};

use super::BUNDLE;
use crate::workspace;

/// All that the SDK is made of: files, and folders with everything in them.
const MADE_OF: [&str; 13] = [
    "package-lock.json",
    "protocol/Cargo.toml",
    "protocol/operations",
    "protocol/schema.graphql",
    "protocol/src",
    "sdk-wasm/Cargo.lock",
    "sdk-wasm/Cargo.toml",
    "sdk-wasm/core",
    "sdk-wasm/js",
    "sdk-wasm/src",
    "xtask/sdk",
    "xtask/src/sdk",
    "xtask/src/sdk.rs",
];

/// Answers whether there is an SDK at all, current or not.
pub fn is_built() -> bool {
    workspace::root().join(BUNDLE).is_file()
}

/// Answers whether the last build is younger than everything that it is made of. Only for who is in a hurry: whoever asks
/// for a build, or tests one, gets one.
pub fn is_current() -> bool {
    is_younger_than_its_parts(&workspace::root()).unwrap_or(false)
}

/// *Errors*: something can not be looked at, the bundle itself among it.
fn is_younger_than_its_parts(root: &Path) -> io::Result<bool> {
    let built = fs::metadata(root.join(BUNDLE))?.modified()?;
    for part in MADE_OF {
        if youngest(&root.join(part))? > built {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Finds when a file, or the youngest in a folder, was changed. Folders count too: they change when a file goes.
fn youngest(path: &Path) -> io::Result<SystemTime> {
    let metadata = fs::metadata(path)?;
    let mut youngest = metadata.modified()?;
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // what Cargo makes is made of the rest
            if entry.file_name() != "target" {
                youngest = youngest.max(self::youngest(&entry.path())?);
            }
        }
    }
    Ok(youngest)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use anyhow::{Context, Result};

    use super::*;
    use crate::scratch::Scratch;

    /// Makes a file that was changed so many seconds after the epoch.
    fn make(root: &Path, path: &str, changed_s: u64) -> Result<()> {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("no folder")?)?;
        let file = File::options().create(true).append(true).open(&path)?;
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(changed_s))?;
        Ok(())
    }

    /// Makes all folders as old as that.
    fn age(folder: &Path, changed_s: u64) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                age(&path, changed_s)?;
            }
        }
        File::open(folder)?.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(changed_s))?;
        Ok(())
    }

    /// A repository whose parts were changed at 100 and whose SDK was built at 200.
    fn repository() -> Result<Scratch> {
        let scratch = Scratch::new("fresh")?;
        let root = scratch.path();
        for part in MADE_OF {
            let is_file = Path::new(part).extension().is_some();
            let file = if is_file {
                (*part).to_owned()
            } else {
                format!("{part}/deep/file.rs")
            };
            make(root, &file, 100)?;
        }
        age(root, 100)?;
        make(root, BUNDLE, 200)?;
        Ok(scratch)
    }

    #[test]
    fn a_build_younger_than_its_parts_is_current() -> Result<()> {
        let repository = repository()?;
        let root = repository.path();
        assert!(is_younger_than_its_parts(root)?);
        // Cargo's own folders and the neighbours are no parts
        make(root, "xtask/sdk/target/debug/new", 300)?;
        make(root, "xtask/src/demo.rs", 300)?;
        age(&root.join("xtask"), 100)?;
        assert!(is_younger_than_its_parts(root)?);
        Ok(())
    }

    #[test]
    fn whatever_is_changed_asks_for_another_build() -> Result<()> {
        for part in MADE_OF {
            let repository = repository()?;
            let root = repository.path();
            let path = if root.join(part).is_dir() {
                format!("{part}/deep/file.rs")
            } else {
                (*part).to_owned()
            };
            make(root, &path, 300)?;
            assert!(!is_younger_than_its_parts(root)?, "{path}");
        }
        Ok(())
    }

    #[test]
    fn a_file_that_went_away_asks_for_another_build() -> Result<()> {
        let repository = repository()?;
        let root = repository.path();
        fs::remove_file(root.join("sdk-wasm/js/deep/file.rs"))?;
        assert!(!is_younger_than_its_parts(root)?);
        Ok(())
    }

    #[test]
    fn what_was_never_built_is_not_current() -> Result<()> {
        let repository = repository()?;
        fs::remove_file(repository.path().join(BUNDLE))?;
        assert!(is_younger_than_its_parts(repository.path()).is_err());
        Ok(())
    }

    /// A part that was renamed would make every build look old.
    #[test]
    fn the_parts_are_where_they_are_said_to_be() {
        for part in MADE_OF {
            assert!(workspace::root().join(part).exists(), "{part}");
        }
    }
}
