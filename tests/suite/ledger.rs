//! The ledger check itself: what every other test leans on at its end, and what `masterorder doctor` runs on a live database.
//! Each rule is broken here once, by hand; a rule that can not be broken, or a broken one that is not named, fails.

use futures_util::future::try_join_all;
use harness::client::{key, line, line_with, order};
use harness::{Database, on_both_databases, process};
use masterorder_server::store::ledger::{self, Report};
use sea_orm::Value;
use sea_orm::prelude::Uuid;
use serde_json::json;
use std::collections::BTreeSet;

async fn check(db: &Database) -> anyhow::Result<Report> {
    let opened = harness::database::open(&db.url).await?;
    let report = ledger::check(&opened).await?;
    opened.close().await;
    Ok(report)
}

/// A night's work: two orders with stock taken, one untracked, one cancelled, an alias and a rejection.
async fn some_history(db: &Database) -> anyhow::Result<()> {
    let f = &db.fixture;
    let node = db.node().await?;
    let phone = node.guest(f.s1());
    let ramen = json!([line_with(f.ramen, 2, &[f.egg]), line(f.tea, 1)]);
    phone.place(order(&key(), ramen.clone())).await?.order_id()?;
    phone.place(order(&key(), ramen)).await?.order_id()?;
    phone
        .place(order(&key(), json!([line_with(f.udon, 1, &[f.hot])])))
        .await?
        .order_id()?;
    let cancelled = phone.place(order(&key(), json!([line(f.beer, 3)]))).await?.order_id()?;
    let answer = phone.cancel(&cancelled).await?;
    assert_eq!(answer.body["data"]["cancelOrder"]["changed"], true, "{}", answer.body);
    assert_eq!(
        phone.place(order(&key(), json!([line(f.beer, 99)]))).await?.code(),
        "SOLD_OUT"
    );
    node.stop().await
}

/// How a rule is broken, and how that is repaired: SQL with its values.
struct Break {
    rule: &'static str,
    broken: (&'static str, Vec<Value>),
    repaired: (&'static str, Vec<Value>),
}

fn broken(rule: &'static str, sql: &'static str, values: Vec<Value>, repair: &'static str, back: Vec<Value>) -> Break {
    Break {
        rule,
        broken: (sql, values),
        repaired: (repair, back),
    }
}

const ANOTHER_ORDER: &str = "INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status,
    request_id, content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
    SELECT ?, tenant_id, table_session_id, table_label, business_day, 999999, status, request_id, content_hash, notes_hash,
    caller, device, note, currency, total_minor, placed_at_ms, version FROM orders ORDER BY number LIMIT 1";
const LEFT_CLAIM: &str = "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller,
    fingerprint_version, fingerprint, field_digests, attempt_token, created_at_ms, expires_at_ms)
    SELECT tenant_id, operation, ?, attempt_id, caller, fingerprint_version, fingerprint, field_digests, attempt_token,
    created_at_ms, expires_at_ms FROM idempotency_requests LIMIT 1";

fn breaks(db: &Database) -> Vec<Break> {
    let f = &db.fixture;
    let (ours, theirs) = (|| vec![f.tenant.into()], || vec![f.other_tenant.into()]);
    let id = Uuid::now_v7();
    vec![
        broken("every placed order has a kitchen ticket", ANOTHER_ORDER, vec![id.into()],
            "DELETE FROM orders WHERE id = ?", vec![id.into()]),
        broken("no two orders came of one key, unless it was purged in between", ANOTHER_ORDER, vec![id.into()],
            "DELETE FROM orders WHERE id = ?", vec![id.into()]),
        broken("every kitchen ticket has a placed order of its tenant",
            "UPDATE kitchen_tickets SET tenant_id = ?", theirs(), "UPDATE kitchen_tickets SET tenant_id = ?", ours()),
        broken("a ticket is cancelled if and only if its order is",
            "UPDATE kitchen_tickets SET state = 'READY' WHERE state = 'CANCELLED'", vec![],
            "UPDATE kitchen_tickets SET state = 'CANCELLED' WHERE state = 'READY'", vec![]),
        broken("every placed order has one order.placed event",
            "UPDATE outbox_events SET kind = 'order.lost' WHERE kind = 'order.placed'", vec![],
            "UPDATE outbox_events SET kind = 'order.placed' WHERE kind = 'order.lost'", vec![]),
        broken("every order.placed event has a placed order of its tenant",
            "UPDATE outbox_events SET tenant_id = ?", theirs(), "UPDATE outbox_events SET tenant_id = ?", ours()),
        broken("no outcome is left of an order that remembers it as purged",
            "UPDATE orders SET outcome_purged_at_ms = 1", vec![],
            "UPDATE orders SET outcome_purged_at_ms = NULL", vec![]),
        broken("every placed order has the outcome of the key that placed it, until it is purged",
            "UPDATE idempotency_requests SET operation = 'other' WHERE outcome_kind = 'PLACED'", vec![],
            "UPDATE idempotency_requests SET operation = 'placeOrder' WHERE operation = 'other'", vec![]),
        broken("every placed outcome has its order",
            "UPDATE idempotency_requests SET order_id = NULL WHERE outcome_kind = 'PLACED'", vec![],
            "UPDATE idempotency_requests SET order_id = (SELECT o.id FROM orders o WHERE o.request_id = idempotency_key)
             WHERE outcome_kind = 'PLACED'", vec![]),
        broken("every alias points to an order of its tenant",
            "UPDATE idempotency_requests SET tenant_id = ? WHERE outcome_kind = 'ALIAS'", theirs(),
            "UPDATE idempotency_requests SET tenant_id = ? WHERE outcome_kind = 'ALIAS'", ours()),
        broken("a rejection points to no order",
            "UPDATE idempotency_requests SET order_id = ? WHERE outcome_kind = 'REJECTED'", vec![id.into()],
            "UPDATE idempotency_requests SET order_id = NULL WHERE outcome_kind = 'REJECTED'", vec![]),
        broken("no claim is left without an outcome (a pending order aside)", LEFT_CLAIM, vec![id.into()],
            "DELETE FROM idempotency_requests WHERE idempotency_key = ?", vec![id.into()]),
        broken("every order has lines, and they add up to its total",
            "UPDATE orders SET total_minor = total_minor + 1", vec![],
            "UPDATE orders SET total_minor = total_minor - 1", vec![]),
        broken("stock + taken - returned = supplied",
            "UPDATE stock_levels SET quantity = quantity - 1 WHERE subject_id = ?", vec![f.egg.into()],
            "UPDATE stock_levels SET quantity = quantity + 1 WHERE subject_id = ?", vec![f.egg.into()]),
        broken("whatever was taken from stock has a level",
            "UPDATE order_lines SET taken = 1 WHERE menu_item_id = ?", vec![f.tea.into()],
            "UPDATE order_lines SET taken = 0 WHERE menu_item_id = ?", vec![f.tea.into()]),
        broken("every line is of an item of its order's tenant",
            "UPDATE order_lines SET menu_item_id = ? WHERE menu_item_id = ?", vec![f.other_soup.into(), f.tea.into()],
            "UPDATE order_lines SET menu_item_id = ? WHERE menu_item_id = ?", vec![f.tea.into(), f.other_soup.into()]),
        broken("every topping is of its order's tenant",
            "UPDATE order_line_toppings SET topping_id = ? WHERE topping_id = ?",
            vec![f.other_topping.into(), f.hot.into()],
            "UPDATE order_line_toppings SET topping_id = ? WHERE topping_id = ?",
            vec![f.hot.into(), f.other_topping.into()]),
    ]
}

on_both_databases! {
    async fn every_rule_is_named_when_it_is_broken(db) {
        some_history(db).await?;
        let whole = check(db).await?;
        assert_eq!(whole.findings, []);
        let counts = [whole.orders, whole.tickets, whole.events, whole.placed_outcomes, whole.aliases, whole.rejections];
        assert_eq!(counts, [3, 3, 3, 3, 1, 1]);
        let mut seen = BTreeSet::new();
        for Break { rule, broken, repaired } in breaks(db) {
            assert!(db.execute(broken.0, broken.1).await? > 0, "nothing was broken for: {rule}");
            let report = check(db).await?;
            let finding = report.findings.iter().find(|f| f.rule == rule);
            assert!(finding.is_some_and(|f| f.rows > 0 && !f.example.is_empty()), "{rule}: {:#?}", report.findings);
            db.execute(repaired.0, repaired.1).await?;
            assert_eq!(check(db).await?, whole, "not repaired: {rule}");
            seen.insert(rule);
        }
        assert_eq!(seen, ledger::rules().collect(), "a rule is not broken here");
    }

    /// A taken piece that is counted twice or never shows up too, and so does one that was returned twice.
    async fn stock_that_moves_without_an_order_is_found(db) {
        some_history(db).await?;
        let beer: Value = db.fixture.beer.into();
        for (column, by) in [("quantity", 3), ("quantity", -1), ("supplied", 1)] {
            let change = |by: i64| format!("UPDATE stock_levels SET {column} = {column} + {by} WHERE subject_id = ?");
            db.execute(&change(by), [beer.clone()]).await?;
            let report = check(db).await?;
            let rules: Vec<_> = report.findings.iter().map(|f| f.rule).collect();
            assert_eq!(rules, ["stock + taken - returned = supplied"], "{column} {by}");
            db.execute(&change(-by), [beer.clone()]).await?;
        }
    }

    async fn the_doctor_says_what_it_counted_and_what_is_broken(db) {
        some_history(db).await?;
        let doctor = ["doctor", "--database-url", &db.url];
        let (code, printed, log) = process::run(&doctor).await?;
        assert_eq!(code, Some(0), "{printed}{log}");
        assert!(printed.contains("the ledger holds"), "{printed}");
        for (what, count) in [("orders placed", "3"), ("kitchen tickets", "3"), ("aliases", "1"), ("rejected", "1")] {
            let line = printed.lines().find(|line| line.contains(what)).unwrap_or_default();
            assert!(line.ends_with(&format!(" {count}")), "{what}: {printed}");
        }

        db.execute("UPDATE orders SET total_minor = total_minor + 1", []).await?;
        let (code, printed, log) = process::run(&doctor).await?;
        assert_eq!(code, Some(1), "{printed}{log}");
        let rule = "every order has lines, and they add up to its total";
        assert!(printed.contains(rule) && printed.contains("3 rows"), "{printed}");
        assert!(!printed.contains("the ledger holds") && log.contains("does not hold"), "{printed}{log}");
        db.execute("UPDATE orders SET total_minor = total_minor - 1", []).await?;
    }

    /// An order's rows appear together or not at all: a check in the middle of a rush finds nothing.
    async fn a_check_on_a_live_database_sees_whole_orders_only(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        db.set_stock(f.ramen, 1_000).await?;
        let node = db.node().await?;
        let guests = f.tables.iter().map(|table| {
            let phone = node.guest(table);
            async move {
                for _ in 0..8 {
                    phone.insist(order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]))).await?.order_id()?;
                }
                anyhow::Ok(())
            }
        });
        let checks = async {
            let mut reports = Vec::new();
            for _ in 0..8 {
                reports.push(check(db).await?);
            }
            anyhow::Ok(reports)
        };
        let (served, reports) = futures_util::join!(try_join_all(guests), checks);
        served?;
        for report in reports? {
            assert_eq!(report.findings, []);
        }
        assert_eq!(db.all_orders().await?, 64);
    }
}
