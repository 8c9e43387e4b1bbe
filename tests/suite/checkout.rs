//! The checkout rule: a cart is placed once, whatever key it comes under.
//!
//! The race: two tabs confirm one cart at the same moment, each with a key of its own. At one table the second waits for the
//! lock and finds the order behind it; at two tables there is no common lock, both see nothing, and only the unique index on
//! `(tenant_id, checkout_id)` keeps the second order out. Its violation is no failure: the transaction is run again and finds
//! the order.

use anyhow::{Result, bail, ensure};
use futures_util::future::try_join_all;
use harness::client::{Client, K1, K2, key, line, order};
use harness::database::{Backend, run};
use harness::{Node, Reply, Setup, Table, on_both_databases};
use sea_orm::{ConnectionTrait, TransactionTrait};
use serde_json::{Value, json};
use uuid::Uuid;

on_both_databases! {
    /// The order stands: no gate may keep its guest from hearing so.
    async fn a_placed_cart_is_replayed_before_every_gate(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let ask = of_cart(Uuid::new_v4(), json!([line(f.ramen, 2)]));
        let first = guest.place(ask(K1)).await?;
        let (id, receipt) = (first.order_id()?, &first.result()?["receipt"]);
        assert!(!first.is_replay()?);
        let again = async |client: &Client, input: Value| -> Result<()> {
            let reply = client.place(input).await?;
            is_alias(&reply, &id)?;
            assert_eq!(&reply.result()?["receipt"], receipt);
            Ok(())
        };
        again(&guest, ask(K2)).await?;
        again(&node.guest(f.s1()), ask(&key())).await?;
        let mut other_total = ask(&key());
        other_total["expectedTotal"] = json!({ "amountMinor": 1, "currency": "JPY" });
        again(&guest, other_total).await?;
        let mut upper = ask(&key());
        upper["checkoutId"] = json!(upper["checkoutId"].as_str().unwrap_or_default().to_uppercase());
        again(&guest, upper).await?;
        db.set_stock(f.ramen, 0).await?;
        again(&guest, ask(&key())).await?;
        node.clock.advance(3_600_000);
        again(&guest, ask(&key())).await?;
        db.change_menu("UPDATE menu_items SET archived = TRUE WHERE id = ?", [f.ramen.into()]).await?;
        again(&guest, ask(&key())).await?;
        db.close(f.s1(), node.clock.now_ms()).await?;
        let last = key();
        again(&node.guest(f.s1()), ask(&last)).await?;

        assert_eq!(db.orders(f.s1()).await?, 1);
        assert_eq!((db.rows("kitchen_tickets").await?, db.rows("outbox_events").await?), (1, 1));
        // and an alias is stored like any outcome
        let retry = guest.place(ask(&last)).await?;
        assert_eq!((retry.order_id()?, &retry.result()?["replayReason"]), (id.clone(), &json!("KEY")));
        let aliases = "SELECT count(*) FROM idempotency_requests WHERE outcome_kind = 'ALIAS'";
        assert_eq!(db.int(aliases, []).await?, 8);
    }

    async fn a_cancelled_order_still_holds_its_cart(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let ask = of_cart(Uuid::new_v4(), json!([line(f.ramen, 1)]));
        let id = guest.place(ask(K1)).await?.order_id()?;
        guest.cancel(&id).await?;
        is_alias(&guest.place(ask(K2)).await?, &id)?;
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (1, 10));
    }

    async fn other_content_of_a_placed_cart_is_refused_with_its_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let cart = Uuid::new_v4();
        let base = of_cart(cart, json!([line(f.ramen, 1)]));
        let first = guest.place(base(K1)).await?.order_id()?;
        let before = db.census().await?;
        let mut noted = base(K2);
        noted["note"] = json!("急ぎで");
        let mut line_noted = base(K2);
        line_noted["lines"][0]["note"] = json!("硬め");
        let less = of_cart(cart, json!([line(f.beer, 1)]))(K2);
        let more = of_cart(cart, json!([line(f.ramen, 1), line(f.beer, 1)]))(K2);
        let mut confirmed = more.clone();
        confirmed["confirmDuplicateOf"] = json!(first);
        for input in [noted, line_noted, less.clone(), more, confirmed] {
            for client in [&guest, &node.guest(f.s1())] {
                is_refused(&client.place(input.clone()).await?, Some(&first))?;
            }
        }
        assert_eq!(db.census().await?, before);
        // nothing was stored: the key goes on with a cart of its own
        let mut rest = less;
        rest["checkoutId"] = json!(Uuid::new_v4());
        let placed = guest.place(rest).await?;
        assert_eq!((placed.code().as_str(), placed.is_replay()?), ("PLACED", false));
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (2, 9));
    }

    /// Who may not read the order learns that the cart is placed, and nothing of the order.
    async fn a_cart_of_another_table_is_refused_without_its_order(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let ask = of_cart(Uuid::new_v4(), json!([line(f.ramen, 1)]));
        let id = node.guest(f.s1()).place(ask(K1)).await?.order_id()?;
        let before = db.census().await?;
        let foreign = node.guest(f.s2()).place(ask(K2)).await?;
        is_refused(&foreign, None)?;
        let text = foreign.body.to_string();
        assert!(!text.contains(&id) && !text.contains(K1) && !text.contains(&f.s1().id.to_string()), "{text}");
        // staff and integrators may read every order of the shop
        for client in [node.key(&f.staff_key), node.key(&f.integrator_key)] {
            let mut input = ask(K2);
            input["tableSessionId"] = json!(f.s2().id);
            is_refused(&client.place(input).await?, Some(&id))?;
        }
        assert_eq!(db.census().await?, before);
        // a cart belongs to its tenant
        let mut elsewhere = ask(K2);
        elsewhere["lines"] = json!([line(f.other_soup, 1)]);
        let other = node.guest(&f.other_table).place(elsewhere).await?;
        assert_eq!((other.code().as_str(), other.is_replay()?), ("PLACED", false));
        assert_eq!((db.orders(f.s1()).await?, db.orders(f.s2()).await?, db.orders(&f.other_table).await?), (1, 0, 1));
    }

    /// The waiter carries the guest's cart to the kitchen: it is the same cart.
    async fn a_cart_may_be_confirmed_by_staff_for_the_same_table(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let ask = of_cart(Uuid::new_v4(), json!([line(f.ramen, 1)]));
        let id = node.guest(f.s1()).place(ask(K1)).await?.order_id()?;
        for key_text in [&f.staff_key, &f.integrator_key] {
            let mut input = ask(&key());
            input["tableSessionId"] = json!(f.s1().id);
            is_alias(&node.key(key_text).place(input).await?, &id)?;
        }
        assert_eq!(db.all_orders().await?, 1);
    }

    /// Both nodes look for the cart before either has placed it, and meet at the lock of the table session.
    async fn two_keys_with_one_cart_at_one_table_place_one_order(db) {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        for table in &f.tables[..2] {
            nodes.iter().for_each(|node| node.arm("read=sleep:200"));
            let phone = nodes[0].guest(table);
            let phones = [phone.clone(), phone.at(nodes[1].address), nodes[1].guest(table)];
            let ask = of_cart(Uuid::new_v4(), json!([line(f.beer, 1)]));
            let replies = try_join_all(phones.iter().map(|phone| phone.place(ask(&key())))).await?;
            let (first, others) = one_is_first(&replies)?;
            for other in others {
                is_alias(other, &first)?;
            }
            assert_eq!(db.orders(table).await?, 1);
        }
        assert_eq!((db.stock(f.beer).await?, db.rows("idempotency_requests").await?), (8, 6));
    }

    /// Two tables have no lock in common: both are past every look-up when the first writes its order. No answer may be
    /// a failure: the second transaction is run again by itself.
    async fn two_keys_with_one_cart_at_two_tables_place_one_order(db) {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        for secret in [&f.staff_key, &f.integrator_key] {
            let carts = db.rows("orders").await?;
            nodes.iter().for_each(|node| node.arm("stock=sleep:250"));
            let ask = of_cart(Uuid::new_v4(), json!([line(f.tea, 1)]));
            let keys = [key(), key()];
            let at = async |node: &Node, table: &Table, key: &str| {
                let mut input = ask(key);
                input["tableSessionId"] = json!(table.id);
                node.key(secret).place(input).await
            };
            let (one, other) = tokio::join!(at(&nodes[0], f.s1(), &keys[0]), at(&nodes[1], f.s2(), &keys[1]));
            let replies = [one?, other?];
            let (first, others) = one_is_first(&replies)?;
            is_refused(others[0], Some(&first))?;
            assert_eq!(db.rows("orders").await?, carts + 1);
            // the refused key is as free as before
            assert_eq!(db.claims(&keys[0]).await? + db.claims(&keys[1]).await?, 1);
        }
        assert_eq!((db.rows("kitchen_tickets").await?, db.rows("outbox_events").await?), (2, 2));
    }
}

/// On PostgreSQL only, where another placement can hold the table: who asks about a placed cart waits for nobody.
#[test]
fn a_placed_cart_is_replayed_without_waiting_for_its_table() {
    run(
        Backend::Postgres,
        "a_placed_cart_is_replayed_without_waiting_for_its_table",
        async |db| {
            let f = &db.fixture;
            db.set_policy("wait_bound_ms = 200").await?;
            let node = db.node().await?;
            let guest = node.guest(f.s1());
            let cart = Uuid::new_v4();
            let ask = of_cart(cart, json!([line(f.ramen, 1)]));
            let id = guest.place(ask(K1)).await?.order_id()?;
            let other = db.sql.begin().await?;
            other
                .execute_unprepared(&format!(
                    "SELECT id FROM table_sessions WHERE id = '{}' FOR UPDATE",
                    f.s1().id
                ))
                .await?;
            is_alias(&guest.place(ask(&key())).await?, &id)?;
            is_refused(
                &guest.place(of_cart(cart, json!([line(f.beer, 1)]))(K2)).await?,
                Some(&id),
            )?;
            assert_eq!(
                guest.place(order(&key(), json!([line(f.beer, 1)]))).await?.code(),
                "SESSION_BUSY",
                "the table is held"
            );
            other.rollback().await?;
            assert_eq!(db.all_orders().await?, 1);
            Ok(())
        },
    );
}

/// Orders of one cart under any key.
fn of_cart(cart: Uuid, lines: Value) -> impl Fn(&str) -> Value {
    move |key| {
        let mut input = order(key, lines.clone());
        input["checkoutId"] = json!(cart);
        input
    }
}

fn is_alias(reply: &Reply, order: &str) -> Result<()> {
    ensure!(
        reply.code() == "PLACED" && reply.is_replay()? && reply.has_replay_header(),
        "no replay: {}",
        reply.body
    );
    let result = reply.result()?;
    ensure!(
        result["replayReason"] == "CHECKOUT" && result["receipt"]["orderId"] == order,
        "{order}: {result}"
    );
    Ok(())
}

/// `CHECKOUT_ALREADY_PLACED`, with this order or without any.
fn is_refused(reply: &Reply, order: Option<&str>) -> Result<()> {
    let result = reply.result()?;
    ensure!(
        reply.code() == "CHECKOUT_ALREADY_PLACED"
            && result["status"] == 409
            && result["retryable"] == false
            && result["retryWithNewRequestId"] == false
            && result["order"]["id"].as_str() == order
            && !reply.has_replay_header(),
        "the cart was to be refused with {order:?}: {}",
        reply.body
    );
    Ok(())
}

/// The order of the only first answer, and the other answers.
fn one_is_first(replies: &[Reply]) -> Result<(String, Vec<&Reply>)> {
    let is_first = |r: &&Reply| r.code() == "PLACED" && !r.has_replay_header();
    let (first, others): (Vec<&Reply>, Vec<&Reply>) = replies.iter().partition(is_first);
    match &first[..] {
        [first] => Ok((first.order_id()?, others)),
        _ => bail!("one is the first and the others are not: {replies:?}"),
    }
}
