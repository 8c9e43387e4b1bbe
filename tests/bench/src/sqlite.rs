//! A SQLite file as the scripts want it: opened the way the server opens it, and with the functions that `seed/postgres.sql`
//! makes on PostgreSQL.

use crate::world::{self, Order};
use anyhow::Result;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::{Builder, Uuid};

/// Opens a file that exists.
pub fn open(file: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")?;
    add_functions(&connection)?;
    Ok(connection)
}

/// *Units*: ms since the Unix epoch.
pub fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

/// A UUID v7, as the server makes them.
pub fn new_id() -> Uuid {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    Builder::from_unix_timestamp_millis(millis, &rand::random()).into_uuid()
}

/// SHA-256.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn add_functions(connection: &Connection) -> Result<()> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("bench_id", 2, pure, |c| {
        let (kind, n) = (c.get::<i64>(0)?, c.get::<i64>(1)?);
        let id = 0x0190_a000_0000_7000_8000_u128 | kind.unsigned_abs() as u128;
        Ok((id << 48 | u128::from(n.unsigned_abs())).to_be_bytes().to_vec())
    })?;
    connection.create_scalar_function("bench_scatter", 1, pure, |c| {
        let scatter = world::Scatter(0).id(world::Purpose::Request, c.get::<i64>(0)?.unsigned_abs());
        Ok(scatter.as_bytes().to_vec())
    })?;
    connection.create_scalar_function("bench_hash", 1, pure, |c| Ok(hash(&c.get::<String>(0)?).to_vec()))?;
    connection.create_scalar_function("bench_now_ms", 0, FunctionFlags::SQLITE_UTF8, |_| Ok(now_ms()))?;
    connection.create_scalar_function("bench_new_id", 0, FunctionFlags::SQLITE_UTF8, |_| {
        Ok(new_id().as_bytes().to_vec())
    })?;
    connection.create_scalar_function("bench_sample", 0, pure, |_| Ok(sample()))?;
    Ok(())
}

/// Some receipt: what a database does with a row hangs on its length, not on its words.
pub fn sample() -> String {
    receipt(&Order::number(1), Uuid::max(), Uuid::max(), 1000, 1_767_225_600_000)
}

/// The receipt of an order, as the server stores it.
pub fn receipt(order: &Order, id: Uuid, request: Uuid, number: u64, at_ms: u64) -> String {
    use world::Kind::{Item, Session, Topping};
    let dish = |item: u64| {
        let n = item % world::ITEMS;
        format!(
            r#""itemId":"{}","sku":"item-{n}","name":{{"ja":"醤油ラーメン {n}","en":"Soy sauce ramen {n}"}},"station":"noodle""#,
            world::id(Item, item),
        )
    };
    let extra = order.topping % world::TOPPINGS;
    let (first, second) = (
        500 + 10 * (order.with_topping % world::ITEMS),
        500 + 10 * (order.plain % world::ITEMS),
    );
    let (with, price) = (first + 50 + 10 * extra, 50 + 10 * extra);
    format!(
        concat!(
            r#"{{"orderId":"{id}","requestId":"{request}","number":{number},"tableSessionId":"{session}","table":"T{table}","#,
            r#""placedAtMs":{at_ms},"currency":"JPY","totalMinor":{total},"note":"","lines":["#,
            r#"{{{dish_a},"quantity":1,"unitPriceMinor":{with},"lineTotalMinor":{with},"taxRateBp":1000,"note":"","taken":1,"#,
            r#""toppings":[{{"toppingId":"{topping}","name":{{"ja":"味玉 {extra}","en":"Seasoned egg {extra}"}},"#,
            r#""quantity":1,"unitPriceMinor":{price},"taken":1}}]}},"#,
            r#"{{{dish_b},"quantity":2,"unitPriceMinor":{second},"lineTotalMinor":{twice},"taxRateBp":1000,"note":"","taken":2,"#,
            r#""toppings":[]}}]}}"#
        ),
        id = id,
        request = request,
        number = number,
        session = world::id(Session, order.session),
        table = order.session / world::SHOPS,
        at_ms = at_ms,
        total = order.total(),
        dish_a = dish(order.with_topping),
        with = with,
        topping = world::id(Topping, order.topping),
        extra = extra,
        price = price,
        dish_b = dish(order.plain),
        second = second,
        twice = 2 * second,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_json_and_adds_up() -> Result<()> {
        for number in [1, 19_999, 2_345_678] {
            let order = Order::number(number);
            let receipt: serde_json::Value = serde_json::from_str(&receipt(&order, new_id(), new_id(), 1234, 5))?;
            let lines: Vec<u64> = receipt["lines"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|line| line["lineTotalMinor"].as_u64())
                .collect();
            assert_eq!(lines.len(), 2);
            assert_eq!(lines.iter().sum::<u64>(), order.total());
        }
        Ok(())
    }

    #[test]
    fn the_functions_agree_with_the_load() -> Result<()> {
        let connection = Connection::open_in_memory()?;
        add_functions(&connection)?;
        let id: Vec<u8> = connection.query_row("SELECT bench_id(7, 19999)", [], |row| row.get(0))?;
        assert_eq!(id, world::id(world::Kind::Session, 19_999).as_bytes());
        Ok(())
    }

    #[test]
    fn new_ids_are_of_version_7_and_in_order() {
        let (one, two) = (new_id(), new_id());
        assert_eq!(one.get_version_num(), 7);
        assert!(one.as_bytes()[..6] <= two.as_bytes()[..6]);
    }
}
