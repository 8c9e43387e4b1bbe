//! How often a PIN may be guessed, and how many requests one caller may send.
//!
//! Without the count 10,000 PINs are tried in a minute; without the exemption whoever guesses from the pavement locks the party
//! at the table out of its own orders.

use anyhow::{Result, ensure};
use futures_util::future::{join_all, try_join_all};
use harness::client::{key, line, order};
use harness::{Client, Database, Node, Reply, Setup, Socket, Table, eventually, on_both_databases};
use masterorder_server::app::RateLimits;
use serde_json::json;

/// A node behind a proxy: a test says where a request comes from.
async fn behind_a_proxy(db: &Database) -> Result<Node> {
    let mut setup = Setup::manual_clock();
    setup.settings.trusted_proxies = vec!["127.0.0.0/8".parse()?];
    db.node_with(setup).await
}

fn from(client: &Client, address: &str) -> Client {
    client.with("x-forwarded-for", address)
}

/// PINs that are wrong at this table.
fn wrong_pins(table: &Table) -> impl Iterator<Item = String> {
    let right = table.pin.clone();
    (0..10_000).map(|n| format!("{n:04}")).filter(move |pin| *pin != right)
}

async fn ask(client: &Client) -> Result<Reply> {
    client.send("{ shop { id } }", json!({})).await
}

/// Guesses in turn, each with a phone of its own. Answers how many were looked at before the first refusal.
async fn guesses_until_locked(node: &Node, table: &Table, address: &str) -> Result<usize> {
    for (tried, pin) in wrong_pins(table).take(100).enumerate() {
        let reply = ask(&from(&node.guest(table).with("x-session-pin", &pin), address)).await?;
        match reply.code().as_str() {
            "UNAUTHENTICATED" => {}
            "RATE_LIMITED" => return Ok(tried),
            other => anyhow::bail!("{other}: {}", reply.body),
        }
    }
    anyhow::bail!("never locked")
}

fn is_locked_for(reply: &Reply, seconds: i64) -> Result<()> {
    let after = reply.headers.get("retry-after").and_then(|value| value.to_str().ok());
    let said = (
        reply.status,
        reply.code(),
        reply.retry_after_ms(),
        after.and_then(|text| text.parse().ok()),
    );
    ensure!(
        said == (429, "RATE_LIMITED".into(), Some(seconds * 1_000), Some(seconds)),
        "{said:?}: {}",
        reply.body
    );
    ensure!(reply.is_retryable(), "{}", reply.body);
    Ok(())
}

on_both_databases! {
    /// AC-201.
    async fn five_wrong_pins_lock_the_address_and_the_right_one_is_not_looked_at(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        let seated = from(&node.guest(f.s1()), "192.0.2.1");
        seated.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        assert_eq!(guesses_until_locked(&node, f.s1(), "192.0.2.1").await?, 5);
        let newcomer = from(&node.guest(f.s1()), "192.0.2.1");
        is_locked_for(&ask(&newcomer).await?, 60)?;
        let refused = newcomer.place(order(&key(), json!([line(f.beer, 1)]))).await?;
        is_locked_for(&refused, 60)?;
        // who sits there already does not notice, and nobody else does either
        seated.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        assert_eq!(ask(&from(&node.guest(f.s1()), "192.0.2.2")).await?.status, 200);
        assert_eq!(ask(&from(&node.guest(f.s2()), "192.0.2.1")).await?.status, 200);
        // the lock ends, and the next one is longer
        node.clock.advance(59_999);
        assert_eq!(ask(&newcomer).await?.code(), "RATE_LIMITED");
        node.clock.advance(1);
        assert_eq!(ask(&newcomer).await?.status, 200);
        assert_eq!(guesses_until_locked(&node, f.s1(), "192.0.2.1").await?, 5);
        is_locked_for(&ask(&from(&node.guest(f.s1()), "192.0.2.1")).await?, 120)?;
        assert_eq!(db.orders(f.s1()).await?, 2);
    }

    /// AC-167: the credentials come once per request, and hundreds of requests at once are counted one by one.
    async fn guesses_at_the_same_time_are_counted_one_by_one(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        let pins: Vec<String> = wrong_pins(f.s1()).take(60).collect();
        let replies = try_join_all(pins.iter().map(|pin| {
            let guesser = from(&node.guest(f.s1()).with("x-session-pin", pin), "192.0.2.1");
            async move { ask(&guesser).await }
        }))
        .await?;
        let count = |code: &str| replies.iter().filter(|reply| reply.code() == code).count();
        assert_eq!((count("UNAUTHENTICATED"), count("RATE_LIMITED")), (5, 55));
    }

    async fn sockets_are_counted_too(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        for pin in wrong_pins(f.s1()).take(5) {
            let guesser = node.guest(f.s1()).with("x-session-pin", &pin);
            assert!(Socket::welcome(guesser.address, &guesser.credentials).await.is_err());
        }
        let newcomer = node.guest(f.s1());
        assert_eq!(ask(&newcomer).await?.code(), "RATE_LIMITED");
        assert!(Socket::welcome(newcomer.address, &newcomer.credentials).await.is_err());
    }

    async fn many_addresses_together_lock_the_table_for_newcomers(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        let seated = from(&node.guest(f.s1()), "192.0.2.1");
        assert_eq!(ask(&seated).await?.status, 200);
        for n in 0..5 {
            for pin in wrong_pins(f.s1()).take(4) {
                let guesser = node.guest(f.s1()).with("x-session-pin", &pin);
                assert_eq!(ask(&from(&guesser, &format!("198.51.100.{n}"))).await?.code(), "UNAUTHENTICATED");
            }
        }
        assert_eq!(ask(&from(&node.guest(f.s1()), "203.0.113.1")).await?.code(), "RATE_LIMITED");
        assert_eq!(ask(&seated).await?.status, 200);
        // an address is what a trusted proxy says, whatever a caller wrote in front of it
        assert_eq!(ask(&from(&node.guest(f.s2()), "10.9.9.9, 203.0.113.1")).await?.status, 200);
    }

    /// A device that gave the right PIN once is known at every node, also after its node is gone.
    async fn a_seat_is_remembered_by_the_database(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        let seated = node.guest(f.s1());
        assert_eq!(ask(&seated).await?.status, 200);
        eventually("the seat is written", async || Ok(db.rows("seated_devices").await? == 1)).await?;
        node.stop().await?;
        let other = behind_a_proxy(db).await?;
        assert_eq!(guesses_until_locked(&other, f.s1(), "127.0.0.1").await?, 5);
        assert_eq!(ask(&seated.at(other.address)).await?.status, 200);
        assert_eq!(ask(&other.guest(f.s1())).await?.code(), "RATE_LIMITED");
        // a seat is one device's, at one table, and no reason to skip the PIN
        assert_eq!(ask(&seated.at(other.address).with("x-session-pin", "x")).await?.code(), "RATE_LIMITED");
    }

    /// AC-203: a shared Wi-Fi is one address.
    async fn a_full_house_behind_one_address_orders_while_one_phone_guesses(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        let tables = db.more_tables(12).await?;
        db.set_policy("content_window_ms = 0").await?;
        let guests: Vec<Client> = tables.iter().flat_map(|table| (0..5).map(|_| from(&node.guest(table), "192.0.2.1"))).collect();
        assert_eq!(guesses_until_locked(&node, f.s1(), "192.0.2.1").await?, 5);
        let placed = join_all(guests.iter().map(|guest| guest.place(order(&key(), json!([line(f.tea, 1)]))))).await;
        for reply in placed {
            reply?.order_id()?;
        }
        assert_eq!(db.all_orders().await?, 60);
    }

    async fn old_guesses_are_forgotten(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        assert_eq!(guesses_until_locked(&node, f.s1(), "192.0.2.1").await?, 5);
        for (hours, left) in [(23, 2), (2, 0)] {
            node.clock.advance(hours * 3_600_000);
            masterorder_server::tables::guessing::forget(&node.app).await?;
            assert_eq!(db.rows("pin_guesses").await?, left, "{hours}");
        }
    }

    async fn who_sat_at_a_table_is_forgotten_when_nobody_may_read_it_any_more(db) {
        let (node, f) = (behind_a_proxy(db).await?, &db.fixture);
        for table in [f.s1(), f.s2()] {
            assert_eq!(ask(&node.guest(table)).await?.status, 200);
        }
        eventually("both are written", async || Ok(db.rows("seated_devices").await? == 2)).await?;
        let paid = "mutation($id: ID!) { checkout(tableSessionId: $id) { __typename } }";
        let paid = node.key(&f.staff_key).send(paid, json!({ "id": f.s1().id })).await?;
        assert!(paid.body.get("errors").is_none(), "{}", paid.body);
        for (hours, left) in [(23, 2), (2, 1), (24 * 365, 1)] {
            node.clock.advance(hours * 3_600_000);
            masterorder_server::tables::guessing::forget(&node.app).await?;
            assert_eq!(db.rows("seated_devices").await?, left, "{hours}");
        }
    }

    async fn whoever_sends_too_much_is_told_when_to_come_back_and_nobody_else_is(db) {
        let f = &db.fixture;
        let mut setup = Setup::default();
        setup.settings.rate_limits = RateLimits { per_guest: 1, per_key: 2, per_address: 1 };
        let node = db.node_with(setup).await?;
        for (caller, allowed) in [(node.guest(f.s1()), 10), (node.key(&f.staff_key), 20), (node.anonymous(), 10)] {
            let replies = try_join_all((0..60).map(|_| caller.send("{ __typename }", json!({})))).await?;
            let (fine, limited): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 200);
            // some seconds may have passed meanwhile
            assert!((allowed..allowed + 12).contains(&fine.len()), "{} of {allowed}", fine.len());
            for reply in limited {
                assert_eq!((reply.status, reply.code().as_str()), (429, "RATE_LIMITED"));
                let after_ms = reply.retry_after_ms().unwrap_or_default();
                assert!((1..=1_000).contains(&after_ms) && reply.headers["retry-after"] == "1", "{}", reply.body);
            }
        }
        // a limit is nobody's but one's own
        let replies = try_join_all((0..3).map(|_| async { ask(&node.guest(f.s1())).await })).await?;
        assert!(replies.iter().all(|reply| reply.status == 200));
        node.key(&f.integrator_key).send("{ shop { id } }", json!({})).await?;
    }

    /// Keys that are made up are counted by address, whatever they are.
    async fn strangers_are_counted_together(db) {
        let mut setup = Setup::default();
        setup.settings.rate_limits = RateLimits { per_address: 1, ..RateLimits::NONE };
        let node = db.node_with(setup).await?;
        let replies = join_all((0..40).map(|n| {
            let stranger = node.key(&format!("mo_live_{n:032}"));
            async move { ask(&stranger).await }
        }))
        .await;
        let mut limited = 0;
        for reply in replies {
            match reply?.code().as_str() {
                "UNAUTHENTICATED" => {}
                "RATE_LIMITED" => limited += 1,
                other => anyhow::bail!("{other}"),
            }
        }
        assert!(limited >= 20, "{limited}");
        assert_eq!(ask(&node.guest(db.fixture.s1())).await?.status, 200, "who has a PIN is no stranger");
    }
}
