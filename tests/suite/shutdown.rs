//! SIGTERM. A server that just dies in the middle breaks fifty promises at once; one that forgets the tasks whose guests hung up
//! loses their orders in silence; one that closes its database first turns both into errors; and one that waits for ever is
//! killed by whoever started it. Each of these guards has a test that fails without it: that readiness turns first, that tasks
//! are waited for before the pools close, that the audit queue is flushed in between, and the deadline.

use futures_util::future::{join, join_all};
use harness::client::{key, line, order};
use harness::socket::KITCHEN;
use harness::{Backend, Process, Socket, eventually, on_both_databases};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// The deadline unless another is given.
const DEADLINE: Duration = Duration::from_secs(15);

async fn ready(process: &Process) -> anyhow::Result<u16> {
    let ready = process.anonymous().request(reqwest::Method::GET, "/readyz");
    Ok(ready.send().await?.status().as_u16())
}

async fn in_flight(process: &Process, placements: f64) -> anyhow::Result<()> {
    eventually(&format!("{placements} placements are in flight"), async || {
        Ok(process.metric("masterorder_placements_in_flight").await? == placements)
    })
    .await
}

on_both_databases! {
    /// AC-195. SQLite has one writer: fifty transactions of 500 ms do not fit into its queue's bound, so that there the pause comes
    /// after the COMMIT and before the answer, and fewer guests sit at the tables.
    async fn fifty_orders_in_flight_are_answered_before_the_end(db) {
        let f = &db.fixture;
        let (guests, faults) = match db.backend {
            Backend::Sqlite => (12, "committed=sleep:1500*12"),
            Backend::Postgres => (50, "commit=sleep:1500*50"),
        };
        let environment = [("MASTERORDER_DEBUG_FAULTS", faults), ("MASTERORDER_DATABASE_CONNECTIONS", "50")];
        let process = Process::start(db, &environment).await?;
        let address = process.address;
        let tables = db.more_tables(guests).await?;
        let phones: Vec<_> = tables.iter().map(|table| process.guest(table)).collect();
        let answers = join_all(phones.iter().map(|phone| phone.place(order(&key(), json!([line(f.tea, 1)])))));
        let asked = async {
            in_flight(&process, guests as f64).await?;
            let since = Instant::now();
            process.terminate().await?;
            // only the listener's end refuses; until then a connection is taken
            eventually("new connections are refused", async || Ok(TcpStream::connect(address).await.is_err())).await?;
            let still_at_work = since.elapsed() < Duration::from_millis(1500);
            let (exit, log) = process.ended().await?;
            anyhow::Ok((since, still_at_work, exit, log))
        };
        let (answers, asked) = join(answers, asked).await;
        let (since, refused_meanwhile, exit, log) = asked?;
        assert_eq!(exit, Some(0), "{log:#?}");
        assert!(since.elapsed() < DEADLINE, "it took {:?}", since.elapsed());
        assert!(refused_meanwhile, "connections were accepted to the end");
        for answer in answers {
            let answer = answer?;
            assert_eq!(answer.status, 200);
            answer.order_id()?;
        }
        assert_eq!(db.all_orders().await?, guests as i64);
        let complaints: Vec<_> = log.iter().filter(|l| l.contains("ERROR") || l.contains("PoolClosed")).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }

    /// AC-197. The second order waits for the only connection or turn: a pool that is closed too early would refuse it.
    async fn the_orders_of_guests_who_hung_up_are_finished_first(db) {
        let f = &db.fixture;
        let environment =
            [("MASTERORDER_DEBUG_FAULTS", "complete=sleep:1500"), ("MASTERORDER_DATABASE_CONNECTIONS", "1")];
        let process = Process::start(db, &environment).await?;
        for (table, at_work) in [(f.s1(), 1.0), (f.s2(), 2.0)] {
            let input = order(&key(), json!([line(f.ramen, 1)]));
            process.guest(table).place_and_hang_up_when(input, in_flight(&process, at_work)).await?;
        }
        process.terminate().await?;
        let (exit, log) = process.ended().await?;
        assert_eq!(exit, Some(0), "{log:#?}");
        let events = db.int("SELECT count(*) FROM outbox_events", []).await?;
        assert_eq!((db.all_orders().await?, events, db.stock(f.ramen).await?), (2, 2, 8));
    }

    async fn what_is_not_finished_by_the_deadline_is_told_and_leaves_nothing(db) {
        let f = &db.fixture;
        let environment =
            [("MASTERORDER_DEBUG_FAULTS", "complete=sleep:60000"), ("MASTERORDER_SHUTDOWN_DEADLINE", "2")];
        let process = Process::start(db, &environment).await?;
        let (phone, id) = (process.guest(f.s1()), key());
        phone.place_and_hang_up_when(order(&id, json!([line(f.ramen, 1)])), in_flight(&process, 1.0)).await?;
        let since = Instant::now();
        process.terminate().await?;
        let (exit, log) = process.ended().await?;
        let took = since.elapsed();
        assert!((Duration::from_millis(1500)..Duration::from_secs(10)).contains(&took), "{took:?}");
        assert_eq!(exit, Some(1), "{log:#?}");
        let told = log.iter().any(|l| l.contains("shutdown deadline") && l.contains("1 placements"));
        assert!(told, "{log:#?}");
        // the database may take a moment to notice that its client is gone
        let node = db.node().await?;
        let placed = node.guest(f.s1()).insist(order(&id, json!([line(f.ramen, 1)]))).await?;
        assert_eq!((placed.is_replay()?, db.all_orders().await?), (false, 1));
    }

    async fn a_second_signal_ends_it_at_once(db) {
        let f = &db.fixture;
        let mut process = Process::start(db, &[("MASTERORDER_DEBUG_FAULTS", "complete=sleep:60000")]).await?;
        let (phone, id) = (process.guest(f.s1()), key());
        phone.place_and_hang_up_when(order(&id, json!([line(f.ramen, 1)])), in_flight(&process, 1.0)).await?;
        let since = Instant::now();
        process.terminate().await?;
        process.says("shutting down").await?;
        process.terminate().await?;
        let (exit, log) = process.ended().await?;
        assert!(since.elapsed() < Duration::from_secs(5), "it took {:?}", since.elapsed());
        assert_eq!(exit, Some(1), "{log:#?}");
        assert!(log.iter().any(|l| l.contains("asked twice")), "{log:#?}");
        let node = db.node().await?;
        node.guest(f.s1()).insist(order(&id, json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn while_the_grace_lasts_it_is_not_ready_and_still_takes_orders(db) {
        let f = &db.fixture;
        let mut process = Process::start(db, &[("MASTERORDER_SHUTDOWN_GRACE", "3")]).await?;
        let mut board = Socket::watch(process.address, &process.key(&f.staff_key).credentials, KITCHEN).await?;
        assert_eq!(board.news("kitchen").await?["snapshot"], true);
        assert_eq!(ready(&process).await?, 200);
        process.terminate().await?;
        process.says("shutting down").await?;
        assert_eq!(ready(&process).await?, 503);
        process.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert_eq!(board.news("kitchen").await?["tickets"].as_array().map(Vec::len), Some(1), "sockets go on as well");
        assert_eq!(board.closed().await?, 1001);
        let (exit, log) = process.ended().await?;
        assert_eq!(exit, Some(0), "{log:#?}");
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn what_waits_to_be_audited_is_written_before_the_end(db) {
        let f = &db.fixture;
        let process = Process::start(db, &[]).await?;
        let (phone, id) = (process.guest(f.s1()), key());
        for _ in 0..20 {
            phone.place(order(&id, json!([line(f.ramen, 1)]))).await?.order_id()?;
        }
        process.terminate().await?;
        let (exit, log) = process.ended().await?;
        assert_eq!(exit, Some(0), "{log:#?}");
        let replays = "SELECT count(*) FROM audit_entries WHERE result = 'REPLAYED_KEY'";
        assert_eq!(db.int(replays, []).await?, 19);
    }
}
