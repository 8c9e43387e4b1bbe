//! Every rule catches its violation, and only that.

use super::*;

/// Asserts that `source` breaks one rule, on its second line, by naming `named` in `bad`, and none
/// in `good`.
fn assert_absent(named: &str, source: &str, bad: &[&str], good: &[&str]) {
    let source = format!("\n{source}\n");
    for path in bad {
        let violations = violations_in(path, &source);
        let seen: Vec<_> = violations
            .iter()
            .map(|violation| (violation.named, violation.line))
            .collect();
        assert_eq!(seen, [(named, 2)], "{source} in {path}");
    }
    for path in good {
        assert_eq!(violations_in(path, &source), [], "{source} in {path}");
    }
}

#[test]
fn sql_stays_in_the_store() {
    let good = [
        "server/src/store/orders.rs",
        "migrations/src/m0001_orders.rs",
        "tests/suite/ledger.rs",
    ];
    let bad = [
        "server/src/ordering/decide.rs",
        "server/src/main.rs",
        "protocol/src/lib.rs",
    ];
    assert_absent("sea_orm", "use sea_orm::Value;", &bad, &good);
    assert_absent("sea_orm", "sea_orm_migration::run();", &bad, &good);
    assert_absent("sea_query", "use sea_query::Expr;", &bad, &good);
}

#[test]
fn graphql_stays_in_its_folder_and_at_its_doors() {
    let good = [
        "server/src/graphql/object/order.rs",
        "server/src/http/graphql.rs",
        "server/src/http/socket.rs",
    ];
    let bad = [
        "server/src/http/router.rs",
        "server/src/ordering/command.rs",
        "server/src/serve.rs",
    ];
    assert_absent("async_graphql", "use async_graphql::ID;", &bad, &good);
}

#[test]
fn http_stays_in_its_folder_and_the_composition_root() {
    let good = ["server/src/http/rest.rs", "server/src/main.rs", "server/src/serve.rs"];
    let bad = [
        "server/src/graphql/schema.rs",
        "server/src/cli/seed.rs",
        "tests/suite/main.rs",
    ];
    assert_absent("axum", "use axum::Router;", &bad, &good);
    assert_absent("axum", "use axum_extra::TypedHeader;", &bad, &good);
    let source = "use async_graphql_axum::GraphQLProtocol;";
    assert_absent("async_graphql", source, &["server/src/http/rest.rs"], &[]);
}

#[test]
fn the_database_backend_is_named_in_one_place_per_crate() {
    let good = [
        "server/src/store/dialect.rs",
        "server/src/store/dialect/connect.rs",
        "migrations/src/column.rs",
        "tests/suite/databases.rs",
    ];
    let bad = ["server/src/store/orders.rs", "migrations/src/m0001_orders.rs"];
    for named in [
        "DbBackend",
        "DatabaseBackend",
        "get_database_backend",
        "Sqlite",
        "Postgres",
    ] {
        assert_absent(named, &format!("let b = x.{named};"), &bad, &good);
    }
    assert_absent("Sqlite", "let kind = SqliteKind;", &[], &bad);
}

#[test]
fn commit_has_two_places() {
    let good = [
        "server/src/ordering/commit.rs",
        "server/src/store/txn.rs",
        "tests/suite/locks.rs",
    ];
    let bad = ["server/src/ordering/place_order.rs", "server/src/store/orders.rs"];
    assert_absent(".commit()", "txn.commit().await?;", &bad, &good);
    assert_absent(".commit()", ".commit ( )", &bad, &good);
    assert_absent(".commit()", "ordering::commit(txn); self.commit_id();", &[], &bad);
}

#[test]
fn resolvers_see_no_entities() {
    let good = ["server/src/store/orders.rs", "server/src/ordering/history.rs"];
    let bad = ["server/src/graphql/query/order.rs"];
    assert_absent("entity::", "let order: entity::order::Model;", &bad, &good);
    assert_absent("store::entity", "use crate::store::entity;", &bad, &good);
    assert_absent("entity::", "let identity = entity; identity::get();", &[], &bad);
}

#[test]
fn only_commands_print() {
    let good = [
        "server/src/cli/seed.rs",
        "server/src/main.rs",
        "xtask/src/main.rs",
        "tests/suite/main.rs",
    ];
    let bad = ["server/src/serve.rs", "server/src/store/orders.rs"];
    assert_absent("println!", "println!(\"here\");", &bad, &good);
    assert_absent("dbg!", "dbg!(order);", &bad, &good);
}

#[test]
fn nothing_is_left_unwritten() {
    let bad = [
        "server/src/main.rs",
        "protocol/src/money.rs",
        "tests/suite/main.rs",
        "xtask/src/main.rs",
    ];
    assert_absent("todo!", "todo!()", &bad, &[]);
    assert_absent("unimplemented!", "unimplemented!(\"later\")", &bad, &[]);
}

#[test]
fn migrations_do_not_know_the_server() {
    let source = "use masterorder_server::store;";
    assert_absent(
        "masterorder_server",
        source,
        &["migrations/src/lib.rs"],
        &["tests/suite/main.rs"],
    );
}

#[test]
fn comments_and_strings_name_what_they_like() {
    let source = "// sea_orm::Value\n/* axum */ let text = \"todo!() // dbg!\"; /// println!\n";
    assert_eq!(violations_in("server/src/ordering/decide.rs", source), []);
    let source = "let address = \"http://localhost\"; dbg!(address);";
    assert_eq!(violations_in("server/src/serve.rs", source).len(), 1);
}

#[test]
fn a_lock_file_names_no_download_address() {
    let clean = "{\n  \"version\": \"1.0.0\",\n  \"funding\": \"https://example.com\"\n}";
    assert_eq!(download_addresses("package-lock.json", clean), []);
    let dirty = "{\n  \"version\": \"1.0.0\",\n  \"resolved\": \"https://example.com/a.tgz\"\n}";
    let lines: Vec<_> = download_addresses("package-lock.json", dirty)
        .iter()
        .map(|violation| violation.line)
        .collect();
    assert_eq!(lines, [3]);
}

#[test]
fn a_violation_names_file_line_and_reason() {
    let violations = violations_in("server/src/serve.rs", "\n\ndbg!(1);");
    let shown = violations.first().map(Violation::to_string).unwrap_or_default();
    assert!(
        shown.starts_with("server/src/serve.rs:3: `dbg!` must not be here: the server speaks"),
        "{shown}"
    );
}
