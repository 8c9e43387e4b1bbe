//! SQLite alone: one connection in a plain loop, one transaction per order, `synchronous=FULL`.

use super::{Alone, check_level};
use crate::database::Database;
use crate::sqlite::{self, hash, new_id, now_ms, receipt};
use crate::world::{self, Kind, Order};
use anyhow::{Context, Result, ensure};
use rusqlite::types::Value;
use rusqlite::{Connection, Statement};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use uuid::{Builder, Uuid};

const SCRIPT: &str = include_str!("../../limit/sqlite.sql");
/// As long as the server's.
const DIGESTS: &str = "session=0123456789abcdef;checkoutId=0123456789abcdef;lines=0123456789abcdef;note=0123456789abcdef;\
    confirmDuplicateOf=0123456789abcdef;expectedTotal=0123456789abcdef";

/// Holds the script against the schema of a database.
pub fn prepare(database: &Database) -> Result<()> {
    check_level(database, SCRIPT)?;
    database.run("CREATE TABLE bench_commits (n INTEGER)")
}

/// Places orders for some seconds.
pub fn loop_of_orders(database: &Database, seconds: u64) -> Result<Alone> {
    let connection = sqlite::open(database.file().context("not a file")?)?;
    let mut script = Script::prepare(&connection)?;
    measure(seconds, || script.place())
}

/// Runs the smallest transaction that there is, one after the other.
pub fn commit(database: &Database, seconds: u64) -> Result<Alone> {
    let connection = sqlite::open(database.file().context("not a file")?)?;
    let mut insert = connection.prepare("INSERT INTO bench_commits VALUES (1)")?;
    measure(seconds, || Ok(insert.execute([]).map(drop)?))
}

fn measure(seconds: u64, mut once: impl FnMut() -> Result<()>) -> Result<Alone> {
    let (begun, mut orders) = (Instant::now(), 0_u64);
    while begun.elapsed() < Duration::from_secs(seconds) {
        once()?;
        orders += 1;
    }
    let took = begun.elapsed().as_secs_f64();
    Ok(Alone {
        per_second: orders as f64 / took,
        orders,
        average_ms: took * 1000.0 / orders as f64,
    })
}

/// The statements with the names of their parameters.
struct Script<'c> {
    statements: Vec<(Statement<'c>, Vec<String>)>,
    today: String,
}

impl<'c> Script<'c> {
    fn prepare(connection: &'c Connection) -> Result<Self> {
        let mut statements = Vec::new();
        for sql in SCRIPT.split_inclusive(";\n") {
            let statement = connection.prepare(sql)?;
            let names = (1..=statement.parameter_count())
                .map(|i| statement.parameter_name(i).unwrap_or_default()[1..].to_owned())
                .collect();
            statements.push((statement, names));
        }
        let today = connection.query_row("SELECT date()", [], |row| row.get(0))?;
        Ok(Self { statements, today })
    }

    fn place(&mut self) -> Result<()> {
        let mut values = values(&self.today);
        for (statement, names) in &mut self.statements {
            loop {
                for (i, name) in names.iter().enumerate() {
                    let value = values
                        .get(name.as_str())
                        .with_context(|| format!("no value for :{name}"))?;
                    statement.raw_bind_parameter(i + 1, value)?;
                }
                if statement.column_count() > 0 {
                    let mut rows = statement.raw_query();
                    while rows.next()?.is_some() {}
                    break;
                }
                let changed = statement.raw_execute()?;
                if changed > 0 || names.is_empty() {
                    break;
                }
                // somebody has that number today
                ensure!(names.iter().any(|name| name == "number"), "a statement changed nothing");
                values.insert("number", rand::random_range(100_000_i64..1_000_000).into());
            }
        }
        Ok(())
    }
}

/// A random order, as the values of the script's parameters.
fn values(today: &str) -> BTreeMap<&'static str, Value> {
    let order = Order::number(rand::random_range(0..world::SESSIONS * world::ITEMS));
    let random = || Builder::from_random_bytes(rand::random()).into_uuid();
    let bytes = |id: Uuid| Value::Blob(id.as_bytes().to_vec());
    let (id, key, checkout, now) = (new_id(), random(), random(), now_ms());
    let number = rand::random_range(1_000..10_000);
    let session = world::id(Kind::Session, order.session);
    let receipt = receipt(&order, id, key, number, now.unsigned_abs());
    let (a, b) = (order.with_topping % world::ITEMS, order.plain % world::ITEMS);
    let t = order.topping % world::TOPPINGS;
    let content = format!("{session}:{}:{}:{}", order.with_topping, order.plain, order.topping);
    let price = |n: u64| Value::Integer(i64::try_from(n).unwrap_or_default());
    BTreeMap::from([
        ("tenant", bytes(world::id(Kind::Tenant, order.session % world::SHOPS))),
        ("key", bytes(key)),
        ("attempt", bytes(new_id())),
        ("caller", format!("session:{session}").into()),
        ("content", hash(&content).to_vec().into()),
        ("notes", hash("").to_vec().into()),
        ("digests", DIGESTS.to_owned().into()),
        ("now", now.into()),
        ("session", bytes(session)),
        ("table", format!("T{}", order.session / world::SHOPS).into()),
        ("checkout", bytes(checkout)),
        ("device", format!("guest-{}", random()).into()),
        ("day", today.to_owned().into()),
        ("number", price(number)),
        ("total", price(order.total())),
        ("order", bytes(id)),
        ("ticket", bytes(new_id())),
        ("event", bytes(new_id())),
        ("audit", bytes(new_id())),
        ("item_a", bytes(world::id(Kind::Item, order.with_topping))),
        ("item_b", bytes(world::id(Kind::Item, order.plain))),
        ("topping", bytes(world::id(Kind::Topping, order.topping))),
        ("sku_a", format!("item-{a}").into()),
        ("sku_b", format!("item-{b}").into()),
        ("name_ja_a", format!("醤油ラーメン {a}").into()),
        ("name_ja_b", format!("醤油ラーメン {b}").into()),
        ("name_ja_t", format!("味玉 {t}").into()),
        ("name_en_a", format!("Soy sauce ramen {a}").into()),
        ("name_en_b", format!("Soy sauce ramen {b}").into()),
        ("name_en_t", format!("Seasoned egg {t}").into()),
        ("price_a", price(550 + 10 * a + 10 * t)),
        ("price_b", price(500 + 10 * b)),
        ("price_t", price(50 + 10 * t)),
        (
            "payload",
            format!(r#"{{"order":{receipt},"type":"order.placed"}}"#).into(),
        ),
        ("outcome", format!(r#"{{"kind":"placed","receipt":{receipt}}}"#).into()),
    ])
}
