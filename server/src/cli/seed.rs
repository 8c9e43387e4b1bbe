//! `seed-demo`.

use super::Database;
use crate::catalog::demo::{self, Seeded};
use crate::lang::Lang;
use clap::Args;
use serde_json::{Value, json};

/// Bring a demo shop with a menu, open tables and fresh keys.
#[derive(Args)]
pub(super) struct Seed {
    #[command(flatten)]
    database: Database,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Name of the shop; each name is a tenant of its own. Repeating a name finds the same shop.
    #[arg(long)]
    name: Option<String>,
    /// Open tables T1, T2, …
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(0..=2000))]
    tables: u16,
}

impl Seed {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let app = super::start(&self.database).await?;
        let seeded = demo::seed(&app, self.name.as_deref(), usize::from(self.tables)).await?;
        if self.json {
            println!("{}", as_json(&seeded));
        } else {
            println!("{} ({})", seeded.shop.name.en, seeded.shop.id);
            println!(
                "  {} items, {} toppings",
                seeded.menu.items.len(),
                seeded.menu.toppings.len()
            );
            for session in &seeded.sessions {
                println!("  table {}: session {} PIN {}", session.table, session.id, session.pin);
            }
            println!("  staff key       {}", seeded.staff_key.0);
            println!("  integrator key  {}", seeded.integrator_key.0);
        }
        app.shut_down().await;
        Ok(())
    }
}

/// *Shape*: items in menu order; toppings in the order of the item's groups.
fn as_json(seeded: &Seeded) -> Value {
    let menu = &seeded.menu;
    let items: Vec<Value> = menu
        .sections
        .iter()
        .flat_map(|section| section.items.iter().filter_map(|id| menu.items.get(id)))
        .map(|item| {
            let groups = item.groups.iter().filter_map(|g| menu.groups.get(g));
            let toppings: Vec<Value> = groups
                .flat_map(|g| g.toppings.iter().filter_map(|t| menu.toppings.get(t)))
                .map(|t| json!({ "id": t.id, "name": t.name.get(Lang::En), "priceMinor": t.price_minor }))
                .collect();
            json!({
                "id": item.id,
                "sku": item.sku,
                "name": item.name.get(Lang::En),
                "priceMinor": item.price_minor,
                "toppings": toppings,
            })
        })
        .collect();
    let sessions: Vec<Value> = seeded
        .sessions
        .iter()
        .map(|s| json!({ "id": s.id, "pin": s.pin, "table": s.table }))
        .collect();
    json!({
        "shopId": seeded.shop.id,
        "menuItems": items,
        "tableSessions": sessions,
        "staffKey": seeded.staff_key.0,
        "integratorKey": seeded.integrator_key.0,
    })
}
