//! wasm-bindgen's glue, made for bundlers, as one function: each call of it is an instance with a memory of its own.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// The glue's first slots for JavaScript values: 1024 for borrowed ones, then these four.
const RESERVED_BY: &str = "let heap = new Array(1024).fill(undefined);\nheap.push(undefined, null, true, false);";

/// An import that wasm-bindgen 0.2.130 lowers for reference types only; without them nobody provides it.
const STATICS_END: &str = "__wbindgen_externref_statics_end";

/// What the import answers: the first slot that is not one of those that are never freed.
const STATICS_END_IS: &str = "() => 1028";

/// How the glue takes the instance's exports.
const SET_WASM: &str = "__wbg_set_wasm";

/// What wasm-opt's `--minify-imports-and-exports-and-modules` calls the module that everything is imported from.
const MODULE: &str = "a";

/// Makes `glue(module)`, which answers a promise of what the instance can do. `names` is what wasm-opt says of the names it
/// gave.
///
/// *Errors*: either has another form than expected.
pub fn function(glue: &str, names: &str) -> Result<String> {
    // `imports` of [module, name, new name], `exports` of [name, new name]
    let names: HashMap<String, Vec<Vec<String>>> = serde_json::from_str(names).context("read wasm-opt's names")?;
    let of = |what: &str| names.get(what).with_context(|| format!("wasm-opt names no {what}"));
    for expected in [RESERVED_BY, SET_WASM] {
        if !glue.contains(expected) {
            bail!("wasm-bindgen's glue has another form than expected: no `{expected}`");
        }
    }

    let mut imports = Vec::new();
    for import in of("imports")? {
        let [_, name, short] = &import[..] else {
            bail!("an import is not of the form expected: {import:?}");
        };
        imports.push(match name.as_str() {
            STATICS_END => format!("{short}: {STATICS_END_IS}"),
            name if glue.contains(&format!("function {name}(")) => format!("{short}: {name}"),
            name => bail!("wasm-bindgen's glue does not provide `{name}`"),
        });
    }
    let mut body = glue.to_owned();
    for export in of("exports")? {
        let [name, short] = &export[..] else {
            bail!("an export is not of the form expected: {export:?}");
        };
        body = renamed(&body, name, short);
    }
    let exported = body.lines().filter_map(|line| line.strip_prefix("export function "));
    let offered: Vec<_> = exported
        .filter_map(|line| line.split('(').next())
        .filter(|name| !name.starts_with("__wb"))
        .collect();
    let offered = offered.join(", ");
    let body = body.replace("\nexport ", "\n");
    let body = body.strip_prefix("export ").unwrap_or(&body);
    Ok(format!(
        "export async function glue(module) {{\n{body}\n{SET_WASM}((await WebAssembly.instantiate(module, {{ {MODULE}: {{ {} }} }})).exports);\nreturn {{ {offered} }};\n}}\n",
        imports.join(", "),
    ))
}

/// Calls an export by its new name.
fn renamed(glue: &str, name: &str, short: &str) -> String {
    let mut parts = glue.split("wasm.");
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.strip_prefix(name).filter(|rest| !rest.starts_with(is_of_a_name));
        renamed.push_str("wasm.");
        match rest {
            Some(rest) => renamed.extend([short, rest]),
            None => renamed.push_str(part),
        }
    }
    renamed
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "export function add(a) {\n    return wasm.add(a) + wasm.add_more(a);\n}\nexport function __wbg_now_0() {\n}\n\
        let heap = new Array(1024).fill(undefined);\nheap.push(undefined, null, true, false);\nlet wasm;\n\
        export function __wbg_set_wasm(val) {\n    wasm = val;\n}\n";

    fn names(import: &str) -> String {
        format!(r#"{{"imports": [["./glue.js", "{import}", "$"]], "exports": [["add", "b"], ["add_more", "c"]]}}"#)
    }

    #[test]
    fn calls_take_the_new_names_and_what_the_page_calls_keeps_its_own() {
        let function = function(GLUE, &names("__wbg_now_0")).unwrap_or_default();
        assert!(function.contains("return wasm.b(a) + wasm.c(a);"), "{function}");
        assert!(function.contains("{ a: { $: __wbg_now_0 } }"), "{function}");
        assert!(function.contains("return { add };"), "{function}");
        assert_eq!(function.matches("export ").count(), 1, "{function}");
    }

    #[test]
    fn the_import_that_nobody_provides_is_provided() {
        let function = function(GLUE, &names(STATICS_END)).unwrap_or_default();
        assert!(function.contains("$: () => 1028"), "{function}");
    }

    #[test]
    fn glue_of_another_form_is_refused() {
        assert!(function(GLUE, &names("__wbg_gone_0")).is_err());
        assert!(function(&GLUE.replace("1024", "2048"), &names("__wbg_now_0")).is_err());
        assert!(function(GLUE, "{}").is_err());
    }
}
