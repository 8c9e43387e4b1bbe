//! Folders that disappear with their owner.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use anyhow::{Context, Result};

/// A fresh private folder under the system's temporary folder, removed on drop.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder. `name` stays short: a UNIX socket's path has room for about 100 bytes, and
    /// macOS spends half of them on its temporary folder.
    pub fn new(name: &str) -> Result<Self> {
        for attempt in 0..1000 {
            let path = env::temp_dir().join(format!("mo-{name}-{}-{attempt}", process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("make {}", path.display()));
                }
            }
        }
        anyhow::bail!("no free name mo-{name}-* in {}", env::temp_dir().display())
    }

    /// The folder's absolute path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to tell, and the folder may be gone already.
        let _ = fs::remove_dir_all(&self.0);
    }
}
