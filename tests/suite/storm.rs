//! The storm: guests in processes of their own, in bad weather, at servers that are killed and restarted, while outcomes are
//! purged behind them. Every wish becomes one order, every order that a guest was told of stands, and the ledger holds.
//!
//! `cargo xtask soak storm` sends ten thousand orders over each database; here it is a hundred.

mod fleet;
#[path = "../storm/oracle_tests.rs"]
mod oracle_tests;

use anyhow::{Context, Result, ensure};
use fleet::Fleet;
use harness::storm::oracle::{self, Intent, Order};
use harness::storm::plan::{Guest, Line, Plan};
use harness::{Backend, Database, database, fixture};
use masterorder_server::idempotency::retention;
use sea_orm::prelude::Uuid;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::time::sleep;

/// How large a storm is.
#[derive(Debug, Clone, Copy)]
struct Size {
    placements: usize,
    /// Processes with guests.
    swarms: usize,
    /// Guests of all swarms.
    guests: usize,
    /// Orders between two strokes at a server.
    calm: usize,
}

impl Size {
    fn of(placements: usize) -> Self {
        match placements {
            0..1_000 => Self {
                placements,
                swarms: 2,
                guests: 20,
                calm: placements / 6,
            },
            _ => Self {
                placements,
                swarms: 4,
                guests: 100,
                calm: 250,
            },
        }
    }
}

#[test]
fn a_hundred_orders_in_a_storm_are_a_hundred_orders_on_sqlite() {
    blow(Backend::Sqlite, 100);
}

#[test]
fn a_hundred_orders_in_a_storm_are_a_hundred_orders_on_postgres() {
    blow(Backend::Postgres, 100);
}

/// `cargo xtask soak storm` runs these.
mod soak {
    use super::{Backend, blow};

    fn placements() -> usize {
        match std::env::var("STORM_PLACEMENTS") {
            Ok(text) => text.parse().expect("STORM_PLACEMENTS: a number"),
            Err(_) => 10_000,
        }
    }

    #[test]
    #[ignore = "minutes; run by `cargo xtask soak storm`"]
    fn sqlite() {
        blow(Backend::Sqlite, placements());
    }

    #[test]
    #[ignore = "minutes; run by `cargo xtask soak storm`"]
    fn postgres() {
        blow(Backend::Postgres, placements());
    }
}

fn blow(backend: Backend, placements: usize) {
    database::run(backend, "storm", async |db| storm(db, Size::of(placements)).await);
}

async fn storm(db: &Database, size: Size) -> Result<()> {
    let begun = Instant::now();
    // a key that is new every time is recognised by its content for as long as the storm lasts
    db.set_policy("content_window_ms = 3600000").await?;
    let f = &db.fixture;
    for subject in [f.egg, f.chashu, f.nori, f.other_soup, f.other_topping] {
        db.set_stock(subject, 100_000_000).await?;
    }
    let guests = seat(db, size).await?;
    let mut fleet = Fleet::launch(db).await?;

    let placed = AtomicUsize::new(0);
    let each = guests.len().div_ceil(size.swarms);
    let swarms = guests.chunks(each).map(|guests| {
        let plan = Plan {
            nodes: fleet.addresses(),
            guests: guests.to_vec(),
            intents: size.placements / size.guests,
        };
        swarm(plan, &placed)
    });
    let swarms = futures_util::future::try_join_all(swarms.collect::<Vec<_>>());
    let calm = async {
        let mut next = size.calm;
        loop {
            while placed.load(Ordering::Relaxed) < next {
                sleep(Duration::from_millis(10)).await;
            }
            fleet.strike().await?;
            next = placed.load(Ordering::Relaxed) + size.calm;
        }
    };
    let lines = tokio::select! {
        lines = swarms => lines?.concat(),
        struck = calm => return struck,
        swept = sweep(db) => return swept,
    };
    let purged = db
        .int("SELECT count(*) FROM orders WHERE outcome_purged_at_ms IS NOT NULL", [])
        .await?;
    let strokes = fleet.land().await?;

    let intents: Vec<Intent> = lines.iter().map(|line| line.intent.clone()).collect();
    let orders = orders(db).await?;
    let findings = oracle::judge(&intents, &orders);
    print(db, &lines, orders.len(), &strokes, purged, begun.elapsed());
    ensure!(intents.len() == size.placements, "{} wishes were lived", intents.len());
    ensure!(findings.is_empty(), "broken promises: {findings:#?}");
    ensure!(strokes.values().all(|n| *n > 0), "it was no storm: {strokes:?}");
    ensure!(purged > 0, "nothing was purged");
    Ok(())
}

/// Guests in pairs, at tables of two shops. The second shop forgets its keys during the storm.
async fn seat(db: &Database, size: Size) -> Result<Vec<Guest>> {
    let f = &db.fixture;
    let own = database::open(&db.url).await?;
    let tables = size.guests / 4;
    let remembering = fixture::more_tables(&own, f.tenant, tables).await?;
    let forgetting = fixture::more_tables(&own, f.other_tenant, tables).await?;
    own.close().await;
    let toppings = [f.egg, f.chashu, f.nori];
    let mut guests = Vec::new();
    for (i, (table, carts_only)) in remembering
        .iter()
        .map(|table| (table, false))
        .chain(forgetting.iter().map(|table| (table, true)))
        .enumerate()
    {
        for nth in 0..2 {
            guests.push(Guest {
                table: table.id,
                pin: table.pin.clone(),
                dish: if carts_only { f.other_soup } else { f.rice },
                topping: if carts_only { f.other_topping } else { toppings[i % 3] },
                first_content: nth * size.placements / size.guests,
                carts_only,
            });
        }
    }
    // each process has guests of both shops
    let (a, b) = guests.split_at(guests.len() / 2);
    Ok(a.iter().zip(b).flat_map(|(a, b)| [a.clone(), b.clone()]).collect())
}

/// Runs the guests of a plan in a process of their own.
async fn swarm(plan: Plan, placed: &AtomicUsize) -> Result<Vec<Line>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_guest-swarm"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    stdin.write_all(&serde_json::to_vec(&plan)?).await?;
    drop(stdin);
    let mut told = BufReader::new(child.stdout.take().context("no standard output")?).lines();
    let mut lines = Vec::new();
    while let Some(line) = told.next_line().await? {
        lines.push(serde_json::from_str(&line)?);
        placed.fetch_add(1, Ordering::Relaxed);
    }
    let ended = child.wait().await?;
    ensure!(ended.success(), "a swarm ended with {ended}");
    Ok(lines)
}

/// Lets the retention of the second shop's outcomes be over again and again, and purges them.
async fn sweep(db: &Database) -> Result<()> {
    let node = db.node().await?;
    let over = "UPDATE idempotency_requests SET expires_at_ms = 1 WHERE tenant_id = ? AND outcome IS NOT NULL";
    loop {
        sleep(Duration::from_millis(rand::random_range(100..500))).await;
        // who can not write now writes later
        let _ = db.execute(over, [db.fixture.other_tenant.into()]).await;
        if rand::random_range(0..2) == 0 {
            let _ = retention::purge(&node.app).await;
        }
    }
}

async fn orders(db: &Database) -> Result<Vec<Order>> {
    let rows = db
        .query("SELECT id, table_session_id, request_id, checkout_id FROM orders", [])
        .await?;
    rows.iter()
        .map(|row| {
            Ok(Order {
                id: row.try_get_by_index(0)?,
                table: row.try_get_by_index(1)?,
                request: row.try_get_by_index(2)?,
                checkout: row.try_get_by_index::<Option<Uuid>>(3)?,
            })
        })
        .collect()
}

fn print(db: &Database, lines: &[Line], orders: usize, strokes: &BTreeMap<String, u64>, purged: i64, took: Duration) {
    let mut tally: BTreeMap<&str, u64> = BTreeMap::new();
    for (what, times) in lines.iter().flat_map(|line| &line.tally) {
        *tally.entry(what).or_default() += times;
    }
    println!(
        "\n{:?}: {} wishes, {orders} orders, {:.1} s",
        db.backend,
        lines.len(),
        took.as_secs_f64()
    );
    let strokes = strokes.iter().map(|(what, times)| (what.as_str(), times));
    for (what, times) in tally.iter().map(|(what, times)| (*what, times)).chain(strokes) {
        println!("  {what:<36} {times:>8}");
    }
    println!("  {:<36} {purged:>8}", "outcomes purged");
}
