//! Behind PgBouncer. In session mode everything works, with no setting of PgBouncer's but that. In the other modes a statement
//! that one guest's request prepared is looked for on another guest's connection: the program says so at its start, before an
//! order is lost to "prepared statement does not exist".

use futures_util::future::try_join_all;
use harness::client::{key, line, order};
use harness::pooler::Pooler;
use harness::process::run;
use harness::{Backend, Process, database};
use serde_json::json;
use std::collections::BTreeSet;

/// AC-187, for the modes in which nothing can work.
#[test]
fn a_pooler_that_shares_connections_is_refused_by_its_name_and_with_the_way_out() {
    database::run(Backend::Postgres, "a_pooler_that_shares_connections", async |db| {
        for mode in ["transaction", "statement"] {
            let pooler = Pooler::start(mode, &db.url).await?;
            for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"], &["doctor"]] {
                let (exit, _, said) = run(&[command, &["--database-url", &pooler.url]].concat()).await?;
                assert_eq!(exit, Some(1), "{mode}, {command:?}: {said}");
                for word in ["PgBouncer", "pool_mode = session", "--database-url"] {
                    assert!(said.contains(word), "{mode}, {command:?}: {said}");
                }
            }
        }
        Ok(())
    });
}

/// AC-187, for the mode that works: 2 nodes, 500 orders.
#[test]
fn behind_a_pooler_in_session_mode_two_nodes_place_five_hundred_orders() {
    database::run(Backend::Postgres, "behind_a_pooler_in_session_mode", async |db| {
        let f = &db.fixture;
        let pooler = Pooler::start("session", &db.url).await?;
        // PgBouncer opens 20 connections; two nodes want 4 + 2 for requests and 2 for wake-ups each
        let environment = [("MASTERORDER_DATABASE_CONNECTIONS", "4")];
        let nodes = [
            Process::start_at(&pooler.url, &environment).await?,
            Process::start_at(&pooler.url, &environment).await?,
        ];
        let tables = db.more_tables(20).await?;
        let guests = tables.iter().enumerate().map(|(n, table)| {
            let (node, other) = (&nodes[n % 2], nodes[(n + 1) % 2].address);
            let phone = node.guest(table);
            async move {
                let mut placed = BTreeSet::new();
                for _ in 0..25 {
                    let mut input = order(&key(), json!([line(f.tea, 1)]));
                    input["checkoutId"] = key().into();
                    input["confirmDuplicateOf"] = json!(placed.last());
                    let id = phone.insist(input.clone()).await?.order_id()?;
                    let replay = phone.at(other).insist(input).await?;
                    assert_eq!((replay.order_id()?, replay.is_replay()?), (id.clone(), true));
                    placed.insert(id);
                }
                anyhow::Ok(placed.len())
            }
        });
        let placed: usize = try_join_all(guests).await?.into_iter().sum();
        assert_eq!(placed, 500);
        assert_eq!(db.all_orders().await?, 500);
        for node in nodes {
            let log = node.kill_and_read_log().await?;
            let complaints: Vec<_> = log
                .iter()
                .filter(|l| l.contains("WARN") || l.contains("ERROR"))
                .collect();
            assert!(complaints.is_empty(), "{complaints:#?}");
        }
        Ok(())
    });
}
