//! The content window (accident B): every tap mints a key of its own, and the keys are no help.
//!
//! The race: two taps with two keys meet at the lock of their table session. The second reads what was ordered only after the
//! lock was granted; a read that starts before sees the table as it was, misses the first order, and the kitchen gets two
//! tickets. The other danger is to catch too much: nobody's second beer is dropped in silence.

use anyhow::{Result, ensure};
use futures_util::future::try_join_all;
use harness::client::{Client, K1, K2, key, line, line_with, order};
use harness::{Reply, Setup, Table, on_both_databases};
use serde_json::{Value, json};
use uuid::Uuid;

on_both_databases! {
    /// The table of the contract, with every combination of carts, devices, notes and standing.
    async fn every_row_of_the_table_holds(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let rows = rows();
        let tables = db.more_tables(rows.len()).await?;
        for (row, table) in rows.iter().zip(&tables) {
            let guest = node.guest(table);
            let ask = |cart: Option<Uuid>, notes: Notes| {
                let mut input = order(&key(), json!([line(f.rice, 1)]));
                input["checkoutId"] = json!(cart);
                input["note"] = json!((notes == Notes::OfTheOrder).then_some("早めに"));
                input["lines"][0]["note"] = json!((notes == Notes::OfALine).then_some("大盛り"));
                input
            };
            let first = guest.place(ask(row.carts.0, Notes::Same)).await?.order_id()?;
            node.clock.advance(1_000);
            let stand = "UPDATE orders SET status = ? WHERE table_session_id = ?";
            if row.pending {
                db.execute(stand, ["PENDING".into(), table.id.into()]).await?;
            }
            let second = ask(row.carts.1, row.notes);
            let other_phone = node.guest(table);
            let reply = if row.same_device { &guest } else { &other_phone }.place(second.clone()).await?;
            db.execute(stand, ["PLACED".into(), table.id.into()]).await?;

            let remembered = match row.answer() {
                Answer::Replay(reason) => {
                    is_alias(&reply, &first, reason)?;
                    1
                }
                Answer::Conflict(code) => {
                    assert_eq!(reply.code(), code, "{row:?}");
                    assert_eq!((reply.is_replay()?, reply.has_replay_header()), (false, false), "{row:?}");
                    match code {
                        "POSSIBLE_DUPLICATE" => names(&reply, &first, 1_000)?,
                        "DUPLICATE_PAYLOAD" => assert!(reply.is_retryable() && reply.retry_after_ms() > Some(0)),
                        _ => assert_eq!(reply.result()?["order"]["id"], first),
                    }
                    0
                }
            };
            assert_eq!(db.claims(second["requestId"].as_str().unwrap_or_default()).await?, remembered, "{row:?}");
            assert_eq!(db.orders(table).await?, 1, "{row:?}");
        }
    }

    /// AC-008, and the chain behind it: the alias is stored, so that its own retry replays when the window has passed.
    async fn the_retry_of_a_second_tap_replays_after_the_window(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let tap = |key: &str| guest.place(order(key, json!([line(f.ramen, 1)])));
        let first = tap(K1).await?.order_id()?;
        node.clock.advance(1_000);
        is_alias(&tap(K2).await?, &first, "PAYLOAD")?;
        node.clock.advance(39_000);
        is_alias(&tap(K2).await?, &first, "KEY")?;
        let kinds = "SELECT count(*) FROM idempotency_requests WHERE outcome_kind = ?";
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (1, 9));
        assert_eq!((db.int(kinds, ["PLACED".into()]).await?, db.int(kinds, ["ALIAS".into()]).await?), (1, 1));
        assert_eq!(guest.place(order(K2, json!([line(f.ramen, 2)]))).await?.code(), "IDEMPOTENCY_KEY_REUSED");
        // the window is the order's: an alias does not make it longer
        is_first(&tap(&key()).await?)?;
        assert_eq!(db.stock(f.ramen).await?, 8);
    }

    /// AC-009.
    async fn the_window_ends_to_the_millisecond(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let ages = [(30_000, 0, true), (30_000, 29_999, true), (30_000, 30_000, false), (30_000, 31_000, false),
            (5_000, 4_999, true), (5_000, 5_000, false), (0, 0, false)];
        for ((window_ms, age_ms, caught), table) in ages.into_iter().zip(&f.tables) {
            db.set_policy(&format!("content_window_ms = {window_ms}")).await?;
            let guest = node.guest(table);
            let beer = || guest.place(order(&key(), json!([line(f.beer, 1)])));
            let first = beer().await?.order_id()?;
            node.clock.advance(age_ms);
            let second = beer().await?;
            if caught {
                is_alias(&second, &first, "PAYLOAD")?;
            } else {
                is_first(&second)?;
            }
            assert_eq!(db.orders(table).await?, if caught { 1 } else { 2 }, "{age_ms} of {window_ms} ms");
            db.set_stock(f.beer, 10).await?;
        }
    }

    async fn other_content_and_other_tables_are_never_caught(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let orders = [
            json!([line(f.ramen, 1)]),
            json!([line(f.ramen, 2)]),
            json!([line_with(f.ramen, 1, &[f.egg])]),
            json!([line_with(f.ramen, 1, &[f.nori])]),
            json!([line_with(f.ramen, 1, &[f.egg, f.egg])]),
            json!([line(f.ramen, 1), line(f.beer, 1)]),
            json!([line(f.beer, 1)]),
        ];
        for lines in &orders {
            is_first(&guest.place(order(&key(), lines.clone())).await?)?;
        }
        is_first(&node.guest(f.s2()).place(order(&key(), orders[0].clone())).await?)?;
        // the same content in another spelling is caught all the same
        let swapped = json!([line(f.beer, 1), line(f.ramen, 1)]);
        assert_eq!(guest.place(order(&key(), swapped)).await?.result()?["replayReason"], "PAYLOAD");
        // and so is one that only a line's note takes apart: that is asked, because something else was said
        let mut spicy = line(f.ramen, 1);
        spicy["note"] = json!("辛め");
        let asked = guest.place(order(&key(), json!([spicy, line(f.ramen, 1)]))).await?;
        assert_eq!(asked.code(), "POSSIBLE_DUPLICATE");
        assert_eq!((db.orders(f.s1()).await?, db.orders(f.s2()).await?), (7, 1));
    }

    async fn a_cancelled_order_is_no_reason_to_ask(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let ask = |confirm: Option<&str>| {
            let mut input = order(&key(), json!([line(f.ramen, 1)]));
            input["confirmDuplicateOf"] = json!(confirm);
            input
        };
        let cancelled = guest.place(ask(None)).await?.order_id()?;
        guest.cancel(&cancelled).await?;
        let stands = guest.place(ask(None)).await?;
        is_first(&stands)?;
        let stands = stands.order_id()?;
        // behind a cancelled order, the older one that stands is the one
        node.clock.advance(1_000);
        let newest = guest.place(ask(Some(&stands))).await?;
        is_first(&newest)?;
        guest.cancel(&newest.order_id()?).await?;
        is_alias(&guest.place(ask(None)).await?, &stands, "PAYLOAD")?;
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.ramen).await?), (3, 9));
    }

    async fn a_confirmed_duplicate_is_one_more_order_and_no_second_one(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let (anna, ben) = (node.guest(f.s1()), node.guest(f.s1()));
        let beer = |key: &str, confirm: Option<&str>| {
            let mut input = order(key, json!([line(f.beer, 1)]));
            input["confirmDuplicateOf"] = json!(confirm);
            input
        };
        let first = anna.place(beer(K1, None)).await?.order_id()?;
        node.clock.advance(2_000);
        names(&ben.place(beer(K2, None)).await?, &first, 2_000)?;
        // the answer stored nothing: the same key goes on, and a second thumb changes nothing
        assert_eq!(db.claims(K2).await?, 0);
        let replies = try_join_all((0..5).map(|_| ben.place(beer(K2, Some(&first))))).await?;
        let second = replies[0].order_id()?;
        assert_eq!(replies.iter().filter(|r| is_first(r).is_ok()).count(), 1);
        for reply in &replies {
            assert_eq!(reply.order_id()?, second);
        }
        is_alias(&ben.place(beer(K2, None)).await?, &second, "KEY")?;
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.beer).await?), (2, 8));

        // who knows of the first only is asked about the second, whatever the device
        let third = key();
        for device in [&anna, &ben] {
            names(&device.place(beer(&third, Some(&first))).await?, &second, 0)?;
        }
        assert_eq!(db.claims(&third).await?, 0);
        is_first(&anna.place(beer(&third, Some(&second))).await?)?;
        // who thought about it until the window was over is not told that there is no such order
        node.clock.advance(31_000);
        is_first(&anna.place(beer(&key(), Some(&second))).await?)?;
        assert_eq!((db.orders(f.s1()).await?, db.stock(f.beer).await?), (4, 6));
    }

    async fn only_an_order_of_the_own_table_session_can_be_confirmed(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let guest = node.guest(f.s1());
        let soup = node.guest(&f.other_table).place(order(&key(), json!([line(f.other_soup, 1)]))).await?.order_id()?;
        let beer = order(&key(), json!([line(f.beer, 1)]));
        let other_table = node.guest(f.s2()).place(beer.clone()).await?.order_id()?;
        let own = guest.place(order(K1, beer["lines"].clone())).await?.order_id()?;
        let before = db.census().await?;
        let mut messages = Vec::new();
        for foreign in [other_table, soup, Uuid::now_v7().to_string()] {
            let mut input = order(K2, beer["lines"].clone());
            input["confirmDuplicateOf"] = json!(foreign);
            let refused = guest.place(input).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT");
            assert!(refused.error().starts_with("confirmDuplicateOf: "), "{}", refused.error());
            messages.push(refused.error());
        }
        messages.dedup();
        assert_eq!(messages.len(), 1, "an order of others looks like none at all: {messages:?}");
        assert_eq!(db.census().await?, before);
        names(&node.guest(f.s1()).place(order(K2, beer["lines"].clone())).await?, &own, 0)?;
    }

    /// A double click in the playground has no key. One with a key knows what it does; integrators always do.
    async fn staff_without_a_key_are_caught_and_those_with_one_are_not(db) {
        let f = &db.fixture;
        let node = db.node_with(Setup::manual_clock()).await?;
        let staff = node.key(&f.staff_key);
        let ask = |table: &Table, key: Option<String>| {
            json!({ "requestId": key, "tableSessionId": table.id, "lines": [line(f.beer, 1)] })
        };
        let clicks = try_join_all((0..5).map(|_| staff.place(ask(f.s1(), None)))).await?;
        let first = clicks[0].order_id()?;
        for click in &clicks {
            assert_eq!(click.order_id()?, first);
        }
        assert_eq!((db.orders(f.s1()).await?, db.rows("idempotency_requests").await?), (1, 5));
        // another device with the same key, with a client id or another one
        let device = |id: Uuid| staff.with("x-masterorder-client-id", &format!("guest-{id}"));
        names(&device(Uuid::new_v4()).place(ask(f.s1(), None)).await?, &first, 0)?;
        let tablet = device(Uuid::new_v4());
        let second = tablet.place(ask(f.s2(), None)).await?.order_id()?;
        is_alias(&tablet.place(ask(f.s2(), None)).await?, &second, "PAYLOAD")?;
        names(&device(Uuid::new_v4()).place(ask(f.s2(), None)).await?, &second, 0)?;
        names(&staff.place(ask(f.s2(), None)).await?, &second, 0)?;
        node.clock.advance(30_000);
        is_first(&staff.place(ask(f.s1(), None)).await?)?;

        let before = (db.orders(&f.tables[2]).await?, db.stock(f.beer).await?);
        for client in [&staff, &node.key(&f.integrator_key)] {
            for _ in 0..2 {
                is_first(&client.place(ask(&f.tables[2], Some(key()))).await?)?;
            }
        }
        assert_eq!((db.orders(&f.tables[2]).await?, db.stock(f.beer).await?), (before.0 + 4, before.1 - 4));
        // and a guest is asked about what they ordered for the table
        let asked = node.guest(&f.tables[2]).place(order(&key(), json!([line(f.beer, 1)]))).await?;
        assert_eq!(asked.code(), "POSSIBLE_DUPLICATE");
    }

    async fn a_guest_must_say_which_device_asks(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let nameless = node.guest(f.s1()).without("x-masterorder-client-id");
        let refused = nameless.place(order(K1, json!([line(f.beer, 1)]))).await?;
        assert_eq!(refused.code(), "BAD_USER_INPUT");
        assert!(refused.error().contains("X-MasterOrder-Client-Id"), "{}", refused.error());
        assert_eq!(db.all_orders().await?, 0);
    }

    /// Two taps with two keys on two nodes: the first to get the lock is held there until the other one waits for it.
    async fn taps_that_meet_at_the_lock_place_one_order(db) {
        let f = &db.fixture;
        let nodes = [db.node().await?, db.node().await?];
        for (same_device, table) in [(true, f.s1()), (false, f.s2())] {
            let one = nodes[0].guest(table);
            let other = if same_device { one.at(nodes[1].address) } else { nodes[1].guest(table) };
            nodes.iter().for_each(|node| node.arm("read=sleep:250"));
            let tap = |client| Client::place(client, order(&key(), json!([line(f.beer, 1)])));
            let replies = try_join_all([tap(&one), tap(&other)]).await?;
            let (first, second): (Vec<&Reply>, Vec<&Reply>) = replies.iter().partition(|r| is_first(r).is_ok());
            let ([first], [second]) = (&first[..], &second[..]) else {
                anyhow::bail!("one is the first and one is not: {replies:?}");
            };
            if same_device {
                is_alias(second, &first.order_id()?, "PAYLOAD")?;
            } else {
                assert_eq!(second.code(), "POSSIBLE_DUPLICATE");
                assert_eq!(second.result()?["order"]["id"], first.order_id()?);
            }
            assert_eq!(db.orders(table).await?, 1);
        }
        assert_eq!(db.stock(f.beer).await?, 8);
    }
}

/// What the second request says beside its content; the first says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notes {
    Same,
    OfTheOrder,
    OfALine,
}

#[derive(Debug)]
struct Row {
    carts: (Option<Uuid>, Option<Uuid>),
    same_device: bool,
    notes: Notes,
    pending: bool,
}

#[derive(Debug)]
enum Answer {
    Replay(&'static str),
    Conflict(&'static str),
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for carts in 0..5 {
        for (same_device, notes) in [true, false]
            .into_iter()
            .flat_map(|same_device| [Notes::Same, Notes::OfTheOrder, Notes::OfALine].map(|notes| (same_device, notes)))
        {
            for pending in [false, true] {
                let cart = Some(Uuid::new_v4());
                let carts = match carts {
                    0 => (cart, cart),
                    1 => (cart, Some(Uuid::new_v4())),
                    2 => (cart, None),
                    3 => (None, cart),
                    _ => (None, None),
                };
                // the cart of a pending order answers OrderPending, which is not built yet
                if !(pending && carts.0.is_some() && carts.0 == carts.1) {
                    rows.push(Row {
                        carts,
                        same_device,
                        notes,
                        pending,
                    });
                }
            }
        }
    }
    rows
}

impl Row {
    /// The table as it is written in the contract, row by row.
    fn answer(&self) -> Answer {
        let same_notes = self.notes == Notes::Same;
        match (self.carts, self.same_device) {
            ((Some(one), Some(other)), _) if one == other && same_notes => Answer::Replay("CHECKOUT"),
            ((Some(one), Some(other)), _) if one == other => Answer::Conflict("CHECKOUT_ALREADY_PLACED"),
            ((Some(_), Some(_)), _) => Answer::Conflict("POSSIBLE_DUPLICATE"),
            (_, true) if self.pending => Answer::Conflict("DUPLICATE_PAYLOAD"),
            (_, true) if same_notes => Answer::Replay("PAYLOAD"),
            (_, true) => Answer::Conflict("POSSIBLE_DUPLICATE"),
            (_, false) => Answer::Conflict("POSSIBLE_DUPLICATE"),
        }
    }
}

fn is_first(reply: &Reply) -> Result<()> {
    ensure!(
        reply.code() == "PLACED" && !reply.is_replay()?,
        "a first answer was expected: {}",
        reply.body
    );
    Ok(())
}

fn is_alias(reply: &Reply, order: &str, reason: &str) -> Result<()> {
    ensure!(
        reply.code() == "PLACED" && reply.is_replay()? && reply.has_replay_header(),
        "no replay: {}",
        reply.body
    );
    let result = reply.result()?;
    ensure!(
        result["replayReason"] == reason && result["receipt"]["orderId"] == order,
        "{reason} of {order}: {result}"
    );
    Ok(())
}

/// It asks about that order.
fn names(reply: &Reply, order: &str, age_ms: i64) -> Result<()> {
    let result: &Value = reply.result()?;
    ensure!(
        reply.code() == "POSSIBLE_DUPLICATE"
            && result["order"]["id"] == order
            && result["ageMs"] == age_ms
            && result["retryable"] == false
            && result["retryWithNewRequestId"] == false,
        "a question about {order}, {age_ms} ms old, was expected: {}",
        reply.body
    );
    Ok(())
}
