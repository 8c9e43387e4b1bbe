//! `menu import`.

use super::Database;
use crate::catalog::Shop;
use crate::catalog::import::plan::{Counts, Defaults};
use crate::catalog::import::{self, Format, Imported, Step};
use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Far above any menu; guards against a wrong file. *Units*: bytes.
const MAX_BYTES: u64 = 64 << 20;
/// What takes no longer than this shows no progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two lines of progress.
const PACE: Duration = Duration::from_millis(500);

/// Bring a menu from a file.
#[derive(Args)]
pub(super) struct Menu {
    #[command(subcommand)]
    command: MenuCommand,
}

#[derive(Subcommand)]
enum MenuCommand {
    /// Make the shop's menu what a file says: a schema.org Menu in JSON-LD, or a CSV with a POS export's columns. All or
    /// nothing; repeating it changes nothing; what the file no longer has is archived.
    Import(Import),
}

#[derive(Args)]
struct Import {
    /// The file: .jsonld or .json, .csv or .tsv.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    /// Name of the shop; may be left out when there is one.
    #[arg(long)]
    shop: Option<String>,
    /// In percent, for new items whose tax rate the file does not say: 10 for shops in JPY, otherwise 0.
    #[arg(long, value_name = "PERCENT", value_parser = import::tax_rate_bp)]
    tax_rate: Option<i64>,
    /// Where new items are made, if the file does not say.
    #[arg(long, default_value = "kitchen", value_parser = import::station)]
    station: String,
}

impl Menu {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let MenuCommand::Import(import) = self.command;
        import.run().await
    }
}

impl Import {
    async fn run(self) -> anyhow::Result<()> {
        let progress = Progress::new(Instant::now());
        let bytes = read(&self.file)?;
        let app = super::start(&self.database).await?;
        let imported = async {
            let shop = super::find_shop(&app, self.shop.as_deref()).await?;
            let format = Format::of(&self.file, &bytes);
            let draft = match import::read(&bytes, format, shop.currency, &|step| progress.show(step)) {
                Ok(draft) => draft,
                Err(problems) => {
                    for problem in &problems {
                        eprintln!("{problem}");
                    }
                    let errors = counted(problems.len(), "error");
                    bail!("{}: {errors}, nothing was imported", self.file.display());
                }
            };
            for note in &draft.notes {
                eprintln!("note: {note}");
            }
            let defaults = Defaults {
                tax_rate_bp: self.tax_rate.unwrap_or_else(|| default_tax_rate_bp(&shop)),
                station: self.station,
            };
            let imported = import::import(&app, &shop, &draft, &defaults, &|step| progress.show(step)).await;
            let imported =
                imported.context("nothing was imported, unless the database committed without telling; repeat it")?;
            print(&shop, &imported);
            Ok(())
        }
        .await;
        app.shut_down().await;
        imported
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let context = || format!("can not read {}", file.display());
    let bytes = std::fs::metadata(file).with_context(context)?.len();
    ensure!(
        bytes <= MAX_BYTES,
        "{} is larger than {} MiB: no menu",
        file.display(),
        MAX_BYTES >> 20
    );
    std::fs::read(file).with_context(context)
}

/// Japan's standard rate, which eating in a restaurant is taxed with; nothing is assumed about other countries.
fn default_tax_rate_bp(shop: &Shop) -> i64 {
    match shop.currency.as_str() {
        "JPY" => 1_000,
        _ => 0,
    }
}

fn print(shop: &Shop, imported: &Imported) {
    let plan = &imported.plan;
    for (kind, counts) in [
        ("sections", plan.sections),
        ("items", plan.items),
        ("topping groups", plan.groups),
        ("toppings", plan.toppings),
    ] {
        println!("{kind:14}  {}, {} unchanged", way(counts), counts.unchanged);
    }
    let total = plan.sections.and(plan.items).and(plan.groups).and(plan.toppings);
    let name = &shop.name.ja;
    match imported.new_version {
        Some(version) if total.is_nothing() => {
            println!("imported: the same in another order; the menu of {name} is now at version {version}");
        }
        Some(version) => println!(
            "imported: {}; the menu of {name} is now at version {version}",
            way(total)
        ),
        None => {
            let version = plan.after.version;
            println!(
                "nothing to import: {}; the menu of {name} stays at version {version}",
                way(total)
            );
        }
    }
}

fn way(counts: Counts) -> String {
    let Counts {
        created,
        changed,
        archived,
        restored,
        ..
    } = counts;
    format!("{created} created, {changed} changed, {archived} archived, {restored} restored")
}

fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Says how far it is, on standard error, when it takes longer than a moment.
struct Progress {
    began: Instant,
    said: Cell<Option<Instant>>,
}

impl Progress {
    fn new(began: Instant) -> Self {
        Self {
            began,
            said: Cell::new(None),
        }
    }

    fn show(&self, step: Step) {
        if let Some(line) = self.line(step, Instant::now()) {
            eprintln!("{line}");
        }
    }

    fn line(&self, step: Step, now: Instant) -> Option<String> {
        let is_due = match self.said.get() {
            None => now.duration_since(self.began) > PATIENCE,
            Some(said) => now.duration_since(said) >= PACE,
        };
        is_due.then(|| {
            self.said.set(Some(now));
            match step {
                Step::Reading(read) => format!("reading: {read} read"),
                Step::Writing(written, all) => format!("writing: {written} of {all} rows"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_after_a_second_and_then_twice_a_second() {
        let began = Instant::now();
        let progress = Progress::new(began);
        let line = |step, ms| progress.line(step, began + Duration::from_millis(ms));
        assert_eq!(line(Step::Reading(1), 1_000), None);
        assert_eq!(line(Step::Reading(800), 1_001), Some("reading: 800 read".into()));
        assert_eq!(line(Step::Reading(801), 1_400), None);
        assert_eq!(
            line(Step::Writing(500, 5_000), 1_501),
            Some("writing: 500 of 5000 rows".into())
        );
        assert_eq!(line(Step::Writing(500, 5_000), 1_502), None);
    }
}
