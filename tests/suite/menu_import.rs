//! Importing a menu: all or nothing, once and for all, while guests order.
//!
//! The races: an import that writes its rows one by one, or moves the version apart from them, lets an order mix two menus;
//! without the guard on the version two imports at once leave half of each. Both are looked for here, with the real program.

use anyhow::{Context, Error, Result, ensure};
use futures_util::future::try_join_all;
use harness::client::{Client, key, line, line_with, order};
use harness::database::open;
use harness::fixture::another_shop;
use harness::process::run;
use harness::{Backend, Database, eventually, on_both_databases};
use masterorder_protocol::ids::{MenuItemId, TenantId};
use masterorder_server::store::menu_writer::{self, Difference};
use masterorder_server::store::writer_queue::Priority;
use masterorder_server::store::{self, Failure, txn};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::process::Command;
use uuid::Uuid;

const NOTHING: &str = "0 created, 0 changed, 0 archived, 0 restored";
const TABLES: [&str; 6] = [
    "menu_sections",
    "menu_items",
    "topping_groups",
    "toppings",
    "item_topping_groups",
    "stock_levels",
];

/// A file of the repository's own.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/examples")
        .join(name)
}

/// Writes a file that lives as long as its folder.
fn file(name: &str, bytes: impl AsRef<[u8]>) -> Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(name);
    std::fs::write(&path, bytes)?;
    Ok((folder, path))
}

async fn run_import(db: &Database, shop: &str, path: &Path) -> Result<(Option<i32>, String, String)> {
    let path = path.to_str().context("a path")?;
    run(&["menu", "import", path, "--shop", shop, "--database-url", &db.url]).await
}

/// Imports into A; returns the summary, the last line.
async fn import(db: &Database, path: &Path) -> Result<String> {
    let (exit, printed, said) = run_import(db, "Diner A", path).await?;
    ensure!(exit == Some(0), "{}: {exit:?}: {printed}{said}", path.display());
    Ok(printed.lines().last().unwrap_or_default().to_owned())
}

async fn import_csv(db: &Database, csv: &str) -> Result<String> {
    let (_folder, path) = file("menu.csv", csv)?;
    import(db, &path).await
}

/// Every row of the menu's tables and of the shops, column by column; on PostgreSQL with the transaction that wrote it, so that
/// even writing the same again shows.
async fn all_rows(db: &Database) -> Result<BTreeMap<&'static str, BTreeSet<String>>> {
    let mut all = BTreeMap::new();
    for table in TABLES.into_iter().chain(["shops"]) {
        let columns = match db.backend {
            Backend::Sqlite => "SELECT name FROM pragma_table_info(?)",
            Backend::Postgres => {
                "SELECT CAST(column_name AS TEXT) FROM information_schema.columns WHERE table_name = ?"
            }
        };
        let mut columns: Vec<String> = db
            .query(columns, [table.into()])
            .await?
            .iter()
            .map(|row| row.try_get_by_index(0))
            .collect::<Result<_, _>>()?;
        ensure!(!columns.is_empty(), "{table} has no columns");
        if db.backend == Backend::Postgres {
            columns.push("xmin".into());
        }
        let cells = columns.iter().map(|column| match db.backend {
            Backend::Sqlite => format!("quote({column})"),
            Backend::Postgres => format!("coalesce(CAST({column} AS TEXT), 'NULL')"),
        });
        let sql = format!(
            "SELECT {} FROM {table}",
            cells.collect::<Vec<_>>().join(" || ' | ' || ")
        );
        let rows = db.query(&sql, []).await?;
        let rows = rows
            .iter()
            .map(|row| row.try_get_by_index(0))
            .collect::<Result<_, _>>()?;
        all.insert(table, rows);
    }
    Ok(all)
}

async fn version(db: &Database) -> Result<i64> {
    db.int(
        "SELECT catalogue_version FROM shops WHERE tenant_id = ?",
        [db.fixture.tenant.into()],
    )
    .await
}

/// The id of an item of A.
async fn item(db: &Database, sku: &str) -> Result<Uuid> {
    id(db, "SELECT id FROM menu_items WHERE tenant_id = ? AND sku = ?", sku).await
}

/// The id of a topping of A.
async fn topping(db: &Database, sku: &str) -> Result<Uuid> {
    id(db, "SELECT id FROM toppings WHERE tenant_id = ? AND sku = ?", sku).await
}

async fn id(db: &Database, sql: &str, sku: &str) -> Result<Uuid> {
    let rows = db.query(sql, [db.fixture.tenant.into(), sku.into()]).await?;
    Ok(rows.first().with_context(|| format!("no {sku}"))?.try_get_by_index(0)?)
}

/// What guests see: section by section, name and price.
async fn menu(client: &Client) -> Result<Vec<(String, Vec<(String, i64)>)>> {
    let query = "{ menu { sections { name(lang: JA) items { name(lang: EN) price { amountMinor } } } } }";
    let reply = client.send(query, json!({})).await?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sections = list(&reply.body["data"]["menu"]["sections"]);
    ensure!(!sections.is_empty(), "no menu: {}", reply.body);
    let seen = |item: &Value| (text(&item["name"]), item["price"]["amountMinor"].as_i64().unwrap_or(-1));
    Ok(sections
        .iter()
        .map(|s| (text(&s["name"]), list(&s["items"]).iter().map(seen).collect()))
        .collect())
}

/// A CSV of so many items at one price, in sections of fifty.
fn many(items: usize, price: i64) -> String {
    let row = |n: usize| {
        format!(
            "D{n:05},部門{},料理{n},Dish {n},{price},10,kitchen,egg;milk,{}\n",
            n / 50,
            n % 7 * 10
        )
    };
    let rows: String = (0..items).map(row).collect();
    format!("sku,section,name,name en,price,tax rate,station,allergens,stock\n{rows}")
}

on_both_databases! {
    async fn an_import_is_the_menu_and_its_repeat_changes_nothing(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        for (name, items, toppings) in [("izakaya.jsonld", 24, 15), ("cafe.csv", 18, 17)] {
            let before = version(db).await?;
            let summary = import(db, &example(name)).await?;
            assert!(summary.starts_with("imported: ") && summary.ends_with(&format!("version {}", before + 1)), "{summary}");
            let live = "SELECT count(*) FROM menu_items WHERE tenant_id = ? AND NOT archived";
            assert_eq!(db.int(live, [f.tenant.into()]).await?, items);
            let live = "SELECT count(*) FROM toppings WHERE tenant_id = ? AND NOT archived";
            assert_eq!(db.int(live, [f.tenant.into()]).await?, toppings);
            let rows = all_rows(db).await?;
            let summary = import(db, &example(name)).await?;
            assert_eq!(summary, format!("nothing to import: {NOTHING}; the menu of 食堂A stays at version {}", before + 1));
            assert_eq!(all_rows(db).await?, rows);
        }
        let menu = menu(&guest).await?;
        assert_eq!(menu.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["コーヒー", "紅茶・その他", "フード", "ケーキ", "お持ち帰り"]);
        assert_eq!(menu[0].1[1], ("Caffe latte".into(), 560));
        // a large iced latte with two shots of vanilla; what must be chosen must be chosen
        let latte = item(db, "1002").await?;
        let refused = guest.place(order(&key(), json!([line(latte, 1)]))).await?;
        assert_eq!(refused.code(), "BAD_USER_INPUT");
        let toppings = [topping(db, "T02").await?, topping(db, "T04").await?, topping(db, "T07").await?];
        let placed = guest.place(order(&key(), json!([line_with(latte, 2, &toppings)]))).await?;
        placed.order_id()?;
        assert_eq!(placed.result()?["receipt"]["total"]["amountMinor"], 2 * (560 + 120 + 60));
    }

    async fn the_next_order_pays_the_new_price_under_the_old_id(db) {
        let f = &db.fixture;
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let others = db.int("SELECT min(price_minor) FROM menu_items WHERE tenant_id = ?", [f.other_tenant.into()]).await?;
        let file = |price: i64, name: &str| {
            format!("kind,sku,section,name,name en,price,stock,group\nitem,ramen,麺,{name},Ramen,{price},10,X\n\
                     item,tea,飲,お茶,Tea,300,,\ntopping,t-egg,,味玉,Egg,{},,X\n", price / 10)
        };
        // the node has the first menu in memory by then
        guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
        for (n, price) in [900, 950].into_iter().enumerate() {
            import_csv(db, &file(price, &format!("ラーメン{n}"))).await?;
            let placed = guest.place(order(&key(), json!([line_with(f.ramen, 1, &[f.egg])]))).await?;
            let receipt = &placed.result()?["receipt"];
            assert_eq!(receipt["total"]["amountMinor"], price + price / 10, "{receipt}");
            assert_eq!(receipt["lines"][0]["menuItemId"], f.ramen.to_string());
        }
        assert_eq!(db.stock(f.ramen).await?, 7);
        let price = "SELECT min(price_minor) FROM menu_items WHERE tenant_id = ?";
        assert_eq!(db.int(price, [f.other_tenant.into()]).await?, others);
        assert_eq!(db.int("SELECT catalogue_version FROM shops WHERE tenant_id = ?", [f.other_tenant.into()]).await?, 1);
    }

    async fn what_is_missing_is_off_the_menu_until_it_comes_back(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let shown = menu(&guest).await?;
        let with_tea_only = "kind,sku,section,name,name en,price,group\nitem,tea,飲み物,お茶,Tea,300,\n";
        let summary = import_csv(db, with_tea_only).await?;
        // ramen, beer, rice, udon and all five toppings
        assert!(summary.contains(" 9 archived, 0 restored"), "{summary}");
        assert_eq!(menu(&guest).await?, [("飲み物".into(), vec![("Tea".into(), 300)])]);
        for (lines, names) in [
            (json!([line(f.ramen, 1)]), vec!["ラーメン"]),
            (json!([line_with(f.rice, 1, &[f.egg])]), vec!["ごはん", "egg"]),
            // nothing of udon's required group is left to choose, and udon is gone all the same
            (json!([line(f.udon, 1)]), vec!["うどん"]),
            // tea never had toppings: this one is gone for everything
            (json!([line_with(f.tea, 1, &[f.egg])]), vec!["egg"]),
        ] {
            let refused = guest.with("accept-language", "ja").place(order(&key(), lines)).await?;
            assert_eq!(refused.code(), "ITEM_UNAVAILABLE", "{}", refused.body);
            let items = refused.result()?["items"].as_array().cloned().unwrap_or_default();
            assert_eq!(items.iter().filter_map(|i| i["name"].as_str()).collect::<Vec<_>>(), names);
        }
        guest.place(order(&key(), json!([line(f.tea, 1)]))).await?.order_id()?;
        assert!(import_csv(db, with_tea_only).await?.contains(NOTHING));

        let full = "kind,sku,section,name,name en,price,group\nitem,ramen,全部,ラーメン,ramen,850,extras\n\
                    item,beer,全部,ビール,beer,600,\nitem,rice,全部,ごはん,rice,200,extras\nitem,tea,全部,お茶,tea,300,\n\
                    item,udon,全部,うどん,udon,450,\ntopping,t-egg,,味玉,egg,120,extras\n";
        assert!(import_csv(db, full).await?.contains(" 5 restored"));
        assert_eq!(menu(&guest).await?, shown);
        guest.place(order(&key(), json!([line_with(f.ramen, 2, &[f.egg])]))).await?.order_id()?;
        assert_eq!((db.stock(f.ramen).await?, db.stock(f.egg).await?), (8, 98));
    }

    async fn another_order_of_rows_is_another_order_of_the_menu(db) {
        let node = db.node().await?;
        let guest = node.guest(db.fixture.s1());
        let file = |rows: [&str; 3]| format!("sku,section,name,price\n{}\n", rows.join("\n"));
        let (tea, beer, rice) = ("tea,飲,tea,300", "beer,飲,beer,600", "rice,飯,rice,200");
        import_csv(db, &file([tea, beer, rice])).await?;
        let summary = import_csv(db, &file([rice, beer, tea])).await?;
        assert!(summary.starts_with("imported: the same in another order"), "{summary}");
        let item = |name: &str, price| (name.to_owned(), price);
        let expected = [("飯".into(), vec![item("rice", 200)]), ("飲".into(), vec![item("beer", 600), item("tea", 300)])];
        assert_eq!(menu(&guest).await?, expected);
    }

    async fn a_file_with_errors_imports_nothing_and_names_them_all(db) {
        let before = all_rows(db).await?;
        let csv = "商品コード,部門,商品名,価格,税率,在庫\nA,麺,そば,700,10,\nA,麺,うどん,x,10,\n,丼,天丼,900,12%,many\n";
        let json_ld = r#"{"@type": "Menu", "hasMenuSection": [{"name": "麺", "hasMenuItem": [
            {"identifier": "A", "name": "そば", "offers": {"price": "700", "priceCurrency": "JPY"}},
            {"identifier": "B", "name": "うどん", "offers": {"price": "7.5", "priceCurrency": "JPY"}},
            {"identifier": "C", "offers": {"price": "7", "priceCurrency": "EUR"}}]}]}"#;
        for (name, text, errors) in [
            ("menu.csv", csv, &[
                "row 3, 商品コード: \"A\" is the code of row 2 already",
                "row 3, 価格: must be an amount in JPY like 980, not \"x\"",
                "row 4, 商品コード: is empty",
                "row 4, 在庫: must be a whole number from 0 to 1000000, not \"many\"",
            ]),
            ("menu.jsonld", json_ld, &[
                "$.hasMenuSection[0].hasMenuItem[1].offers.price: JPY has no decimals, but \"7.5\" does",
                "$.hasMenuSection[0].hasMenuItem[2].name: is missing in Japanese and in English",
                "$.hasMenuSection[0].hasMenuItem[2].offers.priceCurrency: must be JPY, the shop's currency, not \"EUR\"",
                "",
            ]),
        ] {
            let (_folder, path) = file(name, text)?;
            let (exit, printed, said) = run_import(db, "Diner A", &path).await?;
            assert_eq!((exit, printed.as_str()), (Some(1), ""), "{said}");
            let errors: Vec<&str> = errors.iter().copied().filter(|error| !error.is_empty()).collect();
            let listed: Vec<&str> = said.lines().filter(|line| line.starts_with("row ") || line.starts_with('$')).collect();
            assert_eq!(listed, errors);
            let last = format!("{name}: {} errors, nothing was imported", errors.len());
            assert!(said.trim_end().ends_with(&last), "{said}");
        }
        assert_eq!(all_rows(db).await?, before);
    }

    async fn stock_is_put_in_when_it_is_tracked_first_and_never_again(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let guest = node.guest(f.s1());
        let file = |stock: &str| format!("sku,name,price,stock\ntea,お茶,300,{stock}\nramen,ラーメン,850,{stock}\n");
        let levels = async || -> Result<(i64, i64, i64)> {
            let supplied = "SELECT supplied FROM stock_levels WHERE subject_id = ?";
            Ok((db.stock(f.tea).await?, db.int(supplied, [f.tea.into()]).await?, db.stock(f.ramen).await?))
        };
        guest.place(order(&key(), json!([line(f.tea, 5), line(f.ramen, 1)]))).await?.order_id()?;
        import_csv(db, &file("6")).await?;
        // five teas went before anybody counted
        assert_eq!(levels().await?, (6, 6, 9));
        guest.place(order(&key(), json!([line(f.tea, 4)]))).await?.order_id()?;
        for stock in ["6", "50", "", "0"] {
            let summary = import_csv(db, &file(stock)).await?;
            assert!(summary.starts_with("nothing to import"), "{summary}");
            assert_eq!(levels().await?, (2, 6, 9), "{stock:?}");
        }
        let refused = guest.place(order(&key(), json!([line(f.tea, 3)]))).await?;
        assert_eq!(refused.code(), "SOLD_OUT");
    }

    async fn money_has_the_decimals_of_the_shop(db) {
        let own = open(&db.url).await?;
        let shop = another_shop(&own, "USD", &[500]).await?;
        own.close().await;
        let (_folder, path) = file("menu.csv", "sku,name,price,tax rate\ndish-0,Soup,7.29,8.25\n")?;
        let (exit, printed, said) = run_import(db, "Diner USD", &path).await?;
        assert_eq!(exit, Some(0), "{printed}{said}");
        let placed = db.node().await?.guest(&shop.table).place(order(&key(), json!([line(shop.items[0], 3)]))).await?;
        placed.order_id()?;
        assert_eq!(placed.result()?["receipt"]["total"], json!({ "amountMinor": 2_187, "currency": "USD" }));
        assert_eq!(db.int("SELECT tax_rate_bp FROM menu_items WHERE id = ?", [shop.items[0].into()]).await?, 825);
        let (exit, _, said) = run_import(db, "Diner A", &path).await?;
        assert_eq!(exit, Some(1));
        assert!(said.contains("row 2, price: JPY has no decimals, but \"7.29\" does"), "{said}");
    }

    /// As cash registers write it: Shift_JIS with ①, a backslash for the yen sign.
    async fn an_export_in_shift_jis_is_read(db) {
        let bytes = b"\x8f\xa4\x95i\x83R\x81[\x83h,\x8f\xa4\x95i\x96\xbc,\x89\xbf\x8ai,\x8d\xdd\x8c\xc9\x90\x94\r\n\
                      A-1,\x87@\x8f\xdd\x96\xfb\x83\x89\x81[\x83\x81\x83\x93,\\900,5\r\n";
        let (_folder, path) = file("export.txt", bytes)?;
        import(db, &path).await?;
        let ramen = item(db, "A-1").await?;
        assert_eq!(db.stock(ramen).await?, 5);
        let named = "SELECT count(*) FROM menu_items WHERE id = ? AND name_ja = ? AND price_minor = 900";
        assert_eq!(db.int(named, [ramen.into(), "①醤油ラーメン".into()]).await?, 1);
    }

    async fn a_large_menu_takes_seconds(db) {
        let tenant = db.fixture.tenant;
        let began = Instant::now();
        let summary = import_csv(db, &many(5_000, 980)).await?;
        let (first, began) = (began.elapsed(), Instant::now());
        assert!(summary.contains("5100 created"), "{summary}");
        let count = "SELECT count(*) FROM menu_items WHERE tenant_id = ? AND NOT archived AND price_minor = ?";
        assert_eq!(db.int(count, [tenant.into(), 980.into()]).await?, 5_000);
        assert!(import_csv(db, &many(5_000, 980)).await?.contains(NOTHING));
        let (repeat, began) = (began.elapsed(), Instant::now());
        let rows = all_rows(db).await?;
        let summary = import_csv(db, &many(5_000, 990)).await?;
        let (update, began) = (began.elapsed(), Instant::now());
        assert!(summary.contains(" 0 created, 5000 changed"), "{summary}");
        assert_eq!(all_rows(db).await?["stock_levels"], rows["stock_levels"]);
        let summary = import_csv(db, &many(2_500, 990)).await?;
        assert!(summary.contains("0 created, 0 changed, 2500 archived"), "{summary}");
        assert_eq!(db.int(count, [tenant.into(), 990.into()]).await?, 2_500);
        println!(
            "{:?}, 5000 items: first {first:?}, repeat {repeat:?}, new prices {update:?}, half archived {:?}",
            db.backend,
            began.elapsed()
        );
    }

    /// Two dishes change their prices together, again and again; no order may pay the old price of one and the new price of the
    /// other.
    async fn an_order_sees_the_menu_before_or_after_and_never_a_mix(db) {
        db.set_policy("content_window_ms = 0").await?;
        let node = db.node().await?;
        let menus = [100, 200].map(|price| {
            let more: String = (0..600).map(|n| format!("M{n},料理{n},{price},\n")).collect();
            format!("sku,name,price,stock\nA,一,{price},100000\n{more}Z,二,{},100000\n", price * 10)
        });
        import_csv(db, &menus[0]).await?;
        let lines = json!([line(item(db, "A").await?, 1), line(item(db, "Z").await?, 1)]);
        let (placed, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let guests = db.fixture.tables.iter().take(4).map(async |table| {
            let guest = node.guest(table);
            while !is_over.load(Ordering::SeqCst) {
                guest.insist(order(&key(), lines.clone())).await?.order_id()?;
                placed.fetch_add(1, Ordering::SeqCst);
            }
            Ok::<_, Error>(())
        });
        let importer = async {
            for round in 1..=6 {
                let before = placed.load(Ordering::SeqCst);
                import_csv(db, &menus[round % 2]).await?;
                eventually("somebody ordered", async || Ok(placed.load(Ordering::SeqCst) > before + 2)).await?;
            }
            Ok::<_, Error>(())
        };
        let importing = async {
            let imported = importer.await;
            is_over.store(true, Ordering::SeqCst);
            imported
        };
        tokio::try_join!(try_join_all(guests), importing)?;
        let totals = db.query("SELECT total_minor, count(*) FROM orders GROUP BY total_minor ORDER BY 1", []).await?;
        let totals: Vec<i64> = totals.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?;
        assert_eq!(totals, [1_100, 2_200]);
        let mixed = "SELECT count(*) FROM order_lines a JOIN order_lines z ON z.order_id = a.order_id
            WHERE a.sku = 'A' AND z.sku = 'Z' AND z.unit_price_minor <> a.unit_price_minor * 10";
        assert_eq!(db.int(mixed, []).await?, 0);
        assert_eq!(version(db).await?, 1 + 1 + 6);
    }

    async fn two_imports_at_once_leave_one_menu_whole(db) {
        let neutral = many(300, 1);
        let (one, two) = (many(300, 2), many(300, 3).replace("料理", "菜"));
        let (_one, one) = file("one.csv", one)?;
        let (_two, two) = file("two.csv", two)?;
        for _ in 0..4 {
            import_csv(db, &neutral).await?;
            let before = version(db).await?;
            tokio::try_join!(import(db, &one), import(db, &two))?;
            let kinds = db
                .query("SELECT DISTINCT price_minor, substr(name_ja, 1, 1) FROM menu_items WHERE tenant_id = ? AND NOT archived",
                    [db.fixture.tenant.into()])
                .await?;
            let kinds: Vec<(i64, String)> =
                kinds.iter().map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))).collect::<Result<_>>()?;
            assert!(kinds == [(2, "料".into())] || kinds == [(3, "菜".into())], "{kinds:?}");
            assert_eq!(version(db).await?, before + 2);
        }
    }

    /// The guard itself: a plan is written only to the menu that it was made for.
    async fn a_plan_for_a_menu_that_changed_meanwhile_is_not_written(db) {
        let f = &db.fixture;
        let tenant = TenantId(f.tenant);
        let own = open(&db.url).await?;
        let stands = store::catalog::menu_rows(&own, tenant).await?;
        let mut after = stands.catalogue()?;
        let from = after.version;
        after.items.entry(MenuItemId(f.tea)).and_modify(|tea| tea.price_minor = 1);
        let difference = Difference::between(tenant, &stands, &after, &BTreeMap::from([(f.tea, 7)]));
        let write = async || {
            txn::write(&own, Priority::Request, async |txn| menu_writer::write(txn, from, &difference, &|_| ()).await).await
        };
        db.change_menu("UPDATE menu_items SET price_minor = 310 WHERE id = ?", [f.tea.into()]).await?;
        let before = all_rows(db).await?;
        assert!(matches!(write().await, Err(Failure::Serialization)));
        assert_eq!(all_rows(db).await?, before);
        db.execute("UPDATE shops SET catalogue_version = ?", [from.into()]).await?;
        write().await?;
        own.close().await;
        assert_eq!((version(db).await?, db.stock(f.tea).await?), (from + 1, 7));
        assert_eq!(db.int("SELECT price_minor FROM menu_items WHERE id = ?", [f.tea.into()]).await?, 1);
    }

    /// SIGKILL at any moment.
    async fn a_killed_import_did_everything_or_nothing(db) {
        import_csv(db, &many(2_000, 1)).await?;
        let (_folder, path) = file("menu.csv", many(2_000, 2))?;
        let program = std::env::var("MASTERORDER_BIN").context("MASTERORDER_BIN")?;
        let path = path.to_str().context("a path")?;
        for n in 0..12_u64 {
            let mut child = Command::new(&program)
                .args(["menu", "import", path, "--shop", "Diner A", "--database-url", &db.url])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            tokio::time::sleep(Duration::from_millis(20 + 15 * n)).await;
            child.kill().await?;
            // one statement: the database may be about to commit what the dead process had sent
            let both = "SELECT s.catalogue_version, (SELECT count(*) FROM menu_items i
                WHERE i.tenant_id = s.tenant_id AND NOT i.archived AND i.price_minor = 2) FROM shops s WHERE s.tenant_id = ?";
            let rows = db.query(both, [db.fixture.tenant.into()]).await?;
            let seen: (i64, i64) = (rows[0].try_get_by_index(0)?, rows[0].try_get_by_index(1)?);
            assert!([(2, 0), (3, 2_000)].contains(&seen), "{seen:?}");
        }
        import(db, Path::new(path)).await?;
        assert_eq!(version(db).await?, 3);
    }

    async fn what_can_not_begin_says_why(db) {
        let (_folder, path) = file("menu.csv", "sku,name,price\nA,Tea,300\n")?;
        let path = path.to_str().context("a path")?;
        for (arguments, words) in [
            (vec![path], "name one of the shops with --shop: 食堂A, 食堂B"),
            (vec![path, "--shop", "Nowhere"], "no shop is called \"Nowhere\""),
            (vec!["no-such.csv", "--shop", "Diner A"], "can not read no-such.csv"),
            (vec![path, "--shop", "Diner A", "--tax-rate", "0.1"], "write 10 or 10%"),
        ] {
            let (exit, _, said) = run(&[&["menu", "import", "--database-url", &db.url], &arguments[..]].concat()).await?;
            assert!(exit.is_some_and(|code| code != 0) && said.contains(words), "{arguments:?}: {exit:?} {said}");
        }
    }
}
