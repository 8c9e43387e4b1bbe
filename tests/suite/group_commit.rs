//! Placements that share a transaction. What happens to one of them is nobody else's business: each ends as it would have ended
//! alone, whatever its neighbours asked for, and whatever becomes of the transaction.

use crate::business_day::take_short_numbers;
use anyhow::Result;
use futures_util::future::try_join_all;
use harness::client::{Client, Reply, key, line, line_with, order};
use harness::{Backend, Database, Node, Process, Setup, on_both_databases};
use masterorder_protocol::ids::{TableSessionId, TenantId};
use masterorder_server::app::Settings;
use masterorder_server::ordering::command::{self, Minted, RawLine, RawOrder};
use masterorder_server::ordering::outcome::{Conflict, Verdict};
use masterorder_server::ordering::transaction;
use masterorder_server::principal::{Principal, Role};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use uuid::Uuid;

type Member = (Client, Value);

/// Slices that a node runs at once.
fn runners(db: &Database) -> usize {
    match db.backend {
        Backend::Sqlite => 1,
        Backend::Postgres => 2,
    }
}

fn place((phone, input): &Member) -> impl Future<Output = Result<Reply>> + use<> {
    let (phone, input) = (phone.clone(), input.clone());
    async move { phone.place(input).await }
}

/// A fault after the COMMIT of the slice. On SQLite those who keep the runner busy commit before it, on PostgreSQL it overtakes them.
fn after_commit(db: &Database, fault: &str) -> String {
    match db.backend {
        Backend::Sqlite => format!("committed=sleep:1; committed={fault}"),
        Backend::Postgres => format!("committed={fault}"),
    }
}

/// Keeps all runners busy for a while.
async fn keep_busy(db: &Database, node: &Node) -> Result<Vec<JoinHandle<Result<Reply>>>> {
    let mut busy = Vec::new();
    for table in db.more_tables(runners(db)).await? {
        // one after the other: together they might be one slice
        node.arm("commit=sleep:1500");
        let tea = (node.guest(&table), order(&key(), json!([line(db.fixture.tea, 1)])));
        busy.push(tokio::spawn(place(&tea)));
        node.reached("commit").await?;
    }
    Ok(busy)
}

/// Sends placements while others keep all runners busy, so that they become one slice; `fault` befalls it.
async fn together(db: &Database, node: &Node, fault: &str, members: &[Member]) -> Result<Vec<Reply>> {
    let busy = keep_busy(db, node).await?;
    node.arm(fault);
    let replies = try_join_all(members.iter().map(place)).await;
    for held in busy {
        held.await??.order_id()?;
    }
    replies
}

async fn commits(node: &Node) -> Result<f64> {
    node.anonymous().metric("masterorder_placements_per_commit_count").await
}

async fn placements(node: &Node) -> Result<f64> {
    node.anonymous().metric("masterorder_placements_per_commit_sum").await
}

/// A guest at each of the tables orders tea.
fn tea_for_everybody(db: &Database, node: &Node) -> Vec<Member> {
    let tea = |table| (node.guest(table), order(&key(), json!([line(db.fixture.tea, 1)])));
    db.fixture.tables.iter().map(tea).collect()
}

async fn each_has_one_order(db: &Database, members: &[Member], replies: &[Reply]) -> Result<()> {
    for ((member, reply), table) in members.iter().zip(replies).zip(&db.fixture.tables) {
        let id = reply.order_id()?;
        assert!(!reply.is_replay()?, "{}", reply.body);
        assert_eq!(reply.result()?["receipt"]["table"], table.label);
        let again = place(member).await?;
        assert_eq!((again.order_id()?, again.is_replay()?), (id, true));
    }
    for table in &db.fixture.tables[..members.len()] {
        assert_eq!(db.orders(table).await?, 1);
    }
    Ok(())
}

on_both_databases! {
    async fn placements_that_come_together_share_one_commit(db) {
        let node = db.node().await?;
        let members = tea_for_everybody(db, &node);
        let replies = together(db, &node, "", &members).await?;
        let (busy, all) = (runners(db) as f64, members.len() as f64);
        assert_eq!((commits(&node).await?, placements(&node).await?), (busy + 1.0, busy + all));
        each_has_one_order(db, &members, &replies).await?;
    }

    /// Who meets a taken number is written in another round, and gets its own receipt all the same.
    async fn each_gets_its_own_receipt_where_numbers_are_taken(db) {
        let node = db.node().await?;
        let mut members = tea_for_everybody(db, &node);
        place(&members.pop().expect("a first one")).await?.order_id()?;
        let days = db.query("SELECT business_day FROM orders", []).await?;
        let day: String = days[0].try_get_by_index(0)?;
        take_short_numbers(db, &day, 2).await?;
        let replies = together(db, &node, "", &members).await?;
        each_has_one_order(db, &members, &replies).await?;
        // the orders that nobody placed
        db.execute("DELETE FROM orders WHERE device = 'another'", []).await?;
    }

    async fn who_comes_alone_waits_for_nobody(db) {
        let node = db.node().await?;
        let guest = node.guest(db.fixture.s1());
        let began = Instant::now();
        for cups in 1..=20 {
            guest.place(order(&key(), json!([line(db.fixture.tea, cups)]))).await?.order_id()?;
        }
        // generous: behind a slice that has ended but is not gone, each would wait for 0.25 s
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    }

    async fn where_it_is_switched_off_each_commits_for_itself(db) {
        let settings = Settings { group_commit: false, ..Setup::default().settings };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let members = tea_for_everybody(db, &node);
        let replies = try_join_all(members.iter().map(place)).await?;
        assert_eq!(commits(&node).await?, members.len() as f64);
        each_has_one_order(db, &members, &replies).await?;
    }

    async fn neighbours_end_as_each_of_them_would_alone(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let t = &f.tables;
        let with = |mut input: Value, field: &str, value: &str| {
            input[field] = json!(value);
            input
        };
        let (cart, used_cart) = (key(), key());
        let tea = json!([line(f.tea, 1)]);
        node.guest(&t[3]).place(order(&key(), tea.clone())).await?.order_id()?;
        let first = node
            .guest(&t[4])
            .place(with(order(&key(), tea.clone()), "checkoutId", &cart))
            .await?
            .order_id()?;
        node.guest(&t[6])
            .place(with(order(&key(), tea.clone()), "checkoutId", &used_cart))
            .await?
            .order_id()?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        db.close(&t[5], i64::try_from(now.as_millis())?).await?;
        let before = (commits(&node).await?, db.rows("idempotency_requests").await?);
        let asked: Vec<(usize, Value, &str)> = vec![
            (0, order(&key(), json!([line(f.ramen, 1)])), "PLACED"),
            (1, order(&key(), json!([line(f.ramen, 99)])), "SOLD_OUT"),
            (2, order(&key(), json!([line(Uuid::now_v7(), 1)])), "BAD_USER_INPUT"),
            (3, order(&key(), tea.clone()), "POSSIBLE_DUPLICATE"),
            (4, with(order(&key(), tea.clone()), "checkoutId", &cart), "PLACED"),
            (5, order(&key(), tea.clone()), "SESSION_CLOSED"),
            (6, with(order(&key(), json!([line(f.tea, 2)])), "checkoutId", &used_cart), "CHECKOUT_ALREADY_PLACED"),
            (7, order(&key(), json!([line_with(f.ramen, 2, &[f.egg])])), "PLACED"),
        ];
        let members: Vec<Member> = asked.iter().map(|(i, input, _)| (node.guest(&t[*i]), input.clone())).collect();
        let replies = together(db, &node, "", &members).await?;
        for ((i, _, code), reply) in asked.iter().zip(&replies) {
            assert_eq!(reply.code(), *code, "table {i}: {}", reply.body);
        }
        assert_eq!((replies[4].order_id()?, replies[4].is_replay()?), (first, true));
        assert_eq!(replies[4].result()?["replayReason"], "CHECKOUT");
        let busy = runners(db);
        assert_eq!(commits(&node).await?, before.0 + busy as f64 + 1.0);
        // two orders, an alias, two rejections; a conflict and bad input leave nothing, and their keys stay usable
        assert_eq!(db.rows("idempotency_requests").await?, before.1 + i64::try_from(busy)? + 5);
        let cured = with(members[3].1.clone(), "confirmDuplicateOf", replies[3].result()?["order"]["id"].as_str().unwrap_or_default());
        members[3].0.place(cured).await?.order_id()?;
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?), (7, 98));
    }

    async fn the_last_pieces_go_to_as_many_as_there_are(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let hungry = |table| (node.guest(table), order(&key(), json!([line(f.ramen, 3)])));
        let members: Vec<Member> = f.tables.iter().map(hungry).collect();
        let replies = together(db, &node, "", &members).await?;
        let placed = replies.iter().filter(|r| r.code() == "PLACED").count();
        let sold_out = replies.iter().filter(|r| r.code() == "SOLD_OUT").count();
        assert_eq!((placed, sold_out), (3, 5));
        assert_eq!(db.stock(f.ramen).await?, 1);
    }

    async fn one_cart_at_two_tables_is_placed_once(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let cart = key();
        let members: Vec<Member> = f.tables[..2]
            .iter()
            .map(|table| {
                let mut input = order(&key(), json!([line(f.ramen, 1)]));
                input["checkoutId"] = json!(cart);
                (node.guest(table), input)
            })
            .collect();
        let replies = together(db, &node, "", &members).await?;
        let mut codes: Vec<String> = replies.iter().map(Reply::code).collect();
        codes.sort();
        assert_eq!(codes, ["CHECKOUT_ALREADY_PLACED", "PLACED"]);
        assert_eq!(db.stock(f.ramen).await?, 9);
    }

    /// Twins wait for one another before they stand in line; a slice does not rely on that.
    async fn a_key_that_comes_twice_in_a_slice_is_claimed_once(db) {
        let (node, f, request) = (db.node().await?, &db.fixture, key());
        let [one, two] = [(), ()].map(|()| {
            let tea = RawLine { menu_item_id: f.tea.to_string(), quantity: 1, ..RawLine::default() };
            let raw = RawOrder { request_id: Some(request.clone()), lines: vec![tea], ..RawOrder::default() };
            let guest = Principal {
                tenant: TenantId(f.tenant),
                role: Role::Guest(TableSessionId(f.s1().id)),
                device: "guest-1".into(),
            };
            let minted = Minted { attempt: Uuid::now_v7(), request: Uuid::new_v4() };
            command::parse(&raw, &guest, minted).map(Arc::new).expect("a valid order")
        });
        let endings = transaction::run(&node.app, &[one, two], 2_000).await.expect("a transaction");
        let answers: Vec<_> = endings.into_iter().map(|e| e.answer).collect();
        assert!(
            matches!(&answers[..], [Ok(Verdict::Placed { replay: None, .. }), Ok(Verdict::Conflict(Conflict::InProgress))]),
            "{answers:?}"
        );
        assert_eq!((db.claims(&request).await?, db.all_orders().await?), (1, 1));
    }

    /// Whatever a slice dies of, its members are placed, each once, and nobody notices.
    async fn a_slice_that_fails_falls_apart_into_its_members(db) {
        for (step, fault, retries) in
            [("claim", "busy", 1.0), ("write_orders", "vanish", 1.0), ("complete", "panic", 0.0), ("complete", "sqlstate:40P01", 1.0)]
        {
            let fresh = Database::create(db.backend).await?;
            let node = fresh.node().await?;
            let members = tea_for_everybody(&fresh, &node);
            let replies = together(&fresh, &node, &format!("{step}={fault}"), &members).await?;
            each_has_one_order(&fresh, &members, &replies).await?;
            let series = format!("masterorder_inner_retries_total{{step=\"{step}\"}}");
            assert_eq!(node.anonymous().metric(&series).await?, retries, "{step}={fault}");
            node.stop().await?;
            fresh.ledger_holds().await?;
            fresh.drop_it().await;
        }
    }

    /// The COMMIT of a slice gets no answer: every member looks for itself, and finds its order or places it.
    async fn a_slice_whose_commit_got_no_answer_is_one_order_each(db) {
        for fault in ["commit=lose".to_owned(), "commit=vanish".to_owned(), after_commit(db, "panic")] {
            let fresh = Database::create(db.backend).await?;
            let node = fresh.node().await?;
            let members = tea_for_everybody(&fresh, &node);
            let replies = together(&fresh, &node, &fault, &members).await?;
            each_has_one_order(&fresh, &members, &replies).await?;
            node.stop().await?;
            fresh.ledger_holds().await?;
            fresh.drop_it().await;
        }
    }

    /// The process dies with a slice before its COMMIT, and right after it.
    async fn a_kill_takes_a_slice_as_a_whole(db) {
        for committed in [false, true] {
            let fresh = Database::create(db.backend).await?;
            let (f, busy) = (&fresh.fixture, runners(&fresh));
            // who is held commits before the slice on SQLite, and never on PostgreSQL
            let (held_ms, held_stands) = match db.backend {
                Backend::Sqlite => (1_000, true),
                Backend::Postgres => (8_000, false),
            };
            let (step, then) = match committed {
                false => ("commit", "commit=pause".to_owned()),
                true => ("committed", after_commit(&fresh, "pause")),
            };
            let fault = format!("commit=stall:{held_ms}*{busy}; {then}");
            let mut process = Process::start(&fresh, &[("MASTERORDER_DEBUG_FAULTS", &fault)]).await?;
            let tea = |table| (process.guest(table), order(&key(), json!([line(f.tea, 1)])));
            let members: Vec<Member> = f.tables.iter().map(tea).collect();
            let (held, slice) = members.split_at(busy);
            let mut held_sent = Vec::new();
            for member in held {
                held_sent.push(tokio::spawn(place(member)));
                process.paused_at("commit").await?;
            }
            let slice_sent: Vec<_> = slice.iter().map(|m| tokio::spawn(place(m))).collect();
            process.paused_at(step).await?;
            process.kill().await?;
            for broken in slice_sent {
                assert!(broken.await?.is_err(), "nobody answers when the process is gone");
            }
            for held in held_sent {
                assert_eq!(held.await?.is_ok(), held_stands);
            }
            let stands = |i: usize| if i < busy { held_stands } else { committed };
            let stand = (0..members.len()).filter(|i| stands(*i)).count();
            assert_eq!(fresh.all_orders().await?, i64::try_from(stand)?, "killed at {step}");
            fresh.ledger_holds().await?;
            let process = Process::start(&fresh, &[]).await?;
            for (i, (phone, input)) in members.iter().enumerate() {
                let placed = phone.at(process.address).place(input.clone()).await?;
                placed.order_id()?;
                assert_eq!(placed.is_replay()?, stands(i), "killed at {step}");
            }
            assert_eq!(fresh.all_orders().await?, i64::try_from(members.len())?);
            process.kill().await?;
            fresh.ledger_holds().await?;
            fresh.drop_it().await;
        }
    }
}

/// On PostgreSQL only: SQLite has no row locks.
#[test]
fn who_waits_for_a_lock_keeps_no_neighbour_waiting() {
    harness::database::run(Backend::Postgres, "who_waits_for_a_lock", async |db| {
        let f = &db.fixture;
        db.set_policy("wait_bound_ms = 4000").await?;
        let node = db.node().await?;
        // a node learns a shop's policy with its first order
        let first = (node.guest(&f.tables[7]), order(&key(), json!([line(f.rice, 1)])));
        place(&first).await?.order_id()?;
        let holder = db.sql.begin().await?;
        let lock = format!("SELECT 1 FROM table_sessions WHERE id = '{}' FOR UPDATE", f.s1().id);
        holder.execute_unprepared(&lock).await?;
        let busy = keep_busy(db, &node).await?;
        let members = tea_for_everybody(db, &node);
        let held = tokio::spawn(place(&members[0]));
        let neighbours = try_join_all(members[1..].iter().map(place));
        // generous: a slice waits for 0.2 s, and without that bound they would wait for 4 s
        for reply in tokio::time::timeout(Duration::from_secs(3), neighbours).await?? {
            reply.order_id()?;
        }
        assert!(!held.is_finished(), "nobody waited");
        holder.rollback().await?;
        let placed = held.await??;
        placed.order_id()?;
        assert!(!placed.is_replay()?);
        for served in busy {
            served.await??.order_id()?;
        }
        assert_eq!(db.orders(f.s1()).await?, 1);
        Ok(())
    });
}

/// On PostgreSQL only: on SQLite no slice runs beside another.
#[test]
fn who_wants_the_stock_of_a_slice_waits_in_line_and_nobody_else_does() {
    harness::database::run(Backend::Postgres, "who_wants_the_stock_of_a_slice", async |db| {
        let f = &db.fixture;
        let node = db.node().await?;
        let tables = db.more_tables(18).await?;
        // a node learns a menu with its first order
        let first = (node.guest(f.s1()), order(&key(), json!([line(f.tea, 1)])));
        place(&first).await?.order_id()?;
        let waited = async || {
            node.anonymous()
                .metric("masterorder_wait_seconds_sum{on=\"stock\"}")
                .await
        };
        let (mut overtaken, mut rounds) = (0, tables.chunks(3));
        for wanted in [line(f.ramen, 1), line_with(f.rice, 1, &[f.egg])] {
            // the shortest of three: a busy machine may make a slice late
            let mut at_the_lock = f64::INFINITY;
            for parties in rounds.by_ref().take(3) {
                let before = waited().await?;
                let asks = |i: usize, line: &Value| {
                    tokio::spawn(place(&(node.guest(&parties[i]), order(&key(), json!([line])))))
                };
                node.arm("commit=sleep:200");
                let held = asks(0, &line_with(f.ramen, 1, &[f.egg]));
                node.reached("commit").await?;
                let waits = asks(1, &wanted);
                asks(2, &line(f.tea, 1)).await??.order_id()?;
                overtaken += i32::from(!held.is_finished());
                for served in [held, waits] {
                    served.await??.order_id()?;
                }
                at_the_lock = at_the_lock.min(waited().await? - before);
            }
            assert!(at_the_lock < 0.1, "waited for the lock for {at_the_lock} s");
        }
        assert!(overtaken > 0, "tea waited for ramen");
        Ok(())
    });
}
