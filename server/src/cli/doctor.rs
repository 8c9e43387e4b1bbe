//! `doctor`: the ledger check on a live database. Reads only.

use super::Database;
use crate::store::ledger::{self, Report};
use anyhow::bail;
use clap::Args;

/// Check that orders, tickets, events, outcomes and stock agree.
#[derive(Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    database: Database,
}

impl Doctor {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let db = super::open(&self.database).await?;
        let pending = crate::store::migrate::pending(&db).await?;
        if !pending.is_empty() {
            bail!(
                "migrations are pending ({}): run `masterorder migrate` first",
                pending.join(", ")
            );
        }
        let report = ledger::check(&db).await?;
        db.close().await;
        print(&report);
        match report.findings.len() {
            0 => Ok(()),
            n => bail!("the ledger does not hold: {n} rules are broken"),
        }
    }
}

fn print(report: &Report) {
    println!("orders placed      {:>8}", report.orders);
    println!("kitchen tickets    {:>8}", report.tickets);
    println!("order.placed       {:>8}", report.events);
    println!("outcomes: placed   {:>8}", report.placed_outcomes);
    println!("          aliases  {:>8}", report.aliases);
    println!("          rejected {:>8}", report.rejections);
    for finding in &report.findings {
        println!(
            "BROKEN  {}: {} rows, for example {}",
            finding.rule, finding.rows, finding.example
        );
    }
    if report.findings.is_empty() {
        println!("the ledger holds");
    }
}
