//! The architecture, stated as absences: what must not be named where. Comments and strings are
//! free to name anything.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, Result, bail};

use crate::rust_tokens::{Token, tokenize};

/// Something that a source file can name.
enum Named {
    /// A crate and its satellites: `axum` stands for `axum_extra` too.
    Crate(&'static str),
    /// These tokens in a row, however they are spaced.
    Code(&'static str),
}

use Named::{Code, Crate};

/// One absence. Paths are relative to the repository and match a file exactly or, with a final
/// slash, a folder.
struct Rule {
    absent: &'static [Named],
    /// Where the rule holds; empty means everywhere.
    within: &'static [&'static str],
    except: &'static [&'static str],
    reason: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        absent: &[Crate("sea_orm"), Crate("sea_query")],
        within: &[],
        except: &["server/src/store/", "migrations/", "tests/"],
        reason: "SQL has one room, server/src/store/, where both databases are in view",
    },
    Rule {
        absent: &[Crate("async_graphql")],
        within: &[],
        except: &[
            "server/src/graphql/",
            "server/src/http/graphql.rs",
            "server/src/http/socket.rs",
        ],
        reason: "the use cases must not know through which door they are called",
    },
    Rule {
        absent: &[Crate("axum")],
        within: &[],
        except: &["server/src/http/", "server/src/main.rs", "server/src/serve.rs"],
        reason: "HTTP ends in server/src/http/; everything behind it is callable without a request",
    },
    Rule {
        absent: &[
            Code("DbBackend"),
            Code("DatabaseBackend"),
            Code("get_database_backend"),
            Code("Sqlite"),
            Code("Postgres"),
        ],
        within: &["server/src/", "migrations/src/"],
        // store/pool.rs only passes the name on, as the trait of a connection demands
        except: &[
            "server/src/store/dialect.rs",
            "server/src/store/dialect/",
            "server/src/store/pool.rs",
            "migrations/src/column.rs",
        ],
        reason: "every difference between the databases is in one place, so that none is forgotten",
    },
    Rule {
        absent: &[Code(".commit()")],
        within: &["server/src/"],
        except: &["server/src/ordering/commit.rs", "server/src/store/txn.rs"],
        reason: "an error at COMMIT means unknown, and only these places know how to ask again",
    },
    Rule {
        absent: &[Code("entity::"), Code("store::entity")],
        within: &["server/src/graphql/"],
        except: &[],
        reason: "a table row is not an API type: the schema must not move with the tables",
    },
    Rule {
        absent: &[Code("println!"), Code("dbg!")],
        within: &["server/src/"],
        except: &["server/src/cli/", "server/src/main.rs"],
        reason: "the server speaks through tracing; only its commands print",
    },
    Rule {
        absent: &[Code("todo!"), Code("unimplemented!")],
        within: &[],
        except: &[],
        reason: "an unwritten path would panic in the middle of somebody's dinner",
    },
    Rule {
        absent: &[Code("masterorder_server")],
        within: &["migrations/"],
        except: &[],
        reason: "a released migration is frozen; it must not change with today's server",
    },
];

const LOCK_FILES: [&str; 2] = ["package-lock.json", "tests/bundlers/package-lock.json"];
const LOCK_FILE_REASON: &str = "a lock file names versions and checksums; where to download is the reader's setting";

/// Something that is named where it must not be.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    line: usize,
    named: &'static str,
    reason: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            named,
            reason,
        } = self;
        write!(f, "{path}:{line}: `{named}` must not be here: {reason}")
    }
}

/// Holds every source file of the repository against the rules.
///
/// *Errors*: the violations, a line each.
pub fn check(root: &Path) -> Result<()> {
    let mut files = Vec::new();
    collect_sources(root, &mut files)?;
    let mut violations = Vec::new();
    for file in &files {
        let source = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
        let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
        violations.extend(violations_in(&path, &source));
    }
    for path in LOCK_FILES {
        let text = fs::read_to_string(root.join(path)).with_context(|| format!("read {path}"))?;
        violations.extend(download_addresses(path, &text));
    }

    if !violations.is_empty() {
        let lines: Vec<_> = violations.iter().map(Violation::to_string).collect();
        bail!(
            "{}",
            lines.join(
                "
"
            )
        );
    }
    println!("{} source files, nothing out of place", files.len());
    Ok(())
}

/// Gathers the Rust files below `folder`, leaving out build output and hidden folders.
fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                collect_sources(&entry.path(), files)?;
            }
        } else if name.ends_with(".rs") {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(())
}

fn violations_in(path: &str, source: &str) -> Vec<Violation> {
    let tokens = tokenize(source);
    let mut violations = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.applies_to(path)) {
        for absent in rule.absent {
            let lines = absent.lines(&tokens);
            violations.extend(lines.into_iter().map(|line| Violation {
                path: path.to_owned(),
                line,
                named: absent.text(),
                reason: rule.reason,
            }));
        }
    }
    violations
}

fn download_addresses(path: &str, lock_file: &str) -> Vec<Violation> {
    let numbered = lock_file.lines().zip(1..);
    let resolved = numbered.filter(|(line, _)| line.trim_start().starts_with("\"resolved\": \"http"));
    let violation = |(_, line)| Violation {
        path: path.to_owned(),
        line,
        named: "resolved",
        reason: LOCK_FILE_REASON,
    };
    resolved.map(violation).collect()
}

impl Rule {
    fn applies_to(&self, path: &str) -> bool {
        let covers = |place: &&str| {
            if place.ends_with('/') {
                path.starts_with(place)
            } else {
                path == *place
            }
        };
        (self.within.is_empty() || self.within.iter().any(covers)) && !self.except.iter().any(covers)
    }
}

impl Named {
    fn text(&self) -> &'static str {
        match self {
            Crate(text) | Code(text) => text,
        }
    }

    /// Answers the lines on which it is named.
    fn lines(&self, tokens: &[Token]) -> Vec<usize> {
        match self {
            Crate(name) => {
                let is_it = |text: &str| {
                    text.strip_prefix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
                };
                tokens
                    .iter()
                    .filter(|token| is_it(&token.text))
                    .map(|token| token.line)
                    .collect()
            }
            Code(code) => {
                let code = tokenize(code);
                let is_it = |window: &&[Token]| {
                    window
                        .iter()
                        .zip(&code)
                        .all(|(token, wanted)| token.text == wanted.text)
                };
                tokens
                    .windows(code.len())
                    .filter(is_it)
                    .map(|window| window[0].line)
                    .collect()
            }
        }
    }
}
