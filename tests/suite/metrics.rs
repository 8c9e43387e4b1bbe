//! Metrics, from outside: every answer is counted where it belongs, nothing of a tenant is in them, and they are for the inside.

use harness::client::{key, line, order};
use harness::socket::KITCHEN;
use harness::{Client, Database, Node, Process, Setup, Socket, eventually, on_both_databases};
use masterorder_server::app::Settings;
use serde_json::json;
use std::time::Duration;

async fn all(client: &Client) -> anyhow::Result<String> {
    let answer = client.request(reqwest::Method::GET, "/metrics").send().await?;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["content-type"],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    Ok(answer.text().await?)
}

async fn count(node: &Node, series: &str) -> anyhow::Result<f64> {
    node.anonymous().metric(series).await
}

/// Everything that can happen to an order once, and what it must have counted.
async fn a_day(db: &Database, node: &Node) -> anyhow::Result<()> {
    let f = &db.fixture;
    let (phone, id, cart) = (node.guest(f.s1()), key(), key());
    let mut first = order(&id, json!([line(f.ramen, 1)]));
    first["checkoutId"] = json!(cart);
    phone.place(first.clone()).await?.order_id()?;
    phone.place(first.clone()).await?.order_id()?;
    first["requestId"] = json!(key());
    phone.place(first).await?.order_id()?;
    // another table, whose device sends no checkoutId
    let beer = order(&key(), json!([line(f.beer, 1)]));
    let other = node.guest(f.s2());
    other.place(beer.clone()).await?.order_id()?;
    other.place(order(&key(), beer["lines"].clone())).await?.order_id()?;
    assert_eq!(
        phone.place(order(&id, json!([line(f.tea, 1)]))).await?.code(),
        "IDEMPOTENCY_KEY_REUSED"
    );
    let too_much = order(&key(), json!([line(f.ramen, 99)]));
    let hungry = node.guest(&f.tables[2]);
    assert_eq!(hungry.place(too_much.clone()).await?.code(), "SOLD_OUT");
    assert_eq!(hungry.place(too_much).await?.code(), "SOLD_OUT");
    let nothing = order(&key(), json!([line(uuid::Uuid::now_v7(), 1)]));
    assert_eq!(hungry.place(nothing).await?.code(), "BAD_USER_INPUT");
    let guess = hungry.with("x-session-pin", "nope");
    assert_eq!(
        guess.place(order(&key(), json!([line(f.tea, 1)]))).await?.code(),
        "UNAUTHENTICATED"
    );
    Ok(())
}

on_both_databases! {
    async fn each_answer_is_counted_where_it_belongs(db) {
        let node = db.node().await?;
        a_day(db, &node).await?;
        for (series, expected) in [
            ("masterorder_placed_total", 2.0),
            ("masterorder_replays_total{reason=\"KEY\"}", 2.0),
            ("masterorder_replays_total{reason=\"CHECKOUT\"}", 1.0),
            ("masterorder_replays_total{reason=\"PAYLOAD\"}", 1.0),
            ("masterorder_rejections_total{code=\"SOLD_OUT\"}", 1.0),
            ("masterorder_conflicts_total{code=\"IDEMPOTENCY_KEY_REUSED\"}", 1.0),
            ("masterorder_failures_total{code=\"BAD_USER_INPUT\"}", 1.0),
            ("masterorder_failures_total{code=\"INTERNAL\"}", 0.0),
            // two orders, two aliases, one rejection, one that was given back
            ("masterorder_claims_total", 6.0),
            ("masterorder_transaction_duration_seconds_count{end=\"committed\"}", 5.0),
            ("masterorder_rollbacks_total{cause=\"nothing_to_keep\"}", 1.0),
            ("masterorder_rollbacks_total{cause=\"stuck\"}", 0.0),
            ("masterorder_placement_duration_seconds_count{result=\"placed\"}", 2.0),
            ("masterorder_placement_duration_seconds_count{result=\"replayed\"}", 4.0),
            ("masterorder_wait_seconds_count{on=\"claim\"}", 6.0),
            ("masterorder_placements_in_flight", 0.0),
            ("masterorder_wrong_pins_total", 1.0),
            ("masterorder_audit_entries_dropped_total{reason=\"queue_full\"}", 0.0),
        ] {
            assert_eq!(count(&node, series).await?, expected, "{series}");
        }
        let age = "masterorder_outbox_oldest_open_event_age_seconds";
        assert!((0.0..600.0).contains(&count(&node, age).await?));
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(count(&node, age).await? > 0.0, "events are open");
        for pool in ["reader", "writer"] {
            let of = async |what: &str| {
                count(&node, &format!("masterorder_database_connections_{what}{{pool=\"{pool}\"}}")).await
            };
            let (open, idle, max) = (of("open").await?, of("idle").await?, of("max").await?);
            assert!(1.0 <= open && idle <= open && open <= max, "{pool}: {open} {idle} {max}");
        }
    }

    async fn nothing_of_a_tenant_is_in_them(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        a_day(db, &node).await?;
        let text = all(&node.anonymous()).await?;
        let secrets = [f.tenant.to_string(), f.s1().id.to_string(), f.ramen.to_string(), f.staff_key.clone()];
        for secret in secrets.iter().map(String::as_str).chain(["食堂", "Diner", "ramen", "guest-"]) {
            assert!(!text.contains(secret), "{secret} is in the metrics");
        }
        // whatever guests do, the series stay the same: nobody can make the scraper's database grow
        let series = |text: &str| text.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(series(&text), series(&all(&db.node().await?.anonymous()).await?));
    }

    async fn retries_waits_and_watchers_are_counted(db) {
        let f = &db.fixture;
        let settings = Settings { answer_budget: Duration::from_millis(1500), ..Settings::default() };
        let node = db.node_with(Setup { settings, ..Setup::default() }).await?;
        let (phone, input) = (node.guest(f.s1()), order(&key(), json!([line(f.ramen, 1)])));
        node.arm("stock=busy*2; commit=sleep:300");
        let (one, two) = futures_util::join!(phone.place(input.clone()), async {
            node.reached("stock").await?;
            phone.place(input.clone()).await
        });
        assert_eq!(one?.order_id()?, two?.order_id()?);
        assert_eq!(count(&node, "masterorder_inner_retries_total{step=\"stock\"}").await?, 2.0);
        assert_eq!(count(&node, "masterorder_rollbacks_total{cause=\"stuck\"}").await?, 2.0);
        assert_eq!(count(&node, "masterorder_wait_seconds_count{on=\"twin\"}").await?, 1.0);
        assert_eq!(count(&node, "masterorder_placed_total").await?, 1.0);
        assert_eq!(count(&node, "masterorder_replays_total{reason=\"KEY\"}").await?, 1.0);

        // told to come back, and placed in the end: both happened
        node.arm("commit=sleep:2500");
        let late = node.guest(f.s2()).place(order(&key(), json!([line(f.tea, 1)]))).await?;
        assert_eq!(late.code(), "IDEMPOTENCY_IN_PROGRESS");
        assert_eq!(count(&node, "masterorder_placements_in_flight").await?, 1.0);
        eventually("it is placed", async || Ok(count(&node, "masterorder_placed_total").await? == 2.0)).await?;
        assert_eq!(count(&node, "masterorder_conflicts_total{code=\"IDEMPOTENCY_IN_PROGRESS\"}").await?, 1.0);
        assert_eq!(count(&node, "masterorder_placements_in_flight").await?, 0.0);

        let mut board = Socket::watch(node.address, &node.key(&f.staff_key).credentials, KITCHEN).await?;
        board.news("kitchen").await?;
        for series in ["sockets_open", "subscriptions_open", "feeds_kitchen"] {
            assert_eq!(count(&node, &format!("masterorder_{series}")).await?, 1.0, "{series}");
        }
        drop(board);
        eventually("nobody watches", async || {
            let open = count(&node, "masterorder_sockets_open").await?;
            Ok(open + count(&node, "masterorder_subscriptions_open").await? == 0.0)
        })
        .await?;
    }

    async fn they_are_for_the_inside(db) {
        let process = Process::start(db, &[("MASTERORDER_METRICS_LISTEN", "127.0.0.1:0")]).await?;
        let inside = process.said_address("metrics.address")?;
        let at = |client: &Client| client.at(inside);
        assert!(all(&at(&process.anonymous())).await?.contains("masterorder_build_info{version=\""));
        let get = async |client: Client, path| {
            anyhow::Ok(client.request(reqwest::Method::GET, path).send().await?.status().as_u16())
        };
        assert_eq!(get(process.anonymous(), "/metrics").await?, 404, "they have an address of their own");
        assert_eq!(get(at(&process.anonymous()), "/graphql").await?, 404, "and nothing else is there");

        let node = db.node().await?;
        assert_eq!(get(node.anonymous(), "/metrics").await?, 200);
        for (header, value) in [
            ("x-forwarded-for", "192.0.2.7"),
            ("forwarded", "for=192.0.2.7"),
            ("x-real-ip", "192.0.2.7"),
            ("via", "1.1 proxy"),
            ("host", "shop.example"),
        ] {
            assert_eq!(get(node.anonymous().with(header, value), "/metrics").await?, 404, "{header}");
        }
    }
}
