//! Two nodes on one PostgreSQL. Two phones of one table confirm the same at the same moment, each at its own node: the second
//! waits at the lock of the table session, and only a look that starts after the lock was granted can see the first one's
//! order. Looking before the lock, or in the locking statement itself (whose snapshot is from before the wait), places both.
//!
//! On PostgreSQL only: a SQLite file belongs to one node.

use futures_util::future::join;
use harness::client::{Credentials, key, line, order};
use harness::{Backend, Client, Database, Process, Setup, Table, database};
use masterorder_server::clock::Clock;
use sea_orm::prelude::Uuid;
use serde_json::json;
use std::net::SocketAddr;

fn on_postgres(name: &str, body: impl AsyncFnOnce(&Database) -> anyhow::Result<()>) {
    database::run(Backend::Postgres, name, body);
}

fn phone(address: SocketAddr, table: &Table) -> Client {
    Client::new(address, Credentials::guest(table, Uuid::new_v4()))
}

#[test]
fn two_phones_with_the_same_wish_at_two_nodes_are_one_order_and_one_question() {
    on_postgres("two_phones_with_the_same_wish_at_two_nodes", async |db| {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        for (round, table) in db.more_tables(20).await?.iter().enumerate() {
            // whoever is first holds the lock until the other has come to it
            for node in &nodes {
                node.app.faults.clear();
                node.arm("commit=sleep:60");
            }
            let [one, two] = [0, 1].map(|i| phone(nodes[(round + i) % 2].address, table));
            let lines = json!([line(f.tea, 2)]);
            let (one, two) = join(one.place(order(&key(), lines.clone())), two.place(order(&key(), lines))).await;
            let (one, two) = (one?, two?);
            let mut codes = [one.code(), two.code()];
            codes.sort();
            assert_eq!(codes, ["PLACED", "POSSIBLE_DUPLICATE"], "round {round}");
            let (placed, asked) = if one.code() == "PLACED" { (one, two) } else { (two, one) };
            assert_eq!(
                asked.result()?["order"]["id"],
                json!(placed.order_id()?),
                "round {round}"
            );
            assert_eq!(db.orders(table).await?, 1, "round {round}");
        }
        Ok(())
    });
}

/// The same race in real processes, without anything that holds the first one up.
#[test]
fn two_phones_with_the_same_wish_at_two_processes_are_one_order_and_one_question() {
    on_postgres("two_phones_with_the_same_wish_at_two_processes", async |db| {
        let f = &db.fixture;
        let (a, b) = (Process::start(db, &[]).await?, Process::start(db, &[]).await?);
        for table in &db.more_tables(20).await? {
            let lines = json!([line(f.tea, 2)]);
            let (one, two) = (phone(a.address, table), phone(b.address, table));
            let (one, two) = join(one.place(order(&key(), lines.clone())), two.place(order(&key(), lines))).await;
            let mut codes = [one?.code(), two?.code()];
            codes.sort();
            assert_eq!(codes, ["PLACED", "POSSIBLE_DUPLICATE"]);
            assert_eq!(db.orders(table).await?, 1);
        }
        a.kill().await?;
        b.kill().await?;
        Ok(())
    });
}

/// The same cart in two tabs that reached two nodes: the second finds the first one's order, by the look before the lock, by
/// the look after it, or by the unique index.
#[test]
fn one_cart_under_two_keys_at_two_nodes_is_one_order() {
    on_postgres("one_cart_under_two_keys_at_two_nodes", async |db| {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        for table in &db.more_tables(20).await? {
            let device = phone(nodes[0].address, table);
            let mut carts = [key(), key()].map(|key| order(&key, json!([line(f.tea, 1)])));
            let checkout = key();
            carts.iter_mut().for_each(|cart| cart["checkoutId"] = json!(checkout));
            let [one, two] = carts;
            let (one, two) = join(device.place(one), device.at(nodes[1].address).place(two)).await;
            let (one, two) = (one?, two?);
            assert_eq!(one.order_id()?, two.order_id()?);
            assert_ne!(one.is_replay()?, two.is_replay()?, "one is the first, one the replay");
            assert_eq!(db.orders(table).await?, 1);
        }
        Ok(())
    });
}

/// One cart that is confirmed at two tables at once (a copied id, a hostile client): tables have different locks, so the
/// unique index decides.
#[test]
fn one_cart_at_two_tables_at_two_nodes_is_one_order() {
    on_postgres("one_cart_at_two_tables_at_two_nodes", async |db| {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        let tables = db.more_tables(40).await?;
        for pair in tables.chunks(2) {
            let checkout = key();
            let cart = || {
                let mut cart = order(&key(), json!([line(f.tea, 1)]));
                cart["checkoutId"] = json!(checkout);
                cart
            };
            let (one, two) = (phone(nodes[0].address, &pair[0]), phone(nodes[1].address, &pair[1]));
            let (one, two) = join(one.place(cart()), two.place(cart())).await;
            let mut codes = [one?.code(), two?.code()];
            codes.sort();
            assert_eq!(codes, ["CHECKOUT_ALREADY_PLACED", "PLACED"]);
            assert_eq!(db.orders(&pair[0]).await? + db.orders(&pair[1]).await?, 1);
        }
        Ok(())
    });
}

/// The database's clock. *Units*: ms.
async fn database_ms(db: &Database) -> anyhow::Result<i64> {
    db.int("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", [])
        .await
}

/// AC-097: one node's clock is a quarter of an hour fast. Windows, times and expiry are judged by the database's clock, whichever
/// node asks.
#[test]
fn a_node_with_a_wrong_clock_judges_by_the_clock_of_the_database() {
    on_postgres("a_node_with_a_wrong_clock", async |db| {
        let f = &db.fixture;
        db.set_policy("retention_ms = 600000").await?;
        let fast = Process::start(db, &[("MASTERORDER_DEBUG_CLOCK_OFFSET_MS", "900000")]).await?;
        let right = Process::start(db, &[]).await?;
        for (i, (first, second)) in [(&fast, &right), (&right, &fast)].into_iter().enumerate() {
            // the same key at both
            let table = &f.tables[i];
            let device = phone(first.address, table);
            let input = order(&key(), json!([line(f.ramen, 1)]));
            let (one, two) = join(
                device.place(input.clone()),
                device.at(second.address).place(input.clone()),
            )
            .await;
            let (one, two) = (one?, two?);
            assert_eq!(one.order_id()?, two.order_id()?);
            assert_ne!(one.is_replay()?, two.is_replay()?);

            // what one node placed, the other judges: age, retention, time
            let before = database_ms(db).await?;
            let input = order(&key(), json!([line(f.beer, 1)]));
            let placed = device.place(input.clone()).await?.order_id()?;
            let after = database_ms(db).await?;
            let at = "SELECT placed_at_ms FROM orders WHERE CAST(id AS TEXT) = ?";
            let placed_at = db.int(at, [placed.clone().into()]).await?;
            assert!(
                (before..=after).contains(&placed_at),
                "{before} <= {placed_at} <= {after}"
            );
            let replay = device.at(second.address).place(input).await?;
            assert_eq!((replay.order_id()?, replay.is_replay()?), (placed, true));
            let neighbour = phone(second.address, table);
            let asked = neighbour.place(order(&key(), json!([line(f.beer, 1)]))).await?;
            assert_eq!(asked.code(), "POSSIBLE_DUPLICATE");
            let age = asked.result()?["ageMs"].as_i64().unwrap_or(-1);
            assert!((0..30_000).contains(&age), "an age of {age} ms");
            assert_eq!(db.orders(table).await?, 2);
        }
        fast.kill().await?;
        right.kill().await?;
        Ok(())
    });
}

/// AC-097 with clocks that are wrong in both directions, by more than outcomes are kept: what the slow node finishes is not
/// over for the fast one.
#[test]
fn two_nodes_with_different_clocks_never_both_own_a_key() {
    on_postgres("two_nodes_with_different_clocks", async |db| {
        let f = &db.fixture;
        db.set_policy("retention_ms = 600000").await?;
        let skewed = |offset_ms| Setup {
            clock: Clock::System { offset_ms },
            ..Setup::default()
        };
        let (fast, slow) = (
            db.node_with(skewed(900_000)).await?,
            db.node_with(skewed(-900_000)).await?,
        );
        for (table, [first, second]) in f.tables.iter().zip([[&fast, &slow], [&slow, &fast]]) {
            let device = first.guest(table);
            let input = order(&key(), json!([line(f.ramen, 1)]));
            first.arm("commit=sleep:300");
            let (one, two) = join(device.place(input.clone()), async {
                first.reached("commit").await?;
                device.at(second.address).place(input.clone()).await
            })
            .await;
            let (one, two) = (one?, two?);
            assert_eq!((one.is_replay()?, two.is_replay()?), (false, true));
            assert_eq!(one.order_id()?, two.order_id()?);
            assert_eq!(db.orders(table).await?, 1);
        }
        Ok(())
    });
}
