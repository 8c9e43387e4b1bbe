//! The program from its command line: seeding, keys, the schema and the proof, as an operator and a script use them.
//!
//! Here the real binary runs. Without the look-up by name a second seeding opens a second shop; with a cache of keys a
//! revoked one goes on working in a process that is already running.

use anyhow::{Context, Result};
use harness::client::{key, line, order};
use harness::process::run;
use harness::{Backend, Database, Empty, Process, Table, on_both_databases};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Runs a command that must succeed, and returns what it printed.
async fn done(url: &str, arguments: &[&str]) -> Result<String> {
    let (exit, printed, log) = run(&[arguments, &["--database-url", url]].concat()).await?;
    anyhow::ensure!(exit == Some(0), "{arguments:?} ended with {exit:?}: {printed}{log}");
    Ok(printed)
}

/// Runs a command that must fail, and returns what it said.
async fn failed(arguments: &[&str]) -> Result<String> {
    let (exit, printed, said) = run(arguments).await?;
    anyhow::ensure!(
        exit.is_some_and(|code| code != 0),
        "{arguments:?} ended with {exit:?}: {printed}"
    );
    anyhow::ensure!(
        !said.trim().is_empty() && !said.contains("panicked"),
        "{arguments:?}: {said:?}"
    );
    Ok(said)
}

async fn seed(url: &str, arguments: &[&str]) -> Result<Value> {
    let printed = done(url, &[&["seed-demo", "--json"], arguments].concat()).await?;
    serde_json::from_str(&printed).with_context(|| printed)
}

fn fields(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> Result<&str> {
    value
        .as_str()
        .filter(|t| !t.is_empty())
        .with_context(|| format!("no text: {value}"))
}

/// Both kinds of database, with nothing in them yet.
async fn empty(db: &Database, body: impl AsyncFnOnce(&str) -> Result<()>) -> Result<()> {
    let empty = Empty::create(db.backend).await?;
    let outcome = body(&empty.url).await;
    empty.drop_it().await;
    outcome
}

on_both_databases! {
    async fn seeding_prints_exactly_what_scripts_read(db) {
        let seeded = seed(&db.url, &[]).await?;
        assert_eq!(fields(&seeded), ["integratorKey", "menuItems", "shopId", "staffKey", "tableSessions"]);
        text(&seeded["shopId"])?.parse::<uuid::Uuid>()?;
        for name in ["staffKey", "integratorKey"] {
            assert!(text(&seeded[name])?.starts_with("mo_test_"), "{name}");
        }
        assert_eq!(list(&seeded["tableSessions"]).len(), 4);
        for session in list(&seeded["tableSessions"]) {
            assert_eq!(fields(session), ["id", "pin", "table"]);
            text(&session["id"])?.parse::<uuid::Uuid>()?;
            assert!(text(&session["pin"])?.len() == 4 && text(&session["table"])?.starts_with('T'), "{session}");
        }
        let items = list(&seeded["menuItems"]);
        assert!(items.len() >= 10 && items.iter().any(|i| !list(&i["toppings"]).is_empty()));
        for item in items {
            assert_eq!(fields(item), ["id", "name", "priceMinor", "sku", "toppings"]);
            assert!(
                item["priceMinor"].is_u64() && !text(&item["sku"])?.is_empty() && !text(&item["name"])?.is_empty(),
                "{item}"
            );
            for topping in list(&item["toppings"]) {
                assert_eq!(fields(topping), ["id", "name", "priceMinor"]);
                assert!(topping["priceMinor"].is_u64(), "{topping}");
            }
        }
        // a load test orders the first item without a thought
        let first: uuid::Uuid = text(&items[0]["id"])?.parse()?;
        assert!(db.stock(first).await? >= 1_000);
        let required = "SELECT count(*) FROM item_topping_groups i JOIN topping_groups g ON g.id = i.group_id
            WHERE i.item_id = ? AND g.min_count > 0";
        assert_eq!(db.int(required, [first.into()]).await?, 0);
        let session = &seeded["tableSessions"][0];
        let table = Table {
            id: text(&session["id"])?.parse()?,
            pin: text(&session["pin"])?.into(),
            label: text(&session["table"])?.into(),
        };
        let placed = db.node().await?.guest(&table).place(order(&key(), json!([line(first, 1)]))).await?;
        placed.order_id()?;
        assert_eq!(placed.result()?["receipt"]["total"]["amountMinor"], items[0]["priceMinor"]);
    }

    async fn seeding_again_finds_the_same_shop_and_brings_fresh_keys(db) {
        let first = seed(&db.url, &["--tables", "2"]).await?;
        let before = db.census().await?;
        let again = seed(&db.url, &["--tables", "2"]).await?;
        for same in ["shopId", "menuItems", "tableSessions"] {
            assert_eq!(first[same], again[same], "{same}");
        }
        let keys: BTreeSet<_> =
            [&first, &again].iter().flat_map(|s| [s["staffKey"].to_string(), s["integratorKey"].to_string()]).collect();
        assert_eq!(keys.len(), 4);
        let mut after = db.census().await?;
        after.entry("api_keys".into()).and_modify(|rows| *rows -= 2);
        assert_eq!(after, before);
        // more tables of the same shop; those that are open stay open
        let more = seed(&db.url, &["--tables", "5"]).await?;
        assert_eq!(list(&more["tableSessions"]).len(), 5);
        assert_eq!(list(&more["tableSessions"])[..2], list(&first["tableSessions"])[..]);
        assert_eq!(list(&seed(&db.url, &["--tables", "0"]).await?["tableSessions"]).len(), 0);
        // all the keys are good
        let node = db.node().await?;
        for key in &keys {
            let shop = node.key(key.trim_matches('"')).send("{ shop { id } }", json!({})).await?;
            assert_eq!(shop.body["data"]["shop"]["id"], first["shopId"]);
        }
    }

    async fn each_name_is_a_shop_of_its_own(db) {
        let (one, two) = (
            seed(&db.url, &["--name", "一号店", "--tables", "1"]).await?,
            seed(&db.url, &["--name", "Nº 2", "--tables", "1"]).await?,
        );
        assert_eq!(seed(&db.url, &["--name", "一号店", "--tables", "1"]).await?["shopId"], one["shopId"]);
        assert_ne!(one["shopId"], two["shopId"]);
        assert_ne!(one["tableSessions"][0]["id"], two["tableSessions"][0]["id"]);
        let ids = |shop: &Value| list(&shop["menuItems"]).iter().map(|i| i["id"].to_string()).collect::<BTreeSet<_>>();
        assert!(!ids(&one).is_empty() && ids(&one).is_disjoint(&ids(&two)));
        let node = db.node().await?;
        let staff = node.key(text(&one["staffKey"])?);
        assert_eq!(
            staff.send("{ shop { id name } }", json!({})).await?.body["data"]["shop"],
            json!({ "id": one["shopId"], "name": "一号店" })
        );
        let foreign = staff
            .send("query($id: ID) { tableSession(id: $id) { id } }", json!({ "id": two["tableSessions"][0]["id"] }))
            .await?;
        assert_eq!(foreign.body["data"]["tableSession"], json!(null));
    }

    async fn keys_are_made_listed_and_revoked_while_a_server_runs(db) {
        let f = &db.fixture;
        let running = Process::start(db, &[]).await?;
        let shop = ["--shop", "食堂A"];
        let create = |kind, name| [&["key", "create", "--kind", kind, "--name", name], &shop[..]].concat();
        let staff = done(&db.url, &create("staff", "厨房 tablet")).await?.trim().to_owned();
        let integrator = done(&db.url, &create("integrator", "POS")).await?.trim().to_owned();
        assert!(staff.starts_with("mo_test_") && staff.lines().count() == 1, "{staff}");
        let kitchen = "{ kitchenTickets { id } }";
        assert_eq!(running.key(&staff).send(kitchen, json!({})).await?.body["data"]["kitchenTickets"], json!([]));
        assert_eq!(running.key(&integrator).send(kitchen, json!({})).await?.code(), "FORBIDDEN");

        let listing = async || done(&db.url, &[&["key", "list"], &shop[..]].concat()).await;
        let listed = listing().await?;
        assert_eq!(listed.lines().count(), 4, "{listed}");
        let row =
            |listed: &str| listed.lines().find(|l| l.contains("厨房 tablet")).map(str::to_owned).context("not listed");
        assert!(row(&listed)?.contains("STAFF") && row(&listed)?.contains("valid"), "{listed}");
        assert!(!listed.contains(&staff) && !listed.contains(&f.staff_key), "a list shows no secret: {listed}");
        let id = row(&listed)?.split_whitespace().next().context("no id")?.to_owned();

        done(&db.url, &["key", "revoke", &id]).await?;
        let refused = running.key(&staff).send(kitchen, json!({})).await?;
        assert_eq!((refused.status, refused.code().as_str()), (401, "UNAUTHENTICATED"));
        assert!(row(&listing().await?)?.contains("revoked"));
        assert!(running.key(&f.staff_key).send(kitchen, json!({})).await?.body["data"]["kitchenTickets"].is_array());
        // what can not be done says why
        let url = ["--database-url", &db.url];
        for (arguments, words) in [
            (vec!["key", "revoke", &id], id.as_str()),
            (vec!["key", "revoke", "7d793037-a076-4f4b-9d2b-3c9a1e5c8f10"], "key list"),
            (vec!["key", "revoke", "x"], "x"),
            (vec!["key", "list"], "--shop"),
            (vec!["key", "list", "--shop", "食堂Z"], "食堂Z"),
            (vec!["key", "create", "--kind", "cook", "--shop", "食堂A"], "cook"),
            (vec!["key", "create", "--kind", "staff", "--shop", "食堂A", "--name", ""], "--name"),
        ] {
            let said = failed(&[&arguments[..], &url].concat()).await?;
            assert!(said.contains(words), "{arguments:?}: {said}");
        }
    }

    async fn what_is_written_wrong_is_told_and_ends_with_an_error(db) {
        let before = db.census().await?;
        let url = db.url.as_str();
        for (arguments, words) in [
            (vec!["migrate", "--database-url", "mysql://localhost/x"], "must begin with sqlite:// or postgres://"),
            (vec!["serve", "--database-url", "nonsense"], "must begin with sqlite:// or postgres://"),
            (
                vec!["migrate", "--database-url", "postgres://nobody:hunter2@127.0.0.1:1/none"],
                "postgres://nobody@127.0.0.1:1/none",
            ),
            (vec!["migrate", "--database-url", "sqlite:///no/such/folder/masterorder.db"], "/no/such/folder"),
            (vec!["serve", "--database-url", url, "--listen", "here"], "--listen"),
            (vec!["serve", "--database-url", url, "--database-connections", "0"], "--database-connections"),
            (vec!["seed-demo", "--database-url", url, "--tables", "2001"], "--tables"),
            (vec!["seed-demo", "--database-url", url, "--tables", "many"], "--tables"),
            (vec!["serve", "--database-url", url, "--metrics-listen", "there"], "--metrics-listen"),
            (vec!["serve", "--database-url", url, "--shutdown-grace", "15"], "--shutdown-deadline"),
            (vec!["serve", "--database-url", url, "--shutdown-deadline", "0"], "--shutdown-deadline"),
            (vec!["serve", "--database-url", url, "--log-format", "xml"], "--log-format"),
            (vec!["serve", "--colour"], "--colour"),
            (vec!["cook"], "cook"),
            (vec![], "Usage"),
        ] {
            let said = failed(&arguments).await?;
            assert!(said.contains(words), "{arguments:?}: {said}");
            assert!(!said.contains("hunter2"), "a password is shown: {said}");
        }
        assert_eq!(db.census().await?, before);
    }

    async fn a_new_database_is_migrated_before_anything_else(db) {
        empty(db, async |url| {
            let commands: [&[&str]; 4] = [
                &["serve", "--listen", "127.0.0.1:0"],
                &["seed-demo", "--json"],
                &["key", "list"],
                &["demo", "--once", "--listen", "127.0.0.1:0"],
            ];
            // on PostgreSQL other nodes may still run the old schema: somebody must say so
            for command in commands.iter().filter(|_| db.backend == Backend::Postgres) {
                let said = failed(&[*command, &["--database-url", url]].concat()).await?;
                assert!(said.contains("masterorder migrate"), "{command:?}: {said}");
            }
            let said = failed(&["doctor", "--database-url", url]).await?;
            assert!(said.contains("masterorder migrate"), "{said}");
            assert!(done(url, &["migrate"]).await?.contains("migrations applied"));
            assert!(done(url, &["migrate"]).await?.contains("nothing to migrate"));
            seed(url, &["--tables", "1"]).await?;
            assert!(done(url, &["doctor"]).await?.contains("the ledger holds"));
            Ok(())
        })
        .await?;
    }

    async fn the_proof_comes_out(db) {
        empty(db, async |url| {
            if db.backend == Backend::Postgres {
                done(url, &["migrate"]).await?;
            }
            for round in 0..2 {
                let printed = done(url, &["demo", "--once", "--listen", "127.0.0.1:0"]).await?;
                let proved = printed.lines().filter(|l| *l == "13 requests → 1 order → 1 ticket ✓").count();
                assert_eq!(proved, 1, "round {round}: {printed}");
            }
            // each on a table of its own, counted by the database
            let counted = done(url, &["doctor"]).await?;
            let count = |what: &str| {
                counted
                    .lines()
                    .find(|l| l.starts_with(what))
                    .and_then(|l| l.split_whitespace().last())
                    .and_then(|n| n.parse().ok())
            };
            assert_eq!(
                (count("orders placed"), count("kitchen tickets"), count("order.placed")),
                (Some(2), Some(2), Some(2)),
                "{counted}"
            );
            Ok(())
        })
        .await?;
    }

    async fn the_doctor_finds_what_does_not_add_up(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        node.guest(f.s1()).place(order(&key(), json!([line(f.ramen, 2)]))).await?.order_id()?;
        assert!(done(&db.url, &["doctor"]).await?.contains("the ledger holds"));
        db.execute("UPDATE stock_levels SET quantity = quantity + 1 WHERE subject_id = ?", [f.ramen.into()]).await?;
        let (exit, printed, said) = run(&["doctor", "--database-url", &db.url]).await?;
        assert!(
            exit == Some(1) && printed.contains("BROKEN  stock + taken - returned = supplied: 1 rows"),
            "{printed}{said}"
        );
        assert!(said.contains("the ledger does not hold"), "{said}");
        db.execute("UPDATE stock_levels SET quantity = quantity - 1 WHERE subject_id = ?", [f.ramen.into()]).await?;
    }
}
