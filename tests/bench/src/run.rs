//! A run: its options, what was measured so far, and the books of each database.

use crate::database::{Backend, Database, Tools};
use crate::figures::{Figures, Unit};
use crate::load::{self, Load, Pace};
use crate::options::Options;
use crate::requests::Work;
use crate::server::{GroupCommit, Server};
use crate::world::Scatter;
use anyhow::{Context, Result, ensure};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// A run.
pub struct Run {
    /// As they were given.
    pub options: Options,
    /// To make databases with.
    pub tools: Tools,
    /// So far.
    pub figures: Figures,
    /// Of the load.
    pub runtime: Runtime,
    /// What is drawn.
    pub curves: Vec<Curve>,
    /// What was checked.
    pub ledgers: Vec<Ledger>,
}

/// A line of a plot.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Curve {
    /// Which plot.
    pub plot: &'static str,
    /// What the line is called.
    pub name: String,
    /// A level to compare with, and not something that was measured at each point.
    pub is_level: bool,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
}

/// A ledger that held.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Ledger {
    /// Which database.
    pub database: &'static str,
    /// What it was made for.
    pub of: String,
    /// Orders in it.
    pub orders: u64,
    /// Those that guests were told of.
    pub acknowledged: u64,
}

/// A database with the books that are kept about it.
pub struct Shop {
    /// The database.
    pub database: Database,
    /// What it is for.
    pub name: String,
    /// The number of the next order.
    pub next: Arc<AtomicU64>,
    /// Of its orders.
    pub ids: Scatter,
    /// Orders that nobody was told of, because no guest placed them.
    pub others: u64,
    acknowledged: HashSet<Uuid>,
}

impl Run {
    /// Makes a database.
    pub fn open(&self, backend: Backend, name: &str) -> Result<Shop> {
        let begun = Instant::now();
        let database = Database::create(&self.tools, backend, name)?;
        println!(
            "{}: {name} made in {:.1} s",
            backend.name(),
            begun.elapsed().as_secs_f64()
        );
        Ok(Shop {
            database,
            name: name.to_owned(),
            next: Arc::default(),
            ids: Scatter(rand::random()),
            others: 0,
            acknowledged: HashSet::new(),
        })
    }

    /// Starts a server.
    pub fn serve(&self, shop: &Shop, group_commit: GroupCommit) -> Result<Server> {
        Server::start(&self.tools.server, &self.tools.folder, &shop.database, group_commit)
    }

    /// How long a sample is.
    pub fn pace(&self) -> Pace {
        Pace {
            warm_up: self.options.warm_up(),
            measured: self.options.sample(),
        }
    }

    /// Takes a sample and says so.
    pub fn note(&mut self, measure: &'static str, backend: Backend, what: &str, unit: Unit, sample: f64) {
        println!(
            "  {:<10} {:<7} {what:<52} {sample:>9.1} {}",
            backend.name(),
            measure,
            unit.label()
        );
        self.figures.note(measure, Some(backend), what, unit, sample);
    }

    /// Draws a line on.
    pub fn point(&mut self, plot: &'static str, name: &str, x: f64, y: f64) {
        match self.curves.iter_mut().find(|c| c.plot == plot && c.name == name) {
            Some(curve) => curve.points.push((x, y)),
            None => self.curves.push(Curve {
                plot,
                name: name.to_owned(),
                is_level: false,
                points: vec![(x, y)],
            }),
        }
    }

    /// Draws a level across a plot.
    pub fn level(&mut self, plot: &'static str, name: &str, across: [f64; 2], y: f64) {
        self.curves.push(Curve {
            plot,
            name: name.to_owned(),
            is_level: true,
            points: across.map(|x| (x, y)).to_vec(),
        });
    }

    /// Checks a database's books and its ledger, and drops it.
    ///
    /// *Errors*: an order too many or too few, or a rule that is broken.
    pub fn close(&mut self, shop: Shop) -> Result<()> {
        let orders = shop.database.orders()?;
        let acknowledged = shop.acknowledged.len() as u64;
        ensure!(
            orders == acknowledged + shop.others,
            "{}: {orders} orders stand, and {acknowledged} were told of beside {} that no guest placed",
            shop.name,
            shop.others
        );
        shop.database.check().context("the ledger check")?;
        println!(
            "{}: {} closed: {orders} orders, {acknowledged} of them told to guests; the ledger holds",
            shop.database.backend.name(),
            shop.name
        );
        self.ledgers.push(Ledger {
            database: shop.database.backend.name(),
            of: shop.name,
            orders,
            acknowledged,
        });
        shop.database.drop()
    }

    /// Runs a closed loop and books the orders.
    pub fn closed(&self, shop: &mut Shop, server: &Server, connections: usize, work: Arc<dyn Work>) -> Result<Load> {
        let next = shop.next.clone();
        let load = load::closed(server.address, connections, self.pace(), &next, work);
        self.runtime.block_on(load)
    }
}

impl Shop {
    /// Books orders that were placed for the first time.
    ///
    /// *Errors*: one of them was told of before.
    pub fn book(&mut self, orders: &[Uuid]) -> Result<()> {
        for order in orders {
            ensure!(
                self.acknowledged.insert(*order),
                "two requests were told of order {order}"
            );
        }
        Ok(())
    }

    /// Takes so many order numbers.
    pub fn take(&self, count: u64) -> u64 {
        self.next.fetch_add(count, Ordering::Relaxed)
    }
}
