//! Importing a menu: a file becomes a draft, the draft and the menu that stands become a plan, the plan is written in one
//! transaction. All or nothing.

/// What is wrong with a file, and where.
pub mod problem;
/// A menu as a file asks for it.
pub mod draft;
/// Fields as people write them.
mod field;
/// Bytes to text.
mod encoding;

/// CSV: cells.
mod table;
/// CSV: what the columns are called.
mod columns;
/// CSV: rows become a draft.
mod csv;

/// JSON-LD: values with numbers as written.
mod json;
/// JSON-LD: nodes and languages.
mod json_ld;
/// JSON-LD: a `Menu` becomes a draft.
mod schema_org;
/// JSON-LD: names, pictures and codes.
mod properties;
/// JSON-LD: prices, stock and what schema.org has no word for.
mod offers;
/// JSON-LD: `menuAddOn` becomes topping groups.
mod add_ons;
/// JSON-LD: one thing that is there twice.
mod merge;

/// What becomes of the menu.
pub mod plan;

use crate::app::App;
use crate::catalog::Shop;
use crate::store::menu_writer::Difference;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use draft::Draft;
use masterorder_protocol::money::Currency;
use plan::{Defaults, Plan};
use problem::Problem;
use std::ffi::OsStr;
use std::path::Path;

/// Runs of reading, planning and writing while others change the menu or the database asks for another.
const TRIES: usize = 8;

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A `Menu` of schema.org.
    JsonLd,
    /// A POS export.
    Csv,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So many rows or items are read.
    Reading(usize),
    /// So many of so many rows are written; they count when all are.
    Writing(usize, usize),
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The menu as it is now, and how it came to be so.
    pub plan: Plan,
    /// The version of the menu now; `None`: nothing was written.
    pub new_version: Option<i64>,
}

impl Format {
    /// Tells the format by the file's name, or else by its first character.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("json" | "jsonld") => Self::JsonLd,
            Some("csv" | "tsv" | "txt") => Self::Csv,
            _ => {
                let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
                match text.first() {
                    Some(b'{' | b'[') => Self::JsonLd,
                    _ => Self::Csv,
                }
            }
        }
    }
}

/// Reads a file.
///
/// *Errors*: everything that is wrong with it, at once.
pub fn read(bytes: &[u8], format: Format, currency: Currency, on_step: &dyn Fn(Step)) -> Result<Draft, Vec<Problem>> {
    let on_read = |read| on_step(Step::Reading(read));
    match format {
        Format::JsonLd => schema_org::read(bytes, currency, &on_read),
        Format::Csv => csv::read(bytes, currency, &on_read),
    }
}

/// Parses a tax rate in percent, as files write it, into basis points.
pub fn tax_rate_bp(text: &str) -> Result<i64, String> {
    field::tax_rate_bp(text)
}

/// Parses the name of a station, as files write it.
pub fn station(text: &str) -> Result<String, String> {
    match field::line(text, field::MAX_LABEL)? {
        station if station.is_empty() => Err("must not be empty".into()),
        station => Ok(station),
    }
}

/// Makes a shop's menu what the draft asks for. An order sees the menu before or after.
///
/// *Errors*: what the database said; nothing was imported, unless a COMMIT got no answer every time.
///
/// *Transaction*: one of its own. Reading and comparing happen outside of it, so it is short, and it writes only if the menu is
/// still at the version that was read; otherwise everything begins again.
pub async fn import(
    app: &App,
    shop: &Shop,
    draft: &Draft,
    defaults: &Defaults,
    on_step: &dyn Fn(Step),
) -> Result<Imported, Failure> {
    let mut tries = 1;
    // a COMMIT that got no answer, and what it would have done
    let mut unknown: Option<Imported> = None;
    loop {
        let stands = store::catalog::menu_rows(&app.db, shop.tenant).await?;
        let before = stands.catalogue()?;
        let plan = plan::plan(&before, draft, defaults, || app.new_id());
        let difference = Difference::between(shop.tenant, &stands, &plan.after, &plan.supply);
        if difference.is_empty() {
            return Ok(unknown.unwrap_or(Imported {
                plan,
                new_version: None,
            }));
        }
        let rows = difference.rows();
        let on_rows = |written| on_step(Step::Writing(written, rows));
        let written = store::txn::write(&app.db, Priority::Request, async |txn| {
            store::menu_writer::write(txn, before.version, &difference, &on_rows).await
        })
        .await;
        let imported = Imported {
            plan,
            new_version: Some(before.version + 1),
        };
        match written {
            Ok(()) => return Ok(imported),
            Err(failure) if failure.is_retried_inside() && tries < TRIES => {
                if matches!(failure, Failure::CommitUnknown) {
                    unknown = Some(imported);
                }
                tries += 1;
            }
            Err(failure) => return Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format_and_otherwise_the_first_character() {
        for (name, bytes, format) in [
            ("menu.jsonld", "", Format::JsonLd),
            ("menu.JSON", "sku,name", Format::JsonLd),
            ("menu.csv", "{}", Format::Csv),
            ("menu.TSV", "", Format::Csv),
            ("menu", "\u{feff} \n{\"@type\": \"Menu\"}", Format::JsonLd),
            ("menu.dat", "[{}]", Format::JsonLd),
            ("menu", "sku,name", Format::Csv),
            ("menu", "", Format::Csv),
        ] {
            assert_eq!(
                Format::of(Path::new(name), bytes.as_bytes()),
                format,
                "{name} {bytes:?}"
            );
        }
    }
}
