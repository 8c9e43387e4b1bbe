//! Turns the SDK's WebAssembly, as rustc leaves it, into a module and its glue:
//! `xtask-sdk bindgen IN.wasm OUT_FOLDER`; and makes sure that what ships carries nothing along: `xtask-sdk check IN.wasm`.

mod sections;

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

/// What rustc turns on by default and iOS 15.0 to Safari 16.3 can not run. wasm-bindgen decides by this list what to emit.
const NOT_ON_OLD_PHONES: [&str; 2] = ["reference-types", "multivalue"];

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindgen", module, folder] => bindgen(Path::new(module), Path::new(folder)),
        ["check", module] => check(Path::new(module)),
        _ => bail!("usage: xtask-sdk bindgen IN.wasm OUT_FOLDER | check IN.wasm"),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("read {}", path.display()))
}

fn bindgen(module: &Path, folder: &Path) -> Result<()> {
    let module = sections::without_features(&read(module)?, &NOT_ON_OLD_PHONES)?;
    Bindgen::new()
        .input_bytes("masterorder", module)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true)
        .generate(folder)
}

fn check(module: &Path) -> Result<()> {
    let custom = sections::custom_names(&read(module)?)?;
    if !custom.is_empty() {
        bail!("the module ships custom sections: {}", custom.join(", "));
    }
    Ok(())
}
