//! Where it was measured: a figure without its machine means nothing.

use serde::Serialize;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A machine and what is installed on it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Machine {
    /// As its maker calls it.
    pub processor: String,
    /// That this process may use.
    pub cores: usize,
    /// *Units*: MiB; 0 if unknown.
    pub memory_mib: u64,
    /// Kernel and architecture.
    pub system: String,
    /// What keeps the databases' files: in memory, durability would cost nothing.
    pub file_system: String,
    /// The compiler of the release build.
    pub rustc: String,
}

impl Machine {
    /// This one, with the folder of the databases.
    pub fn find(folder: &Path) -> Self {
        Self {
            processor: processor().unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(0, Into::into),
            memory_mib: memory_kib().unwrap_or_default() / 1024,
            system: said("uname", &["-srm"]).unwrap_or_default(),
            file_system: said("stat", &["-f", "-c", "%T", &folder.to_string_lossy()]).unwrap_or_default(),
            rustc: said("rustc", &["--version"]).unwrap_or_default(),
        }
    }
}

fn processor() -> Option<String> {
    let linux = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    linux.or_else(|| said("sysctl", &["-n", "machdep.cpu.brand_string"]))
}

fn memory_kib() -> Option<u64> {
    let linux = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    });
    let mac = || Some(said("sysctl", &["-n", "hw.memsize"])?.parse::<u64>().ok()? / 1024);
    linux.or_else(mac)
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
