//! The npm package `@masterorder/sdk`, ready to be packed: sdk-wasm/pkg.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

/// Made anew by every build: a file that went away is in no package.
const FOLDER: &str = "sdk-wasm/pkg";

/// What lies in the repository as it is packed.
const WRITTEN: [&str; 11] = [
    "sdk-wasm/npm/package.json",
    "sdk-wasm/npm/README.md",
    "sdk-wasm/npm/slim.d.ts",
    "sdk-wasm/js/masterorder.d.ts",
    "sdk-wasm/js/menu.d.ts",
    "sdk-wasm/js/live.d.ts",
    "sdk-wasm/js/messages.d.ts",
    "sdk-wasm/js/offline.d.ts",
    "sdk-wasm/js/testing.d.ts",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// Puts the package together from what is written and what was built.
pub fn build(root: &Path, built: &[&Path]) -> Result<()> {
    let folder = root.join(FOLDER);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("remove {FOLDER}"));
        }
        _ => {}
    }
    fs::create_dir_all(&folder).with_context(|| format!("make {FOLDER}"))?;
    let written = WRITTEN.map(|path| root.join(path));
    for file in written.iter().map(AsRef::as_ref).chain(built.iter().copied()) {
        let name = file
            .file_name()
            .ok_or_else(|| anyhow!("{} is no file", file.display()))?;
        fs::copy(file, folder.join(name)).with_context(|| format!("copy {}", file.display()))?;
    }
    Ok(())
}
