//! `cargo xtask sdk`: builds the browser SDK into sdk-wasm/dist, each entry in one file, and into the npm package.
//!
//! rustc → wasm-bindgen (a library, in a small program of its own, so that nothing else waits for it to compile) → wasm-opt,
//! which also shortens the names of what goes over the border → one module with the WebAssembly inside. Old iPhones decide what
//! may be in it: no reference types, no multivalue, and what else is newer than the first WebAssembly is lowered.

mod freshness;
mod glue;
mod package;
mod versions;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

pub use freshness::{is_built, is_current};

use crate::preflight::{self, Need};
use crate::{npm, workspace};

/// What `build` makes.
const BUNDLE: &str = "sdk-wasm/dist/masterorder.js";

/// The entries beside the client's, each a file of its own without the WebAssembly.
const ENTRIES: [&str; 5] = ["menu", "live", "messages", "offline", "testing"];

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// What rustc's output uses. Named one by one: with all features wasm-opt makes a module that browsers refuse. Nothing is
/// stored in the first kilobyte: it is the stack's end.
const OPTIMISE: &str = "--low-memory-unused --flatten --rereloop -Oz \
     --mvp-features --enable-mutable-globals --enable-sign-ext --enable-nontrapping-float-to-int --enable-bulk-memory \
     --enable-bulk-memory-opt --llvm-memory-copy-fill-lowering --llvm-nontrapping-fptoint-lowering --signext-lowering \
     --strip-debug --strip-producers --strip-target-features -Oz \
     --minify-imports-and-exports-and-modules";

/// What the SDK may weigh for whoever orders with it: the WebAssembly and its glue. *Units*: bytes, compressed.
const MAX_BYTES: u64 = 18_432;

/// Compresses each file as a server would, and prints what it was and became.
const SIZES: &str = "
const { brotliCompressSync, constants } = require('node:zlib');
for (const file of process.argv.slice(1)) {
  const bytes = require('node:fs').readFileSync(file);
  const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  console.log(bytes.length, small.length);
}";

/// Builds the SDK and prints its sizes.
pub fn run() -> Result<ExitCode> {
    preflight::check(&[Need::Node, Need::Npm])?;
    let file = build()?;
    println!("{}", file.display());
    Ok(ExitCode::SUCCESS)
}

/// Checks what no root command sees: the two workspaces beside the root's.
///
/// *Errors*: it is not formatted, a lint fires, or a test fails.
pub fn check() -> Result<()> {
    add_target()?;
    let target = workspace::target_dir()?;
    for (manifest, folder, extra) in [
        (
            "sdk-wasm/Cargo.toml",
            "sdk-wasm",
            &["--target", WASM_TARGET, "--release"][..],
        ),
        ("xtask/sdk/Cargo.toml", "xtask-sdk", &["--all-targets"][..]),
    ] {
        workspace::run(&mut workspace::cargo(&format!(
            "fmt --manifest-path {manifest} --check"
        )))?;
        let mut clippy = workspace::cargo(&format!("clippy --manifest-path {manifest} --locked"));
        clippy.env("CARGO_TARGET_DIR", target.join(folder));
        workspace::run(clippy.args(extra).args(["--", "-D", "warnings"]))?;
    }
    let mut tests = workspace::cargo("test --manifest-path xtask/sdk/Cargo.toml --locked");
    workspace::run(tests.env("CARGO_TARGET_DIR", target.join("xtask-sdk")))
}

/// Builds the SDK. Answers the file.
///
/// *Errors*: a tool is missing or failed; each has said why.
pub fn build() -> Result<PathBuf> {
    let root = workspace::root();
    npm::install()?;
    add_target()?;

    let target = workspace::target_dir()?;
    // where the server looks for it, wherever Cargo builds; nothing else in there, for a release build carries the folder
    let folder = root.join("sdk-wasm/dist");
    let parts = target.join("sdk-parts");
    for made in [&folder, &parts] {
        fs::create_dir_all(made).with_context(|| format!("make {}", made.display()))?;
    }

    let compiled = compile(&target.join("sdk-wasm"))?;
    let mut bindgen = tool(&target);
    workspace::run(bindgen.arg("bindgen").arg(&compiled).arg(&parts))?;

    let wasm = parts.join("masterorder.wasm");
    let names = output(
        npm::program("wasm-opt")
            .arg(parts.join("masterorder_bg.wasm"))
            .args(OPTIMISE.split_whitespace())
            .arg("-o")
            .arg(&wasm),
    )?;
    workspace::run(tool(&target).arg("check").arg(&wasm))?;

    write_glue(&parts, &wasm, &names)?;
    let bundle = root.join(BUNDLE);
    let defines = versions::defines(&root)?;
    let esbuild = |entry: PathBuf| {
        let mut esbuild = npm::program("esbuild");
        esbuild.arg(entry).args(&defines).args([
            "--loader:.graphql=text",
            "--format=esm",
            "--minify",
            "--target=es2020,safari15",
            "--charset=utf8",
            "--legal-comments=none",
            "--log-level=warning",
        ]);
        esbuild
    };
    // the page's side around a module that is inside the file, or one of its own
    let entry = |module: &str| {
        let mut entry = esbuild(root.join("sdk-wasm/js/masterorder.js"));
        let module = root.join("sdk-wasm/js").join(module);
        entry.args([
            "--bundle".to_owned(),
            format!("--alias:masterorder-module={}", module.display()),
        ]);
        entry
    };
    let alias = format!("--alias:masterorder-wasm={}", parts.join("wasm.js").display());
    workspace::run(entry("inline.js").arg(&alias).arg(output_flag(&bundle)))?;
    let slim = parts.join("slim.js");
    workspace::run(entry("slim.js").arg(&alias).arg(output_flag(&slim)))?;
    // for the sizes only: what the one file is made of
    let glue = parts.join("glue.min.js");
    workspace::run(esbuild(parts.join("glue.js")).arg(output_flag(&glue)))?;
    let page_side = parts.join("entry.min.js");
    workspace::run(
        entry("inline.js")
            .arg("--external:masterorder-wasm")
            .arg(output_flag(&page_side)),
    )?;
    for name in ["masterorder", "menu", "live", "messages", "offline"] {
        let types = format!("{name}.d.ts");
        let from = root.join("sdk-wasm/js").join(&types);
        fs::copy(from, folder.join(&types)).with_context(|| format!("copy {types}"))?;
    }
    let entries = ENTRIES.map(|name| parts.join(format!("{name}.js")));
    for (name, built) in ENTRIES.iter().zip(&entries) {
        let mut entry = esbuild(root.join(format!("sdk-wasm/js/{name}.js")));
        workspace::run(entry.arg("--bundle").arg(output_flag(built)))?;
    }
    let [menu, live, messages, offline, testing] = &entries;
    // what a page without a bundler may want
    for (name, built) in [
        ("menu", menu),
        ("live", live),
        ("messages", messages),
        ("offline", offline),
    ] {
        let to = folder.join(format!("{name}.js"));
        fs::copy(built, &to).with_context(|| format!("copy {name}.js"))?;
    }
    package::build(&root, &[&bundle, &slim, &wasm, menu, live, messages, offline, testing])?;
    let files = [
        &wasm, &glue, &page_side, &slim, &bundle, menu, live, messages, offline, testing,
    ];
    let sizes = output(Command::new("node").args(["-e", SIZES]).args(files))?;
    let names = files.map(|file| file.file_name().unwrap_or_default().to_string_lossy());
    println!("{}", weighed(&names, &sizes)?);
    Ok(bundle)
}

/// Makes a table of what each file weighs and became, and of what the first two weigh together.
///
/// *Errors*: that is too much.
fn weighed(files: &[impl AsRef<str>], sizes: &str) -> Result<String> {
    let mut table = String::new();
    let mut smalls = Vec::new();
    for (file, line) in files.iter().zip(sizes.lines()) {
        let (bytes, small) = line.split_once(' ').context("read a size")?;
        table += &format!("  {:<22} {bytes:>8} bytes {small:>8} brotli\n", file.as_ref());
        smalls.push(small.parse::<u64>().context("read a size")?);
    }
    let sum: u64 = smalls.iter().take(2).sum();
    table += &format!("  {:<22} {:>14} {sum:>8} of {MAX_BYTES}", "module and glue", "");
    if sum > MAX_BYTES {
        bail!("the SDK weighs too much:\n{table}");
    }
    Ok(table)
}

/// Runs a command and answers what it prints.
fn output(command: &mut Command) -> Result<String> {
    let shown = workspace::shown(command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("start {shown}"))?;
    if !output.status.success() {
        bail!("{shown}: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("read what {shown} printed"))
}

fn output_flag(file: &Path) -> String {
    format!("--outfile={}", file.display())
}

/// Adds the compiler's other half, if need be.
fn add_target() -> Result<()> {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let Ok(installed) = installed else {
        // no rustup: the compiler itself says what it misses
        return Ok(());
    };
    if String::from_utf8_lossy(&installed.stdout)
        .lines()
        .any(|line| line == WASM_TARGET)
    {
        return Ok(());
    }
    println!("+ rustup target add {WASM_TARGET}");
    workspace::run(Command::new("rustup").args(["target", "add", WASM_TARGET]))
}

/// Compiles the SDK alone: its workspace is its own, so that no feature of the server comes along.
fn compile(target: &Path) -> Result<PathBuf> {
    let mut cargo = workspace::cargo("build --manifest-path sdk-wasm/Cargo.toml --release --locked");
    cargo.args(["--target", WASM_TARGET]).env("CARGO_TARGET_DIR", target);
    workspace::run(&mut cargo)?;
    Ok(target.join(WASM_TARGET).join("release/masterorder_sdk.wasm"))
}

/// Prepares the program around wasm-bindgen.
fn tool(target: &Path) -> Command {
    let mut cargo = workspace::cargo("run --quiet --manifest-path xtask/sdk/Cargo.toml --locked --");
    cargo.env("CARGO_TARGET_DIR", target.join("xtask-sdk"));
    cargo
}

/// Makes a module of the glue and of the WebAssembly.
fn write_glue(parts: &Path, wasm: &Path, names: &str) -> Result<()> {
    let made = fs::read_to_string(parts.join("masterorder_bg.js")).context("read the glue")?;
    let glue = glue::function(&made, names)?;
    fs::write(parts.join("glue.js"), &glue).context("write the glue")?;
    let encode = "require('node:fs').readFileSync(process.argv[1]).toString('base64')";
    let encoded = output(Command::new("node").args(["-p", encode]).arg(wasm))?;
    let module = format!("{glue}export const wasm = \"{}\";\n", encoded.trim());
    fs::write(parts.join("wasm.js"), module).context("write the module")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = ["masterorder.wasm", "glue.min.js", "entry.min.js"];

    #[test]
    fn what_fits_is_shown_with_its_sum() {
        let table = weighed(&FILES, "40000 18000\n6000 432\n9000 3000\n").unwrap_or_default();
        assert!(table.ends_with("18432 of 18432"), "{table}");
    }

    #[test]
    fn a_byte_too_many_fails() {
        assert!(weighed(&FILES, "40000 18000\n6000 433\n9000 3000\n").is_err());
    }
}
