//! The schema: it can be walked up, down and up again, several starters do not collide, and what must never be true is refused
//! by the database itself, whatever the server believes.

use futures_util::future::{join, join_all};
use harness::client::{Client, Credentials, key, line, line_with, order};
use harness::{Backend, Empty, Process, on_both_databases, process};
use masterorder_migrations::{Migrator, MigratorTrait};
use sea_orm::prelude::Uuid;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::json;

/// Runs a test on a database in which nothing has been migrated.
fn on_an_empty(backend: Backend, body: impl AsyncFnOnce(&Empty) -> anyhow::Result<()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let empty = Empty::create(backend).await.expect("a database");
        let result = body(&empty).await;
        empty.drop_it().await;
        result.unwrap_or_else(|error| panic!("on {backend:?}: {error:?}"));
    });
}

async fn texts(sql: &DatabaseConnection, query: &str) -> anyhow::Result<Vec<String>> {
    let rows = sql
        .query_all_raw(Statement::from_string(sql.get_database_backend(), query))
        .await?;
    rows.iter().map(|row| Ok(row.try_get_by_index(0)?)).collect()
}

/// Everything in the schema, as text.
async fn schema(sql: &DatabaseConnection, backend: Backend) -> anyhow::Result<Vec<String>> {
    let queries: &[&str] = match backend {
        Backend::Sqlite => &[
            "SELECT coalesce(sql, name) FROM sqlite_master WHERE name NOT LIKE 'seaql%'
                              AND tbl_name NOT LIKE 'seaql%' ORDER BY 1",
        ],
        Backend::Postgres => &[
            "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
             FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'seaql%' ORDER BY 1",
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'seaql%' ORDER BY 1",
            "SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
             WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'seaql%' ORDER BY 1",
        ],
    };
    let mut schema = Vec::new();
    for query in queries {
        schema.extend(texts(sql, query).await?);
    }
    Ok(schema)
}

/// Each migration is recorded once.
async fn assert_recorded_once(url: &Empty) -> anyhow::Result<()> {
    let sql = url.sql().await?;
    let mut recorded = texts(&sql, "SELECT version FROM seaql_migrations ORDER BY version").await?;
    let names: Vec<String> = Migrator::migrations().iter().map(|m| m.name().to_owned()).collect();
    assert_eq!(recorded, names);
    recorded.dedup();
    assert_eq!(recorded.len(), names.len());
    sql.close().await?;
    Ok(())
}

fn walk(backend: Backend) {
    on_an_empty(backend, async |empty| {
        let sql = empty.sql().await?;
        Migrator::up(&sql, None).await?;
        let up = schema(&sql, backend).await?;
        assert!(up.len() > 30, "{up:?}");
        // one by one, so that each stands on its own
        for _ in Migrator::migrations() {
            Migrator::down(&sql, Some(1)).await?;
        }
        assert_eq!(schema(&sql, backend).await?, Vec::<String>::new());
        for _ in Migrator::migrations() {
            Migrator::up(&sql, Some(1)).await?;
        }
        assert_eq!(schema(&sql, backend).await?, up);
        sql.close().await?;
        Ok(())
    });
}

#[test]
fn every_migration_can_be_walked_up_down_and_up_on_sqlite() {
    walk(Backend::Sqlite);
}

#[test]
fn every_migration_can_be_walked_up_down_and_up_on_postgres() {
    walk(Backend::Postgres);
}

/// What must never be, how somebody with SQL at hand would try, and what each database names when it refuses. The one value
/// is a fresh id.
const NEVER: [(&str, &str, [&str; 2]); 13] = [
    (
        "stock below zero",
        "UPDATE stock_levels SET quantity = -1 WHERE subject_id <> ?",
        ["stock_levels_never_below_zero"; 2],
    ),
    (
        "a second ticket of an order",
        "INSERT INTO kitchen_tickets SELECT ?, tenant_id, order_id, state, created_at_ms, updated_at_ms, version
         FROM kitchen_tickets",
        ["kitchen_tickets.order_id", "kitchen_tickets_order_key"],
    ),
    (
        "a second order.placed event of an order",
        "INSERT INTO outbox_events SELECT ?, tenant_id, kind, order_id, payload, created_at_ms, dispatched_at_ms
         FROM outbox_events",
        ["outbox_events.order_id", "outbox_events_placed_key"],
    ),
    (
        "a second open party at a table",
        "INSERT INTO table_sessions (id, tenant_id, table_label, pin, status, opened_at_ms)
         SELECT ?, tenant_id, table_label, pin, status, opened_at_ms FROM table_sessions",
        ["table_sessions.table_label", "table_sessions_open_table_key"],
    ),
    (
        "a party that left at no time",
        "UPDATE table_sessions SET status = 'CLOSED' WHERE id <> ?",
        ["table_sessions_closed_time"; 2],
    ),
    (
        "an outcome without its time",
        "UPDATE idempotency_requests SET finished_at_ms = NULL WHERE attempt_id <> ?",
        ["idempotency_requests_finished"; 2],
    ),
    (
        "a time without an outcome",
        "UPDATE idempotency_requests SET outcome = NULL, outcome_kind = NULL WHERE attempt_id <> ?",
        ["idempotency_requests_finished"; 2],
    ),
    (
        "a second claim of a key",
        "INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller, fingerprint_version,
           fingerprint, field_digests, attempt_token, created_at_ms, expires_at_ms)
         SELECT tenant_id, operation, idempotency_key, ?, caller, fingerprint_version, fingerprint, field_digests,
           attempt_token, created_at_ms, expires_at_ms FROM idempotency_requests",
        ["idempotency_requests.idempotency_key", "idempotency_requests_pkey"],
    ),
    (
        "a second order of a cart",
        "INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id,
           checkout_id, content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
         SELECT ?, tenant_id, table_session_id, table_label, business_day, 999999, status, request_id, checkout_id,
           content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version FROM orders",
        ["orders.checkout_id", "orders_checkout_key"],
    ),
    (
        "a second order with a number of the day",
        "INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id,
           content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
         SELECT ?, tenant_id, table_session_id, table_label, business_day, number, status, request_id, content_hash,
           notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version FROM orders",
        ["orders.number", "orders_number_key"],
    ),
    (
        "an order of no party",
        "UPDATE orders SET table_session_id = ?",
        ["FOREIGN KEY", "orders_table_session_fkey"],
    ),
    (
        "a ticket of no order",
        "UPDATE kitchen_tickets SET order_id = ?",
        ["FOREIGN KEY", "kitchen_tickets_order_id_fkey"],
    ),
    (
        "a line of no order",
        "UPDATE order_lines SET order_id = ?",
        ["FOREIGN KEY", "order_lines_order_id_fkey"],
    ),
];

on_both_databases! {
    /// Every table of the product is written and read back through its doors: a column that the code names and the schema
    /// lacks fails here.
    async fn the_schema_has_what_the_server_reads_and_writes(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (guest, staff, request) = (node.guest(f.s1()), node.key(&f.staff_key), key());
        let placed = guest.place(order(&request, json!([line_with(f.ramen, 1, &[f.egg])]))).await?.order_id()?;
        guest.cancel(&placed).await?;
        guest.place(order(&key(), json!([line(f.ramen, 99)]))).await?;
        guest.place(order(&request, json!([line_with(f.ramen, 1, &[f.egg])]))).await?;
        node.stop().await?;
        let node = db.node().await?;
        let (guest, staff) = (guest.at(node.address), staff.at(node.address));
        let status = guest.status(&request).await?;
        assert_eq!(status.body["data"]["placementStatus"]["order"]["id"], json!(placed), "{}", status.body);
        let query = "query($key: UUID!) {
            shop { name orderingPolicy { contentWindowMs } }
            menu { sections { items { id toppingGroups { toppings { id } } } } }
            orders(first: 5) { nodes { id } }
            kitchenTickets { id }
            auditTrail(requestId: $key) { result } }";
        let answer = staff.send(query, json!({ "key": request })).await?;
        assert_eq!(answer.body["errors"], json!(null), "{}", answer.body);
        assert_eq!(answer.body["data"]["orders"]["nodes"][0]["id"], json!(placed), "{}", answer.body);
        for table in ["tenants", "shops", "api_keys", "menu_sections", "menu_items", "topping_groups", "toppings",
            "item_topping_groups", "stock_levels", "table_sessions", "orders", "order_lines", "order_line_toppings",
            "idempotency_requests", "kitchen_tickets", "outbox_events", "audit_entries"] {
            assert!(db.rows(table).await? > 0, "nothing in {table}");
        }
    }

    /// What must never be true is refused by the database itself.
    async fn the_database_refuses_what_must_never_be(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let mut placing = order(&key(), json!([line(f.ramen, 1)]));
        placing["checkoutId"] = json!(key());
        node.guest(f.s1()).place(placing).await?.order_id()?;
        node.stop().await?;
        let before = db.census().await?;
        for (what, sql, [on_sqlite, on_postgres]) in NEVER {
            let error = db.execute(sql, [Uuid::now_v7().into()]).await.expect_err(what).to_string();
            let constraint = if db.backend == Backend::Sqlite { on_sqlite } else { on_postgres };
            assert!(error.contains(constraint), "{what}: {error}");
        }
        assert_eq!(db.census().await?, before);
    }
}

/// On PostgreSQL only, where other nodes may still run on the old schema.
#[test]
fn serve_refuses_pending_migrations_and_says_what_to_do() {
    on_an_empty(Backend::Postgres, async |empty| {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", &empty.url];
        // five at once say the same, and none of them begins to migrate
        for refused in join_all([(); 5].map(|()| process::run(&serve))).await {
            let (code, _, log) = refused?;
            assert_eq!(code, Some(1), "{log}");
            assert!(log.contains("masterorder migrate") && log.contains("m0001"), "{log}");
        }
        let sql = empty.sql().await?;
        assert_eq!(schema(&sql, Backend::Postgres).await?, Vec::<String>::new());
        let newest = Migrator::migrations().len() - 1;
        Migrator::up(&sql, Some(u32::try_from(newest)?)).await?;
        sql.close().await?;
        let (code, _, log) = process::run(&serve).await?;
        assert_eq!(code, Some(1), "{log}");
        assert!(
            log.contains(Migrator::migrations()[newest].name()) && !log.contains("m0001"),
            "{log}"
        );
        let (code, printed, log) = process::run(&["migrate", "--database-url", &empty.url]).await?;
        assert_eq!(code, Some(0), "{log}");
        assert!(printed.contains('1'), "{printed}");
        Process::start_at(&empty.url, &[]).await?.kill().await
    });
}

/// AC-199, on PostgreSQL: `migrate`, five times at once.
#[test]
fn five_migrate_at_once_migrate_once() {
    on_an_empty(Backend::Postgres, async |empty| {
        let migrate = ["migrate", "--database-url", &empty.url];
        let mut idle = 0;
        for ended in join_all([(); 5].map(|()| process::run(&migrate))).await {
            let (code, printed, log) = ended?;
            assert_eq!(code, Some(0), "{log}");
            assert!(
                !log.contains("already exists") && !log.contains("duplicate key"),
                "{log}"
            );
            idle += usize::from(printed.contains("nothing to migrate"));
        }
        assert_eq!(idle, 4, "one migrates, the others wait for it");
        assert_recorded_once(empty).await
    });
}

/// AC-199, on SQLite: `serve` migrates by itself, twice at once on a file that is not there yet.
#[test]
fn two_servers_on_one_new_sqlite_file_both_serve() {
    on_an_empty(Backend::Sqlite, async |empty| {
        let (one, two) = join(Process::start_at(&empty.url, &[]), Process::start_at(&empty.url, &[])).await;
        for process in [one?, two?] {
            let client = Client::new(process.address, Credentials::default());
            for path in ["/healthz", "/readyz"] {
                assert_eq!(
                    client.request(reqwest::Method::GET, path).send().await?.status(),
                    200,
                    "{path}"
                );
            }
            process.kill().await?;
        }
        assert_recorded_once(empty).await
    });
}
