//! Turns the SDK's WebAssembly, as rustc leaves it, into a module and its glue:
//! `xtask-sdk bindgen IN.wasm OUT_FOLDER`; and makes sure that what ships runs on old phones and carries nothing along:
//! `xtask-sdk check IN.wasm`.

mod sections;
mod table;

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use walrus::Module;
use wasm_bindgen_cli_support::{Bindgen, EncodeInto};
use wasmparser::{Validator, WasmFeatures};

/// What rustc turns on by default and iOS 15.0 to Safari 16.3 can not run. wasm-bindgen decides by this list what to emit.
const NOT_ON_OLD_PHONES: [&str; 2] = ["reference-types", "multivalue"];

/// What is said of a closure that calls itself. There is none: only describing the imports brings it along.
const UNSAID: &[u8] = b"closure invoked recursively or after being dropped";

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindgen", module, folder] => bindgen(Path::new(module), Path::new(folder)),
        ["check", module] => check(&read(Path::new(module))?),
        _ => bail!("usage: xtask-sdk bindgen IN.wasm OUT_FOLDER | check IN.wasm"),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("read {}", path.display()))
}

/// The glue is of the form for bundlers: functions and no loader, for the page's module loads by itself.
fn bindgen(module: &Path, folder: &Path) -> Result<()> {
    let module = sections::without_features(&read(module)?, &NOT_ON_OLD_PHONES)?;
    let mut made = Bindgen::new()
        .input_bytes("masterorder", module)
        .bundler(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .encode_into(EncodeInto::Always)
        .generate_output()?;
    let glue = made.start().context("wasm-bindgen made no glue")?.clone();
    // what nothing but an export kept alive is for wasm-opt to find
    let exports = &mut made.wasm_mut().exports;
    let uncalled = exports
        .iter()
        .filter(|one| !glue.contains(&format!("wasm.{}", one.name)));
    for id in uncalled.map(|one| one.id()).collect::<Vec<_>>() {
        exports.delete(id);
    }
    table::prune(made.wasm_mut());
    silence(made.wasm_mut())?;
    made.emit(folder)
}

/// Makes zeros of the text that nobody says; they weigh nothing.
///
/// *Errors*: it is not there.
fn silence(module: &mut Module) -> Result<()> {
    let place = module.data.iter().find_map(|data| {
        let at = data.value.windows(UNSAID.len()).position(|bytes| bytes == UNSAID)?;
        Some((data.id(), at))
    });
    let (id, at) = place.context("wasm-bindgen has other words for closures")?;
    module.data.get_mut(id).value[at..at + UNSAID.len()].fill(0);
    Ok(())
}

/// *Errors*: the module uses what is newer than the first WebAssembly, or has a custom section.
fn check(module: &[u8]) -> Result<()> {
    Validator::new_with_features(WasmFeatures::WASM1)
        .validate_all(module)
        .context("the module does not run on old phones")?;
    let custom = sections::custom_names(module)?;
    if !custom.is_empty() {
        bail!("the module ships custom sections: {}", custom.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use walrus::ir::Value;
    use walrus::{ConstExpr, DataKind};

    /// A module with a function that takes and returns an i32, and with this in its body.
    fn module(body: &[u8]) -> Vec<u8> {
        let length = body.len() as u8;
        let head = b"\0asm\x01\0\0\0\x01\x06\x01\x60\x01\x7f\x01\x7f\x03\x02\x01\x00";
        // no locals; `local.get 0`; the body; `end`
        let code = [&[10, length + 6, 1, length + 4, 0, 0x20, 0][..], body, &[0x0b]].concat();
        [&head[..], &code].concat()
    }

    /// A module with this in its memory.
    fn saying(text: &[u8]) -> Module {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let offset = ConstExpr::Value(Value::I32(0));
        module.data.add(DataKind::Active { memory, offset }, text.into());
        module
    }

    #[test]
    fn what_nobody_says_is_taken_out_and_nothing_else() {
        let mut module = saying(&[b"before", UNSAID, b"after"].concat());
        assert!(silence(&mut module).is_ok());
        let bytes: Vec<u8> = module.data.iter().flat_map(|data| data.value.clone()).collect();
        assert_eq!(bytes, [&b"before"[..], &[0; UNSAID.len()], b"after"].concat());
    }

    #[test]
    fn what_is_not_there_any_more_is_noticed() {
        assert!(silence(&mut saying(b"nothing")).is_err());
    }

    fn complaint(module: &[u8]) -> String {
        check(module).map_or_else(|error| format!("{error:#}"), |()| String::new())
    }

    #[test]
    fn what_old_phones_run_may_ship() {
        assert_eq!(complaint(&module(&[])), "");
    }

    #[test]
    fn what_is_newer_than_old_phones_may_not_ship() {
        // i32.extend8_s
        let complaint = complaint(&module(&[0xc0]));
        assert!(complaint.contains("old phones"), "{complaint}");
    }

    #[test]
    fn what_carries_something_along_may_not_ship() {
        let custom = [0, 5, 4, b'n', b'a', b'm', b'e'];
        let complaint = complaint(&[&module(&[])[..], &custom].concat());
        assert!(complaint.contains("custom sections: name"), "{complaint}");
    }
}
