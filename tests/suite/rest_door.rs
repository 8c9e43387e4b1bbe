//! The REST door itself: what HTTP says when a request does not fit, and that the description is the truth.

use harness::client::{K1, line};
use harness::description::{ORDERS, PLACEMENT};
use harness::{Client, Description, Process, Reply, on_both_databases};
use reqwest::Method;
use serde_json::json;

const JSON: &str = "application/json";

async fn posted(client: &Client, body: String, content_type: &str) -> anyhow::Result<Reply> {
    let request = client.request(Method::POST, ORDERS).header("idempotency-key", K1);
    Reply::to(request.header("content-type", content_type).body(body)).await
}

/// A problem of this status, written as the standard wants.
fn problem(reply: &Reply, status: u16, code: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        reply.status == status && reply.body["status"] == status && reply.body["code"] == code,
        "not {status} {code}: {} {}",
        reply.status,
        reply.body
    );
    anyhow::ensure!(
        reply.header("content-type") == "application/problem+json" && reply.body["title"].is_string(),
        "{:?}",
        reply.headers
    );
    Ok(())
}

on_both_databases! {
    /// What a form of another site can send without asking is not JSON.
    async fn only_json_of_a_decent_size_is_taken_in(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let guest = node.guest(f.s1());
        let body = json!({ "lines": [line(f.ramen, 1)] }).to_string();
        let before = db.census().await?;
        for content_type in
            ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application/json; charset=shift_jis", ""]
        {
            let reply = described.held("post", ORDERS, posted(&guest, body.clone(), content_type).await?)?;
            problem(&reply, 415, "BAD_USER_INPUT")?;
        }
        let bare = guest.request(Method::POST, ORDERS).header("idempotency-key", K1).body(body.clone());
        problem(&Reply::to(bare).await?, 415, "BAD_USER_INPUT")?;
        let padded = |bytes: usize| format!("{}{body}", " ".repeat(bytes - body.len()));
        let reply = described.held("post", ORDERS, posted(&guest, padded(64 * 1024 + 1), JSON).await?)?;
        problem(&reply, 413, "BAD_USER_INPUT")?;
        assert_eq!(reply.header("connection"), "close");
        for body in ["", "{", "null", "[]", "{}{}", &format!("{body}{body}"), &body[1..]] {
            let reply = described.held("post", ORDERS, posted(&guest, body.to_owned(), JSON).await?)?;
            problem(&reply, 400, "BAD_USER_INPUT")?;
        }
        assert_eq!(db.census().await?, before);
        assert_eq!(posted(&guest, padded(64 * 1024), JSON).await?.status, 201);
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn who_is_not_known_is_401_before_the_order_is_read(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let before = db.census().await?;
        for nobody in [node.anonymous(), node.key("mo_test_nonsense"), node.key("x"), node.guest(f.s1()).with("x-session-id", "1")] {
            for body in [json!({ "lines": [line(f.ramen, 1)] }), json!({ "nonsense": true })] {
                let reply = described.post(&nobody, K1, body).await?;
                problem(&reply, 401, "UNAUTHENTICATED")?;
                assert_eq!(reply.header("www-authenticate"), "Bearer");
            }
            problem(&described.placement(&nobody, K1).await?, 401, "UNAUTHENTICATED")?;
        }
        let both = node.guest(f.s1()).with("authorization", &format!("Bearer {}", f.staff_key));
        let reply = described.post(&both, K1, json!({ "lines": [line(f.ramen, 1)] })).await?;
        problem(&reply, 400, "BAD_USER_INPUT")?;
        assert_eq!(reply.body["path"], "Authorization");
        assert_eq!(db.census().await?, before);
    }

    async fn other_methods_and_paths_are_told_so(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let placement = format!("/v1/placements/{K1}");
        for (path, allowed, methods) in [
            (ORDERS, "POST", vec![Method::GET, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS]),
            (&placement, "GET,HEAD", vec![Method::POST, Method::PUT, Method::DELETE]),
            ("/openapi.json", "GET,HEAD", vec![Method::POST, Method::DELETE]),
        ] {
            for method in methods {
                let reply = Reply::to(guest.request(method.clone(), path)).await?;
                problem(&reply, 405, "BAD_USER_INPUT")?;
                assert_eq!(reply.header("allow"), allowed, "{method} {path}");
            }
        }
        let head = Reply::to(guest.request(Method::HEAD, ORDERS)).await?;
        assert_eq!((head.status, head.header("allow")), (405, "POST"));
        for path in ["/v1", "/v1/", "/v1/order", "/v1/orders/", "/v1/orders/7", "/v1/placements", "/v1/placements/", "/v1/a/b/c"] {
            for method in [Method::GET, Method::POST] {
                problem(&Reply::to(guest.request(method, path)).await?, 404, "NOT_FOUND")?;
            }
        }
        let reply = Reply::to(guest.with("accept-language", "ja").request(Method::GET, "/v1/nothing")).await?;
        assert_eq!(reply.body["title"], "見つかりませんでした");
        assert_eq!(db.census().await?, before);
    }

    /// The other direction, that nothing more is served than described, is a unit test beside the routes.
    async fn what_is_described_is_served(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let described = Description::read(&node.anonymous()).await?;
        let paths = described.0["paths"].as_object().cloned().unwrap_or_default();
        assert_eq!(paths.len(), 3);
        for (path, item) in &paths {
            let client = if path == "/openapi.json" { node.anonymous() } else { node.guest(f.s1()) };
            for (method, operation) in item.as_object().into_iter().flatten() {
                let target = path.replace("{requestId}", K1);
                let reply = Reply::to(client.request(method.to_uppercase().parse()?, &target)).await?;
                assert!(![404, 405].contains(&reply.status), "{method} {path}: {}", reply.body);
                let statuses = operation["responses"].as_object().cloned().unwrap_or_default();
                assert!(statuses.contains_key(&reply.status.to_string()), "{method} {path}: {}", reply.status);
            }
        }
        for (_, example) in described.0["components"]["examples"].as_object().into_iter().flatten() {
            described.fits("Problem", &example["value"])?;
        }
        let shown = |path: &str, method: &str, status: &str| {
            paths[path][method]["responses"][status]["content"][JSON]["example"].clone()
        };
        described.fits("Placed", &shown(ORDERS, "post", "201"))?;
        described.fits("PlacementStatus", &shown(PLACEMENT, "get", "200"))?;
        described.fits("OrderInput", &paths[ORDERS]["post"]["requestBody"]["content"][JSON]["example"])?;
        assert!(paths.contains_key(ORDERS) && paths.contains_key(PLACEMENT));
        assert_eq!(described.0["openapi"], "3.1.0");
    }

    async fn a_page_of_an_allowed_origin_may_place_and_read_what_it_needs(db) {
        let f = &db.fixture;
        let own = Process::start(db, &[("MASTERORDER_ALLOW_ORIGIN", "https://shop.example")]).await?;
        let guest = own.guest(f.s1()).with("origin", "https://shop.example");
        let asked = guest.without("x-session-pin").request(Method::OPTIONS, ORDERS)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "idempotency-key,content-type");
        let reply = Reply::to(asked).await?;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "https://shop.example"));
        assert!(reply.header("access-control-allow-headers").contains("idempotency-key"));
        let placed = guest.post_order(K1, json!({ "lines": [line(f.ramen, 1)] })).await?;
        assert_eq!(placed.status, 201);
        let exposed = placed.header("access-control-expose-headers").to_lowercase();
        for name in ["location", "retry-after", "x-masterorder-idempotent-replay"] {
            assert!(exposed.contains(name), "{exposed}");
        }
    }
}
