//! Server processes that die by SIGKILL one after the other, or beside another node. Whatever was not committed is gone with the
//! process, its locks included. A claim that outlives its transaction would burn the key for ever, and a lock kept outside of the
//! database would close the table. What each single kill leads to, committed or not, is in `crash_matrix`.

use harness::client::{Client, key, line, line_with, order};
use harness::{Backend, Database, Process, STEPS, eventually, on_both_databases};
use serde_json::{Value, json};

/// Sends a request to a process that has a fault armed, and kills the process when it has come to the step. The guest's
/// connection breaks.
async fn place_and_kill(
    db: &Database,
    fault: &str,
    step: &str,
    send: impl FnOnce(&Process) -> (Client, Value),
) -> anyhow::Result<()> {
    let mut process = Process::start(db, &[("MASTERORDER_DEBUG_FAULTS", fault)]).await?;
    let (phone, input) = send(&process);
    let sent = tokio::spawn(async move { phone.place(input).await });
    process.paused_at(step).await?;
    process.kill().await?;
    assert!(sent.await?.is_err(), "nobody answers when the process is gone");
    Ok(())
}

on_both_databases! {
    /// Several kills on one database: what one left behind would show in the next census.
    async fn a_kill_at_any_step_leaves_nothing_behind(db) {
        let f = &db.fixture;
        let before = db.census().await?;
        let mut retries = Vec::new();
        for step in STEPS {
            let input = order(&key(), json!([line_with(f.rice, 1, &[f.egg]), line(f.beer, 1)]));
            let mut sent = None;
            place_and_kill(db, &format!("{step}=pause"), step, |process| {
                let phone = process.guest(f.s1());
                sent = Some(phone.clone());
                (phone, input.clone())
            })
            .await?;
            assert_eq!(db.census().await?, before, "killed at {step}");
            retries.push((sent.expect("a phone"), input, step));
        }
        db.set_stock(f.beer, 100).await?;
        db.set_policy("content_window_ms = 0").await?;
        let process = Process::start(db, &[]).await?;
        for (phone, input, step) in retries {
            let placed = phone.at(process.address).place(input).await?;
            placed.order_id()?;
            assert!(!placed.is_replay()?, "killed at {step}");
        }
        assert_eq!(db.orders(f.s1()).await?, i64::try_from(STEPS.len())?);
        process.kill().await?;
    }
}

/// AC-037. On PostgreSQL only: nodes that share a database. Its locks go with the connection of the process that held them, so
/// nobody waits for a lock's time to run out.
#[test]
fn another_node_serves_whoever_waits_for_a_killed_one_at_once() {
    harness::database::run(Backend::Postgres, "another_node_serves_whoever_waits", async |db| {
        let f = &db.fixture;
        let other = Process::start(db, &[]).await?;
        let mut holder = Process::start(db, &[("MASTERORDER_DEBUG_FAULTS", "write_orders=pause")]).await?;
        let phone = holder.guest(f.s1());
        let input = order(&key(), json!([line(f.ramen, 1)]));
        let place = |phone: Client, input: Value| tokio::spawn(async move { phone.place(input).await });
        let broken = place(phone.clone(), input.clone());
        holder.paused_at("write_orders").await?;
        // it holds the key, the table and the stock; three at the other node wait for one of them each
        let twin = place(phone.at(other.address), input);
        let neighbour = place(other.guest(f.s1()), order(&key(), json!([line(f.beer, 1)])));
        let elsewhere = place(other.guest(f.s2()), order(&key(), json!([line(f.ramen, 2)])));
        let waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        eventually("all three wait", async || Ok(db.int(waiting, []).await? == 3)).await?;
        holder.kill().await?;
        assert!(broken.await?.is_err());
        for served in [twin, neighbour, elsewhere] {
            let served = served.await??;
            served.order_id()?;
            assert!(!served.is_replay()?);
        }
        assert_eq!(
            (
                db.orders(f.s1()).await?,
                db.orders(f.s2()).await?,
                db.stock(f.ramen).await?
            ),
            (2, 1, 7)
        );
        other.kill().await
    });
}
